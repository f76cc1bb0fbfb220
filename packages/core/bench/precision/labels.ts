import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Decision } from './decisions.ts'

/**
 * A reader's verdict on a decision: it is right, it is wrong, or it names a person whom the text credits in public,
 * such as a copyright holder (`public`). A public decision counts neither as right nor as wrong.
 */
const verdicts = ['right', 'wrong', 'public'] as const
export type Verdict = (typeof verdicts)[number]

/**
 * Returns the hash that represents a value in labels. It depends on the file, so that equal values of two files have
 * different hashes.
 */
export const labelHash = ({ file, value }: Pick<Decision, 'file' | 'value'>): string =>
  createHash('sha256').update(`${file}\n${value}`).digest('hex').slice(0, 16)

/** Labels in a file. Each line has a file, a rule, a hash and a verdict, separated by tabs. */
export class Labels {
  readonly #path: string
  readonly #verdicts = new Map<string, Verdict>()

  constructor(path: string) {
    this.#path = path
    const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : []
    for (const line of lines) {
      const [file, rule, hash, verdict] = line.split('\t')
      const known = verdicts.find((name) => name === verdict)
      if (!file || !rule || !hash || !known) throw new Error(`${path}: not a label: ${line}`)
      this.#verdicts.set(`${file}\t${rule}\t${hash}`, known)
    }
  }

  /**
   * Returns the verdict on a decision: the label of its own rule or, if there is none, the verdict on which the labels
   * of all other rules agree.
   */
  verdictOf(decision: Decision): Verdict | undefined {
    const hash = labelHash(decision)
    const own = this.#verdicts.get(`${decision.file}\t${decision.rule}\t${hash}`)
    if (own) return own
    this.#byValue ??= this.#indexByValue()
    const others = this.#byValue.get(`${decision.file}\t${hash}`)
    return others?.size === 1 ? [...others][0] : undefined
  }

  #byValue: Map<string, Set<Verdict>> | undefined

  #indexByValue(): Map<string, Set<Verdict>> {
    const index = new Map<string, Set<Verdict>>()
    for (const [key, verdict] of this.#verdicts) {
      const [file, , hash] = key.split('\t')
      const found = index.get(`${file}\t${hash}`) ?? new Set()
      index.set(`${file}\t${hash}`, found.add(verdict))
    }
    return index
  }

  add(key: string, verdict: Verdict): void {
    this.#verdicts.set(key, verdict)
    this.#byValue = undefined
  }

  save(): void {
    const lines = [...this.#verdicts].map(([key, verdict]) => `${key}\t${verdict}\n`)
    writeFileSync(this.#path, lines.sort().join(''))
  }
}

/** Returns decisions in their contexts for a reader, who replaces each `?` by `right`, `wrong` or `public`. */
export function formatForReader(decisions: readonly Decision[]): string {
  return decisions
    .map((decision) => {
      const { file, rule, placeholder, occurrences, contexts } = decision
      const places = contexts.map((context) => `    ${context.replaceAll(/\s*\n\s*/g, ' ⏎ ')}\n`)
      return `?\t${file}\t${rule}\t${labelHash(decision)}\n    ${placeholder} ${occurrences} times\n${places.join('')}`
    })
    .join('')
}

/** Adds the verdicts of a file that a reader has filled in. Lines that still begin with `?` are left out. */
export function readVerdicts(text: string, labels: Labels): number {
  let count = 0
  for (const line of text.split('\n')) {
    const [word, ...key] = line.split('\t')
    const verdict = verdicts.find((name) => name === word)
    if (!verdict || key.length !== 3) continue
    labels.add(key.join('\t'), verdict)
    count++
  }
  return count
}
