import { DrizzleQueryError } from 'drizzle-orm/errors'
import { Unavailable } from '../../unavailable.ts'

/** The connection error codes of Node and of postgres.js. */
const connectionCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
])
/**
 * SQLSTATE codes of a connection, of resources (too many connections, disk full), of an operator (shutdown, statement
 * timeout), of the system, of a read-only transaction, of a write on a replica (0A000) and of a lock timeout:
 * https://www.postgresql.org/docs/current/errcodes-appendix.html.
 */
const outages = /^(?:08|53|57|58)\w{3}$|^(?:0A000|25006|55P03|XX001|XX002)$/
/** Data or an index is corrupted. */
const damage = /^XX00[12]$/
/** The messages of errors that the drivers throw without a code. */
const brokenConnection =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end|PGlite is closed)/
/** The codes of a serialization failure and of a deadlock. */
const brokenOff = new Set(['40001', '40P01'])

/** Returns the first code of an error or of its causes for which a condition is true. */
function findCode(
  error: unknown,
  isMeant: (code: string, error: Error & { readonly routine?: string }) => boolean,
): string | null {
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++) {
    const { code } = at as { code?: unknown }
    const text = typeof code === 'string' ? code : ''
    if (isMeant(text, at)) return text
  }
  return null
}

/** Returns whether Postgres aborted a transaction because of another transaction, so that it may be repeated. */
export const isBrokenOff = (error: unknown): boolean => findCode(error, (code) => brokenOff.has(code)) !== null

/** The SQLSTATE codes for a prepared statement that is unknown to the connection, or that already exists. */
const statementCodes = new Set(['26000', '42P05'])
/**
 * Returns whether a prepared statement had no effect because of one of these codes, or because a table changed. The
 * error of a changed table has the code of many errors and a message in the locale of the server. It is recognized by
 * `routine`, the name of the function in Postgres's source.
 */
export const isWithoutStatement = (error: unknown): boolean =>
  findCode(
    error,
    (code, { routine }) => statementCodes.has(code) || (code === '0A000' && routine === 'RevalidateCachedQuery'),
  ) !== null

/**
 * Returns the error to throw for a driver's error. An error that means "the database does not answer" is wrapped in
 * `Unavailable`; a constraint violation, bad SQL or a bug is returned unchanged.
 */
export function outage(error: unknown): unknown {
  if (Unavailable.is(error)) return error
  // drizzle's own message contains the values of the statement, which are personal data.
  const cause = error instanceof DrizzleQueryError ? error.cause : error
  const code = findCode(
    cause,
    (one, { message }) =>
      connectionCodes.has(one) || outages.test(one) || brokenOff.has(one) || brokenConnection.test(message),
  )
  return code === null ? cause : new Unavailable(cause, { isDamaged: damage.test(code) })
}
