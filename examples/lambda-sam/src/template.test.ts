import { existsSync, readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { describe, expect, test } from 'vitest'

/** CloudFormation's short functions are kept as text, so that the assertions compare the content of the file. */
const tags = ['!Ref', '!Sub', '!GetAtt', '!If', '!Not', '!Equals', '!FindInMap'].flatMap((tag) => [
  { tag, resolve: (text: string) => `${tag} ${text}` },
  { tag, collection: 'seq' as const, resolve: (sequence: { toJSON(): unknown }) => ({ [tag]: sequence.toJSON() }) },
])

type Loose = Record<string, never>
interface Resource {
  readonly Type: string
  readonly Properties: Loose
}
const file = readFileSync(new URL('../template.yaml', import.meta.url), 'utf8')
const template = parse(file, { customTags: tags as never, merge: true }) as {
  Parameters: Loose
  Mappings: Record<string, Loose>
  Globals: { Function: Loose }
  Resources: Record<string, Resource>
}
const { Resources: resources } = template
const listResourcesOfType = (type: string): [string, Loose][] =>
  Object.entries(resources)
    .filter(([, { Type }]) => Type === type)
    .map(([name, { Properties }]) => [name, Properties])

interface Statement {
  readonly Action: string | string[]
  readonly Resource: string | string[]
}
const listAllowedStatements = (role: string): Statement[] =>
  (resources[role]!.Properties['Policies'] as unknown as { PolicyDocument: { Statement: Statement[] } }[]).flatMap(
    (policy) => policy.PolicyDocument.Statement,
  )

describe('the SAM template', () => {
  test('references only existing resources and parameters', () => {
    const names = [
      ...file.matchAll(/!(?:Ref|GetAtt) '?([A-Za-z]+)/g),
      ...file.matchAll(/\$\{([A-Za-z]+)(?:\.[A-Za-z]+)?\}/g),
    ].map(([, name]) => name!)
    expect(names.length).toBeGreaterThan(30)
    expect(names.filter((name) => !(name in resources) && !(name in template.Parameters) && name !== 'AWS')).toEqual([])
    const mappings = [...file.matchAll(/!FindInMap \[([A-Za-z]+)/g)].map(([, name]) => name!)
    expect([...new Set(mappings)]).toEqual(Object.keys(template.Mappings))
  })

  test('has no circular references', () => {
    const listNamedResources = (name: string): string[] => {
      // SAM creates a separate resource from DeploymentPreference, which names the alarms of the function.
      const text =
        JSON.stringify(resources[name], (key, value: unknown) => (key === 'DeploymentPreference' ? null : value)) +
        (resources[name]!.Type === 'AWS::Serverless::Function' ? JSON.stringify(template.Globals) : '')
      return [...text.matchAll(/!(?:Ref|GetAtt) ([A-Za-z]+)/g), ...text.matchAll(/\$\{([A-Za-z]+)(?:\.[A-Za-z]+)?\}/g)]
        .map(([, found]) => found!)
        .filter((found) => found in resources && found !== name)
    }
    const made = new Set<string>()
    for (let before = -1; before < made.size;) {
      before = made.size
      for (const name of Object.keys(resources))
        if (listNamedResources(name).every((found) => made.has(found))) made.add(name)
    }
    expect([...made].toSorted()).toEqual(Object.keys(resources).toSorted())
  })

  test('has a source file for every handler, runs every function on ARM64, and gives each function its own role', () => {
    expect(template.Globals.Function).toMatchObject({
      Architectures: ['arm64'],
      Runtime: 'nodejs22.x',
      CodeUri: 'dist/',
    })
    const roles = listResourcesOfType('AWS::Serverless::Function').map(([, { Handler, Role }]) => {
      expect(existsSync(new URL(`./${String(Handler).split('.')[0]}.ts`, import.meta.url))).toBe(true)
      return Role
    })
    expect(new Set(roles).size).toBe(3)
  })

  test('gives every function exactly the variables that its code reads', () => {
    const read = ['service', 'secrets', 'http', 'queue', 'worker'].flatMap((name) => {
      const text = readFileSync(new URL(`./${name}.ts`, import.meta.url), 'utf8')
      return [...text.matchAll(/\b([A-Z]+(?:_[A-Z]+)+|BUCKET|COUNTRY|APPROVAL|VERIFIER|SECRETS|CONTENTS)\b/g)].map(
        ([found]) => found,
      )
    })
    const given = Object.keys((template.Globals.Function['Environment'] as unknown as { Variables: object }).Variables)
    // The extension that reads secrets has its own variable.
    expect(given.filter((name) => !read.includes(name))).toEqual(['SECRETS_MANAGER_TTL'])
    const optional = ['APPROVAL', 'VERIFIER']
    expect([...new Set(read)].filter((name) => !given.includes(name) && !optional.includes(name))).toEqual([])
  })

  test('allows each function to read the secrets that its code uses, and has no secret in a variable', () => {
    const names: Record<string, string> = { tursoToken: 'turso-token', secret: 'secret', adminTokens: 'admin-tokens' }
    const listRead = (source: string): string[] => {
      const text = readFileSync(new URL(`./${source}.ts`, import.meta.url), 'utf8')
      return [.../readSecrets\(([^)]+)\)/.exec(text)![1]!.matchAll(/\w+/g)].map(([name]) => names[name]!).toSorted()
    }
    const listAllowed = (role: string): string[] =>
      listAllowedStatements(role)
        .filter(({ Action }) => Action === 'secretsmanager:GetSecretValue')
        .flatMap(({ Resource }) => [Resource].flat().map((arn) => /secret:\$\{Secrets\}\/(.+)-\?{6}$/.exec(arn)![1]!))
        .toSorted()
    expect(listAllowed('HttpRole')).toEqual(listRead('http'))
    for (const role of ['QueueRole', 'ScheduleRole']) expect(listAllowed(role)).toEqual(listRead('worker'))
    expect(file).not.toContain('{{resolve:')
  })

  test('allows each function only its own actions', () => {
    const listActions = (role: string): string[] =>
      listAllowedStatements(role)
        .flatMap(({ Action }) => Action)
        .toSorted()
    const exportActions = [
      's3:AbortMultipartUpload',
      's3:DeleteObject',
      's3:GetObject',
      's3:ListBucket',
      's3:PutObject',
    ]
    expect(listActions('HttpRole')).toEqual([
      's3:DeleteObject',
      's3:DeleteObject',
      's3:GetObject',
      's3:GetObject',
      's3:ListBucket',
      's3:PutObject',
      'secretsmanager:GetSecretValue',
      'ses:SendEmail',
      'sqs:SendMessage',
    ])
    expect(listActions('QueueRole')).toEqual([
      ...exportActions,
      'secretsmanager:GetSecretValue',
      'sqs:ChangeMessageVisibility',
      'sqs:DeleteMessage',
      'sqs:GetQueueAttributes',
      'sqs:ReceiveMessage',
    ])
    expect(listActions('ScheduleRole')).toEqual([...exportActions, 'secretsmanager:GetSecretValue', 'ses:SendEmail'])
    for (const role of ['HttpRole', 'QueueRole', 'ScheduleRole'])
      for (const { Resource } of listAllowedStatements(role)) expect(Resource).not.toBe('*')
  })

  test('allows every function to read and delete the keys that the service uses, and allows only workers to write contents', () => {
    const listPrefixes = (role: string, action: string): string[] =>
      listAllowedStatements(role)
        .filter(
          ({ Action, Resource }) => [Action].flat().includes(action) && JSON.stringify(Resource).includes('Bucket'),
        )
        .flatMap(({ Resource }) => [Resource].flat().map((arn) => /Arn\}\/([a-z]+\/)\*/.exec(arn)![1]!))
        .toSorted()
    const all = ['content/', 'export/', 'put/', 'upload/']
    for (const role of ['HttpRole', 'QueueRole', 'ScheduleRole'])
      for (const action of ['s3:GetObject', 's3:DeleteObject']) expect(listPrefixes(role, action)).toEqual(all)
    for (const role of ['QueueRole', 'ScheduleRole']) expect(listPrefixes(role, 's3:PutObject')).toEqual(all)
    expect(listPrefixes('HttpRole', 's3:PutObject')).toEqual(all.slice(1))
  })

  test('keeps uploads private, encrypted and unversioned, and allows only TLS', () => {
    const [[, bucket]] = listResourcesOfType('AWS::S3::Bucket') as [[string, Loose]]
    expect(Object.values(bucket['PublicAccessBlockConfiguration']!)).toEqual([true, true, true, true])
    expect(JSON.stringify(bucket['BucketEncryption'])).toContain('AES256')
    expect(bucket['VersioningConfiguration']).toBeUndefined()
    expect(JSON.stringify(listResourcesOfType('AWS::S3::BucketPolicy'))).toContain('"Effect":"Deny"')
    for (const [, queue] of listResourcesOfType('AWS::SQS::Queue')) expect(queue['SqsManagedSseEnabled']).toBe(true)
  })

  test("reports failures per message, hides received messages for six times the function's timeout, and has a dead-letter queue", () => {
    const worker = resources['QueueFunction']!.Properties
    const trigger = (worker['Events'] as unknown as { Jobs: { Properties: Loose } }).Jobs.Properties
    expect(trigger['FunctionResponseTypes']).toEqual(['ReportBatchItemFailures'])
    const queue = resources['Queue']!.Properties
    expect(queue['VisibilityTimeout']).toBeGreaterThanOrEqual(6 * Number(worker['Timeout']))
    expect(queue['RedrivePolicy']).toMatchObject({ deadLetterTargetArn: '!GetAtt DeadLetters.Arn' })
    expect((queue['RedrivePolicy'] as unknown as { maxReceiveCount: number }).maxReceiveCount).toBeGreaterThan(5)
  })

  test('has alarms with actions for errors, 5xx replies, throttles, the oldest message and dead letters', () => {
    const alarms = listResourcesOfType('AWS::CloudWatch::Alarm')
    expect(alarms.map(([name]) => name).toSorted()).toEqual(
      [
        'DeadLetterAlarm',
        'OldestMessage',
        'ServerErrors',
        ...['Http', 'Queue', 'Schedule'].flatMap((name) => [`${name}Errors`, `${name}Throttles`]),
      ].toSorted(),
    )
    for (const [, alarm] of alarms) expect(alarm['AlarmActions']).toEqual(['!Ref AlarmTopic'])
  })

  test('has an alias; rollout, provisioned concurrency, web ACL and domain are off by default', () => {
    const { Domain: domain, CertificateArn, WebAcl, Rollout, ProvisionedConcurrency } = template.Parameters
    expect(
      [domain, CertificateArn, WebAcl, Rollout, ProvisionedConcurrency].map((one) => one!['Default'] as unknown),
    ).toEqual(['', '', '', 'AllAtOnce', 0])
    expect(resources['HttpFunction']!.Properties).toMatchObject({
      AutoPublishAlias: 'live',
      DeploymentPreference: { Type: '!Ref Rollout', Alarms: ['!Ref HttpErrors', '!Ref ServerErrors'] },
    })
    expect(template.Mappings['Rollouts']!['AllAtOnce']).toEqual({ Gradual: 'false' })
    // All resources that serve requests refer to the alias, so that a rollout moves all requests gradually.
    expect(file).not.toMatch(/IntegrationUri: !GetAtt HttpFunction|FunctionName: !Ref HttpFunction$/m)
  })

  test("keeps all logs for 30 days, including the API's, and has tracing and concurrency for each function", () => {
    expect(listResourcesOfType('AWS::Logs::LogGroup').map(([, { RetentionInDays }]) => RetentionInDays)).toEqual([
      30, 30, 30, 30,
    ])
    expect(JSON.stringify(resources['Stage']!.Properties['AccessLogSettings'])).not.toMatch(
      /sourceIp|\.path|authorizer/,
    )
    expect(template.Globals.Function['Tracing']).toBe('Active')
    for (const [name, { LoggingConfig, ReservedConcurrentExecutions }] of listResourcesOfType(
      'AWS::Serverless::Function',
    )) {
      expect(LoggingConfig).toEqual({ LogGroup: `!Ref ${name.replace('Function', '')}Logs` })
      expect(JSON.stringify(ReservedConcurrentExecutions)).toMatch(/HasReserved/)
    }
  })
})
