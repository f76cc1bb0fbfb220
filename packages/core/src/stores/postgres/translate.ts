import { itemAt } from '../../lists.ts'
/**
 * Translates the statements from SQLite's SQL to Postgres's SQL. It translates only the forms of SQL that the
 * statements use and that differ. The parameters, which `parameter` marks, keep their order.
 */

/** Marks the position of a parameter in a translated text. */
export const parameter = '\u0001'
/** Marks the position of the number of rows that the previous statement in the transaction changed. */
export const previousRowCount = '\u0002'

/** A token, or the items between two parentheses. */
type Item = string | Group
interface Group {
  readonly items: readonly Item[]
}

const tokens = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\w+(?:\.\d+)?|->>|->|>>|<<|<>|<=|>=|\|\||[^\s]/g
const word = /^[a-z_]\w*$/i
const camelCase = /^[a-z]+[A-Z]/
/** The words that may follow the name of a table in a join. */
const endsJoin = /^(?:cross|join|left|inner|on|where|order|group|having|limit|union|returning)$/
/** The words after which a plus is the sign of an operand. */
const beforeOperand = /^(?:and|or|not|where|by|on|when|then|else|select|,|=|<>|<|>|<=|>=)$/
const keywords = /^(?:cross|join|left|inner|on|where|order|group|having|limit|union|as|and|or)$/

export function translate(text: string): string {
  const root = parse(text.match(tokens) ?? [])
  const written = new Translation(root).write(root.items)
  return /\binsert or ignore\b/i.test(text) ? `${written} on conflict do nothing` : written
}

function parse(list: readonly string[]): Group {
  const tokensLeft = list.values()
  const readGroup = (): Group => {
    const items: Item[] = []
    for (let next = tokensLeft.next(); !next.done && next.value !== ')'; next = tokensLeft.next())
      items.push(next.value === '(' ? readGroup() : next.value)
    return { items }
  }
  return readGroup()
}

const isGroup = (item: Item | undefined): item is Group => typeof item === 'object'
const isName = (item: Item | undefined): boolean => typeof item === 'string' && word.test(item) && !keywords.test(item)
const isArrow = (item: Item | undefined): boolean => item === '->' || item === '->>'

/** Returns the arguments of a call, which commas separate. */
function splitArguments({ items }: Group): Item[][] {
  let part: Item[] = []
  const parts = [part]
  for (const item of items) {
    if (item === ',') parts.push((part = []))
    else part.push(item)
  }
  return parts
}

type Call = (args: readonly string[]) => string

/** The functions whose arguments are translated before the call. */
const calls: Readonly<Record<string, Call>> = {
  iif: ([condition, one, other]) => `(case when ${condition} then ${one} else ${other} end)`,
  // Text that is not hexadecimal becomes null.
  unhex: ([hex]) => `decode(substring(${hex} from '^(?:[0-9a-fA-F]{2})*$'), 'hex')`,
  hex: ([bytes]) => `upper(encode(${bytes}, 'hex'))`,
  instr: ([text, part]) => `strpos(${text}, ${part})`,
  group_concat: ([text, between]) => `string_agg(${text}, ${between})`,
  char: ([code]) => `chr(${code})`,
  changes: () => previousRowCount,
  // The only supported formats are hexadecimal numbers with leading zeros, as in '%08x-%04x'.
  printf: ([format = '', ...numbers]) =>
    `(${format
      .slice(1, -1)
      .split(/%0(\d+)x/)
      .map((part, at) => (at % 2 === 0 ? `'${part}'` : `lpad(to_hex(${numbers[(at - 1) / 2]}), ${part}, '0')`))
      .join(' || ')})`,
  round: ([number]) => `round((${number})::numeric)`,
  json: ([text]) => `(${text})::json`,
  jsonb: ([text]) => `(${text})::jsonb`,
  // Postgres 14 cannot check whether a text is valid JSON. A text that was cut off is detected as damaged.
  json_valid: ([text]) => `(${text} ~ '^\\s*[{[].*[]}]\\s*$')`,
  json_array_length: ([list]) => `jsonb_array_length((${list})::jsonb)`,
  json_extract: ([json, path]) => `(jsonb_path_query_first((${json})::jsonb, (${path})::jsonpath) #>> '{}')`,
  json_set: ([json, path, value]) =>
    `jsonb_set((${json})::jsonb, array(select coalesce(step[1], step[2])
      from regexp_matches(${path}, '"([^"]*)"|([^.$"]+)', 'g') step), to_jsonb(${value}))::text`,
  json_insert: ([json, , value]) => `((${json})::jsonb || jsonb_build_array(${value}))::text`,
  strftime: ([, seconds]) => `to_char(to_timestamp(${seconds}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
}

/** The functions that make JSON. Their results stay JSON inside other JSON, and become text elsewhere. */
const jsonCalls: Readonly<Record<string, Call>> = {
  json_object: (args) => `json_build_object(${args.join(', ')})`,
  json_group_array: ([value]) => `coalesce(json_agg(${value}), '[]')`,
  json_group_object: ([key, value]) => `json_object_agg(${key}, ${value})`,
}

const castTypes: Readonly<Record<string, Call>> = {
  integer: ([value]) => `trunc((${value})::numeric)::bigint`,
  real: ([value]) => `(${value})::double precision`,
  blob: ([value]) => `convert_to(${value}, 'UTF8')`,
}

class Translation {
  /** The names of the `json_each` tables in this statement, and whether each of them reads an object. */
  readonly #lists = new Map<string, boolean>()

  constructor(root: Group) {
    this.#findLists(root)
  }

  #findLists({ items }: Group): void {
    for (const [at, item] of items.entries()) {
      if (isGroup(item)) this.#findLists(item)
      if (item !== 'json_each') continue
      const name = this.#listName(items, at)
      if (name !== undefined) this.#lists.set(name, splitArguments(items[at + 1] as Group)[1]?.[0] === "'$'")
    }
  }

  /** Returns the name that is given to the `json_each` at this position. */
  #listName(items: readonly Item[], at: number): string | undefined {
    const name = items[at + 2]
    return isName(name) ? (name as string) : undefined
  }

  /** Writes items in the SQL of Postgres. */
  write(items: readonly Item[]): string {
    const out: string[] = []
    for (let at = 0; at < items.length; at++) at += this.#writeItem(items, at, out)
    return out.join(' ')
  }

  /** Writes the item at a position. Returns how many of the following items were written together with it. */
  #writeItem(items: readonly Item[], at: number, out: string[]): number {
    const item = itemAt(items, at)
    const next = items[at + 1]
    if (isGroup(item)) {
      // SQL allows no table before the columns of `on conflict`.
      const isConflict = items[at - 1] === 'conflict'
      const written = `(${this.write(isConflict ? withoutTables(item.items) : item.items)})`
      const isUnnamed = items[at - 1] === 'from' && !isName(next) && next !== 'as'
      out.push(isUnnamed ? `${written} as unnamed` : written)
      return 0
    }
    if (item === 'or' && next === 'ignore') return 1
    if (item === '?') {
      out.push(parameter)
      return 0
    }
    if (isArrow(item)) {
      castOperand(out)
      const path = /^'\$\.([\w.]+)'$/.exec(String(next))?.[1]
      out.push(path === undefined ? String(item) : `${item === '->' ? '#>' : '#>>'} '{${path.replaceAll('.', ',')}}'`)
      return path === undefined ? 0 : 1
    }
    if (item === '+' && (at === 0 || beforeOperand.test(String(items[at - 1])))) return 0
    if (item === 'cross' && next === 'join') {
      out.push(hasCondition(items, at + 2) ? 'join' : 'cross join')
      return 1
    }
    if (item === 'is') return writeComparison(items, at, out)
    if (item === 'json_each' && isGroup(next)) {
      const name = this.#listName(items, at)
      const [list, path] = splitArguments(next).map((part) => this.write(part))
      // Statements pass the path `$` of the whole value when the value is an object.
      if (path === "'$'") out.push(`jsonb_each((${list})::jsonb) as ${name}(key, value)`)
      else {
        const array = path === undefined ? `(${list})::jsonb` : `(${list})::jsonb -> '${path.slice(3, -1)}'`
        out.push(`jsonb_array_elements(${array}) with ordinality as ${name ?? 'element'}(value, key)`)
      }
      return name === undefined ? 1 : 2
    }
    if (isGroup(next) && word.test(item)) {
      const written = this.#writeCall(item.toLowerCase(), next, false)
      if (written !== null) {
        out.push(written)
        return 1
      }
    }
    const isObject = this.#lists.get(item)
    if (next === '.' && isObject !== undefined && !isArrow(items[at + 3])) {
      out.push(elementPart(item, String(items[at + 2]), isObject))
      return 2
    }
    // SQLite names the element of a list `value`. In a group that contains only this word, `value` names a column.
    if (item === 'value' && items.length > 1 && items[at - 1] !== '.' && !isArrow(next)) {
      out.push(items[at - 1] === 'select' ? `(value #>> '{}') as value` : `(value #>> '{}')`)
      return 0
    }
    out.push(camelCase.test(item) ? `"${item}"` : item)
    return 0
  }

  /**
   * Writes a call of a function that Postgres does not have, or that has another name there. Returns null for other
   * functions.
   */
  #writeCall(name: string, group: Group, isInJson: boolean): string | null {
    if (name === 'cast') {
      const [value, type] = [group.items.slice(0, -2), group.items.at(-1)]
      return castTypes[type as string]?.([this.write(value)]) ?? null
    }
    const makesJson = jsonCalls[name]
    if (makesJson) {
      const args = splitArguments(group).map((part) => this.#writeJsonArgument(part))
      return isInJson ? makesJson(args) : `(${makesJson(args)})::text`
    }
    const call = calls[name]
    if (call) return call(splitArguments(group).map((part) => this.write(part)))
    const parts = splitArguments(group)
    if ((name === 'max' || name === 'min') && parts.length > 1) {
      return `${name === 'max' ? 'greatest' : 'least'}(${parts.map((part) => this.write(part)).join(', ')})`
    }
    return null
  }

  #writeJsonArgument(part: readonly Item[]): string {
    const [name, group] = part
    const isCall = part.length === 2 && typeof name === 'string' && isGroup(group) && name in jsonCalls
    const call = isCall ? this.#writeCall(name, group, true) : null
    if (call !== null) return call
    // A value that is already JSON stays unchanged.
    return part.length === 3 && part[2] === 'value' && this.#lists.has(String(name)) ? part.join('') : this.write(part)
  }
}

/** Writes a column of `json_each`. */
function elementPart(name: string, column: string, isObject: boolean): string {
  if (column === 'type') return `replace(jsonb_typeof(${name}.value), 'number', 'integer')`
  if (column === 'key') return isObject ? `${name}.key` : `(${name}.key - 1)`
  return `(${name}.value #>> '{}')`
}

const withoutTables = (items: readonly Item[]): Item[] =>
  items.filter((item, at) => item !== '.' && items[at + 1] !== '.')

/**
 * Returns whether a join has a condition. `cross join` keeps SQLite's order, and may also have a condition in SQLite.
 */
function hasCondition(items: readonly Item[], start: number): boolean {
  return items.slice(start).find((item) => typeof item === 'string' && endsJoin.test(item)) === 'on'
}

/** Writes `is`, which compares values of any type in SQLite. */
function writeComparison(items: readonly Item[], at: number, out: string[]): number {
  const isNot = items[at + 1] === 'not'
  const operand = items[at + (isNot ? 2 : 1)]
  if (operand === 'null' || operand === 'distinct') {
    out.push(isNot ? 'is not' : 'is')
  } else {
    out.push(isNot ? 'is distinct from' : 'is not distinct from')
  }
  return isNot ? 1 : 0
}

/** Casts the operand of an arrow, which was written last, to JSON. */
function castOperand(out: string[]): void {
  let operand = out.pop() ?? ''
  const isText = operand.startsWith("'")
  while (out.at(-1) === '.') operand = out.splice(-2).join('') + operand
  out.push(isText ? operand : `(${operand})::jsonb`)
}
