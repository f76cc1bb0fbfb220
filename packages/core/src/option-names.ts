import { lastOf } from './lists.ts'
/**
 * Throws on an option whose name is not in `names`; plain JavaScript would ignore such an option. The error suggests
 * the nearest name. `path` is the prefix for the names of nested options: `brand.`.
 *
 * ```ts
 * checkOptionNames(options, { port: true, hostname: true }) // unknown option 'prot'; did you mean port?
 * ```
 */
export function checkOptionNames<T extends object>(
  options: T | undefined,
  names: Readonly<Record<keyof NoInfer<T>, unknown>>,
  path = '',
): void {
  const unknown = Object.keys(options ?? {}).find((name) => !Object.hasOwn(names, name))
  if (unknown === undefined) return
  const nearest = nearestName(unknown, Object.keys(names))
  const help = nearest === null ? `the options are ${Object.keys(names).join(', ')}` : `did you mean ${path}${nearest}?`
  throw new Error(`unknown option '${path}${unknown}'; ${help}`)
}

/** Returns the known name that a wrong name was probably meant to be, or null if none is similar. */
export function nearestName(wrong: string, names: readonly string[]): string | null {
  // A longer name is not similar to any known name, and the comparison would take time.
  if (wrong.length > 64) return null
  const known = names.map((name) => ({ name, changes: countChanges(wrong, name) }))
  const [nearest] = known.toSorted((a, b) => a.changes - b.changes)
  return nearest && nearest.changes <= Math.max(1, wrong.length / 3) ? nearest.name : null
}

/**
 * Returns how many letters must be added, removed or replaced to change one name into the other (Levenshtein distance).
 */
function countChanges(from: string, to: string): number {
  const target = [...to.toLowerCase()]
  let row = [0, ...target.map((_, at) => at + 1)]
  for (const letter of from.toLowerCase()) {
    const [first = 0, ...others] = row
    let [left, diagonal] = [first + 1, first]
    const next = others.map((above, at) => {
      left = Math.min(left + 1, above + 1, diagonal + (letter === target[at] ? 0 : 1))
      diagonal = above
      return left
    })
    row = [first + 1, ...next]
  }
  return lastOf(row)
}
