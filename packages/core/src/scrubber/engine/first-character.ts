/**
 * Returns the code of the first character of every match of a pattern at a keyword, or 0 if the first characters
 * differ. The scanner finds keywords in upper and lower case, so it also finds the token prefix `PT` in `capture`.
 * Comparing one character is faster than trying the pattern.
 */
export function firstCharacter(pattern: RegExp, keyword: string): number {
  const firsts = firstCharacters(pattern)
  if (!firsts) return 0
  const possible = new Set(firsts.filter((char) => char.toLowerCase() === keyword[0]))
  const [only] = possible
  return only !== undefined && possible.size === 1 ? only.charCodeAt(0) : 0
}

const read = new WeakMap<RegExp, readonly string[] | null>()

/**
 * Returns the possible first characters of a pattern's matches, or null if they are unknown. They are computed once for
 * all keywords of a rule.
 */
function firstCharacters(pattern: RegExp): readonly string[] | null {
  let firsts = read.get(pattern)
  if (firsts === undefined) read.set(pattern, (firsts = pattern.ignoreCase ? null : firstsOf(pattern.source)))
  return firsts
}

/**
 * Returns the first characters of the alternatives of a pattern, or null if an alternative begins with a class or an
 * optional part.
 */
function firstsOf(source: string): string[] | null {
  const firsts: string[] = []
  for (const alternative of splitAlternatives(source)) {
    let rest = alternative
    while (/^\(\?<?[=!]/.test(rest)) rest = rest.slice(groupEnd(rest))
    const end = rest.startsWith('(') ? groupEnd(rest) : 1
    if (/^[?*{]/.test(rest.slice(end))) return null
    const inside = /^\((?:\?:|(?!\?))/.exec(rest)?.[0]
    const own = inside ? firstsOf(rest.slice(inside.length, end - 1)) : /^[\w ]/.test(rest) ? [rest.charAt(0)] : null
    if (!own) return null
    firsts.push(...own)
  }
  return firsts
}

/** Splits a pattern at each `|` that is outside groups and classes. */
function splitAlternatives(source: string): string[] {
  const alternatives: string[] = []
  let from = 0
  for (let at = 0; at < source.length; at = tokenEnd(source, at))
    if (source[at] === '|') {
      alternatives.push(source.slice(from, at))
      from = at + 1
    }
  return [...alternatives, source.slice(from)]
}

/** Returns the end of the group at the beginning of a pattern. */
const groupEnd = (source: string): number => tokenEnd(source, 0)

/** Returns the end of the escape, class, group or character that begins at an index. */
function tokenEnd(source: string, at: number): number {
  if (source[at] === '\\') return at + 2
  if (source[at] === '[') {
    let end = at + 1
    while (source[end] !== ']') end = source[end] === '\\' ? end + 2 : end + 1
    return end + 1
  }
  if (source[at] !== '(') return at + 1
  let end = at + 1
  while (source[end] !== ')') end = tokenEnd(source, end)
  return end + 1
}
