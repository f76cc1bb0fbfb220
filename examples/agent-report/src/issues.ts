import { shorten, type Repaired } from './repair.ts'
import { isObject, type Json } from './report.ts'

/** A path in the report whose value the service refused, with the allowed values, but never with the sent value. */
export interface Issue {
  readonly path: readonly (string | number)[]
  readonly code: string
  readonly message: string
}

/** Returns the valid issues of a 400 reply, and ignores everything else in the reply. */
export function readIssues(json: Json): Issue[] {
  const named = Array.isArray(json['issues']) ? (json['issues'] as unknown[]) : []
  return named
    .filter(isObject)
    .flatMap(({ path, code, message }) =>
      Array.isArray(path) && path.every((step) => typeof step === 'string' || typeof step === 'number')
        ? [{ path: path as (string | number)[], code: String(code), message: String(message) }]
        : [],
    )
}

/**
 * Repairs the values that the service refused: a long text or list is cut, a number is moved to its bound, and any
 * other value is left out; inside a list, the whole item is left out. Issues about missing values repair nothing.
 */
export function repairReport(report: Json, issues: readonly Issue[]): Repaired {
  const changes: string[] = []
  const left: string[] = []
  const mended = structuredClone(report)
  // Later items are repaired first, so that earlier items keep the indexes that the service named. The list itself is
  // repaired last.
  for (const issue of [...issues].sort(compareIndexDescending)) {
    const place = issue.path.join('.')
    // An item with several issues is removed only once: after the removal, its index belongs to the next item.
    if (left.some((gone) => `${place}.`.startsWith(`${gone}.`))) continue
    const done = apply(mended, issue)
    if (done === null) continue
    if (done.left) left.push(done.place)
    changes.push(done.left ? `${done.place} left out` : `${done.place} changed to an allowed value`)
  }
  return { report: mended, changes }
}

function compareIndexDescending(a: Issue, b: Issue): number {
  const readIndex = ({ path }: Issue): number => Number(path.find((step) => typeof step === 'number') ?? -1)
  return readIndex(b) - readIndex(a) || b.path.length - a.path.length
}

type Holder = Record<string | number, unknown>
type Done = { place: string; left: boolean }

function apply(report: Json, { path, code, message }: Issue): Done | null {
  const holders: Holder[] = [report]
  for (const step of path.slice(0, -1)) {
    const next = holders.at(-1)![step]
    if (typeof next !== 'object' || next === null) return null
    holders.push(next as Holder)
  }
  const [holder, name, place] = [holders.at(-1)!, path.at(-1), path.join('.')]
  if (name === undefined || !Object.hasOwn(holder, name)) return null
  const value = holder[name]
  const bound = /[<>]=?\s*(-?\d+(?:\.\d+)?)/.exec(message)?.[1]
  const limit = bound === undefined ? null : Number(bound)
  if (limit !== null && code === 'too_big' && typeof value === 'string') holder[name] = shorten(value, limit)
  else if (limit !== null && code === 'too_big' && Array.isArray(value)) holder[name] = value.slice(0, limit)
  else if (limit !== null && (code === 'too_big' || code === 'too_small') && typeof value === 'number')
    holder[name] = limit
  else return removeAtPath(holders, path)
  return { place, left: false }
}

function removeAtPath(holders: readonly Holder[], path: readonly (string | number)[]): Done {
  const at = path.findLastIndex((step) => typeof step === 'number')
  const [holder, name] = at < 0 ? [holders.at(-1)!, path.at(-1)!] : [holders[at]!, path[at]!]
  if (Array.isArray(holder)) holder.splice(Number(name), 1)
  else delete holder[name]
  return { place: path.slice(0, at < 0 ? path.length : at + 1).join('.'), left: true }
}
