import { createHash, type Hash } from 'node:crypto'
import { listTableShapes, movingLedgerName, raw, type Database, type TableShape } from '@tributary/core/libsql'

/** One of the two databases of a move. */
export interface MoveSide {
  readonly database: Database
  readonly dialect: 'libsql' | 'postgres'
}

/** A table that was moved and compared. */
export interface MovedTable {
  readonly name: string
  readonly rows: number
  /** The hexadecimal SHA-256 of the rows in the order of their key. */
  readonly hash: string
}

export interface MoveOptions {
  readonly from: MoveSide
  /** A migrated database without rows, or the target of an interrupted move. */
  readonly to: MoveSide
  /** A function that is called after each page of rows that was copied. */
  readonly onRows?: (table: string, rows: number) => void
}

/** The error if a move cannot begin, or if the two databases differ at its end. */
export class MoveError extends Error {
  override readonly name = 'MoveError'
}

type Value = string | number | bigint | ArrayBuffer | Uint8Array | null
type Row = Readonly<Record<string, Value>>

/** The maximum size of a page of rows in memory, and the maximum number of its rows. */
const pageBytes = 4_000_000
const maxPageRows = 1_000
/** The number of rows in one statement. SQLite limits the number of values in a statement. */
const statementRows = 25

/**
 * Copies every row of a database into another database and compares both databases. After an interruption the same call
 * continues after the last row of each table. During the move the target's table of migrations has the name
 * `movingLedgerName`, so that `migrate` and a server refuse the incomplete copy. Throws `MoveError`, `Unavailable`.
 */
export async function moveDatabase({ from, to, onRows }: MoveOptions): Promise<MovedTable[]> {
  const tables = listTableShapes()
  if (!(await isMoving(to))) {
    await requireEmpty(to, tables)
    await to.database.write([
      // The migrations wrote this row, so it is replaced.
      raw('delete from "main"."fingerprint_state"'),
      raw(`alter table "main"."tributary_migrations" rename to ${movingLedgerName}`),
    ])
  }
  for (const table of tables) await copyTable(table, from.database, to.database, onRows)
  for (const table of tables) await copyCounter(table, from, to)
  const moved: MovedTable[] = []
  for (const table of tables) {
    const [source, target] = [await hashTable(table, from.database), await hashTable(table, to.database)]
    if (source.hash !== target.hash)
      throw new MoveError(
        `table ${table.name} differs: ${source.rows} rows in --from, ${target.rows} in --to. ` +
          'Was it changed meanwhile? Stop every server and worker, empty --to, and move again',
      )
    moved.push({ name: table.name, ...target })
  }
  await to.database.write([raw(`alter table ${movingLedgerName} rename to tributary_migrations`)])
  return moved
}

/** Returns whether this database is the target of an interrupted move. */
export async function isMoving({ database, dialect }: MoveSide): Promise<boolean> {
  const query =
    dialect === 'postgres'
      ? `select 1 from pg_class where oid = to_regclass('${movingLedgerName}')`
      : `select 1 from sqlite_schema where name = '${movingLedgerName}'`
  return (await database.read(raw(query))).length > 0
}

/** Throws `MoveError` when a table has rows that the migrations did not write. */
async function requireEmpty({ database }: MoveSide, tables: readonly TableShape[]): Promise<void> {
  for (const { name } of tables) {
    if (name === 'fingerprint_state') continue
    if ((await database.read(raw(`select 1 from "main"."${name}" limit 1`))).length > 0)
      throw new MoveError(`--to is not empty: table ${name} has rows. Use a new database`)
  }
}

const list = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ')
const marks = (count: number): string => Array.from({ length: count }, () => '?').join(', ')

/** Yields the rows of a table after the key `after`, ordered by key, in pages of some megabytes. */
async function* readPages({ name, columns, key }: TableShape, database: Database, after: Row | null) {
  const order = list(key)
  let [last, limit] = [after, 16]
  for (;;) {
    const where = last === null ? '' : `where (${order}) > (${marks(key.length)})`
    const query = `select ${list(columns)} from "main"."${name}" ${where} order by ${order} limit ?`
    const rows: Row[] = await database.read(raw(query, [...readKey(last, key), limit]))
    if (rows.length === 0) return
    yield rows
    if (rows.length < limit) return
    last = rows.at(-1)!
    const bytes = rows.reduce((sum, row) => sum + measureRow(row), 0)
    limit = Math.max(1, Math.min(maxPageRows, limit * 4, Math.floor((pageBytes * rows.length) / bytes)))
  }
}

const readKey = (row: Row | null, key: readonly string[]): Value[] => (row ? key.map((column) => row[column]!) : [])

const measureRow = (row: Row): number =>
  Object.values(row).reduce<number>(
    (sum, value) =>
      sum + (typeof value === 'string' ? value.length : typeof value === 'object' ? (value?.byteLength ?? 0) : 8),
    1,
  )

/** Copies the rows after the target's last row, which are the rows that the target does not have yet. */
async function copyTable(
  table: TableShape,
  from: Database,
  to: Database,
  onRows: MoveOptions['onRows'],
): Promise<void> {
  const { name, columns, key } = table
  const lastKey = `select ${list(key)} from "main"."${name}" order by ${key.map((one) => `"${one}" desc`).join(', ')} limit 1`
  const [last = null] = await to.read<Row>(raw(lastKey))
  const insert = (rows: readonly Row[]) =>
    raw(
      `insert into "main"."${name}" (${list(columns)}) values ${rows.map(() => `(${marks(columns.length)})`).join(', ')}`,
      rows.flatMap((row) => columns.map((column) => toSqlValue(row[column]!))),
    )
  for await (const rows of readPages(table, from, last)) {
    const queries = []
    for (let at = 0; at < rows.length; at += statementRows) queries.push(insert(rows.slice(at, at + statementRows)))
    await to.write([...(name === 'contents' ? reserveBlobs(rows) : []), ...queries])
    onRows?.(name, rows.length)
  }
}

/** Reserves the blobs of contents, because a trigger rejects a reference to a blob that is not reserved. */
const reserveBlobs = (rows: readonly Row[]) =>
  rows.flatMap(({ messages }) => {
    const text = String(messages)
    if (!text.startsWith('{"blob":"content/')) return []
    const { blob } = JSON.parse(text) as { blob: string }
    return [raw('insert into "main"."content_blobs" (key, due_at, deleting) values (?, 0, 0)', [blob])]
  })

const toSqlValue = (value: Value) => (value instanceof Uint8Array ? new Uint8Array(value) : value)

/** Copies the highest number that was ever used, so that no number is used twice. */
async function copyCounter({ name, columns, isCounted }: TableShape, from: MoveSide, to: MoveSide): Promise<void> {
  if (!columns.includes('num')) return
  const [row] = await from.database.read<{ last: number | null }>(
    raw(
      from.dialect === 'postgres'
        ? `select case when is_called then last_value else 0 end as last from "${name}_num_seq"`
        : isCounted
          ? `select seq as last from sqlite_sequence where name = '${name}'`
          : `select max(num) as last from "main"."${name}"`,
    ),
  )
  const last = row?.last ?? 0
  if (last === 0) return
  if (to.dialect === 'postgres') await to.database.read(raw(`select setval('"${name}_num_seq"', ?)`, [last]))
  else if (isCounted)
    await to.database.write([
      raw('delete from sqlite_sequence where name = ?', [name]),
      raw('insert into sqlite_sequence (name, seq) values (?, ?)', [name, last]),
    ])
}

async function hashTable(table: TableShape, database: Database): Promise<{ rows: number; hash: string }> {
  const hash = createHash('sha256')
  let rows = 0
  for await (const page of readPages(table, database, null)) {
    rows += page.length
    for (const row of page) hashRow(hash, table, row)
  }
  return { rows, hash: hash.digest('hex') }
}

function hashRow(hash: Hash, { columns }: TableShape, row: Row): void {
  const values = columns.map((column) => {
    const value = row[column]!
    if (typeof value === 'bigint') return Number(value)
    return value !== null && typeof value === 'object'
      ? { hex: Buffer.from(value as Uint8Array).toString('hex') }
      : value
  })
  hash.update(`${JSON.stringify(values)}\n`)
}
