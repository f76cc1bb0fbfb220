import { isObject, type Json } from './report.ts'
import { readErrorCode, request } from './service.ts'
import { toPlainText, Stop, type Terminal } from './terminal.ts'

/** The facts about a service that an agent needs before it reports. */
export interface Learned {
  readonly feedback: URL
  /** The URL at which a receipt can be read. */
  receipt(id: string): URL
  /** JSON Schema of a report. */
  readonly schema: Json
  /** The maximum size of a report as JSON, in bytes. */
  readonly maxBytes: number
  /** The header that carries the idempotency key. */
  readonly keyHeader: string
}

/**
 * Reads the discovery document below a URL, and then the policy that the document names. Throws `Stop` when either is
 * missing or unusable.
 */
export async function discoverProtocol(terminal: Terminal, base: string): Promise<Learned> {
  const discovery = await fetchDocument(terminal, new URL(`${base}/.well-known/agent-feedback.json`))
  const endpoints = isObject(discovery['endpoints']) ? discovery['endpoints'] : {}
  const policy = await fetchDocument(terminal, resolveEndpoint(endpoints, 'policy', base))
  const { idempotency, max_body_bytes: maxBytes } = policy
  const header = isObject(idempotency) ? idempotency['header'] : null
  return {
    feedback: resolveEndpoint(endpoints, 'feedback', base),
    receipt: (id) => resolveEndpoint(endpoints, 'receipts', base, id),
    schema: findSchema(policy),
    maxBytes: typeof maxBytes === 'number' && maxBytes > 0 ? maxBytes : Infinity,
    keyHeader: typeof header === 'string' && /^[\w-]+$/.test(header) ? header : 'Idempotency-Key',
  }
}

async function fetchDocument(terminal: Terminal, url: URL): Promise<Json> {
  const answer = await request(terminal, url)
  if (answer.status !== 200)
    throw new Stop(
      readErrorCode(answer),
      `There is no discovery document for agents at ${url.href} (${answer.status}).`,
    )
  return answer.json
}

/**
 * Returns an endpoint of the discovery document. It must be on the service's own origin, because no other host may read
 * a report about the service.
 */
function resolveEndpoint(endpoints: Json, name: string, base: string, id = ''): URL {
  const named = endpoints[name]
  const path = typeof named === 'string' ? named.replace(/\{[^}]*\}/, encodeURIComponent(id)) : ''
  if (path === '' || !URL.canParse(path, base))
    throw new Stop('no_such_endpoint', `The service's discovery document names no endpoint \`${name}\`.`)
  const url = new URL(path, base)
  if (url.origin !== new URL(base).origin)
    throw new Stop(
      'foreign_endpoint',
      `The discovery document's \`${name}\` is on another origin, ${toPlainText(url.origin)}; nothing was sent to it.`,
    )
  return url
}

/** Returns the schema of reports that the policy publishes, or a schema that is built from the policy's lists. */
function findSchema(policy: Json): Json {
  const schemas = policy['schemas']
  if (isObject(schemas) && isObject(schemas['feedback'])) return schemas['feedback']
  const toEnum = (name: string): Json => (Array.isArray(policy[name]) ? { enum: policy[name] } : {})
  const most = policy['max_evidence_items']
  return {
    properties: {
      subject: { properties: { kind: toEnum('subject_kinds') } },
      signal: {
        properties: {
          category: toEnum('categories'),
          severity: toEnum('severities'),
          reproducibility: toEnum('reproducibility'),
        },
      },
      evidence: {
        ...(typeof most === 'number' && { maxItems: most }),
        items: { properties: { type: toEnum('evidence_types') }, required: ['type', 'content'] },
      },
    },
  }
}
