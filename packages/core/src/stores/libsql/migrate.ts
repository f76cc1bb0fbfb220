import { sha256 } from '@noble/hashes/sha2.js'
import { itemAt } from '../../lists.ts'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { checkOptionNames } from '../../option-names.ts'
import type { SqlClient, SqlResult, SqlStatement } from './client.ts'
import { migrations } from './migrations/index.ts'
import type { Migration } from './migrations/migration.ts'
import { checkTablePrefix, convertOutages, type TableOptions } from './database.ts'

export interface Migrated {
  /** The migrations that this call applied, in order. With `dryRun`, they are the migrations that it would apply. */
  ids: string[]
  /** The SQL statements of these migrations, in order, including those that record the migrations. */
  sql: string[]
}

/**
 * Thrown when the database and the code do not match. Nothing was changed. The message has the reason and a solution.
 */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}

/** The name of the table of the applied migrations while `tributary move` copies rows into the database. */
export const movingLedgerName = 'tributary_moving'

/** The migrations for one database, with its prefix. */
export interface Plan {
  readonly list: readonly PlannedMigration[]
  /** The table of the applied migrations. */
  readonly ledger: string
  /** The name of this table while a move into the database is not complete. */
  readonly movingLedger: string
  /** The statement that creates the table of the applied migrations, unless it exists. */
  readonly createLedger: string
}

/** A migration with the checksum that it had before the prefix was inserted. */
export interface PlannedMigration extends Migration {
  readonly checksum: string
  /** The statement that records the migration in the table of the applied migrations. */
  readonly insertLine: string
}

/** The SQL of one dialect that a plan needs. */
export interface PlanDialect {
  /** Inserts the prefix into a statement of a migration. */
  readonly insertPrefix: (text: string) => string
  readonly createLedger: (ledger: string) => string
  /** The SQL expression for the current time, in the format of `applied_at`. */
  readonly now: string
}

/** Returns the migrations with the prefix inserted into their statements. */
export function planMigrations(list: readonly Migration[], prefix: string, dialect: PlanDialect): Plan {
  checkTablePrefix(prefix)
  const ledger = `${prefix}tributary_migrations`
  const planned = list.map((migration) => {
    const sum = checksum(migration)
    return {
      id: migration.id,
      sql: prefix === '' ? migration.sql : migration.sql.map(dialect.insertPrefix),
      checksum: sum,
      insertLine: `insert into "${ledger}" values ('${migration.id}', '${sum}', ${dialect.now})`,
    }
  })
  const movingLedger = `${prefix}${movingLedgerName}`
  return { list: planned, ledger, movingLedger, createLedger: dialect.createLedger(ledger) }
}

/** Throws `MigrationError` for a database with these tables if a move into it is not complete. */
export function requireCompleteMove({ movingLedger }: Plan, tables: readonly string[]): void {
  if (tables.includes(movingLedger))
    throw new MigrationError(
      'a move into this database is not complete. Run the same `tributary move` command again: it continues the move.',
    )
}

/** Returns the statements that apply migrations and record them as applied. */
export const listStatements = ({ createLedger }: Plan, list: readonly PlannedMigration[]): string[] =>
  list.length === 0 ? [] : [createLedger, ...list.flatMap(({ sql, insertLine }) => [...sql, insertLine])]

/**
 * Returns the statements that create the schema in an empty database, for a team that applies SQL with its own
 * pipeline. `migrate` then finds nothing to do.
 */
export function schemaStatements({ tablePrefix }: TableOptions = {}): string[] {
  const plan = makePlan(migrations, tablePrefix)
  return listStatements(plan, plan.list)
}

/** Puts the prefix before the names of all tables, indexes and triggers that the migrations create. */
function makePlan(list: readonly Migration[], prefix = ''): Plan {
  const texts = list.flatMap(({ sql }) => sql)
  const names = texts.flatMap((text) => [creation.exec(text)?.[2] ?? [], renaming.exec(text)?.[2] ?? []].flat())
  // A table's name follows one of these words; a column with the same name does not.
  const place = `(\\b(?:table|index|trigger|view|exists|on|into|from|join|update|to|references)\\s+["\`]?)`
  const found = new RegExp(`${place}(${[...new Set(names)].join('|')})\\b`, 'gi')
  return planMigrations(list, prefix, {
    insertPrefix: (text) => text.replace(found, `$1${prefix}$2`),
    createLedger: (ledger) =>
      `create table if not exists ${ledger} (id text primary key, checksum text not null, applied_at text not null) without rowid`,
    now: "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')",
  })
}

/** Returns the checksum that the table of migrations keeps: SHA-256, hex, of the migration's statements as JSON. */
const checksum = (migration: Migration): string => bytesToHex(sha256(utf8ToBytes(JSON.stringify(migration.sql))))

const toStatement = (sql: string): SqlStatement => ({ sql, args: [] })

/** The state of a database's schema, compared with the migrations of this version. */
export interface SchemaState {
  /** The migrations that are applied, in the order of the list. */
  applied: string[]
  /** The migrations that are not applied yet, in order. */
  pending: string[]
  /** Tables that no migration of the list creates: they belong to another application. */
  foreignTables: string[]
}

interface SchemaObject {
  readonly name: string
  readonly type: string
}

/**
 * The state of the database at one moment: the checksums of the applied migrations, and every table, index and trigger.
 */
interface Found {
  readonly done: ReadonlyMap<string, string>
  readonly objects: readonly SchemaObject[]
}

async function find(client: SqlClient, { ledger }: Plan): Promise<Found> {
  const all = toStatement(
    "select name, type from sqlite_schema where name not like 'sqlite@_%' escape '@' order by name",
  )
  const read = ({ rows }: SqlResult): SchemaObject[] =>
    rows.map((row) => ({ name: String(row[0]), type: String(row[1]) }))
  const objects = read(await client.execute(all))
  if (!objects.some(({ name }) => name === ledger)) return { done: new Map(), objects }
  // All statements read one snapshot, since another host may apply a migration between two statements.
  const results = await client.batch([toStatement(`select id, checksum from ${ledger}`), all], 'read')
  return {
    done: new Map(itemAt(results, 0).rows.map((row) => [String(row[0]), String(row[1])])),
    objects: read(itemAt(results, 1)),
  }
}

/**
 * Returns the migrations that are not applied yet, or a MigrationError when the database and the code contradict each
 * other.
 */
function pending(plan: Plan, { done, objects }: Found): PlannedMigration[] {
  const { list, ledger } = plan
  requireCompleteMove(
    plan,
    objects.map(({ name }) => name),
  )
  const known = new Set(list.map((migration) => migration.id))
  const strange = [...done.keys()].filter((id) => !known.has(id))
  if (strange.length > 0) {
    throw new MigrationError(
      `the database is newer than this code: it has ${strange.join(', ')}. Run the version that made it, or a later one.`,
    )
  }
  for (const { id, checksum: now } of list) {
    const was = done.get(id)
    if (was !== undefined && was !== now) {
      throw new MigrationError(
        `migration ${id} is not the one that was applied (${was.slice(0, 12)} then, ` +
          `${now.slice(0, 12)} now). Restore its old text and write a new migration.`,
      )
    }
  }
  const waiting = list.filter((migration) => !done.has(migration.id))
  compare(ledger, objects, createdBy(list.filter((migration) => done.has(migration.id))), createdBy(waiting))
  return waiting
}

/** An object that migrations create and that no later migration drops. */
interface Created {
  readonly migration: string
  readonly type: string
  /** The table to which an index or a trigger belongs. */
  readonly table: string
}

const creation = /^\s*create\s+(?:unique\s+)?(table|index|trigger|view)\s+(?:if\s+not\s+exists\s+)?["`]?(\w+)/i
const removal = /^\s*drop\s+(?:table|index|trigger|view)\s+(?:if\s+exists\s+)?["`]?(\w+)/i
const renaming = /^\s*alter\s+table\s+["`]?(\w+)["`]?\s+rename\s+to\s+["`]?(\w+)/i

function createdBy(list: readonly Migration[]): Map<string, Created> {
  const created = new Map<string, Created>()
  for (const { id, sql } of list) {
    for (const text of sql) {
      const [, type, name] = creation.exec(text) ?? []
      const dropped = removal.exec(text)?.[1]
      const [, from, to = ''] = renaming.exec(text) ?? []
      if (type && name)
        created.set(name, {
          migration: id,
          type,
          table: type === 'table' ? name : (/\son\s+["`]?(\w+)/i.exec(text)?.[1] ?? ''),
        })
      for (const [object, made] of created) {
        if (dropped !== undefined && (object === dropped || made.table === dropped)) created.delete(object)
        if (from === undefined || made.table !== from) continue
        created.delete(object)
        created.set(object === from ? to : object, { ...made, table: to })
      }
    }
  }
  return created
}

/** Throws MigrationError when the list of applied migrations and the objects of the database contradict each other. */
function compare(
  ledger: string,
  objects: readonly SchemaObject[],
  applied: ReadonlyMap<string, Created>,
  waiting: ReadonlyMap<string, Created>,
): void {
  const present = new Set(objects.map(({ name }) => name))
  for (const [name, { migration, type }] of applied) {
    if (present.has(name) || waiting.has(name)) continue
    throw new MigrationError(
      `the ${type} ${name} is missing, but migration ${migration}, which creates it, is listed as applied in ${ledger}. ` +
        'Restore a backup: `tributary restore --from FILE`.',
    )
  }
  const taken = [...waiting].filter(([name, { type }]) => type === 'table' && present.has(name)).map(([name]) => name)
  // A database that has every table belongs to Tributary, but its table of migrations, or some rows of that table, were
  // lost.
  const tables = [...waiting.values()].filter(({ type }) => type === 'table')
  if (applied.size === 0 && taken.length > 0 && taken.length < tables.length)
    throw new MigrationError(
      `the database belongs to another application: its tables ${taken.sort().join(', ')} have names that Tributary uses. ` +
        'Use a separate database for Tributary, or give its tables different names with the option tablePrefix; ' +
        `a restored database also needs its table ${ledger}.`,
    )
  for (const [name, { migration, type }] of waiting) {
    if (!present.has(name) || applied.has(name)) continue
    throw new MigrationError(
      `the ${type} ${name} exists already, but migration ${migration}, which creates it, is not listed in ${ledger}. ` +
        `Rows of ${ledger} are missing, or the name belongs to another application. ` +
        'Restore a backup (`tributary restore --from FILE`), or use another database or tablePrefix.',
    )
  }
}

/**
 * Compares a database with the list and changes nothing. Throws `MigrationError` (checksum differs, database newer than
 * the code, a listed migration whose table is missing, an unlisted migration whose table exists, a move that is not
 * complete) and `Unavailable`.
 */
export async function inspectSchema(
  client: SqlClient,
  list: readonly Migration[] = migrations,
  { tablePrefix }: TableOptions = {},
): Promise<SchemaState> {
  const plan = makePlan(list, tablePrefix)
  const found = await convertOutages(() => find(client, plan))
  const waiting = pending(plan, found).map(({ id }) => id)
  const ours = createdBy(plan.list)
  return {
    applied: list.map(({ id }) => id).filter((id) => found.done.has(id)),
    pending: waiting,
    foreignTables: found.objects
      .filter(({ name, type }) => type === 'table' && !ours.has(name) && name !== plan.ledger)
      .map(({ name }) => name),
  }
}

// libSQL runs the first statement of a string and silently drops the rest, so a second statement is an error here.
function inspect(list: readonly Migration[]): void {
  const seen = new Set<string>()
  for (const { id, sql } of list) {
    if (seen.has(id)) throw new MigrationError(`migration ${id} is listed twice`)
    seen.add(id)
    for (const text of sql) {
      const skeleton = text.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\//g, ' ').trim()
      const trigger = /^create\s+(?:temp(?:orary)?\s+)?trigger\b/i.test(skeleton)
      if (skeleton === '' || (!trigger && /;\s*\S/.test(skeleton))) {
        throw new MigrationError(`migration ${id}: one string is one statement: ${text.slice(0, 80)}`)
      }
    }
  }
}

/** The errors of SQLite when the schema differs from the list of applied migrations. */
const contradiction = /already exists|duplicate column name|no such (?:table|column|index)/i

const isConstraint = (error: unknown): boolean =>
  String((error as { code?: unknown } | null)?.code).startsWith('SQLITE_CONSTRAINT')

/**
 * Updates the database to this code's schema and returns the applied migrations. Several hosts may call it
 * concurrently: each migration is one immediate transaction whose first statement records the migration as applied.
 * When two hosts start the same migration, the primary key refuses the second, which then checks again. A listed
 * migration that is missing is applied even if later migrations were applied before. With `dryRun` the call only reads.
 *
 * Throws `MigrationError` (as `inspectSchema` does, and for an invalid list, or a schema to which a migration cannot be
 * applied), `Unavailable`, or the driver's error for SQL that fails; migrations before the failing one stay applied.
 */
export async function migrate(
  client: SqlClient,
  options: TableOptions & { dryRun?: boolean; list?: readonly Migration[] } = {},
): Promise<Migrated> {
  checkOptionNames(options, { tablePrefix: true, dryRun: true, list: true })
  const list = options.list ?? migrations
  inspect(list)
  const plan = makePlan(list, options.tablePrefix)
  const waiting = pending(plan, await convertOutages(() => find(client, plan)))
  const describe = (did: readonly PlannedMigration[]): Migrated => ({
    ids: did.map(({ id }) => id),
    sql: listStatements(plan, did),
  })
  if (options.dryRun) return describe(waiting)
  const did: PlannedMigration[] = []
  for (let next = waiting[0]; next !== undefined;) {
    if (await apply(client, plan, next)) did.push(next)
    next = pending(plan, await convertOutages(() => find(client, plan)))[0]
  }
  return describe(did)
}

/** Applies a migration. Returns false when another host applied it first. */
async function apply(client: SqlClient, plan: Plan, { id, sql, insertLine }: PlannedMigration): Promise<boolean> {
  try {
    await convertOutages(() => client.batch([plan.createLedger, insertLine, ...sql].map(toStatement), 'write'))
    return true
  } catch (error) {
    // A constraint of the migration itself fails with the same code, so only the table of the applied migrations shows
    // whether another host applied the migration.
    if (isConstraint(error) && (await convertOutages(() => find(client, plan))).done.has(id)) return false
    if (!(error instanceof Error) || !contradiction.test(error.message)) throw error
    throw new MigrationError(
      `migration ${id} cannot be applied (${error.message}); it changed nothing. Another program changed the schema. ` +
        'Restore a backup: `tributary restore --from FILE`.',
      { cause: error },
    )
  }
}
