import { isObject, type Json } from './report.ts'

/** A report that was changed to fit the policy. The descriptions of the changes never contain the removed text. */
export interface Repaired {
  readonly report: Json
  readonly changes: readonly string[]
}

/** Marks a value that must be left out. */
const out = Symbol('out')

/** Cuts a text to a number of UTF-16 units, never inside a character, and marks the cut. */
export function shorten(text: string, most: number): string {
  if (text.length <= most) return text
  if (most < 1) return ''
  return `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

/**
 * Makes a report fit a JSON Schema. A text that is too long is cut, and a number is moved to the nearest bound. A value
 * that is not in its list of words is left out; a required value becomes `other` if the list contains that word. Items
 * beyond the limit, and items without a required field, are left out. A missing required value cannot be invented: see
 * `listMissingFields`.
 */
export function fitReport(report: Json, schema: Json): Repaired {
  const changes: string[] = []
  const kept = fitValue(report, schema, '', true, changes)
  return { report: isObject(kept) ? kept : report, changes }
}

function fitValue(value: unknown, schema: Json, path: string, required: boolean, changes: string[]): unknown {
  const readBound = (name: string): number | null => (typeof schema[name] === 'number' ? schema[name] : null)
  const words = schema['enum']
  if (Array.isArray(words) && !words.includes(value)) {
    const other = required && words.includes('other')
    changes.push(`${path} ${other ? 'is now `other`' : 'left out'}: not among ${words.join(', ')}`)
    return other ? 'other' : out
  }
  if (typeof value === 'string') {
    const most = readBound('maxLength')
    if (most !== null && value.length > most) changes.push(`${path} cut to ${most} characters`)
    if (!required && value.length < (readBound('minLength') ?? 0)) return out
    return most === null ? value : shorten(value, most)
  }
  if (typeof value === 'number') {
    const near = Math.min(Math.max(value, readBound('minimum') ?? -Infinity), readBound('maximum') ?? Infinity)
    if (near !== value) changes.push(`${path} moved to ${near}`)
    return near
  }
  if (Array.isArray(value)) return fitList(value, schema, path, readBound('maxItems') ?? Infinity, changes)
  if (!isObject(value)) return value
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  const needed = Array.isArray(schema['required']) ? schema['required'] : []
  const entries = Object.entries(value).map(([name, inner]) => {
    const own = properties[name]
    return [
      name,
      isObject(own)
        ? fitValue(inner, own, path === '' ? name : `${path}.${name}`, needed.includes(name), changes)
        : inner,
    ] as const
  })
  return Object.fromEntries(entries.filter(([, inner]) => inner !== out))
}

function fitList(items: readonly unknown[], schema: Json, path: string, most: number, changes: string[]): unknown[] {
  const own = isObject(schema['items']) ? schema['items'] : {}
  const whole = items
    .map((item, i) => fitValue(item, own, `${path}.${i}`, false, changes))
    .filter((item, i) => {
      const lacks = item === out ? [] : listMissingFields(item, own)
      if (lacks.length > 0) changes.push(`${path}.${i} left out: it lacks ${lacks.join(', ')}`)
      return item !== out && lacks.length === 0
    })
  if (whole.length > most) changes.push(`${path} cut to ${most} items`)
  return whole.slice(0, most)
}

/** Returns the paths of the fields that a schema requires and a value lacks, such as `content.title`. */
export function listMissingFields(value: unknown, schema: Json, path = ''): string[] {
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  const needed = Array.isArray(schema['required']) ? (schema['required'] as string[]) : []
  const own = isObject(value) ? value : {}
  return needed.flatMap((name) => {
    const place = path === '' ? name : `${path}.${name}`
    const inner = isObject(properties[name]) ? properties[name] : {}
    if (isObject(inner['properties'])) return listMissingFields(own[name], inner, place)
    return own[name] === undefined || own[name] === '' ? [place] : []
  })
}

/** Shortens the longest evidence first, until the report has at most `maxBytes` bytes. */
export function shortenEvidence(report: Json, maxBytes: number): Repaired {
  const changes: string[] = []
  let evidence = Array.isArray(report['evidence']) ? (report['evidence'] as Json[]) : []
  const buildReport = (): Json => (Array.isArray(report['evidence']) ? { ...report, evidence } : report)
  const measureSize = (): number => new TextEncoder().encode(JSON.stringify(buildReport())).length
  while (measureSize() > maxBytes && evidence.length > 0) {
    const measureLength = ({ content }: Json): number => (typeof content === 'string' ? content.length : 0)
    const longest = evidence.reduce(
      (best, piece, i) => (measureLength(piece) > measureLength(evidence[best]!) ? i : best),
      0,
    )
    const half = Math.floor(measureLength(evidence[longest]!) / 2)
    const cut =
      half < 64 ? [] : [{ ...evidence[longest]!, content: shorten(evidence[longest]!['content'] as string, half) }]
    evidence = evidence.toSpliced(longest, 1, ...cut)
    changes.push(cut.length > 0 ? `evidence cut to ${half} characters` : 'evidence left out')
  }
  return { report: buildReport(), changes: changes.length > 0 ? [`evidence shortened to ${maxBytes} bytes`] : [] }
}
