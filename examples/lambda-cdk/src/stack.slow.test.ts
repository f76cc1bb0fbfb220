import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App } from 'aws-cdk-lib'
import { Match, Template } from 'aws-cdk-lib/assertions'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { TributaryStack } from './stack.ts'

interface Statement {
  readonly Action: string | string[]
  readonly Resource: unknown
  readonly Effect: string
}

describe('the CDK app, synthesized without an account', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-cdk-'))
  let template: Template
  beforeAll(() => {
    mkdirSync(join(folder, 'functions'))
    for (const name of ['http', 'queue', 'schedule'])
      writeFileSync(join(folder, 'functions', `${name}.mjs`), 'export const handler = async () => undefined')
    const stack = new TributaryStack(new App({ outdir: join(folder, 'out') }), 'Tributary', {
      functions: join(folder, 'functions'),
      tursoUrl: 'libsql://x.turso.io',
      secrets: 'tributary',
      mailFrom: 'hello@example.com',
      mailIdentity: 'example.com',
      country: 'US',
    })
    template = Template.fromStack(stack)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  /** Returns the statements of a function's own policy, by the function's handler. */
  function listAllowedStatements(handler: string): Statement[] {
    const functions = template.findResources('AWS::Lambda::Function', { Properties: { Handler: handler } })
    const role = (Object.values(functions)[0]!['Properties'] as { Role: { 'Fn::GetAtt': [string] } }).Role[
      'Fn::GetAtt'
    ][0]
    const policies = template.findResources('AWS::IAM::Policy', { Properties: { Roles: [{ Ref: role }] } })
    // The permissions for X-Ray are left out, because they apply to no named resource.
    return Object.values(policies)
      .flatMap(
        (policy) => (policy['Properties'] as { PolicyDocument: { Statement: Statement[] } }).PolicyDocument.Statement,
      )
      .filter(({ Action }) => ![Action].flat().every((action) => action.startsWith('xray:')))
  }

  test('has three functions on ARM64, each with the variables of the database, the secrets and the country', () => {
    template.resourceCountIs('AWS::Lambda::Function', 3)
    template.allResourcesProperties('AWS::Lambda::Function', {
      Architectures: ['arm64'],
      Runtime: 'nodejs22.x',
      Environment: {
        Variables: Match.objectLike({
          TURSO_URL: 'libsql://x.turso.io',
          SECRETS: 'tributary',
          COUNTRY: 'US',
        }),
      },
    })
  })

  test('allows each function only its own actions', () => {
    const listActions = (handler: string): string[] =>
      [...new Set(listAllowedStatements(handler).flatMap(({ Action }) => Action))].toSorted()
    const exportActions = [
      's3:AbortMultipartUpload',
      's3:DeleteObject',
      's3:GetObject',
      's3:ListBucket',
      's3:PutObject',
    ]
    expect(listActions('http.handler')).toEqual([
      's3:DeleteObject',
      's3:GetObject',
      's3:ListBucket',
      's3:PutObject',
      'secretsmanager:GetSecretValue',
      'ses:SendEmail',
      'sqs:SendMessage',
    ])
    expect(listActions('queue.handler')).toEqual([
      ...exportActions,
      'secretsmanager:GetSecretValue',
      'sqs:ChangeMessageVisibility',
      'sqs:DeleteMessage',
      'sqs:GetQueueAttributes',
      'sqs:GetQueueUrl',
      'sqs:ReceiveMessage',
    ])
    expect(listActions('schedule.handler')).toEqual([
      ...exportActions,
      'secretsmanager:GetSecretValue',
      'ses:SendEmail',
    ])
    for (const handler of ['http.handler', 'queue.handler', 'schedule.handler'])
      for (const { Resource } of listAllowedStatements(handler)) expect(Resource).not.toBe('*')
  })

  test('reports failures per message, and has a dead-letter queue with an alarm', () => {
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: 10 },
    })
    template.hasResourceProperties('AWS::SQS::Queue', {
      VisibilityTimeout: 1800,
      SqsManagedSseEnabled: true,
      RedrivePolicy: { maxReceiveCount: 10 },
    })
    template.hasResourceProperties('AWS::Lambda::Function', {
      Handler: 'queue.handler',
      Timeout: 300,
      MemorySize: 1769,
    })
    template.resourceCountIs('AWS::CloudWatch::Alarm', 9)
    template.hasResourceProperties('AWS::CloudWatch::Alarm', { Namespace: 'AWS/ApiGateway', MetricName: '5xx' })
    template.hasResourceProperties('AWS::Scheduler::Schedule', { ScheduleExpression: 'rate(1 minute)' })
  })

  test('keeps uploads private, encrypted and unversioned, and allows only TLS', () => {
    template.hasResourceProperties('AWS::S3::Bucket', {
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      VersioningConfiguration: Match.absent(),
    })
    expect(JSON.stringify(template.findResources('AWS::S3::Bucket'))).toContain('AES256')
    template.hasResourceProperties('AWS::S3::BucketPolicy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
        ]),
      },
    })
  })

  test('routes every path of the API to the function, with payload format 2.0', () => {
    template.hasResourceProperties('AWS::ApiGatewayV2::Route', { RouteKey: '$default' })
    template.hasResourceProperties('AWS::ApiGatewayV2::Integration', {
      PayloadFormatVersion: '2.0',
      IntegrationType: 'AWS_PROXY',
    })
  })
})

test('app.ts names every required value of the context that is missing, without a stack trace', async () => {
  const exit = vi.spyOn(process, 'exit').mockImplementation(() => {
    throw new Error('exit')
  })
  const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  await expect(import('./app.ts')).rejects.toThrow('exit')
  expect(printed.mock.calls).toEqual([
    [expect.stringContaining('missing: -c tursoUrl=... -c mailFrom=... -c mailIdentity=...')],
  ])
  expect(exit).toHaveBeenCalledWith(1)
  vi.restoreAllMocks()
})
