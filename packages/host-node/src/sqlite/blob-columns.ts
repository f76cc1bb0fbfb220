/**
 * The driver aborts the whole process, past every `catch`, when a text that it reads is not valid UTF-8: a flipped bit in the
 * file is enough, or an escape such as `\ud800` that a JSON function of SQLite decoded. So no text is read as text: each
 * result column becomes a blob of one tag byte and the value's own bytes, which `decodeColumn` turns back. Numbers and nulls
 * stay as they are. The value decides, not the declared type, since damage may make a text of any column.
 */
const encoded = (column: string): string =>
  `case typeof(${column}) when 'text' then cast('t' || ${column} as blob) when 'blob' then cast('b' || ${column} as blob) else ${column} end`

const textTag = 0x74
const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

const select = /^[\s(]*(?:select|values|with)\b/i
const textless = /^\s*(?:explain|pragma)\b/i
const alias = /\s+as\s+(?:\w+|"(?:[^"]|"")*")\s*$/i
const token = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[^]*?\*\/|\breturning\b|[(),]/gi

/**
 * The statement with every result column encoded; `names` are its columns. Null for one that reads no stored text
 * (`pragma`, `explain`), whose columns stay as they are.
 */
export function encodeColumns(sql: string, names: readonly string[]): string | null {
  if (textless.test(sql)) return null
  const clause = returning(sql)
  if (clause) {
    const items = clause.items.length === 1 && clause.items[0] === '*' ? names.map(quoted) : clause.items
    if (items.length !== names.length)
      throw new TypeError(`name each column after "returning", not "*" among others: ${sql}`)
    return `${clause.before} returning ${items.map((item, at) => `${encoded(`(${item})`)} as ${quoted(names[at]!)}`).join(', ')}`
  }
  if (!select.test(sql)) return null
  const columns = names.map((_, at) => `c${at}`)
  // The line break ends a comment at the end of the statement.
  return `with result(${columns.join(', ')}) as (${sql.replace(/;\s*$/, '')}\n)
    select ${columns.map((column, at) => `${encoded(column)} as ${quoted(names[at]!)}`).join(', ')} from result`
}

/** Whether a statement failed because its columns are others than when it was encoded. */
export const isMiscounted = (error: Error): boolean => error.message.startsWith('table result has ')

/** The outermost `returning` clause of a statement, its expressions without their aliases; null when it has none. */
function returning(sql: string): { before: string; items: string[] } | null {
  let [depth, start, before] = [0, -1, '']
  const items: string[] = []
  const end = (at: number): void => void items.push(sql.slice(start, at).replace(/;\s*$/, '').replace(alias, '').trim())
  for (const { 0: found, index } of sql.matchAll(token)) {
    if (found === '(') depth++
    else if (found === ')') depth--
    else if (depth > 0 || found === '') continue
    else if (found === ',' && start >= 0) {
      end(index)
      start = index + 1
    } else if (/^returning$/i.test(found)) {
      before = sql.slice(0, index)
      start = index + found.length
    }
  }
  if (start < 0) return null
  end(sql.length)
  return { before, items }
}

/** The value of an encoded column. Bytes of a text that are not valid UTF-8 become U+FFFD. */
export function decodeColumn(bytes: Buffer): string | ArrayBuffer {
  if (bytes[0] === textTag) return bytes.toString('utf8', 1)
  return bytes.buffer.slice(bytes.byteOffset + 1, bytes.byteOffset + bytes.length) as ArrayBuffer
}
