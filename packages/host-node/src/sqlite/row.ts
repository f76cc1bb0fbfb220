import type { SqlRow, SqlValue } from '@tributary/core/libsql'
import { decodeColumn } from './sql-text.ts'

type CreateRow = (values: SqlValue[]) => SqlRow

function toValue(raw: SqlValue): SqlValue {
  if (typeof raw === 'bigint') {
    if (raw > Number.MAX_SAFE_INTEGER || raw < Number.MIN_SAFE_INTEGER) {
      throw new RangeError('an integer in the database exceeds 2^53')
    }
    return Number(raw)
  }
  // The driver returns blobs as Buffers, and all blobs of an encoded statement are encoded columns.
  return raw instanceof Uint8Array ? decodeColumn(raw as Buffer) : raw
}

// These names would hide a position or the length, or set a prototype.
const reservedNames = /^(?:\d+|length|__proto__)$/

/**
 * Returns a function that creates the rows of a statement with these columns. Like rows of `@libsql/client`, they are
 * objects by column name (the first of equal names) with non-enumerable positions and `length`. Positions are getters
 * of a prototype that all rows share, because defining them on each row takes longer than reading the row.
 */
export function createRowFactory(columns: readonly string[]): CreateRow {
  const isPlain = new Set(columns).size === columns.length && !columns.some((name) => reservedNames.test(name))
  return isPlain ? createFastFactory(columns) : createGeneralFactory(columns)
}

function createFastFactory(columns: readonly string[]): CreateRow {
  const width = columns.length
  const Row = function (this: Record<string, SqlValue>, values: SqlValue[]): void {
    for (let at = 0; at < width; at++) this[columns[at] as string] = toValue(values[at] as SqlValue)
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
  return (values) => new Row(values)
}

function createGeneralFactory(columns: readonly string[]): CreateRow {
  return (values) => {
    const row = Object.defineProperty({}, 'length', { value: values.length })
    values.forEach((raw, at) => {
      const name = columns[at] ?? String(at)
      const decoded = toValue(raw)
      if (!Object.hasOwn(row, name)) {
        Object.defineProperty(row, name, { value: decoded, enumerable: true, configurable: true, writable: true })
      }
      if (!Object.hasOwn(row, at)) Object.defineProperty(row, at, { value: decoded, configurable: true })
    })
    return row as SqlRow
  }
}
