import { createClient, type Client, type RequestResult } from '@tributary/core/client'
import { programName } from './help.ts'
import { CommandError, type Terminal } from './terminal.ts'

/** A service: its URL and, once logged in, a token. */
export interface Service {
  readonly base: string
  readonly token: string | null
  readonly client: Client
}

/**
 * Creates the API client of a command. Before a retry the client waits with the terminal's clock, and prints the
 * reason.
 */
export function connect(base: string, token: string | null, terminal: Terminal): Service {
  const client = createClient({
    baseUrl: base,
    token,
    clientVersion: '0.1.0',
    fetch: (url, init) => fetchResolved(url, init, terminal),
    // On a slow connection the upload of a batch takes minutes.
    timeoutMs: 5 * 60_000,
    retries: 5,
    maxDelayMs: 120_000,
    sleep: (delayMs) => terminal.wait(delayMs),
    onRetry({ status }, delayMs) {
      const reason = status === 429 ? `${base} asks to slow down` : `${base} does not answer`
      terminal.note(`${reason}; trying again in ${Math.ceil(delayMs / 1000)} s`)
    },
  })
  return { base, token, client }
}

/** The error code for a host name that does not exist. Such a request is not retried. */
const unresolvable = 'host_not_found'

async function fetchResolved(
  url: Parameters<typeof fetch>[0],
  { signal = null, ...init }: RequestInit = {},
  { fetch }: Terminal,
): Promise<Response> {
  try {
    return await fetch(url, { ...init, signal })
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as { code?: string }
    if (code !== 'ENOTFOUND' && code !== 'ERR_INVALID_URL') throw error
    return Response.json({ ok: false, error: unresolvable }, { status: 421 })
  }
}

/**
 * Returns the value of a successful result. Otherwise throws `CommandError`, which tells the person how to solve the
 * failure.
 */
export function readValue<Value>(result: RequestResult<Value>): Value {
  if (result.ok) return result.value
  const { error, status, body } = result
  if (status === 0) {
    throw new CommandError(
      'unreachable',
      'No answer from the service. Is it running? Start one with `npm start`, or name another with --url.',
    )
  }
  const message = explainError(error, body) ?? `The service rejected the request: ${error} (${status})`
  throw new CommandError(error, message, 1, error === 'unauthorized' ? ['login'] : [])
}

const applications: Readonly<Record<string, string>> = {
  not_applied: 'not applied',
  pending: 'waiting for review',
  approved: 'approved',
  rejected: 'not accepted',
}

/** Returns the state of a person's application, in words. */
export function formatApplication(status: string): string {
  return applications[status] ?? status.replaceAll('_', ' ')
}

/** Returns advice for failures that people commonly encounter, otherwise null. */
function explainError(error: string, body: Readonly<Record<string, unknown>>): string | null {
  switch (error) {
    case unresolvable:
      return 'There is no host of this name. Check --url or TRIBUTARY_URL.'
    case 'unauthorized':
      return `You are not logged in at this database, or your login has expired. Run: ${programName} login`
    case 'terms_required':
      return `Accept the terms first: ${String(body['acceptUrl'])}`
    case 'contributor_approval_required':
      return (
        'Only approved contributors can upload; your application: ' +
        `${formatApplication(String(body['status']))}. See ${String(body['applyUrl'])}`
      )
    case 'upgrade_required':
      return `This client is too old: version ${String(body['minVersion'])} or later is required. ${String(body['upgradeCommand'])}`
    case 'not_found':
      return 'Nothing of yours has this id. `list` and `jobs` show the ids.'
    case 'invalid_id':
      return 'This is not an id. `list` and `jobs` show the ids.'
    case 'invalid_query':
      return (
        'The service rejects a filter: --from and --to take dates such as 2026-11-01, --state for_sale, excluded or sold, ' +
        '--source a source that `list` shows, --search 1 to 100 characters.'
      )
    case 'invalid_body':
      return `The service rejected the request: ${JSON.stringify(body['issues'] ?? error)}`
    default:
      return null
  }
}
