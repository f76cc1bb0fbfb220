import type { Finding } from './rule.ts'

interface Reach {
  end: number
  count: number
}

const reaches = new WeakMap<readonly Finding[], Map<string, Reach>>()

/**
 * How far a finder has read in this scan, so that a keyword that stands ten thousand times in one long run does not make
 * it be read ten thousand times. One scan has one list of findings; that list is the key, and nothing of the text is kept.
 */
export function reachOf(found: readonly Finding[], finder: string): Reach {
  let byFinder = reaches.get(found)
  if (!byFinder) reaches.set(found, (byFinder = new Map()))
  let reach = byFinder.get(finder)
  if (!reach) byFinder.set(finder, (reach = { end: -1, count: 0 }))
  return reach
}
