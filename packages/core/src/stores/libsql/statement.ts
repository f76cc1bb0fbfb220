import { Column, fillPlaceholders, getTableColumns, is, Placeholder, sql, SQL, type SQLWrapper } from 'drizzle-orm'
import { SQLiteAsyncDialect, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { drizzle } from 'drizzle-orm/sqlite-proxy'
import type { SqlRow } from './client.ts'
import { value, type Query } from './database.ts'
import { users } from './tables/sessions.ts'

/**
 * Builds queries for `prepare`, and never runs them. If SQLite needs a special form, write the query with drizzle's
 * `sql` and references to columns instead.
 */
export const build = drizzle(async () => {
  throw new Error('run a query with Database, not with its builder')
})

const dialect = new SQLiteAsyncDialect()

export type Placeholders<Params> = { readonly [Name in keyof Params & string]: Placeholder<Name, Params[Name]> }

/** The type of the rows of a query: the fields of a builder, or the type that ``sql<Row>`...` `` declares. */
type RowOf<Built> = Built extends { readonly _: { readonly result: readonly (infer Row)[] } }
  ? Row
  : Built extends SQL<infer Row>
    ? Row
    : never

const placeholders = new Proxy({}, { get: (_, name) => sql.placeholder(String(name)) })

/**
 * Returns a function that binds the parameters of a query. Its first call builds the query and compiles it to SQL text,
 * so a statement costs nothing before its first use and about 2 µs for each later use. Types check the names of
 * parameters and fields. The first call only names the types of the parameters: TypeScript infers either all type
 * arguments of a call or none, and the type of the rows is inferred from the query.
 *
 * ```ts
 * const selectByIds = prepare<{ ids: string }>()(({ ids }) =>
 *   build.select({ num: traces.num, model: traces.model }).from(traces).where(inArray(traces.id, jsonValues(ids))),
 * )
 * const rows = await db.read(selectByIds({ ids: jsonArgument(['0192f3c5-7b1a-7c3d-9a52-0f4e6d8b2a71']) }))
 * ```
 */
export const prepare =
  <Params extends object = Record<never, never>>() =>
  <Built extends SQLWrapper>(builder: (params: Placeholders<Params>) => Built) => {
    let bind: ((params: Params) => Query<RowOf<Built>>) | null = null
    return (params: Params): Query<RowOf<Built>> =>
      (bind ??= compile<Params, RowOf<Built>>(builder(placeholders as Placeholders<Params>)))(params)
  }

/** A value inside a query: a placeholder of `prepare`, or SQL. */
export type Param = SQL | Placeholder

/** Puts SQL in parentheses, so that a builder keeps the names of tables in it. */
export const parenthesize = <Type>(inner: SQL): SQL<Type> => sql`(${inner})`

/** Returns the values of a JSON list that is one parameter: `in (select value from json_each(?))`. */
export const jsonValues = (list: SQLWrapper): SQL => sql`(select value from json_each(${list}))`

/** Returns the values of a JSON list of integers, as `jsonValues` does. */
export const selectJsonIntegers = (list: SQLWrapper): SQL =>
  sql`(select cast(value as integer) from json_each(${list}))`

/**
 * Makes a table of a JSON list of objects: `rows` for the `with` clause, and a reference to each field. The objects are
 * materialized as JSONB, because `json_each` would write a row's text again for every access.
 *
 * ```ts
 * const { rows, fields: item } = jsonTable('item', list, ['id', 'kind'])
 * sql`with ${rows} select ${item.kind} from item where ${item.id} = ${id}`
 * ```
 */
export function jsonTable<Field extends string>(
  name: string,
  list: SQLWrapper,
  fields: readonly Field[],
): { readonly rows: SQL; readonly fields: { readonly [Name in Field]: SQL } } {
  const names = fields.map((field) => sql.identifier(field))
  const values = fields.map((field) => sql`value->>${sql.raw(`'${field}'`)}`)
  const objects = sql.identifier(`${name}_object`)
  return {
    rows: sql`${objects} (value) as materialized (select jsonb(value) from json_each(${list})),
      ${sql.identifier(name)} (${sql.join(names, sql`, `)}) as (select ${sql.join(values, sql`, `)} from ${objects})`,
    fields: Object.fromEntries(
      fields.map((field) => [field, sql`${sql.identifier(name)}.${sql.identifier(field)}`]),
    ) as { [Name in Field]: SQL },
  }
}

/** Returns the short key of the person with an id. A missing person has the key null, which matches no row. */
export const ownerNum = (ownerId: SQLWrapper): SQL =>
  sql`(select ${users.num} from ${users} where ${users.id} = ${ownerId})`

/**
 * A value for every column of a table except its generated key. An insert that forgets a new column does not compile.
 */
type EveryColumn<Table extends SQLiteTable, Generated extends string> = {
  readonly [Name in Exclude<keyof Table['_']['columns'] & string, Generated>]: SQLWrapper
}

/**
 * Returns `insert into table (...) select ...` for all columns except `num`. `from` is the end of the statement. Each
 * column encodes its parameters.
 */
export function insertSelect<Table extends SQLiteTable>(
  table: Table,
  values: EveryColumn<Table, 'num'>,
  from: SQL,
): SQL {
  const entries = Object.entries(getTableColumns(table)).flatMap(([name, column]) => {
    const given = (values as Readonly<Record<string, SQLWrapper>>)[name]
    return given === undefined ? [] : [{ column, given }]
  })
  const names = entries.map(({ column }) => sql.identifier(column.name))
  const selected = entries.map(({ column, given }) => (is(given, Placeholder) ? sql.param(given, column) : given))
  return sql`insert into ${table} (${sql.join(names, sql`, `)}) select ${sql.join(selected, sql`, `)} ${from}`
}

/**
 * Returns the assignments of `on conflict ... do update set` that set every column except `num` and the columns in
 * `kept` to the inserted values.
 */
export function setInserted<Table extends SQLiteTable>(
  table: Table,
  ...kept: readonly (keyof Table['_']['columns'] & string)[]
): SQL {
  const columns = Object.entries(getTableColumns(table)).filter(([name]) => name !== 'num' && !kept.includes(name))
  return sql.join(
    columns.map(([, { name }]) => sql`${sql.identifier(name)} = excluded.${sql.identifier(name)}`),
    sql`, `,
  )
}

function compile<Params extends object, Row>(built: SQLWrapper): (params: Params) => Query<Row> {
  const fields = is(built, SQL) ? [] : listFields(built)
  nameFields(built)
  const { sql: text, params: expected } = dialect.sqlToQuery(is(built, SQL) ? built : built.getSQL())
  const decode = fields.length === 0 ? undefined : (row: SqlRow): Row => decodeRow(row, fields) as Row
  return (params) => ({ text, args: fillPlaceholders(expected, params as never).map(value), decode })
}

type Field = readonly [name: string, source: unknown]

/** The parts of a builder that `prepare` reads. */
interface BuilderConfig {
  fields?: Record<string, unknown>
  returning?: { path: [string, ...string[]]; field: unknown }[]
}

/** Gives each column of the result the name of its field, because some drivers return rows only by name. */
function nameFields(built: SQLWrapper): void {
  const { config } = built as { config?: BuilderConfig }
  const named = (name: string, field: unknown): unknown =>
    (is(field, SQL) ? field : new SQL([field as Column])).as(name)
  if (config?.fields)
    config.fields = Object.fromEntries(Object.entries(config.fields).map(([name, field]) => [name, named(name, field)]))
  for (const one of config?.returning ?? []) one.field = named(one.path[0], one.field)
}

/** Returns the fields that a builder selects or returns, in the order of its columns. */
function listFields(built: SQLWrapper): Field[] {
  const { _, config } = built as {
    _?: { selectedFields?: object }
    config?: BuilderConfig
  }
  if (_?.selectedFields) return Object.entries(_.selectedFields)
  return (config?.returning ?? []).map(({ path, field }) => [path[0], field])
}

function decodeRow(row: SqlRow, fields: readonly Field[]): Record<string, unknown> {
  const decoded: Record<string, unknown> = {}
  for (const [position, [name, source]] of fields.entries()) {
    const stored = row[position]
    decoded[name] = stored != null && is(source, Column) ? source.mapFromDriverValue(stored) : stored
  }
  return decoded
}
