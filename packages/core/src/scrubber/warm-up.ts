import { base } from './packs/base.ts'
import { loadPacks, rulesOf, type PackSource } from './packs/pack.ts'
import { scrubberFactory } from './scrubber.ts'
import type { Rule } from './engine/rule.ts'

/**
 * V8 compiles regular expressions at their second use, and functions after some hundred calls, so more rounds would
 * change little.
 */
const ROUNDS = 6
const RULES_PER_TEXT = 40
/** Separators between the sentences of a text, as in lines of a log, items of a list, and one line of escaped JSON. */
const SEPARATORS = ['\n', '\n- ', '\\n']

/** Returns texts with keywords of each rule. The text after a keyword looks like a value, so that the rule reads it. */
function sampleTexts(rules: readonly Rule[], round: number): string[] {
  const texts: string[] = []
  for (let from = 0; from < rules.length; from += RULES_PER_TEXT)
    texts.push(
      rules
        .slice(from, from + RULES_PER_TEXT)
        .map(({ keywords }, i) => sampleSentence(keywords[round % keywords.length] ?? '', i))
        .join(SEPARATORS[texts.length % SEPARATORS.length]),
    )
  return texts
}

const sampleSentence = (keyword: string, i: number): string =>
  `In step ${i} we read {"${keyword}": "value_${i}"} from /srv/app/file${i}.ts:${i} at 10:4${i % 10}, and it was fine.`

/** Returns `warmUpScrubber` with the rules of a source. */
export const warmUpFactory =
  (source: PackSource) =>
  async (pause: () => Promise<void>): Promise<void> => {
    await loadPacks(source)
    const rules = rulesOf([base, ...source.loaded.values()])
    const scrubber = scrubberFactory(source)()
    for (let round = 0; round < ROUNDS; round++) await scrubber.scrubAsync(sampleTexts(rules, round), pause)
  }
