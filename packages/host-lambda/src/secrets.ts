import { Unavailable, type Clock, type Logger, type Service } from '@tributary/core'
import { checkOptionNames, within } from '@tributary/core/adapter'

/** The values of secrets, by the names that the code gives them. */
export type SecretValues<Name extends string = string> = Readonly<Record<Name, string>>

/** A service. While its secrets cannot be read, `outage` is the error that requests get. */
export interface Opened<Served> {
  readonly service: Served
  readonly outage?: Unavailable
}

/** A service that is made from secrets, and made again when they change. Handlers accept it in place of a service. */
export interface WithSecrets<Served> {
  /** Resolves with the service of the current secrets, or with the service without secrets and the outage. */
  open(): Promise<Opened<Served>>
  /** The service without secrets. It answers while the secrets cannot be read, and warms up before they are read. */
  readonly withoutSecrets: () => Served
}

export interface SecretsOptions {
  /** The time for which values are used before they are read again, in milliseconds. Default: 300,000. */
  readonly lifetimeMs?: number
  readonly logger?: Logger
  readonly clock?: Clock
}

/**
 * The time limit of one read of the secrets, and the pause between two reads while they cannot be read, in
 * milliseconds.
 */
const [readMs, pauseMs] = [5_000, 30_000]

/**
 * Makes a service from secrets that are read at run time. The secrets are read with the first invocation, and again
 * with the first invocation after `lifetimeMs`. When a value has changed, `make` is called with the new values; running
 * requests end with the service with which they began. While the secrets cannot be read, the last values are used, and
 * another read is tried every 30 seconds. Without any values, the handlers fail with an outage, which is 503 over HTTP,
 * and each invocation tries another read.
 *
 * ```ts
 * const read = extensionSecrets({ secret: 'tributary/secret', tursoToken: 'tributary/turso-token' })
 * export const handler = toLambdaHandler(withSecrets(read, (secrets) => createService({ ...options, ...secrets })))
 * ```
 */
export function withSecrets<Values extends SecretValues, Served>(
  read: (signal: AbortSignal) => Promise<Values>,
  make: (secrets: Partial<Values>) => Served,
  options: SecretsOptions = {},
): WithSecrets<Served> {
  checkOptionNames(options, { lifetimeMs: true, logger: true, clock: true })
  const { lifetimeMs = 300_000, logger, clock = Date.now } = options
  let current: { readonly values: string; readonly service: Served } | null = null
  let without: { readonly service: Served } | null = null
  let reading: Promise<Opened<Served>> | null = null
  let readAgainAt = 0

  async function renew(): Promise<Opened<Served>> {
    let secrets: Values
    try {
      secrets = await within(readMs, read)
    } catch (error) {
      logger?.error({ err: error, isCached: current !== null }, 'lambda.secrets.unavailable')
      readAgainAt = clock() + pauseMs
      return current ?? { service: withoutSecrets(), outage: new Unavailable(error) }
    }
    readAgainAt = clock() + lifetimeMs
    const values = JSON.stringify(secrets)
    if (current?.values !== values) current = { values, service: make(secrets) }
    return current
  }
  const withoutSecrets = (): Served => (without ??= { service: make({}) }).service

  return {
    open: async () =>
      current && clock() < readAgainAt ? current : (reading ??= renew().finally(() => (reading = null))),
    withoutSecrets,
  }
}

/** Returns a function that opens the given value: a service, or a service with secrets. */
export function toOpener<Served extends object>(given: Served | WithSecrets<Served>): WithSecrets<Served> {
  return 'withoutSecrets' in given ? given : { open: async () => ({ service: given }), withoutSecrets: () => given }
}

/** Returns the `work` method of a service. The method rejects while the secrets cannot be read. */
export const workOpened =
  ({ open }: WithSecrets<Pick<Service, 'work'>>): Service['work'] =>
  async (options) => {
    const { service, outage } = await open()
    if (outage) throw outage
    return service.work(options)
  }

/**
 * Reads secrets of AWS Secrets Manager by their names or ARNs through the AWS Parameters and Secrets Lambda Extension,
 * a layer that answers on a port of the function. Loading the AWS SDK instead takes longer than the rest of a cold
 * start. The extension answers only during invocations. Rejects when the extension refuses a secret; the message does
 * not contain a value.
 *
 * ```ts
 * const { secret } = await extensionSecrets({ secret: 'tributary/secret' })()
 * ```
 */
export function extensionSecrets<Name extends string>(
  secretIds: Readonly<Record<Name, string>>,
): (signal?: AbortSignal) => Promise<SecretValues<Name>> {
  return async (signal) => {
    const read = Object.entries<string>(secretIds).map(async ([name, id]) => [name, await readSecret(id, signal)])
    return Object.fromEntries(await Promise.all(read)) as SecretValues<Name>
  }
}

/** https://docs.aws.amazon.com/secretsmanager/latest/userguide/retrieving-secrets_lambda.html */
async function readSecret(secretId: string, signal: AbortSignal | undefined): Promise<string> {
  const { status, body } = await getLocally(`/secretsmanager/get?secretId=${encodeURIComponent(secretId)}`, signal)
  if (status !== 200) throw new Error(`secret ${secretId}: the extension answers ${status} ${body.slice(0, 300)}`)
  const { SecretString: value } = JSON.parse(body) as { readonly SecretString?: string }
  if (!value) throw new Error(`secret ${secretId} has no text`)
  return value
}

/**
 * Sends a request to the extension. It does not use `fetch`, whose first use takes 20 ms; the runtime has already
 * loaded `node:http`.
 */
function getLocally(path: string, signal: AbortSignal | undefined): Promise<{ status: number; body: string }> {
  const { PARAMETERS_SECRETS_EXTENSION_HTTP_PORT: port = '2773', AWS_SESSION_TOKEN: token = '' } = process.env
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, headers: { 'x-aws-parameters-secrets-token': token }, signal }
    process
      .getBuiltinModule('node:http')
      .get(options, (reply) => {
        let body = ''
        reply
          .setEncoding('utf8')
          .on('data', (part: string) => (body += part))
          .on('end', () => resolve({ status: reply.statusCode!, body }))
          .on('error', reject)
      })
      .on('error', reject)
  })
}
