import { Unavailable } from '@tributary/core'
import { DrizzleQueryError } from 'drizzle-orm/errors'
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'

/** A drizzle database over node-postgres or PGlite, or a transaction of one. */
export type Postgres = PgDatabase<PgQueryResultHKT>

export interface Database {
  /** Runs queries, each by itself. Throws `Unavailable` when the database does not answer. */
  run<Result>(query: (db: Postgres) => Promise<Result>): Promise<Result>
  /**
   * Runs one transaction, and again when Postgres broke it off for the sake of another one. Read committed: a step
   * that decides by what it read locks it first, the user before anything of theirs, traces in the order of their
   * places. Throws `Unavailable`.
   */
  transact<Result>(step: (tx: Postgres) => Promise<Result>): Promise<Result>
}

/** Attempts at a transaction that was broken off. */
const maxAttempts = 10
/** https://www.postgresql.org/docs/current/errcodes-appendix.html: serialization failure, deadlock detected. */
const brokenOff = new Set(['40001', '40P01'])
/** Codes of Node for a connection, by address or by socket. */
const connectionCodes = [
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
]
/** Classes of SQLSTATE that speak of the server and not of the statement, and a read-only transaction. */
const outages = new RegExp(`^(?:08|53|57P|58|25006$|(?:${connectionCodes.join('|')})$)`)
/** What node-postgres throws without a code. */
const brokenConnection = /^(?:Connection terminated|timeout exceeded when trying to connect|Query read timeout)/

function findCode(error: unknown): string {
  const cause = error instanceof DrizzleQueryError ? error.cause : error
  if (!(cause instanceof Error)) return ''
  if (brokenConnection.test(cause.message)) return 'ECONNRESET'
  const { code } = cause as { code?: unknown }
  return typeof code === 'string' ? code : ''
}

async function mapOutages<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    throw outages.test(findCode(error)) ? new Unavailable(error) : error
  }
}

/** Returns the `Database` of a drizzle database. Its maker closes it. */
export function openDatabase(db: Postgres): Database {
  return {
    run: (query) => mapOutages(() => query(db)),
    async transact(step) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await mapOutages(() => db.transaction(step))
        } catch (error) {
          if (attempt === maxAttempts || !brokenOff.has(findCode(error))) throw error
        }
      }
    },
  }
}

/** Returns the row that a query finds, or null. */
export const readFirst = async <Row>(rows: PromiseLike<Row[]>): Promise<Row | null> => (await rows)[0] ?? null
