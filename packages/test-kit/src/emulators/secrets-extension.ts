import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The AWS Parameters and Secrets Lambda Extension, in front of an emulated AWS Secrets Manager. */
export interface SecretsExtension {
  /** The environment of the function: the address of the extension, and its session token. */
  readonly env: Readonly<Record<'PARAMETERS_SECRETS_EXTENSION_HTTP_PORT' | 'AWS_SESSION_TOKEN', string>>
  /** The secrets of the account by name, which a test may change. */
  readonly secrets: Map<string, string>
  /** The names that were read, in order. */
  readonly reads: readonly string[]
  /** Makes all later reads fail with this status, or get no reply. Null ends the disturbance. */
  disturb(how: number | 'silent' | null): void
  close(): Promise<void>
}

const token = 'session-token-of-the-function'

/**
 * Starts the extension of a function. The role of the function may read the secrets named in `allowed`. Default: all.
 * It answers as https://docs.aws.amazon.com/secretsmanager/latest/userguide/retrieving-secrets_lambda.html describes,
 * but without a cache.
 */
export async function startSecretsExtension(
  secrets: Readonly<Record<string, string>>,
  allowed?: readonly string[],
): Promise<SecretsExtension> {
  const stored = new Map(Object.entries(secrets))
  const reads: string[] = []
  let disturbance: number | 'silent' | null = null
  const answer = (name: string): { status: number; body: object } => {
    const value = stored.get(name)
    if (allowed && !allowed.includes(name)) return { status: 400, body: { message: 'AccessDeniedException' } }
    if (value === undefined) return { status: 400, body: { message: 'ResourceNotFoundException' } }
    return { status: 200, body: { Name: name, SecretString: value, VersionStages: ['AWSCURRENT'] } }
  }
  const server = createServer((req, res) => {
    const url = new URL(req.url!, 'http://localhost')
    const name = url.searchParams.get('secretId')
    if (req.headers['x-aws-parameters-secrets-token'] !== token) return void res.writeHead(401).end('no token')
    if (url.pathname !== '/secretsmanager/get' || name === null) return void res.writeHead(404).end('not found')
    reads.push(name)
    if (disturbance === 'silent') return
    const { status, body } =
      disturbance === null ? answer(name) : { status: disturbance, body: { message: 'an outage' } }
    res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    env: { PARAMETERS_SECRETS_EXTENSION_HTTP_PORT: String(port), AWS_SESSION_TOKEN: token },
    secrets: stored,
    reads,
    disturb: (how) => void (disturbance = how),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
