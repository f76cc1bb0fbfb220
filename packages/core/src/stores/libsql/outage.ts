import { Unavailable } from '../../unavailable.ts'

// SQLite's primary result codes about the state of the file, not about the statement:
// https://www.sqlite.org/rescode.html. PROTOCOL means that a WAL lock was not available in time.
const codes = new Set([
  'SQLITE_BUSY',
  'SQLITE_LOCKED',
  'SQLITE_READONLY',
  'SQLITE_CANTOPEN',
  'SQLITE_IOERR',
  'SQLITE_FULL',
  'SQLITE_CORRUPT',
  'SQLITE_NOTADB',
  'SQLITE_PROTOCOL',
  'SQLITE_PERM',
  'CLIENT_CLOSED',
  'HRANA_CLOSED_ERROR',
  'HRANA_WEBSOCKET_ERROR',
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
])
// Extended codes start with the primary code: SQLITE_BUSY_SNAPSHOT, SQLITE_IOERR_WRITE.
const extended = /^SQLITE_(?:BUSY|LOCKED|READONLY|CANTOPEN|IOERR|FULL|CORRUPT|NOTADB|PROTOCOL)_/
/** The codes for a file whose contents are damaged. */
const damage = /^SQLITE_(?:CORRUPT|NOTADB)(?:_|$)/
// Matches the messages of `fetch` errors without a response in Node, Bun, Deno, Chromium and Safari. These errors can
// be recognized only by their messages.
const network = /^(?:fetch failed|failed to fetch|load failed|network error|error sending request|terminated)/i

function isOutage(error: Error): boolean {
  const { code, status } = error as { code?: unknown; status?: unknown }
  if (typeof code === 'string' && (codes.has(code) || extended.test(code))) return true
  // hrana, the client's protocol, throws HttpServerError for a response without the protocol's JSON, such as a proxy's.
  // The excluded statuses mean that our request is wrong.
  if (typeof status === 'number' && ![400, 401, 413].includes(status)) return true
  // The body is a proxy's page with the status 200, an incomplete response, or JSON of another protocol.
  if (error instanceof SyntaxError || code === 'HRANA_PROTO_ERROR') return true
  // A ResponseError without a code has the JSON of an HTTP failure, but not its status. Errors of SQL have codes.
  if (error.name === 'ResponseError' && code === undefined) return true
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return true
  // libsql reports a file that cannot be opened by an error without a code.
  if (/^(?:ConnectionFailed\(|unable to open)/i.test(error.message)) return true
  return error instanceof TypeError && network.test(error.message)
}

/**
 * Returns the error to throw for a driver's error. An error that means "the store does not answer" is wrapped in
 * `Unavailable`; a constraint violation, bad SQL or a bug is returned unchanged. Drivers wrap errors, so causes are
 * checked too.
 */
export function outage(error: unknown): unknown {
  if (Unavailable.is(error)) return error
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++) {
    if (isOutage(at)) return new Unavailable(error, { isDamaged: damage.test(String((at as { code?: unknown }).code)) })
  }
  return error
}

/** Runs a driver call and throws `Unavailable` for its outages. */
export async function guarded<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw outage(error)
  }
}
