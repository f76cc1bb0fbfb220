// The shapes of Hrana 2 in JSON: https://github.com/tursodatabase/libsql/blob/main/docs/HRANA_2_SPEC.md

export type Value =
  | { type: 'null' }
  | { type: 'integer'; value: string }
  | { type: 'float'; value: number }
  | { type: 'text'; value: string }
  | { type: 'blob'; base64: string }

export interface Stmt {
  sql?: string
  sql_id?: number
  args?: Value[]
  named_args?: { name: string; value: Value }[]
  want_rows?: boolean
}

export type Cond =
  | { type: 'ok'; step: number }
  | { type: 'error'; step: number }
  | { type: 'not'; cond: Cond }
  | { type: 'and'; conds: Cond[] }
  | { type: 'or'; conds: Cond[] }
  | { type: 'is_autocommit' }

export type Ask =
  | { type: 'close' | 'get_autocommit' }
  | { type: 'execute'; stmt: Stmt }
  | { type: 'batch'; batch: { steps: { condition?: Cond | null; stmt: Stmt }[] } }
  | { type: 'sequence' | 'describe'; sql?: string; sql_id?: number }
  | { type: 'store_sql'; sql_id: number; sql: string }
  | { type: 'close_sql'; sql_id: number }

/** An error of one request in a pipeline. The other requests still get their answers. */
export class HranaError extends Error {
  readonly code: string

  constructor(message: string, code: string) {
    super(message)
    this.code = code
  }
}

/** Converts an error of the driver to an error of Hrana, with SQLite's primary result code. */
export function toHranaError(error: unknown): HranaError {
  if (error instanceof HranaError) return error
  const { message, code } = error as { message: string; code?: string }
  return new HranaError(`SQLite error: ${message}`, /^SQLITE_[A-Z]+/.exec(code ?? '')?.[0] ?? 'SQL_INPUT_ERROR')
}

export function decode(value: Value): unknown {
  if (value.type === 'null') return null
  if (value.type === 'integer') return BigInt(value.value)
  return value.type === 'blob' ? Buffer.from(value.base64, 'base64') : value.value
}

export function encode(value: unknown): Value {
  if (typeof value === 'bigint') return { type: 'integer', value: String(value) }
  if (typeof value === 'number') return { type: 'float', value }
  if (typeof value === 'string') return { type: 'text', value }
  return value === null
    ? { type: 'null' }
    : { type: 'blob', base64: Buffer.from(value as Uint8Array).toString('base64') }
}
