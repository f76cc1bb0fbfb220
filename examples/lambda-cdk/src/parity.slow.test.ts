import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { Fact, FactName } from 'aws-cdk-lib/region-info'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { rollouts, TributaryStack, type TributaryProps } from './stack.ts'

type Properties = Record<string, unknown>
type Resources = Record<
  string,
  { readonly Type: string; readonly Properties?: Properties; readonly DeletionPolicy?: string }
>

const tags = ['!Ref', '!Sub', '!GetAtt', '!If', '!Not', '!Equals', '!FindInMap'].flatMap((tag) => [
  { tag, resolve: (text: string) => `${tag} ${text}` },
  { tag, collection: 'seq' as const, resolve: (sequence: { toJSON(): unknown }) => ({ [tag]: sequence.toJSON() }) },
])

type Parameters = Readonly<Record<string, string | number>>
interface SamTemplate {
  readonly Parameters: Record<string, { readonly Default?: string | number }>
  readonly Conditions: Properties
  readonly Mappings: Record<string, Properties>
  readonly Globals: { readonly Function: Properties }
  readonly Resources: Record<string, Resources[string] & { readonly Condition?: string }>
}

const samFile = readFileSync(new URL('../../lambda-sam/template.yaml', import.meta.url), 'utf8')
const template = parse(samFile, { customTags: tags as never }) as SamTemplate

/**
 * Reads the SAM template with these parameters. Each `AWS::Serverless::Function` is replaced by the resources that SAM
 * creates from it.
 */
function readSam(parameters: Parameters): Resources {
  const valueOf = (name: string): unknown => parameters[name] ?? template.Parameters[name]?.Default
  const readOperand = (operand: unknown): unknown =>
    typeof operand === 'string' && operand.startsWith('!Ref ') ? valueOf(operand.slice(5)) : operand
  function holds(condition: unknown): boolean {
    const { '!Not': not, '!Equals': equals } = condition as { '!Not'?: unknown[]; '!Equals'?: unknown[] }
    return not ? !holds(not[0]) : readOperand(equals![0]) === readOperand(equals![1])
  }
  /** Returns a value in which each `!If` is replaced by the branch that its conditions choose. */
  function choose(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(choose)
    if (typeof value !== 'object' || value === null) return value
    const { '!If': branches } = value as { '!If'?: [string, unknown, unknown] }
    if (branches) return choose(holds(template.Conditions[branches[0]]) ? branches[1] : branches[2])
    const fields = Object.entries(value).map(([name, field]) => [name, choose(field)])
    return Object.fromEntries(fields.filter(([, field]) => field !== '!Ref AWS::NoValue'))
  }
  const resources: Resources = {}
  for (const [name, { Condition, ...given }] of Object.entries(template.Resources)) {
    if (Condition !== undefined && !holds(template.Conditions[Condition])) continue
    const resource = choose(given) as Resources[string]
    if (resource.Type !== 'AWS::Serverless::Function') {
      resources[name] = resource
      continue
    }
    const {
      Events = {},
      AutoPublishAlias: alias,
      ProvisionedConcurrencyConfig,
      ...own
    } = { ...(choose(template.Globals.Function) as Properties), ...resource.Properties } as Properties & {
      Events?: Record<string, { Type: string; Properties: Properties }>
    }
    resources[name] = { Type: 'AWS::Lambda::Function', Properties: { ...own, TracingConfig: { Mode: own['Tracing'] } } }
    if (alias)
      resources[`${name}Alias`] = {
        Type: 'AWS::Lambda::Alias',
        Properties: { Name: alias, ProvisionedConcurrencyConfig },
      }
    const rollout = String(valueOf('Rollout'))
    if (own['DeploymentPreference'] && template.Mappings['Rollouts']![rollout] && rollout !== 'AllAtOnce')
      resources[`${name}DeploymentGroup`] = {
        Type: 'AWS::CodeDeploy::DeploymentGroup',
        Properties: {
          AlarmConfiguration: { Alarms: readPath(own, 'DeploymentPreference.Alarms') },
          DeploymentConfigName: `CodeDeployDefault.Lambda${rollout}`,
        },
      }
    for (const [event, { Type, Properties: properties }] of Object.entries(Events)) {
      resources[`${name}${event}`] =
        Type === 'SQS'
          ? { Type: 'AWS::Lambda::EventSourceMapping', Properties: properties }
          : { Type: 'AWS::Scheduler::Schedule', Properties: { ...properties, Target: properties } }
    }
  }
  return resources
}

/**
 * The properties that must be equal in the SAM template and the CDK app, by resource type. Names and references differ.
 */
const compared: Record<string, readonly string[]> = {
  'AWS::Lambda::Function': [
    'Handler',
    'Runtime',
    'Architectures',
    'MemorySize',
    'Timeout',
    'TracingConfig',
    'ReservedConcurrentExecutions',
  ],
  'AWS::Lambda::EventSourceMapping': ['BatchSize', 'FunctionResponseTypes', 'ScalingConfig'],
  'AWS::Scheduler::Schedule': ['ScheduleExpression', 'Target.RetryPolicy.MaximumRetryAttempts'],
  'AWS::CloudWatch::Alarm': [
    'AlarmDescription',
    'Namespace',
    'MetricName',
    'Statistic',
    'Period',
    'EvaluationPeriods',
    'Threshold',
    'ComparisonOperator',
    'TreatMissingData',
  ],
  'AWS::SNS::Topic': [],
  'AWS::SNS::Subscription': ['Protocol'],
  'AWS::SQS::Queue': [
    'SqsManagedSseEnabled',
    'VisibilityTimeout',
    'MessageRetentionPeriod',
    'RedrivePolicy.maxReceiveCount',
  ],
  'AWS::Logs::LogGroup': ['RetentionInDays'],
  'AWS::S3::Bucket': ['BucketEncryption', 'PublicAccessBlockConfiguration', 'OwnershipControls'],
  'AWS::S3::BucketPolicy': [],
  'AWS::Lambda::Alias': ['Name', 'ProvisionedConcurrencyConfig.ProvisionedConcurrentExecutions'],
  'AWS::CodeDeploy::DeploymentGroup': ['DeploymentConfigName', 'AlarmConfiguration.Alarms.length'],
  'AWS::WAFv2::WebACLAssociation': ['WebACLArn'],
  'AWS::ApiGateway::RestApi': ['BinaryMediaTypes', 'DisableExecuteApiEndpoint', 'EndpointConfiguration'],
  'AWS::ApiGateway::Resource': ['PathPart'],
  'AWS::ApiGateway::Method': [
    'HttpMethod',
    'AuthorizationType',
    'Integration.Type',
    'Integration.IntegrationHttpMethod',
  ],
  'AWS::ApiGateway::Stage': [
    'StageName',
    'MethodSettings.0.ThrottlingBurstLimit',
    'MethodSettings.0.ThrottlingRateLimit',
  ],
  'AWS::ApiGatewayV2::DomainName': ['DomainName', 'DomainNameConfigurations'],
  'AWS::ApiGatewayV2::ApiMapping': [],
  'AWS::ApiGatewayV2::Api': ['ProtocolType', 'DisableExecuteApiEndpoint'],
  'AWS::ApiGatewayV2::Stage': ['StageName', 'AutoDeploy', 'DefaultRouteSettings', 'AccessLogSettings.Format'],
  'AWS::ApiGatewayV2::Route': ['RouteKey'],
  'AWS::ApiGatewayV2::Integration': ['IntegrationType', 'PayloadFormatVersion'],
}

const readPath = (properties: Properties, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (value as Properties | undefined)?.[key], properties)

/** Returns the compared properties of the resources of each type, in an order that does not depend on their names. */
function summarize(resources: Resources): Record<string, unknown[]> {
  return Object.fromEntries(
    Object.entries(compared).map(([type, paths]) => [
      type,
      Object.values(resources)
        .filter(({ Type }) => Type === type)
        .map(({ Properties: properties = {} }) =>
          Object.fromEntries(paths.map((path) => [path, readPath(properties, path)])),
        )
        .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    ]),
  )
}

/** The types of resources that exist only if a parameter asks for them. */
const optionalTypes = [
  'AWS::SNS::Subscription',
  'AWS::CodeDeploy::DeploymentGroup',
  'AWS::WAFv2::WebACLAssociation',
  'AWS::ApiGateway::RestApi',
  'AWS::ApiGatewayV2::DomainName',
  'AWS::ApiGatewayV2::ApiMapping',
]

/** Replaces references to parameters of the SAM template by the values that the test gives them. */
const replaceReferences = (summary: Record<string, unknown[]>): unknown =>
  JSON.parse(JSON.stringify(summary), (_, value: unknown) => {
    const name = typeof value === 'string' && value.startsWith('!Ref ') ? value.slice(5) : ''
    return (everything as Record<string, unknown>)[name] ?? value
  })

/** Returns the names of the functions' environment variables, which are the same for all functions. */
const listVariables = (resources: Resources): string[] => {
  const [first] = Object.values(resources).filter(({ Type }) => Type === 'AWS::Lambda::Function')
  return Object.keys(readPath(first!.Properties!, 'Environment.Variables') as object).toSorted()
}

/**
 * The smallest set of parameters with which the SAM template and the CDK app can be deployed; every optional parameter
 * is off.
 */
const required = { TursoUrl: 'libsql://x.turso.io', MailFrom: 'hello@example.com', MailIdentity: 'example.com' }
const everything = {
  AlarmEmail: 'ops@example.com',
  Domain: 'api.example.com',
  CertificateArn: 'arn:aws:acm:us-east-1:1:certificate/a',
  WebAcl: 'arn:aws:wafv2:us-east-1:1:regional/webacl/a/b',
  Rollout: 'Canary10Percent5Minutes' as const,
  ProvisionedConcurrency: 2,
}

describe('the SAM template and the CDK app', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-parity-'))
  const sam = readSam(required)
  const wholeSam = readSam({ ...required, ...everything })
  let [cdk, wholeCdk]: Resources[] = []
  beforeAll(() => {
    const functions = join(folder, 'functions')
    mkdirSync(functions)
    writeFileSync(join(functions, 'http.mjs'), 'export const handler = async () => undefined')
    const synthesize = (more: Partial<TributaryProps>): Resources => {
      const stack = new TributaryStack(new App({ outdir: mkdtempSync(join(folder, 'out-')) }), 'Tributary', {
        functions,
        tursoUrl: required.TursoUrl,
        secrets: 'tributary',
        mailFrom: required.MailFrom,
        mailIdentity: required.MailIdentity,
        ...more,
      })
      return Template.fromStack(stack).toJSON()['Resources'] as Resources
    }
    cdk = synthesize({})
    wholeCdk = synthesize({
      alarmEmail: everything.AlarmEmail,
      domain: { name: everything.Domain, certificateArn: everything.CertificateArn },
      webAcl: everything.WebAcl,
      rollout: everything.Rollout,
      provisionedConcurrency: everything.ProvisionedConcurrency,
    })
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('expire the same objects of the bucket, but no object below content/, and keep the bucket when the stack is deleted', () => {
    for (const resources of [cdk!, sam]) {
      const [bucket] = Object.values(resources).filter(({ Type }) => Type === 'AWS::S3::Bucket')
      expect(bucket!.DeletionPolicy).toBe('Retain')
      const rules = readPath(bucket!.Properties!, 'LifecycleConfiguration.Rules') as Properties[]
      expect(rules.map(({ Id: _id, ...rule }) => rule)).toEqual([
        ...['upload/', 'put/', 'export/'].map((Prefix) => ({ Prefix, Status: 'Enabled', ExpirationInDays: 2 })),
        { Status: 'Enabled', AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 } },
      ])
    }
  })

  test('create the same resources with the same settings by default', () => {
    expect(summarize(cdk!)).toEqual(replaceReferences(summarize(sam)))
    for (const type of optionalTypes) expect(summarize(sam)[type]).toEqual([])
  })

  test('create the same resources with the same settings if every option is on', () => {
    expect(summarize(wholeCdk!)).toEqual(replaceReferences(summarize(wholeSam)))
    for (const type of optionalTypes) expect(summarize(wholeSam)[type]).not.toEqual([])
  })

  test('give functions the same variables, and put no secret into the template', () => {
    expect(listVariables(cdk!)).toEqual(listVariables(sam))
    for (const resources of [cdk!, sam]) expect(JSON.stringify(resources)).not.toContain('{{resolve:')
  })

  test('allow each function to read the same secrets', () => {
    const listSecrets = (resources: Resources): string[] =>
      Object.values(resources)
        .flatMap((resource) =>
          [...JSON.stringify(resource).matchAll(/(?:\$\{Secrets\}|:secret:tributary)\/([a-z-]+)-\?{6}/g)].map(
            ([, name]) => name!,
          ),
        )
        .toSorted()
    expect(listSecrets(cdk!)).toEqual(listSecrets(sam))
    expect(listSecrets(cdk!)).toHaveLength(7)
  })

  test('offer the same rollouts', () => {
    expect(Object.keys(template.Mappings['Rollouts']!)).toEqual([...rollouts])
  })

  test('use the same layer for reading secrets in each region', () => {
    const { SecretsExtension: layers } = template.Mappings
    const known = Fact.regions.flatMap((region) => {
      const arn = Fact.find(region, FactName.paramsAndSecretsLambdaLayer('1.0.103', 'arm64'))
      return arn === undefined ? [] : [[region, { Arn: arn }]]
    })
    expect(layers).toEqual(Object.fromEntries(known))
  })

  test('give every alarm an action', () => {
    for (const resources of [cdk!, sam]) {
      const alarms = Object.values(resources).filter(({ Type }) => Type === 'AWS::CloudWatch::Alarm')
      expect(alarms.map(({ Properties: properties }) => (properties!['AlarmActions'] as unknown[]).length)).toEqual(
        Array.from({ length: 9 }, () => 1),
      )
    }
  })
})
