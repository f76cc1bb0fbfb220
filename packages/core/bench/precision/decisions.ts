import { previewScrub, type Scrubber } from '../../src/scrubber/index.ts'
import type { Source } from './sources.ts'

/** A value that was replaced in a file: one decision of one rule, with each occurrence of the value. */
export interface Decision {
  readonly file: string
  readonly rule: string
  readonly evidence: string
  readonly placeholder: string
  readonly value: string
  occurrences: number
  /** Some of the occurrences, with the original text around them. */
  readonly contexts: string[]
}

const SURROUNDINGS = 110
const SHOWN = 3

/** Returns whether a second pass replaces something in the result of the first pass. */
export function changesAgain(scrubber: Scrubber, { name, texts }: Source): boolean {
  const first = scrubber.scrub(texts)
  const second = first.ok ? scrubber.scrub(first.texts) : first
  if (!second.ok) throw new Error(`${name}: ${second.reason}`)
  return second.total > 0
}

/** Returns the decisions of a scrubber in one file. */
export function decide(scrubber: Scrubber, { name, texts }: Source): Decision[] {
  const preview = previewScrub(scrubber, texts)
  if (!preview.ok) throw new Error(`${name}: ${preview.reason}`)
  const decisions = new Map<string, Decision>()
  for (const [index, replacements] of preview.replacements.entries())
    for (const { placeholder, rule, kind, original, offset } of replacements) {
      const text = original ? texts[index]! : preview.texts[index]!
      const start = original?.start ?? offset
      const end = original?.end ?? offset + placeholder.length
      let decision = decisions.get(`${placeholder} ${rule}`)
      if (!decision) {
        const evidence = kind
        decision = {
          file: name,
          rule,
          evidence,
          placeholder,
          value: text.slice(start, end).toLowerCase(),
          occurrences: 0,
          contexts: [],
        }
        decisions.set(`${placeholder} ${rule}`, decision)
      }
      decision.occurrences++
      if (decision.contexts.length < SHOWN)
        decision.contexts.push(
          `${text.slice(Math.max(0, start - SURROUNDINGS), start)}«${text.slice(start, end)}»${text.slice(end, end + SURROUNDINGS)}`,
        )
    }
  return [...decisions.values()]
}
