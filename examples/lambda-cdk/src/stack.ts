import { Aws, CfnOutput, Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib'
import {
  CfnApiMapping,
  CfnDomainName,
  HttpApi,
  HttpRoute,
  HttpRouteKey,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2'
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations'
import { AccessLogFormat, EndpointType, LambdaRestApi } from 'aws-cdk-lib/aws-apigateway'
import { Alarm, ComparisonOperator, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy'
import {
  Alias,
  Architecture,
  Code,
  Function,
  LayerVersion,
  Runtime,
  Tracing,
  type IFunction,
} from 'aws-cdk-lib/aws-lambda'
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3'
import { Schedule, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler'
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs'
import { FactName } from 'aws-cdk-lib/region-info'
import { CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2'
import type { Construct } from 'constructs'

export interface TributaryProps extends StackProps {
  /** The folder of the built functions: `examples/lambda-sam/dist`. */
  readonly functions: string
  /** `libsql://name-organisation.turso.io`. */
  readonly tursoUrl: string
  /**
   * The common prefix of three secret names in Secrets Manager. `tributary` means `tributary/turso-token`,
   * `tributary/secret` and `tributary/admin-tokens`.
   */
  readonly secrets: string
  /**
   * The store for the messages of traces of 16 KiB and more; `blobs` is the bucket, below `content/`. Default:
   * `database`.
   */
  readonly contents?: 'database' | 'blobs'
  /** A sender that SES has verified, and the identity (address or domain) to which it belongs. */
  readonly mailFrom: string
  readonly mailIdentity: string
  /** The public URL of the service, if it is on your own domain. Default: the API's own URL. */
  readonly baseUrl?: string
  /**
   * Your own domain for the API instead of the API's default URL, with the domain's certificate from ACM in the region
   * of the stack. The domain's DNS record must name the output `DomainTarget`.
   */
  readonly domain?: { readonly name: string; readonly certificateArn: string }
  /**
   * The ARN of a regional web ACL of AWS WAF, which then inspects each request. Requires `domain`. With a web ACL the
   * API is a REST API, because WAF does not protect HTTP APIs.
   */
  readonly webAcl?: string
  /**
   * How CodeDeploy shifts requests to a new version of the http function. Default: all requests immediately, without
   * CodeDeploy.
   */
  readonly rollout?: Rollout
  /** The number of instances of the http function that are always started. Default: none. */
  readonly provisionedConcurrency?: number
  /** The country of every caller, or the header in which your proxy sends the country. */
  readonly country?: string
  readonly countryHeader?: string
  /** The public keys for the signatures of your dataset packages, like `SigningKeys` of the SAM template. */
  readonly signingKeys?: string
  /** The address that receives a mail when an alarm begins. */
  readonly alarmEmail?: string
  /**
   * Whether each function has reserved concurrency. Default: true. It must be false in a new account with a limit below
   * 1,000.
   */
  readonly reserveConcurrency?: boolean
}

/** The suffixes of CodeDeploy's `CodeDeployDefault.Lambda…`; with `AllAtOnce` CodeDeploy is not used. */
export const rollouts = [
  'AllAtOnce',
  'Canary10Percent5Minutes',
  'Canary10Percent30Minutes',
  'Linear10PercentEvery1Minute',
  'Linear10PercentEvery10Minutes',
] as const
export type Rollout = (typeof rollouts)[number]

/** The API's rate limit in requests per second, and its burst limit in requests. */
const [rateLimit, burstLimit] = [100, 200]

/** The key prefixes of waiting uploads, of uploads that clients PUT directly, and of prepared exports. */
const temporaryPrefixes = ['upload/', 'put/', 'export/']

const accessLogFormat =
  '{"requestId":"$context.requestId","time":"$context.requestTimeEpoch","method":"$context.httpMethod",' +
  '"status":"$context.status","ms":"$context.responseLatency","error":"$context.error.message"}'

interface CreatedApi {
  readonly apiId: string
  readonly stage: string
  /** The number of 5xx replies. */
  readonly failures: Metric
}

/** Tributary on Lambda: the resources of `examples/lambda-sam/template.yaml` as a construct. */
export class TributaryStack extends Stack {
  constructor(scope: Construct, id: string, props: TributaryProps) {
    super(scope, id, props)
    if (props.webAcl && !props.domain) throw new Error('webAcl needs domain')
    const httpApi = props.webAcl
      ? null
      : new HttpApi(this, 'Api', { createDefaultStage: false, disableExecuteApiEndpoint: props.domain !== undefined })
    const createLogs = (name: string): LogGroup =>
      new LogGroup(this, `${name}Logs`, { retention: RetentionDays.ONE_MONTH, removalPolicy: RemovalPolicy.DESTROY })
    const alarmTopic = new Topic(this, 'AlarmTopic')
    if (props.alarmEmail) alarmTopic.addSubscription(new EmailSubscription(props.alarmEmail))
    const createAlarm = (name: string, metric: Metric, alarmDescription: string, threshold = 1): Alarm => {
      const alarm = new Alarm(this, name, {
        metric,
        threshold,
        evaluationPeriods: 1,
        comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        treatMissingData: TreatMissingData.NOT_BREACHING,
        alarmDescription,
      })
      alarm.addAlarmAction(new SnsAction(alarmTopic))
      return alarm
    }
    const ownUrl = `https://${httpApi?.apiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}`
    const url = props.domain ? `https://${props.domain.name}` : (props.baseUrl ?? ownUrl)

    const bucket = new Bucket(this, 'Bucket', {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      removalPolicy: RemovalPolicy.RETAIN,
      // The bucket keeps no versions, because deleted data must be gone. The service deletes what is no longer needed;
      // these rules delete uploads and exports that the service missed. No rule may expire content/, which contains the
      // messages of stored traces.
      lifecycleRules: [
        ...temporaryPrefixes.map((prefix) => ({ prefix, expiration: Duration.days(2) })),
        { abortIncompleteMultipartUploadAfter: Duration.days(1) },
      ],
    })
    const dead = new Queue(this, 'DeadLetters', {
      encryption: QueueEncryption.SQS_MANAGED,
      retentionPeriod: Duration.days(14),
      enforceSSL: true,
    })
    const queue = new Queue(this, 'Queue', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      // Six times the function's timeout, as Lambda requires. The worker shortens the visibility timeout to its lease.
      visibilityTimeout: Duration.minutes(30),
      deadLetterQueue: { queue: dead, maxReceiveCount: 10 },
    })
    const failed = "A job failed for good; the operator's page can retry it for a day."
    createAlarm('DeadLetterAlarm', dead.metricApproximateNumberOfMessagesVisible(), failed)
    const age = queue.metricApproximateAgeOfOldestMessage({ period: Duration.minutes(1) })
    createAlarm('OldestMessage', age, 'An upload has waited for ten minutes.', 600)

    const environment = {
      BASE_URL: url,
      TURSO_URL: props.tursoUrl,
      SECRETS: props.secrets,
      // The extension's cache is off because the function caches the values itself: during an outage of Secrets Manager
      // it continues with the last values.
      SECRETS_MANAGER_TTL: '0',
      BUCKET: bucket.bucketName,
      CONTENTS: props.contents ?? 'database',
      QUEUE_URL: queue.queueUrl,
      MAIL_FROM: props.mailFrom,
      COUNTRY: props.country ?? '',
      COUNTRY_HEADER: props.countryHeader ?? '',
      SIGNING_KEYS: props.signingKeys ?? '',
    }
    const code = Code.fromAsset(props.functions)
    const extensionArn = this.regionalFact(FactName.paramsAndSecretsLambdaLayer('1.0.103', 'arm64'))
    const extension = LayerVersion.fromLayerVersionArn(this, 'SecretsExtension', extensionArn)
    const createFunction = (
      name: string,
      memorySize: number,
      timeout: number,
      concurrency: number,
    ): { created: Function; errors: Alarm } => {
      const title = `${name[0]!.toUpperCase()}${name.slice(1)}`
      const created = new Function(this, `${title}Function`, {
        code,
        handler: `${name}.handler`,
        runtime: Runtime.NODEJS_22_X,
        architecture: Architecture.ARM_64,
        layers: [extension],
        memorySize,
        timeout: Duration.seconds(timeout),
        environment,
        tracing: Tracing.ACTIVE,
        logGroup: createLogs(title),
        ...(props.reserveConcurrency === false ? {} : { reservedConcurrentExecutions: concurrency }),
      })
      const errors = createAlarm(`${title}Errors`, created.metricErrors(), `The ${name} function failed.`)
      createAlarm(`${title}Throttles`, created.metricThrottles(), `The ${name} function reached its concurrency.`)
      return { created, errors }
    }
    // An HTTP API waits at most 30 seconds. Scrubbing needs one whole vCPU.
    const { created: http, errors: httpErrors } = createFunction('http', 1024, 29, 100)
    const { created: worker } = createFunction('queue', 1769, 300, 10)
    const { created: schedule } = createFunction('schedule', 512, 55, 1)

    const live = new Alias(this, 'Live', {
      aliasName: 'live',
      version: http.currentVersion,
      ...(props.provisionedConcurrency ? { provisionedConcurrentExecutions: props.provisionedConcurrency } : {}),
    })
    const { apiId, stage, failures } = httpApi
      ? this.createHttpApi(httpApi, live, createLogs('Access'))
      : this.createRestApi(live, props.webAcl!)
    // During an outage of the database the function returns 503, which is not an error of the function.
    const serverErrors = createAlarm(
      'ServerErrors',
      failures,
      'The API answered five requests or more with 5xx in five minutes.',
      5,
    )
    if (props.rollout && props.rollout !== 'AllAtOnce')
      new LambdaDeploymentGroup(this, 'Rollout', {
        alias: live,
        deploymentConfig: LambdaDeploymentConfig.fromLambdaDeploymentConfigName(
          this,
          'RolloutConfig',
          `CodeDeployDefault.Lambda${props.rollout}`,
        ),
        alarms: [httpErrors, serverErrors],
      })
    if (props.domain) {
      const domain = new CfnDomainName(this, 'DomainName', {
        domainName: props.domain.name,
        domainNameConfigurations: [
          { certificateArn: props.domain.certificateArn, endpointType: 'REGIONAL', securityPolicy: 'TLS_1_2' },
        ],
      })
      new CfnApiMapping(this, 'DomainMapping', { domainName: domain.ref, apiId, stage })
      new CfnOutput(this, 'DomainTarget', { value: domain.attrRegionalDomainName })
    }
    worker.addEventSource(
      new SqsEventSource(queue, { batchSize: 1, reportBatchItemFailures: true, maxConcurrency: 10 }),
    )
    new Schedule(this, 'EveryMinute', {
      schedule: ScheduleExpression.rate(Duration.minutes(1)),
      target: new LambdaInvoke(schedule, { retryAttempts: 0 }),
    })

    const allowSecrets = (created: Function, ...names: string[]): void => {
      const path = `arn:${Aws.PARTITION}:secretsmanager:${Aws.REGION}:${Aws.ACCOUNT_ID}:secret:${props.secrets}`
      const resources = names.map((name) => `${path}/${name}-??????`)
      created.addToRolePolicy(new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources }))
    }
    allowSecrets(http, 'turso-token', 'secret', 'admin-tokens')
    for (const one of [worker, schedule]) allowSecrets(one, 'turso-token', 'secret')

    const temporary = temporaryPrefixes.map((prefix) => bucket.arnForObjects(`${prefix}*`))
    const contents = bucket.arnForObjects('content/*')
    const mail = new PolicyStatement({
      actions: ['ses:SendEmail'],
      resources: [`arn:${Aws.PARTITION}:ses:${Aws.REGION}:${Aws.ACCOUNT_ID}:identity/${props.mailIdentity}`],
    })
    http.addToRolePolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [queue.queueArn] }))
    http.addToRolePolicy(
      new PolicyStatement({ actions: ['s3:PutObject', 's3:GetObject', 's3:DeleteObject'], resources: temporary }),
    )
    http.addToRolePolicy(new PolicyStatement({ actions: ['s3:GetObject', 's3:DeleteObject'], resources: [contents] }))
    // Both functions prepare account exports, and join the parts of an export by a multipart upload.
    const exportActions = ['s3:PutObject', 's3:GetObject', 's3:DeleteObject', 's3:AbortMultipartUpload']
    for (const one of [worker, schedule])
      one.addToRolePolicy(new PolicyStatement({ actions: exportActions, resources: [...temporary, contents] }))
    // Without this permission a missing key returns 403 instead of 404.
    for (const one of [http, worker, schedule])
      one.addToRolePolicy(new PolicyStatement({ actions: ['s3:ListBucket'], resources: [bucket.bucketArn] }))
    for (const one of [http, schedule]) one.addToRolePolicy(mail)
    new CfnOutput(this, 'Url', { value: url })
    new CfnOutput(this, 'BucketName', { value: bucket.bucketName })
    new CfnOutput(this, 'AlarmTopicArn', { value: alarmTopic.topicArn })
  }

  /** Connects the HTTP API with the function. */
  private createHttpApi(httpApi: HttpApi, target: IFunction, logs: LogGroup): CreatedApi {
    const { stageName } = new HttpStage(this, 'Stage', {
      httpApi,
      stageName: '$default',
      autoDeploy: true,
      throttle: { burstLimit, rateLimit },
      // The log omits the caller's address, and also the path, which may contain an id or a code. The function's own
      // log has the route.
      accessLogSettings: {
        destination: new LogGroupLogDestination(logs),
        format: AccessLogFormat.custom(accessLogFormat),
      },
    })
    new HttpRoute(this, 'Everything', {
      httpApi,
      routeKey: HttpRouteKey.DEFAULT,
      integration: new HttpLambdaIntegration('Integration', target),
    })
    return { apiId: httpApi.apiId, stage: stageName, failures: httpApi.metricServerError({ statistic: 'Sum' }) }
  }

  /**
   * Creates a REST API that is protected by a web ACL. It has no access log, because the access log of a REST API needs
   * a role in the settings of the account. The web ACL may have a log.
   */
  private createRestApi(handler: IFunction, webAcl: string): CreatedApi {
    const api = new LambdaRestApi(this, 'RestApi', {
      handler,
      restApiName: this.stackName,
      endpointTypes: [EndpointType.REGIONAL],
      binaryMediaTypes: ['*/*'],
      disableExecuteApiEndpoint: true,
      integrationOptions: { allowTestInvoke: false },
      cloudWatchRole: false,
      deployOptions: { stageName: 'live', throttlingBurstLimit: burstLimit, throttlingRateLimit: rateLimit },
    })
    new CfnWebACLAssociation(this, 'WebAclAssociation', {
      webAclArn: webAcl,
      resourceArn: api.deploymentStage.stageArn,
    })
    const { stageName } = api.deploymentStage
    const dimensionsMap = { ApiName: this.stackName, Stage: stageName }
    const failures = new Metric({
      namespace: 'AWS/ApiGateway',
      metricName: '5XXError',
      dimensionsMap,
      statistic: 'Sum',
    })
    return { apiId: api.restApiId, stage: stageName, failures }
  }
}
