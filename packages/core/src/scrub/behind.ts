import type { Finder } from './finders.ts'

/** For tokens whose tell-tale stands in the middle: the rule's pattern from there on, and `head` for what stands before. */
export const findBehind =
  (head: RegExp, reach: number): Finder =>
  (text, start, _end, rule, found) => {
    const pattern = rule.pattern!
    pattern.lastIndex = start
    const tail = pattern.exec(text)
    if (!tail) return
    const match = head.exec(text.slice(Math.max(0, start - reach), start))
    if (!match) return
    const from = start - (match[1] ?? match[0]).length
    const end = start + tail[0].length
    found.push({ start: from, end, rule, value: text.slice(from, end) })
  }
