import { is } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { getTableConfig, SQLiteTable, type SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { SqlValue } from '../libsql/client.ts'
import { raw } from '../libsql/database.ts'
import * as schema from '../libsql/schema.ts'
import { openDatabase } from './database.ts'
import { migrate } from './migrate.ts'
import { startServer } from './server.fixture.ts'

/** The plan on PostgreSQL of a statement that was written for SQLite. */
export interface ExplainedStatement {
  readonly sql: string
  /** The tables that the statement reads completely. */
  readonly scanned: readonly string[]
}

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Strategy'?: string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly 'Plans'?: readonly PlanNode[]
}

/** The number of rows of each table. */
const rowCount = 20_000

/** Returns the SQL of a column's value in the row of number `n`. In a column that may be null, most rows are null. */
function valueOf(column: SQLiteColumn, isKey: boolean): string {
  const value = presentValueOf(column, isKey ? 'n' : 'n % 500')
  if (isKey) return value
  // Columns with the default 0 are flags and counts.
  if (column.default === 0) return 'case when n % 10 = 0 then 1 else 0 end'
  return column.notNull ? value : `case when n % 10 = 0 then ${value} end`
}

function presentValueOf(column: SQLiteColumn, number: string): string {
  const { enumValues, name } = column
  if (enumValues) return `(array[${enumValues.map((value) => `'${value}'`).join(', ')}])[1 + n % ${enumValues.length}]`
  switch (column.getSQLType()) {
    case 'integer':
      return number
    case 'real':
      return 'n * 0.5'
    case 'blob':
      return `decode(lpad(to_hex(${number}), 32, '0'), 'hex')`
    default:
      return number === 'n' ? `'${name}-' || ${number}` : `'{"n":' || ${number} || '}'`
  }
}

function insertRows(table: SQLiteTable, prefix: string): string {
  const { name, columns, indexes, primaryKeys } = getTableConfig(table)
  const keys = new Set(
    [
      ...columns.filter((column) => column.primary || column.isUnique),
      ...(primaryKeys[0]?.columns ?? []),
      ...indexes.filter(({ config }) => config.unique).flatMap(({ config }) => config.columns),
    ].flatMap((column) => ('name' in column ? [column.name] : [])),
  )
  const list = columns.map((column) => `"${column.name}"`).join(', ')
  const values = columns.map((column) => valueOf(column, keys.has(column.name))).join(', ')
  return `insert into "${prefix}${name}" (${list}) select ${values} from generate_series(1, ${rowCount}) n on conflict do nothing`
}

/** Explains statements on a server with rows in every table. */
export async function explainStatements(
  statements: ReadonlyMap<string, readonly SqlValue[]>,
  tablePrefix: string,
): Promise<ExplainedStatement[]> {
  const server = await startServer()
  const pool = server.openPool()
  const db = drizzle(pool)
  await migrate(db, { tablePrefix })
  const client = await pool.connect()
  // Turns the triggers off.
  await client.query('set session_replication_role = replica')
  const tables = Object.values<unknown>(schema).filter((one): one is SQLiteTable => is(one, SQLiteTable))
  for (const table of tables) await client.query(insertRows(table, tablePrefix))
  await client.query('vacuum analyze')
  // With few rows, the planner would prefer to read a whole table even if an index exists.
  for (const way of ['seqscan', 'hashjoin', 'mergejoin'])
    await client.query(`alter database postgres set enable_${way} = off`)
  const { rows } = await client.query<{ name: string }>(
    'select relname as name from pg_index join pg_class on oid = indexrelid where indpred is not null',
  )
  const partial = new Set(rows.map(({ name }) => name))
  client.release()
  await pool.end()
  const planning = server.openPool()
  const database = openDatabase(drizzle(planning), { tablePrefix })
  const explained: ExplainedStatement[] = []
  try {
    for (const [sql, args] of statements) {
      const [row] = await database.read(raw(`explain (format json) ${sql}`, args))
      const [{ Plan: plan }] = (row as unknown as { 'QUERY PLAN': [{ Plan: PlanNode }] })['QUERY PLAN']
      explained.push({ sql, scanned: listScanned(plan, partial) })
    }
  } finally {
    await planning.end()
    await server.close()
  }
  return explained
}

/**
 * Lists the tables that are read completely: without an index, or by an index over all rows without a condition and
 * without a limit. A partial index, such as the index of waiting rows, may be read to its end.
 */
function listScanned(node: PlanNode, partial: ReadonlySet<string>, isLimited = false): string[] {
  const kind = node['Node Type']
  const isEndless = !node['Index Cond'] && !isLimited && !partial.has(node['Index Name']!)
  const isWhole = kind === 'Seq Scan' || (/^Index (?:Only )?Scan/.test(kind) && isEndless)
  const own = isWhole ? [node['Relation Name']!] : []
  // An aggregate over sorted rows returns each group before it reads the next group.
  const isWholeFirst = kind === 'Sort' || (kind === 'Aggregate' && node['Strategy'] !== 'Sorted')
  const limited = kind === 'Limit' || (isLimited && !isWholeFirst)
  return [...own, ...(node.Plans ?? []).flatMap((inner) => listScanned(inner, partial, limited))]
}
