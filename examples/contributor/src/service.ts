import { createClient, type Client, type RequestResult } from '@tributary/core/client'
import { Stop, type Terminal } from './terminal.ts'

/** The service as this program sees it: one address and, once logged in, one token. */
export interface Service {
  readonly base: string
  readonly token: string | null
  readonly client: Client
}

/** Creates the client of a command. It waits with the terminal, and tells why it waits. */
export function connect(base: string, token: string | null, terminal: Terminal): Service {
  const client = createClient({
    baseUrl: base,
    token,
    clientVersion: '0.1.0',
    fetch: terminal.fetch,
    // A batch of traces takes minutes on a slow line.
    timeoutMs: 5 * 60_000,
    retries: 5,
    maxDelayMs: 120_000,
    sleep: (delayMs) => terminal.wait(delayMs),
    onRetry({ status }, delayMs) {
      const reason = status === 429 ? 'The service asks to slow down' : 'The service does not answer'
      terminal.note(`${reason}; trying again in ${Math.ceil(delayMs / 1000)} s`)
    },
  })
  return { base, token, client }
}

/** Returns the value of a success. Throws `Stop` with what to do about a failure. */
export function valueOf<Value>(result: RequestResult<Value>): Value {
  if (result.ok) return result.value
  const { error, status, body } = result
  if (status === 0) {
    throw new Stop(
      'unreachable',
      'No answer from the service. Is it running there? (`npm start`, or name another with --url)',
    )
  }
  throw new Stop(error, explain(error, body) ?? `The service refused the call: ${error} (${status})`)
}

/** Returns what to do about the failures that a person meets. */
function explain(error: string, body: Readonly<Record<string, unknown>>): string | null {
  switch (error) {
    case 'unauthorized':
      return 'You are not logged in, or your login has expired. Log in with `login`.'
    case 'terms_required':
      return `Accept the terms first: ${String(body['acceptUrl'])}`
    case 'contributor_approval_required':
      return `Only approved contributors can upload; your status is ${String(body['status'])}. See ${String(body['applyUrl'])}`
    case 'upgrade_required':
      return `This client is too old: version ${String(body['minVersion'])} or later is required. ${String(body['upgradeCommand'])}`
    case 'not_found':
      return 'You have no trace with this id. `list` shows the ids.'
    case 'invalid_id':
      return 'This is not a trace id. `list` shows the ids.'
    case 'invalid_body':
      return `The service rejected the request: ${JSON.stringify(body['issues'] ?? error)}`
    default:
      return null
  }
}
