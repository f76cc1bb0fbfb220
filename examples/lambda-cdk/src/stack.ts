import { Aws, CfnOutput, Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib'
import { HttpApi, HttpRoute, HttpRouteKey } from 'aws-cdk-lib/aws-apigatewayv2'
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations'
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { Rule, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { Architecture, Code, Function, Runtime } from 'aws-cdk-lib/aws-lambda'
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources'
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3'
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs'
import type { Construct } from 'constructs'

export interface TributaryProps extends StackProps {
  /** The folder of the built functions: `examples/lambda-sam/dist`. */
  readonly functions: string
  /** `libsql://name-organisation.turso.io`. */
  readonly tursoUrl: string
  /** The name of a secret in Secrets Manager with the keys `tursoToken` and `adminToken`. */
  readonly secret: string
  /** A sender that SES has verified, and the identity (address or domain) that it belongs to. */
  readonly mailFrom: string
  readonly mailIdentity: string
  /** The address that people reach, if it is a domain of yours; default: the API's own. */
  readonly baseUrl?: string
  /** The country of every caller, or the header of a proxy of yours that tells it. */
  readonly country?: string
  readonly countryHeader?: string
}

/** Tributary on Lambda: what `examples/lambda-sam/template.yaml` is, as a construct. */
export class TributaryStack extends Stack {
  constructor(scope: Construct, id: string, props: TributaryProps) {
    super(scope, id, props)
    const api = new HttpApi(this, 'Api')
    const url = props.baseUrl ?? `https://${api.apiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}`

    const bucket = new Bucket(this, 'Bucket', {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      removalPolicy: RemovalPolicy.RETAIN,
      // No versions: what is deleted must be gone. The service sweeps by itself; this is the net below it.
      lifecycleRules: [{ expiration: Duration.days(2), abortIncompleteMultipartUploadAfter: Duration.days(1) }],
    })
    const dead = new Queue(this, 'DeadLetters', {
      encryption: QueueEncryption.SQS_MANAGED,
      retentionPeriod: Duration.days(14),
      enforceSSL: true,
    })
    const queue = new Queue(this, 'Queue', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      // Six times the function's time-out, as Lambda wants it; the worker shortens it to its lease.
      visibilityTimeout: Duration.minutes(30),
      deadLetterQueue: { queue: dead, maxReceiveCount: 10 },
    })
    new Alarm(this, 'DeadLetterAlarm', {
      metric: dead.metricApproximateNumberOfMessagesVisible(),
      threshold: 1,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      alarmDescription: "A job failed for good; the operator's page can retry it for a day.",
    })

    const secret = (key: string): string => `{{resolve:secretsmanager:${props.secret}:SecretString:${key}}}`
    const environment = {
      BASE_URL: url,
      TURSO_URL: props.tursoUrl,
      TURSO_TOKEN: secret('tursoToken'),
      ADMIN_TOKEN: secret('adminToken'),
      BUCKET: bucket.bucketName,
      QUEUE_URL: queue.queueUrl,
      MAIL_FROM: props.mailFrom,
      COUNTRY: props.country ?? '',
      COUNTRY_HEADER: props.countryHeader ?? '',
    }
    const code = Code.fromAsset(props.functions)
    const made = (name: string, memorySize: number, timeout: number): Function =>
      new Function(this, `${name[0]!.toUpperCase()}${name.slice(1)}Function`, {
        code,
        handler: `${name}.handler`,
        runtime: Runtime.NODEJS_22_X,
        architecture: Architecture.ARM_64,
        memorySize,
        timeout: Duration.seconds(timeout),
        environment,
      })
    // An HTTP API gives up after 30 seconds; scrubbing wants one whole vCPU.
    const [http, worker, schedule] = [made('http', 1024, 29), made('queue', 1769, 300), made('schedule', 512, 55)]

    new HttpRoute(this, 'Everything', {
      httpApi: api,
      routeKey: HttpRouteKey.DEFAULT,
      integration: new HttpLambdaIntegration('Integration', http),
    })
    worker.addEventSource(
      new SqsEventSource(queue, { batchSize: 1, reportBatchItemFailures: true, maxConcurrency: 10 }),
    )
    new Rule(this, 'EveryMinute', {
      schedule: Schedule.rate(Duration.minutes(1)),
      targets: [new LambdaFunction(schedule, { retryAttempts: 0 })],
    })

    const objects = [bucket.arnForObjects('uploads/*')]
    const mail = new PolicyStatement({
      actions: ['ses:SendEmail'],
      resources: [`arn:${Aws.PARTITION}:ses:${Aws.REGION}:${Aws.ACCOUNT_ID}:identity/${props.mailIdentity}`],
    })
    http.addToRolePolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [queue.queueArn] }))
    http.addToRolePolicy(
      new PolicyStatement({ actions: ['s3:PutObject', 's3:GetObject', 's3:DeleteObject'], resources: objects }),
    )
    // Both prepare account exports, which they join from parts by a multipart upload.
    const exportActions = ['s3:PutObject', 's3:GetObject', 's3:DeleteObject', 's3:AbortMultipartUpload']
    for (const one of [worker, schedule])
      one.addToRolePolicy(new PolicyStatement({ actions: exportActions, resources: objects }))
    // Without it a key that is not there is 403 and not 404.
    for (const one of [http, worker, schedule])
      one.addToRolePolicy(new PolicyStatement({ actions: ['s3:ListBucket'], resources: [bucket.bucketArn] }))
    for (const one of [http, schedule]) one.addToRolePolicy(mail)
    new CfnOutput(this, 'Url', { value: url })
  }
}
