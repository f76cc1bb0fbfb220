import type { JsonSchema } from './documented-failures.ts'

const uuid = '0199d3f0-6f5a-7c1e-8a4b-3f2d1c0b9a87'
const hex64 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'

/** Example text by the name of a property or parameter, where neither its schema nor its format gives one. */
const texts: Readonly<Record<string, string>> = {
  accountEmail: 'ada@example.com',
  acceptanceUrl: 'https://tributary.example/terms',
  acceptUrl: 'https://tributary.example/terms',
  actor: 'alice',
  adapter: 'claude-code',
  address: '203.0.113.7',
  agent_product: 'example-agent',
  agent_vendor: 'example',
  agent_version: '1.4.2',
  applyUrl: 'https://tributary.example/apply',
  arch: 'arm64',
  attachments: '/api/v1/feedback/{feedback_id}/attachments',
  brandName: 'Example',
  budgetUsd: '500',
  buyer: 'Example Research',
  categories: 'bug',
  challenge: 'q4Zr8Vb1Yc6Td3Ns0Kp7Hm2Jf5Lg9Xw',
  clickUrl: 'https://tributary.example/go/k3v9',
  cliVersion: '2.1.0',
  code: '123456',
  command: 'sync',
  companyName: 'Example Ltd',
  confirmed: 'user-2f81',
  contactUrl: 'https://tributary.example/contact',
  content: 'How do I reverse a list in Python?',
  contentHash: hex64,
  count: '3',
  country: 'US',
  counts: '3',
  cpmUsd: '4.50',
  cursor: '42',
  d: 'laptop-4f2a81',
  dailyCap: '1000',
  day: '2026-11-20',
  deliveryId: uuid,
  description: 'How to send reports to this service.',
  deviceCode: 'Vb1Yc6Td3Ns0Kp7Hm2Jf5Lg9Xwq4Zr8A1b2C3d4E5f6',
  deviceId: 'laptop-4f2a81',
  directoryUrl: 'https://directory.example/companies/example',
  disabledReason: 'gone',
  domain: 'tributary.example',
  done: 'saved',
  duplicate_of: uuid,
  duplicateOf: uuid,
  email: 'ada@example.com',
  endsAt: '2026-12-31T23:59',
  error: 'not_found',
  errorMessage: 'All traces of the batch were rejected.',
  eventId: uuid,
  events: 'job.completed',
  eventType: 'job.completed',
  evidence_ids: uuid,
  evidence_types: 'http_summary',
  favicon: 'https://example.com/favicon.ico',
  feedback: '/api/v1/feedback',
  feedback_id: uuid,
  filter: 'open',
  format: 'uuid',
  hashes: hex64,
  header: 'Idempotency-Key',
  hypothesis: 'A field was renamed.',
  id: uuid,
  idempotencyKey: uuid,
  impUrl: 'https://tributary.example/api/ad/imp/mZ3k9',
  incubatorBatch: 'W26',
  into: uuid,
  item: uuid,
  jobId: uuid,
  known: hex64,
  label: 'Laptop',
  lastError: 'connection refused',
  machine: 'Laptop',
  message: 'The sync command prints nothing for a minute.',
  minTokens: '1000',
  minVersion: '2.0.0',
  model: 'claude-sonnet-4-5',
  name: 'Ada Example',
  next: '/traces',
  nextCursor: '42',
  nonce: 'mZ3k9',
  observation_id: uuid,
  observations: '/api/v1/observations',
  parentTraceId: uuid,
  phone: '+1 555 0100',
  platform: 'darwin',
  policy: '/api/v1/policy',
  policyVersion: '2026-01',
  prev: hex64,
  privacy: 'Secrets and personal data are removed on arrival.',
  q: 'parser',
  reason: 'The website does not load.',
  receipts: '/api/v1/receipts/{id}',
  recipient: 'ada@example.com',
  reference: 'transfer-1',
  reportId: uuid,
  reproducibility: 'always',
  requestId: uuid,
  reviewReason: 'The website does not load.',
  role: 'engineer',
  saleId: uuid,
  secret: hex64,
  section: 'jobs',
  sentAt: '2026-11-20T12:00:00.000Z',
  severities: 'low',
  shortUrl: 'https://tributary.example/go/k3v9',
  skipped: '0',
  source: 'claude_code_jsonl',
  sourceId: 'session-8f2c',
  startsAt: '2026-12-01T00:00',
  state: 'for_sale',
  status: 'pending',
  subject: 'Your application was approved',
  subject_kinds: 'api_endpoint',
  summary: 'The example answers 400.',
  surface: 'POST /api/ingest',
  target: uuid,
  term: 'Project Bluebird',
  terms: 'Project Bluebird',
  termsVersion: '2026-01',
  text: 'Example: hosting for small teams',
  title: 'The example is refused',
  token: 'trb_exampleexampleexampleexampleexample1',
  tokens: '81000',
  topics: 'databases',
  traceId: uuid,
  traceIds: uuid,
  traces: '15',
  unhandledTypes: 'thinking',
  until: '4200',
  upgradeCommand: 'npm install -g example-cli',
  uploadId: uuid,
  url: 'https://example.com/path',
  usd: '120.50',
  userCode: 'BCDF-GHJK',
  userId: 'user-2f81',
  verificationUrl: 'https://tributary.example/device',
  verificationUrlComplete: 'https://tributary.example/device?code=BCDF-GHJK',
  version: '2026.11',
  waitlistUrl: 'https://tributary.example/waitlist',
  website: 'https://example.com',
}

const formats: Readonly<Record<string, string>> = {
  'uuid': uuid,
  'date-time': '2026-11-20T12:00:00.000Z',
  'email': 'ada@example.com',
  'uri': 'https://example.com',
  'binary': '…',
}

/** Returns an example value of a schema: its own `examples` first, then what its type, format and name allow. */
export function exampleOf(schema: JsonSchema, components: Readonly<Record<string, JsonSchema>>, name = ''): unknown {
  const inner = (nested: unknown, nestedName = name) => exampleOf(nested as JsonSchema, components, nestedName)
  const own = schema['examples'] as readonly unknown[] | undefined
  if (own) return own[0]
  if ('$ref' in schema) return inner(components[String(schema['$ref']).replace('#/components/schemas/', '')])
  if ('const' in schema) return schema['const']
  if (Array.isArray(schema['enum'])) return schema['enum'][0]
  if ('default' in schema) return schema['default']
  const choices = (schema['anyOf'] ?? schema['oneOf']) as readonly JsonSchema[] | undefined
  if (choices) return inner(choices.find(({ type }) => type !== 'null') ?? choices[0])
  if (Array.isArray(schema['allOf'])) return Object.assign({}, ...schema['allOf'].map((part) => inner(part))) as unknown
  const type = Array.isArray(schema['type']) ? schema['type'].find((one) => one !== 'null') : schema['type']
  if (type === 'object' || 'properties' in schema) {
    const properties = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>)
    const fields = properties.filter(([, field]) => !('not' in field))
    return Object.fromEntries(fields.map(([key, field]) => [key, inner(field, key)]))
  }
  if (type === 'array') return [inner(schema['items'])]
  if (type === 'boolean') return true
  if (type === 'integer' || type === 'number') return Math.max(1, Number(schema['minimum'] ?? 1))
  if (type === 'null') return null
  const text = formats[String(schema['format'])] ?? texts[name]
  return text ?? (type === 'string' ? `<${name}>` : null)
}
