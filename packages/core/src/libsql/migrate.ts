import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { SqlClient, SqlStatement } from './client.ts'
import { migrations } from './migrations.ts'
import { guarded } from './outage.ts'

export interface Migration {
  /** Unique for good, `0001-sessions`. Order is the list's, not the id's. */
  id: string
  /** One statement a string. They run in one transaction: all or none. */
  sql: readonly string[]
}

export interface Migrated {
  /** What this call applied (in a dry run: would apply), in order. */
  ids: string[]
  /** The SQL of it, statement by statement, the ledger's own left out. */
  sql: string[]
}

/** The database and the code do not belong together; nothing was changed. The message says which and what to do. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}

const ledger =
  'create table if not exists tributary_migrations ' +
  '(id text primary key, checksum text not null, applied_at text not null) without rowid'

/** What the ledger keeps of a migration: SHA-256, hex, of its statements as JSON. */
export const checksum = (migration: Migration): string => bytesToHex(sha256(utf8ToBytes(JSON.stringify(migration.sql))))

const bare = (sql: string, args: string[] = []): SqlStatement => ({ sql, args })

async function applied(client: SqlClient): Promise<Map<string, string>> {
  const table = await client.execute(bare("select 1 from sqlite_schema where name = 'tributary_migrations'"))
  if (table.rows.length === 0) return new Map()
  const { rows } = await client.execute(bare('select id, checksum from tributary_migrations'))
  return new Map(rows.map((row) => [String(row[0]), String(row[1])]))
}

/** The migrations still to run, or a MigrationError when the two sides contradict each other. */
function pending(list: readonly Migration[], done: ReadonlyMap<string, string>): Migration[] {
  const known = new Set(list.map((migration) => migration.id))
  const strange = [...done.keys()].filter((id) => !known.has(id))
  if (strange.length > 0) {
    throw new MigrationError(
      `the database is newer than this code: it has ${strange.join(', ')}. Run the version that made it, or a later one.`,
    )
  }
  for (const migration of list) {
    const was = done.get(migration.id)
    if (was !== undefined && was !== checksum(migration)) {
      throw new MigrationError(
        `migration ${migration.id} is not the one that was applied (${was.slice(0, 12)} then, ` +
          `${checksum(migration).slice(0, 12)} now). Put the old text back and write a new migration.`,
      )
    }
  }
  return list.filter((migration) => !done.has(migration.id))
}

// libSQL runs the first statement of a string and drops the rest without a word, so a second one is an error here.
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

const isConstraint = (error: unknown): boolean =>
  String((error as { code?: unknown } | null)?.code).startsWith('SQLITE_CONSTRAINT')

/**
 * Brings the database to this code's schema and says what it did. Safe to call from several hosts at once:
 * each migration is one immediate transaction whose first statement takes its line in the ledger, so of two
 * that both saw it missing one does the work and the other, refused by the primary key, looks again.
 * A listed migration that is missing is applied even if later ones were. `dryRun` reads only.
 *
 * Throws `MigrationError` (checksum differs, database newer than the code, a list that cannot be right),
 * `Unavailable`, or the driver's error for SQL that fails; migrations before the failing one stay applied.
 */
export async function migrate(
  client: SqlClient,
  options: { dryRun?: boolean; list?: readonly Migration[] } = {},
): Promise<Migrated> {
  const list = options.list ?? migrations
  inspect(list)
  const waiting = pending(list, await guarded(() => applied(client)))
  if (options.dryRun) return { ids: waiting.map(({ id }) => id), sql: waiting.flatMap(({ sql }) => sql) }
  const did: Migrated = { ids: [], sql: [] }
  for (let next = waiting[0]; next !== undefined; ) {
    if (await apply(client, next)) {
      did.ids.push(next.id)
      did.sql.push(...next.sql)
    }
    next = pending(list, await guarded(() => applied(client)))[0]
  }
  return did
}

/** False when another host was quicker. */
async function apply(client: SqlClient, { id, sql }: Migration): Promise<boolean> {
  const line = bare("insert into tributary_migrations values (?, ?, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))", [
    id,
    checksum({ id, sql }),
  ])
  try {
    await guarded(() => client.batch([bare(ledger), line, ...sql.map((text) => bare(text))], 'write'))
    return true
  } catch (error) {
    // The migration's own constraints fail with the same code: only the ledger says which it was.
    if (isConstraint(error) && (await guarded(() => applied(client))).has(id)) return false
    throw error
  }
}
