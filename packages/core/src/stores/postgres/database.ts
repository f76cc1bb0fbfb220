import { sql, SQL } from 'drizzle-orm'
import { checkOptionNames } from '../../option-names.ts'
import { inChildSpan } from '../../tracing.ts'
import type { SqlRow, SqlValue } from '../libsql/client.ts'
import type { Database, Query, TableOptions, WriteOptions, Written } from '../libsql/database.ts'
import { describeStatements } from '../libsql/statement-span.ts'
import { createTableNaming } from '../libsql/tables/sqlite-table.ts'
import { isBrokenOff, outage } from './outage.ts'
import { transact, type Postgres, type Session } from './transaction.ts'
import { changedBefore, parameter, translate } from './translate.ts'

/** The place of the tables in a database. */
export interface PostgresOptions extends TableOptions {
  /** The schema of all tables; by default the first one of the connection's `search_path`. */
  readonly schema?: string
}

/** The result of the drivers: postgres.js returns the rows themselves, the others an object. */
interface DriverResult {
  readonly rows: readonly DriverRow[]
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[]
  readonly changed: number
}
type DriverRow = Readonly<Record<string, unknown>>

/** Attempts at a transaction that Postgres broke off for the sake of another one. */
const maxAttempts = 10

/** OIDs of `int8` and `numeric`, which drivers read as texts: https://www.postgresql.org/docs/current/datatype-oid.html. */
const numbers = new Set([20, 1700])

/** Returns the `Database` of a drizzle database. Its maker closes it. */
export function openDatabase(db: Postgres, options: PostgresOptions = {}): Database {
  checkOptionNames(options, { tablePrefix: true, schema: true })
  const { schema, tablePrefix = '' } = options
  const nameTables = createTableNaming(tablePrefix, schema)
  const space = `tributary/${schema ?? ''}/${tablePrefix}`
  const texts = new Map<string, string>()

  function textOf(text: string): string {
    let translated = texts.get(text)
    if (translated === undefined) texts.set(text, (translated = translate(nameTables(text))))
    return translated
  }

  async function run(session: Session, query: Query, changed = 0): Promise<DriverResult> {
    const text = textOf(query.text).replaceAll(changedBefore, String(changed))
    return readResult(await session.execute(bind(text, query.args)))
  }

  /** Runs a step, and again while Postgres breaks it off for the sake of another transaction. */
  async function repeat<Result>(queries: readonly Query[], step: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await inChildSpan(
          () =>
            describeStatements(
              queries.map(({ text }) => ({ sql: text })),
              'postgresql',
            ),
          step,
        )
      } catch (error) {
        if (attempt === maxAttempts || !isBrokenOff(error)) throw outage(error)
      }
    }
  }

  return {
    read: <Row>(query: Query<Row>) =>
      repeat([query], async () => rowsOf(await run(db, query), query)) as Promise<Row[]>,
    readAll: (queries: readonly Query[]) =>
      repeat(queries, () =>
        transact(db, 'isolation level repeatable read read only', async (session) => {
          const found = []
          for (const query of queries) found.push(rowsOf(await run(session, query), query))
          return found
        }),
      ) as never,
    write: ((queries: readonly Query[], { locks }: WriteOptions = {}) =>
      queries.length === 0
        ? Promise.resolve([])
        : repeat(queries, () =>
            transact(db, 'isolation level read committed read write', async (session) => {
              await session.execute(lock(space, locks))
              const results: Written<unknown>[] = []
              let changed = 0
              for (const query of queries) {
                const result = await run(session, query, changed)
                if (/^\s*(?:insert|update|delete|with)\b/i.test(query.text)) changed = result.changed
                results.push({ rows: rowsOf(result, query), changed: result.changed })
              }
              return results
            }),
          )) as Database['write'],
  }
}

/**
 * Takes locks until the end of the transaction. Every statement after it sees what the earlier holders committed. A
 * write without named locks is alone, as every write is in SQLite; writes with them are beside those that name others.
 */
function lock(space: string, names: readonly string[] | undefined): SQL {
  const key = (name: string): SQL => sql`hashtextextended(${`${space}/${name}`}::text, 0)`
  if (!names) return sql`select pg_advisory_xact_lock(${key('')})`
  const named = [...new Set(names)].sort().map((name) => sql`pg_advisory_xact_lock(${key(name)})`)
  return sql`select ${sql.join([sql`pg_advisory_xact_lock_shared(${key('')})`, ...named], sql`, `)}`
}

/** Puts the values into a text, each with its type: Postgres would take a number for 32 bits. */
function bind(text: string, args: readonly SqlValue[]): SQL {
  const parts = text.split(parameter)
  return new SQL(
    parts.flatMap((part, at) => {
      const before = sql.raw(part)
      return at === parts.length - 1 ? [before] : [before, typed(args[at]!)]
    }),
  )
}

function typed(given: SqlValue): SQL {
  if (given === null) return sql`null`
  if (typeof given === 'string') return sql`${given.replaceAll('\0', '\uFFFD')}::text`
  if (typeof given === 'bigint') return sql`${String(given)}::bigint`
  if (typeof given === 'number')
    return Number.isSafeInteger(given) ? sql`${given}::bigint` : sql`${given}::double precision`
  return sql`${given instanceof Uint8Array ? given : new Uint8Array(given)}::bytea`
}

function readResult(result: unknown): DriverResult {
  if (Array.isArray(result)) {
    const { count, columns } = result as unknown as { count: number; columns?: { name: string; type: number }[] }
    const fields = (columns ?? []).map(({ name, type }) => ({ name, dataTypeID: type }))
    return { rows: result, fields, changed: count }
  }
  const { rows, fields, rowCount, affectedRows } = result as DriverResult & { rowCount?: number; affectedRows?: number }
  return { rows, fields, changed: rows.length > 0 ? rows.length : (rowCount ?? affectedRows ?? 0) }
}

/** Returns the rows as SQLite's driver would: truth as 0 and 1, every number as one. */
function rowsOf({ rows, fields }: DriverResult, { decode }: Query): unknown[] {
  const converted = rows.map((row) => {
    const entries = fields.map(({ name, dataTypeID }) => [name, convert(row[name], dataTypeID)] as const)
    if (!decode) return Object.fromEntries(entries)
    return decode(entries.map(([, value]) => value) as unknown as SqlRow)
  })
  return converted
}

function convert(value: unknown, type: number): SqlValue {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value === 'bigint' || (typeof value === 'string' && numbers.has(type))) return Number(value)
  return value as SqlValue
}
