/**
 * Encodes a result column. The driver aborts the whole process, without an error to catch, when it reads a text that is
 * not valid UTF-8. Such a text results from a flipped bit in the file, or from an escape such as `\ud800` that a JSON
 * function of SQLite decoded. So each column becomes a blob of one tag byte and the value's bytes, which `decodeColumn`
 * decodes. Numbers and nulls are not encoded. The encoding depends on the type of the value and not on the declared
 * type, because damage can turn any column into text.
 */
const encodeColumn = (column: string): string =>
  `case typeof(${column}) when 'text' then cast('t' || ${column} as blob) when 'blob' then cast('b' || ` +
  `${column} as blob) else ${column} end`

const textTag = 0x74
const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`

const select = /^[\s(]*(?:select|values|with)\b/i
const withoutText = /^\s*(?:explain|pragma)\b/i
const alias = /\s+as\s+(?:\w+|"(?:[^"]|"")*")\s*$/i
const token = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[^]*?\*\/|\breturning\b|[(),]/gi

/**
 * Returns a statement with every result column encoded; `names` contains its columns. Returns null for a statement that
 * reads no stored text (`pragma`, `explain`), whose columns are not encoded.
 */
export function encodeColumns(sql: string, names: readonly string[]): string | null {
  if (withoutText.test(sql)) return null
  const clause = findReturning(sql)
  if (clause) {
    const items = clause.items.length === 1 && clause.items[0] === '*' ? names.map(quoteName) : clause.items
    if (items.length !== names.length) throw new TypeError(`name each column after "returning" instead of "*": ${sql}`)
    return `${clause.before} returning ${items.map((item, at) => `${encodeColumn(`(${item})`)} as ${quoteName(names[at]!)}`).join(', ')}`
  }
  if (!select.test(sql)) return null
  const columns = names.map((_, at) => `c${at}`)
  // The line break ends a comment at the end of the statement.
  return `with result(${columns.join(', ')}) as (${sql.replace(/;\s*$/, '')}\n)
    select ${columns.map((column, at) => `${encodeColumn(column)} as ${quoteName(names[at]!)}`).join(', ')} from result`
}

/** Returns whether a statement failed because its columns changed after it was encoded. */
export const isOutdated = (error: Error): boolean => error.message.startsWith('table result has ')

/**
 * Returns the outermost `returning` clause of a statement, its expressions without aliases, or null without such a
 * clause.
 */
function findReturning(sql: string): { before: string; items: string[] } | null {
  let [depth, start, before] = [0, -1, '']
  const items: string[] = []
  const endItem = (index: number): void =>
    void items.push(sql.slice(start, index).replace(/;\s*$/, '').replace(alias, '').trim())
  for (const { 0: found, index } of sql.matchAll(token)) {
    if (found === '(') depth++
    else if (found === ')') depth--
    else if (depth > 0 || found === '') continue
    else if (found === ',' && start >= 0) {
      endItem(index)
      start = index + 1
    } else if (/^returning$/i.test(found)) {
      before = sql.slice(0, index)
      start = index + found.length
    }
  }
  if (start < 0) return null
  endItem(sql.length)
  return { before, items }
}

/** Decodes the value of an encoded column. Bytes of a text that are not valid UTF-8 become U+FFFD. */
export function decodeColumn(bytes: Buffer): string | ArrayBuffer {
  if (bytes[0] === textTag) return bytes.toString('utf8', 1)
  return bytes.buffer.slice(bytes.byteOffset + 1, bytes.byteOffset + bytes.length) as ArrayBuffer
}

/**
 * Returns the tables that a statement deletes from or updates, in lower case. An upsert does not count, because the
 * values that it replaces are overwritten with the next deletion from its table. An update that only increments one
 * column, as a sale does on each trace, does not count either, because it replaces no text.
 */
export function tablesDeletedFrom(sql: string): string[] {
  const names =
    /\b(?:delete\s+from|replace\s+into|(?<!\bdo\s+)update(?:\s+or\s+\w+)?)\s+["`[]?(?!sqlite_)(\w+)\b(?!"? set "(\w+)" = (?:"\1"\.)?"\2" \+ 1 where)/gi
  return Array.from(sql.matchAll(names), ([, name]) => name!.toLowerCase())
}
