import type { SqlResult, SqlRow, SqlStatement, SqlValue } from '@tributary/core/libsql'

/** A statement of Hrana over HTTP, version 2 (https://github.com/tursodatabase/libsql/blob/main/docs/HRANA_2_SPEC.md). */
interface Stmt {
  readonly sql: string
  readonly args: readonly object[]
  readonly named_args: readonly object[]
  readonly want_rows: boolean
}

type Value = { readonly type: 'null' } | { readonly type: 'integer' | 'text'; readonly value: string } | { readonly type: 'float'; readonly value: number } | { readonly type: 'blob'; readonly base64: string }

interface StmtResult {
  readonly cols: readonly { readonly name: string | null }[]
  readonly rows: readonly (readonly Value[])[]
  readonly affected_row_count: number
}

interface Trouble {
  readonly message: string
  readonly code?: string | null
}

interface BatchResult {
  readonly step_results: readonly (StmtResult | null)[]
  readonly step_errors: readonly (Trouble | null)[]
}

/** What one request of a pipeline came to. */
export type Outcome = { readonly type: 'ok'; readonly response: { readonly result?: unknown } } | { readonly type: 'error'; readonly error: Trouble }

/** The database said no. `code` is SQLite's, as `SQLITE_CONSTRAINT`; `status` that of a reply that was none of Hrana's. */
export class RemoteError extends Error {
  override readonly name = 'RemoteError'
  readonly code: string | undefined
  readonly status: number | undefined
  constructor(message: string, code?: string, status?: number) {
    super(message)
    this.code = code
    this.status = status
  }
}

const refused = ({ message, code }: Trouble): RemoteError => new RemoteError(message, code ?? undefined)

function sent(value: SqlValue): Value {
  if (value === null) return { type: 'null' }
  if (typeof value === 'string') return { type: 'text', value }
  if (typeof value === 'bigint') return { type: 'integer', value: String(value) }
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new RangeError('NaN and infinity are no SQL values')
    // As libSQL's own client: a column of integers takes a whole float for what it is.
    return { type: 'float', value }
  }
  const bytes = value instanceof Uint8Array ? value : new Uint8Array(value)
  return { type: 'blob', base64: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64') }
}

function received(value: Value): SqlValue {
  switch (value.type) {
    case 'null': return null
    case 'integer': {
      const number = Number(value.value)
      if (!Number.isSafeInteger(number)) throw new RangeError('an integer of the database is too large for a number')
      return number
    }
    case 'blob': {
      const bytes = Buffer.from(value.base64, 'base64')
      return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer
    }
    default: return value.value
  }
}

function resultOf({ cols, rows, affected_row_count: rowsAffected }: StmtResult): SqlResult {
  const columns = cols.map(({ name }) => name ?? '')
  const read = (values: readonly Value[]): SqlRow => {
    const own = values.map(received)
    // Read by position too, though only the names are its own.
    const row = Object.create(own) as Record<string, SqlValue>
    for (const [at, name] of columns.entries()) Object.defineProperty(row, name, { value: own[at], enumerable: true, writable: true, configurable: true })
    return row as unknown as SqlRow
  }
  return { columns, rows: rows.map(read), rowsAffected }
}

const stmt = ({ sql, args }: SqlStatement): Stmt => ({ sql, args: args.map(sent), named_args: [], want_rows: true })
const plain = (sql: string): Stmt => ({ sql, args: [], named_args: [], want_rows: false })

export const executing = (statement: SqlStatement): object => ({ type: 'execute', stmt: stmt(statement) })

export function executed(outcome: Outcome): SqlResult {
  if (outcome.type === 'error') throw refused(outcome.error)
  return resultOf(outcome.response.result as StmtResult)
}

const begins = { write: 'BEGIN IMMEDIATE', read: 'BEGIN TRANSACTION READONLY', deferred: 'BEGIN DEFERRED' } as const

/** One transaction: each step only after the one before, and a rollback unless all of it was committed. */
export function batching(statements: readonly SqlStatement[], mode: keyof typeof begins): object {
  const after = (step: number): object => ({ type: 'ok', step })
  const commit = statements.length + 1
  return {
    type: 'batch',
    batch: { steps: [
      { stmt: plain(begins[mode]) },
      ...statements.map((statement, step) => ({ condition: after(step), stmt: stmt(statement) })),
      { condition: after(commit - 1), stmt: plain('COMMIT') },
      { condition: { type: 'not', cond: after(commit) }, stmt: plain('ROLLBACK') },
    ] },
  }
}

export function batched(outcome: Outcome, statements: number): SqlResult[] {
  if (outcome.type === 'error') throw refused(outcome.error)
  const { step_results: results, step_errors: errors } = outcome.response.result as BatchResult
  // Of the rollback nothing is to be said.
  const wrong = errors.slice(0, statements + 2).find((error) => error !== null)
  if (wrong) throw refused(wrong)
  return Array.from({ length: statements }, (_, at) => {
    const result = results[at + 1]
    if (!result) throw new RemoteError('a statement of a batch was not run', 'TRANSACTION_CLOSED')
    return resultOf(result)
  })
}
