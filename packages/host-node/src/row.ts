import type { SqlRow, SqlValue } from '@tributary/core/libsql'
import type Database from 'libsql'

export interface MakeRow {
  columns: string[]
  make(values: SqlValue[]): SqlRow
}

function value(raw: SqlValue): SqlValue {
  if (typeof raw === 'bigint') {
    if (raw > Number.MAX_SAFE_INTEGER || raw < Number.MIN_SAFE_INTEGER) {
      throw new RangeError('an integer of the database is larger than a JavaScript number can hold')
    }
    return Number(raw)
  }
  if (!(raw instanceof Uint8Array)) return raw
  const { buffer, byteOffset, byteLength } = raw
  // The driver gives each blob its own buffer; a pooled one must not show its neighbours.
  return byteLength === buffer.byteLength ? (buffer as ArrayBuffer) : (buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer)
}

// Names that would hide a position or the length, or set a prototype.
const awkward = /^(?:\d+|length|__proto__)$/

/**
 * Rows of one statement. Like those of `@libsql/client` they are objects by column name, the first of equal names
 * winning, with positions and `length` beside, not enumerable. Positions are getters of a prototype shared by all
 * rows, because defining them on each row takes longer than reading it.
 */
export function rowMaker(statement: Database.Statement): MakeRow {
  const names = (): string[] => (statement.columns() as { name: string }[]).map((column) => column.name)
  const maker: MakeRow = { columns: [], make: learn }
  // Also called for a row that is wider than expected: `select *` after another host's migration.
  function learn(values: SqlValue[]): SqlRow {
    const columns = (maker.columns = names())
    const plain = new Set(columns).size === columns.length && !columns.some((name) => awkward.test(name))
    maker.make = plain ? quick(columns, learn) : slow(columns)
    return maker.make(values)
  }
  maker.columns = names()
  return maker
}

function quick(columns: readonly string[], changed: MakeRow['make']): MakeRow['make'] {
  const width = columns.length
  const Row = function (this: Record<string, SqlValue>, values: SqlValue[]): void {
    for (let at = 0; at < width; at++) this[columns[at] as string] = value(values[at] as SqlValue)
  } as unknown as { new (values: SqlValue[]): SqlRow; prototype: object }
  Object.defineProperty(Row.prototype, 'constructor', { value: Object })
  Object.defineProperty(Row.prototype, 'length', { value: width })
  columns.forEach((name, at) => {
    Object.defineProperty(Row.prototype, at, {
      get(this: Record<string, SqlValue>) {
        return this[name]
      },
    })
  })
  return (values) => (values.length === width ? new Row(values) : changed(values))
}

function slow(columns: readonly string[]): MakeRow['make'] {
  return (values) => {
    const row = Object.defineProperty({}, 'length', { value: values.length })
    values.forEach((raw, at) => {
      const name = columns[at] ?? String(at)
      const clean = value(raw)
      if (!Object.hasOwn(row, name)) {
        Object.defineProperty(row, name, { value: clean, enumerable: true, configurable: true, writable: true })
      }
      if (!Object.hasOwn(row, at)) Object.defineProperty(row, at, { value: clean, configurable: true })
    })
    return row as SqlRow
  }
}
