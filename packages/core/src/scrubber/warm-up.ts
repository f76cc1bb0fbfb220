import { rules } from './rules/index.ts'
import { createScrubber } from './scrubber.ts'

/** V8 compiles expressions at their second use, and functions after some hundred calls: more rounds gain little. */
const ROUNDS = 6
const RULES_PER_TEXT = 40
/** Between the sentences of a text: lines of a log, items of a list, one line of escaped JSON. */
const SEPARATORS = ['\n', '\n- ', '\\n']

/** Texts in which each rule has something to try: what stands around its keyword looks like a value. */
function sampleTexts(round: number): string[] {
  const texts: string[] = []
  for (let from = 0; from < rules.length; from += RULES_PER_TEXT)
    texts.push(
      rules
        .slice(from, from + RULES_PER_TEXT)
        .map(({ keywords }, i) => sampleSentence(keywords[round % keywords.length]!, i))
        .join(SEPARATORS[texts.length % SEPARATORS.length]),
    )
  return texts
}

const sampleSentence = (keyword: string, i: number): string =>
  `In step ${i} we read {"${keyword}": "value_${i}"} from /srv/app/file${i}.ts:${i} at 10:4${i % 10}, and it was fine.`

/**
 * Scrubs a fixed text a few times, so that a process or thread which has just started compiles what its first real text
 * needs: without, the first megabytes are read at a fraction of the later speed. The same work on any machine, in steps
 * of a few milliseconds.
 * @param pause lets other work go on between the steps, as that of `scrubAsync`. When it rejects, this ends and rejects
 * with the same.
 * @example await warmUpScrubber(() => new Promise((next) => setImmediate(next)))
 */
export async function warmUpScrubber(pause: () => Promise<void>): Promise<void> {
  const scrubber = createScrubber()
  for (let round = 0; round < ROUNDS; round++) await scrubber.scrubAsync(sampleTexts(round), pause)
}
