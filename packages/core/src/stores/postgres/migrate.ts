import { sql, type SQL } from 'drizzle-orm'
import { firstOf, lastOf } from '../../lists.ts'
import { checkOptionNames } from '../../option-names.ts'
import {
  listStatements,
  MigrationError,
  planMigrations,
  requireCompleteMove,
  type Migrated,
  type Plan,
  type SchemaState,
} from '../libsql/migrate.ts'
import type { Migration } from '../libsql/migrations/migration.ts'
import { toUnavailable, type PostgresOptions } from './database.ts'
import { migrations } from './migrations/generated.ts'
import { transact, type Postgres, type Session } from './transaction.ts'

const creation = /\b(?:CREATE (?:UNIQUE )?(?:TABLE|INDEX|TRIGGER|FUNCTION)|CONSTRAINT|sequence name) "(\w+)"/g
const place = '\\b(TABLE|INDEX|TRIGGER|FUNCTION|CONSTRAINT|sequence name|EXISTS|ON|FROM|INTO|JOIN|UPDATE) '

/** Puts the prefix before the names of everything that the migrations create. */
function makePlan(prefix = ''): Plan {
  const found = new RegExp(`${place}"(${createdNames(migrations).join('|')})"`, 'g')
  return planMigrations(migrations, prefix, {
    insertPrefix: (text) => text.replace(found, `$1 "${prefix}$2"`),
    createLedger: (ledger) =>
      `create table if not exists "${ledger}" (id text collate "C" primary key, checksum text not null, applied_at text not null)`,
    now: `to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  })
}

const createdNames = (list: readonly Migration[]): string[] => [
  ...new Set(
    list.flatMap(({ sql: texts }) =>
      texts.flatMap((text) => [...text.matchAll(creation)].map(([, name = '']) => name)),
    ),
  ),
]

/**
 * Returns the statements that create the schema in an empty database, for a team that applies SQL with its own
 * pipeline. `migrate` then finds nothing to do.
 */
export function schemaStatements({ schema, tablePrefix }: PostgresOptions = {}): string[] {
  const plan = makePlan(tablePrefix)
  return [
    ...(schema === undefined ? [] : [`create schema if not exists "${schema}"`, `set search_path to "${schema}"`]),
    ...listStatements(plan, plan.list),
  ]
}

async function listTexts(session: Session, query: SQL): Promise<string[][]> {
  const result = (await session.execute(query)) as unknown as { rows: object[] } | object[]
  return (Array.isArray(result) ? result : result.rows).map((row) => Object.values(row).map(String))
}

/** Runs a step in a transaction in which unqualified names belong to the schema. */
async function transactIn<Result>(
  db: Postgres,
  { schema }: PostgresOptions,
  step: (session: Session) => Promise<Result>,
): Promise<Result> {
  try {
    return await transact(db, 'isolation level read committed', async (session) => {
      if (schema !== undefined) await session.execute(sql`set local search_path to ${sql.identifier(schema)}`)
      return step(session)
    })
  } catch (error) {
    throw toUnavailable(error)
  }
}

/** Returns the migrations that are not applied yet, and the existing tables. */
async function findPending(session: Session, plan: Plan) {
  const { list, ledger } = plan
  const relations = await listTexts(
    session,
    sql`select relname from pg_class where relnamespace = (select oid from pg_namespace where nspname = current_schema())
      and relkind in ('r', 'p', 'v', 'm', 'f')`,
  )
  const tables = relations.map(firstOf)
  requireCompleteMove(plan, tables)
  const lines = tables.includes(ledger)
    ? await listTexts(session, sql`select id, checksum from ${sql.identifier(ledger)}`)
    : []
  const done = new Map(lines.map((line) => [firstOf(line), lastOf(line)]))
  const checksums = new Map(list.map(({ id, checksum }) => [id, checksum]))
  const strange = [...done.keys()].filter((id) => !checksums.has(id))
  if (strange.length > 0)
    throw new MigrationError(
      `the database is newer than this code: it has ${strange.join(', ')}. Run the version that made it, or a later one.`,
    )
  const changed = [...done].find(([id, sum]) => checksums.get(id) !== sum)
  if (changed)
    throw new MigrationError(
      `migration ${changed[0]} is not the one that was applied. Restore its old text and write a new migration.`,
    )
  const pending = list.filter(({ id }) => !done.has(id))
  const ofApplied = new Set(createdNames(list.filter(({ id }) => done.has(id))))
  const taken = createdNames(pending).filter((name) => tables.includes(name) && !ofApplied.has(name))
  if (taken.length > 0)
    throw new MigrationError(
      `the tables ${taken.sort().join(', ')} already exist. ${ledger} does not list the migrations that create them. ` +
        'Set the option schema or tablePrefix, so that Tributary uses its own schema or its own table names. ' +
        `If you restored the database, restore its table ${ledger} too.`,
    )
  const ours = new Set(createdNames(list))
  return { done, pending, foreignTables: tables.filter((name) => !ours.has(name) && name !== ledger).sort() }
}

/** Compares a database with the migrations and changes nothing. Throws `MigrationError` and `Unavailable`. */
export async function inspectSchema(db: Postgres, options: PostgresOptions = {}): Promise<SchemaState> {
  const plan = makePlan(options.tablePrefix)
  const { done, pending, foreignTables } = await transactIn(db, options, (session) => findPending(session, plan))
  return { applied: [...done.keys()], pending: pending.map(({ id }) => id), foreignTables }
}

/**
 * Updates the database to this code's schema, in one transaction. Any number of hosts may call it concurrently: one
 * host applies the migrations; the other hosts wait for its lock and then find nothing to do. With `dryRun` the call
 * only reads.
 *
 * Throws `MigrationError` (as `inspectSchema` does), `Unavailable`, or the driver's error for SQL that fails.
 */
export async function migrate(
  db: Postgres,
  options: PostgresOptions & { readonly dryRun?: boolean } = {},
): Promise<Migrated> {
  checkOptionNames(options, { tablePrefix: true, schema: true, dryRun: true })
  const { schema, dryRun } = options
  const plan = makePlan(options.tablePrefix)
  return transactIn(db, options, async (session) => {
    if (!dryRun) {
      await session.execute(sql`select pg_advisory_xact_lock(hashtextextended('tributary/migrate', 0))`)
      if (schema !== undefined) await session.execute(sql`create schema if not exists ${sql.identifier(schema)}`)
    }
    const { pending } = await findPending(session, plan)
    const did = { ids: pending.map(({ id }) => id), sql: listStatements(plan, pending) }
    if (!dryRun) for (const text of did.sql) await session.execute(text)
    return did
  })
}
