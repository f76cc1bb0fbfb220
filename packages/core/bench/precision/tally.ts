import type { Decision } from './decisions.ts'
import { labelHash, type Labels, type Verdict } from './labels.ts'
import { wilson } from './wilson.ts'

/** The number of decisions of each rule that a reader judges, in sessions and in code separately. */
export const SAMPLE = 20

/** The decisions of one rule in sessions or in code. */
export interface RuleTally {
  readonly rule: string
  readonly evidence: string
  decisions: number
  occurrences: number
  /**
   * The total occurrences of the labelled decisions in the sample; `wrongOccurrences` counts those of the wrong
   * decisions.
   */
  sampledOccurrences: number
  wrongOccurrences: number
  readonly sample: Decision[]
  readonly verdicts: Record<Verdict, number>
}

/**
 * Counts decisions by rule. The sample of a rule consists of the first decisions in the order of the hash of file and
 * value, so that the sample is the same in every run and changes only when the decisions of the rule change.
 */
export function tallyRules(decisions: readonly Decision[], labels: Labels): RuleTally[] {
  const byRule = groupBy(decisions, ({ rule }) => rule)
  return [...byRule]
    .map(([rule, all]) => {
      const sample = all.toSorted((a, b) => (labelHash(a) < labelHash(b) ? -1 : 1)).slice(0, SAMPLE)
      const tally: RuleTally = {
        rule,
        evidence: all[0]!.evidence,
        decisions: all.length,
        occurrences: sumOf(all),
        sampledOccurrences: 0,
        wrongOccurrences: 0,
        sample,
        verdicts: { right: 0, wrong: 0, public: 0 },
      }
      for (const decision of sample) {
        const verdict = labels.verdictOf(decision)
        if (!verdict) continue
        tally.verdicts[verdict]++
        tally.sampledOccurrences += decision.occurrences
        if (verdict === 'wrong') tally.wrongOccurrences += decision.occurrences
      }
      return tally
    })
    .sort((a, b) => b.occurrences - a.occurrences)
}

export const sumOf = (decisions: readonly Decision[]): number =>
  decisions.reduce((sum, { occurrences }) => sum + occurrences, 0)

/** Returns the decisions of the samples without a label. */
export const unlabelled = (tallies: readonly RuleTally[], labels: Labels): Decision[] =>
  tallies.flatMap(({ sample }) => sample.filter((decision) => !labels.verdictOf(decision)))

/** Returns the share of right decisions among the right and wrong ones, with its interval: `88 % (71–96)`. */
export function shareOfRight({ right, wrong }: Record<Verdict, number>): string {
  const trials = right + wrong
  if (trials === 0) return '-'
  const [low, high] = wilson(right, trials).map((share) => Math.round(100 * share))
  return `${Math.round((100 * right) / trials)} % (${low}–${high})`
}

/**
 * Estimates the share of right decisions among all decisions of some rules, by decisions and by occurrences. The share
 * in the sample of a rule is used for all decisions of that rule.
 */
export function estimate(tallies: readonly RuleTally[]): { decisions: number; occurrences: number } {
  let [all, right, allOccurrences, rightOccurrences] = [0, 0, 0, 0]
  for (const { decisions, occurrences, verdicts, sampledOccurrences, wrongOccurrences } of tallies) {
    const judged = verdicts.right + verdicts.wrong
    if (judged === 0) continue
    // Decisions with the verdict `public` count neither as right nor as wrong, in the sample and in the estimate.
    const sampled = judged + verdicts.public
    all += (decisions * judged) / sampled
    right += (decisions * verdicts.right) / sampled
    allOccurrences += occurrences
    rightOccurrences += occurrences * (1 - wrongOccurrences / sampledOccurrences)
  }
  return { decisions: right / all, occurrences: rightOccurrences / allOccurrences }
}

/** Groups items by a key, in the order in which the keys appear. */
export function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}
