import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { Fact, FactName } from 'aws-cdk-lib/region-info'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { TributaryStack } from './stack.ts'

type Properties = Record<string, unknown>
type Resources = Record<
  string,
  { readonly Type: string; readonly Properties?: Properties; readonly DeletionPolicy?: string }
>

const tags = ['!Ref', '!Sub', '!GetAtt', '!Not', '!Equals', '!FindInMap'].flatMap((tag) => [
  { tag, resolve: (text: string) => `${tag} ${text}` },
  { tag, collection: 'seq' as const, resolve: (sequence: { toJSON(): unknown }) => ({ [tag]: sequence.toJSON() }) },
])
// What a condition gives where everything is set.
const ifTag = { tag: '!If', collection: 'seq' as const, resolve: (given: { toJSON(): unknown[] }) => given.toJSON()[1] }

interface SamTemplate {
  readonly Globals: { readonly Function: Properties }
  readonly Mappings: Record<string, Properties>
  readonly Resources: Resources
}

const samFile = readFileSync(new URL('../../lambda-sam/template.yaml', import.meta.url), 'utf8')
const readTemplate = (): SamTemplate => parse(samFile, { customTags: [...tags, ifTag] as never }) as SamTemplate
const readSamMappings = (): SamTemplate['Mappings'] => readTemplate().Mappings

/** Reads the SAM template with the functions and events that SAM makes of `AWS::Serverless::Function`. */
function readSam(): Resources {
  const template = readTemplate()
  const resources: Resources = {}
  for (const [name, resource] of Object.entries(template.Resources)) {
    if (resource.Type !== 'AWS::Serverless::Function') {
      resources[name] = resource
      continue
    }
    const { Events = {}, ...own } = { ...template.Globals.Function, ...resource.Properties } as Properties & {
      Events?: Record<string, { Type: string; Properties: Properties }>
    }
    resources[name] = { Type: 'AWS::Lambda::Function', Properties: { ...own, TracingConfig: { Mode: own['Tracing'] } } }
    for (const [event, { Type, Properties: properties }] of Object.entries(Events)) {
      resources[`${name}${event}`] =
        Type === 'SQS'
          ? { Type: 'AWS::Lambda::EventSourceMapping', Properties: properties }
          : { Type: 'AWS::Scheduler::Schedule', Properties: { ...properties, Target: properties } }
    }
  }
  return resources
}

/** The properties that both must have alike, by type of resource. Names and references differ. */
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
  'AWS::ApiGatewayV2::Api': ['ProtocolType'],
  'AWS::ApiGatewayV2::Stage': ['StageName', 'AutoDeploy', 'DefaultRouteSettings', 'AccessLogSettings.Format'],
  'AWS::ApiGatewayV2::Route': ['RouteKey'],
  'AWS::ApiGatewayV2::Integration': ['IntegrationType', 'PayloadFormatVersion'],
}

const readPath = (properties: Properties, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (value as Properties | undefined)?.[key], properties)

/** Returns each compared type with the properties of its resources, in an order that does not depend on names. */
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

/** Returns the names of the variables of the functions, which all have the same. */
const listVariables = (resources: Resources): string[] => {
  const [first] = Object.values(resources).filter(({ Type }) => Type === 'AWS::Lambda::Function')
  return Object.keys(readPath(first!.Properties!, 'Environment.Variables') as object).toSorted()
}

describe('the SAM template and the CDK app', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-parity-'))
  let cdk: Resources
  beforeAll(() => {
    const functions = join(folder, 'functions')
    mkdirSync(functions)
    writeFileSync(join(functions, 'http.mjs'), 'export const handler = async () => undefined')
    const stack = new TributaryStack(new App({ outdir: join(folder, 'out') }), 'Tributary', {
      functions,
      tursoUrl: 'libsql://x.turso.io',
      secrets: 'tributary',
      mailFrom: 'hello@example.com',
      mailIdentity: 'example.com',
      alarmEmail: 'ops@example.com',
    })
    cdk = Template.fromStack(stack).toJSON()['Resources'] as Resources
  }, 60_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('expire the same objects of the bucket, none below content/, and keep the bucket when the stack is deleted', () => {
    for (const resources of [cdk, readSam()]) {
      const [bucket] = Object.values(resources).filter(({ Type }) => Type === 'AWS::S3::Bucket')
      expect(bucket!.DeletionPolicy).toBe('Retain')
      const rules = readPath(bucket!.Properties!, 'LifecycleConfiguration.Rules') as Properties[]
      expect(rules.map(({ Id: _id, ...rule }) => rule)).toEqual([
        ...['upload/', 'put/', 'export/'].map((Prefix) => ({ Prefix, Status: 'Enabled', ExpirationInDays: 2 })),
        { Status: 'Enabled', AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 } },
      ])
    }
  })

  test('make the same resources with the same settings', () => {
    const sam = summarize(readSam())
    expect(Object.values(sam).every((all) => all.length > 0)).toBe(true)
    expect(summarize(cdk)).toEqual(sam)
  })

  test('give functions the same variables, and no secret in one', () => {
    expect(listVariables(cdk)).toEqual(listVariables(readSam()))
    for (const resources of [cdk, readSam()]) expect(JSON.stringify(resources)).not.toContain('{{resolve:')
  })

  test('allow each function the same secrets', () => {
    const listSecrets = (resources: Resources): string[] =>
      Object.values(resources)
        .flatMap((resource) =>
          [...JSON.stringify(resource).matchAll(/(?:\$\{Secrets\}|:secret:tributary)\/([a-z-]+)-\?{6}/g)].map(
            ([, name]) => name,
          ),
        )
        .toSorted()
    expect(listSecrets(cdk)).toEqual(listSecrets(readSam()))
    expect(listSecrets(cdk)).toHaveLength(7)
  })

  test('use the same layer for secrets in each region', () => {
    const { SecretsExtension: layers } = readSamMappings()
    const known = Fact.regions.flatMap((region) => {
      const arn = Fact.find(region, FactName.paramsAndSecretsLambdaLayer('1.0.103', 'arm64'))
      return arn === undefined ? [] : [[region, { Arn: arn }]]
    })
    expect(layers).toEqual(Object.fromEntries(known))
  })

  test('give every alarm an action', () => {
    for (const resources of [cdk, readSam()]) {
      const alarms = Object.values(resources).filter(({ Type }) => Type === 'AWS::CloudWatch::Alarm')
      expect(alarms.map(({ Properties: properties }) => (properties!['AlarmActions'] as unknown[]).length)).toEqual(
        Array.from({ length: 9 }, () => 1),
      )
    }
  })
})
