import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createScrubber } from '../../src/scrubber/index.ts'
import { decide, type Decision } from './decisions.ts'
import { formatForReader, labelHash, Labels, readVerdicts } from './labels.ts'
import { SAMPLE, shareOfRight, tallyRules } from './tally.ts'
import { wilson } from './wilson.ts'

const decision = (value: string, rule = 'email', file = 'a'): Decision => ({
  file,
  rule,
  evidence: '',
  placeholder: '[EMAIL_1]',
  value,
  occurrences: 2,
  contexts: [`mail «${value}»`],
})
const emptyLabels = (): Labels => new Labels(join(mkdtempSync(join(tmpdir(), 'labels-')), 'labels.tsv'))

describe('decide', () => {
  it('returns each replaced value of a file with its rule, its occurrences and how often it was replaced', () => {
    const text = 'mail jane@corp-one.io or jane@corp-one.io'
    expect(decide(createScrubber({ packs: [] }), { name: 'a', texts: [text] })).toEqual([
      expect.objectContaining({
        file: 'a',
        rule: 'email',
        placeholder: '[EMAIL_1]',
        value: 'jane@corp-one.io',
        occurrences: 2,
        contexts: ['mail «jane@corp-one.io» or jane@corp-one.io', 'mail jane@corp-one.io or «jane@corp-one.io»'],
      }),
    ])
  })
})

describe('Labels', () => {
  it('reads the verdicts that a reader filled in, saves them, and skips lines that are not filled in yet', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'labels-')), 'labels.tsv')
    const labels = new Labels(path)
    const filled = formatForReader([decision('x'), decision('y')]).replace(/^\?/, 'wrong')
    expect(readVerdicts(filled, labels)).toBe(1)
    labels.save()
    const saved = new Labels(path)
    expect([saved.verdictOf(decision('x')), saved.verdictOf(decision('y'))]).toEqual(['wrong', undefined])
  })

  it('uses the labels of other rules for a value of the same file if these labels agree', () => {
    const labels = emptyLabels()
    labels.add(`a\temail\t${labelHash(decision('x'))}`, 'right')
    expect(labels.verdictOf(decision('x', 'home'))).toBe('right')
    expect(labels.verdictOf(decision('x', 'home', 'b'))).toBeUndefined()
    labels.add(`a\tauthor\t${labelHash(decision('x'))}`, 'wrong')
    expect(labels.verdictOf(decision('x', 'home'))).toBeUndefined()
  })

  it('stores no value in the file', () => {
    expect(labelHash(decision('jane'))).toMatch(/^[0-9a-f]{16}$/)
    expect(labelHash(decision('jane'))).not.toBe(labelHash(decision('jane', 'email', 'b')))
  })
})

describe('tallyRules', () => {
  const values = Array.from({ length: 2 * SAMPLE }, (_, index) => decision(`v${index}`))

  it('keeps the sample of a rule when other decisions vanish', () => {
    const [all] = tallyRules(values, emptyLabels())
    const half = values.filter(({ value }) => !all!.sample.slice(0, 5).some((other) => other.value === value))
    const [rest] = tallyRules(half, emptyLabels())
    expect(rest!.sample.slice(0, SAMPLE - 5)).toEqual(all!.sample.slice(5))
    expect([all!.decisions, all!.occurrences, all!.sample.length]).toEqual([40, 80, SAMPLE])
  })

  it('counts verdicts of the sample and the occurrences of wrong decisions', () => {
    const labels = emptyLabels()
    const [first, second, third] = tallyRules(values, labels)[0]!.sample
    for (const [one, verdict] of [
      [first!, 'right'],
      [second!, 'wrong'],
      [third!, 'public'],
    ] as const)
      labels.add(`a\temail\t${labelHash(one)}`, verdict)
    const [tally] = tallyRules(values, labels)
    expect(tally).toMatchObject({
      verdicts: { right: 1, wrong: 1, public: 1 },
      sampledOccurrences: 6,
      wrongOccurrences: 2,
    })
    expect(shareOfRight(tally!.verdicts)).toBe('50 % (9–91)')
  })
})

describe('wilson', () => {
  it('returns the confidence interval of a share', () => {
    expect(wilson(20, 20).map((share) => share.toFixed(3))).toEqual(['0.839', '1.000'])
    expect(wilson(0, 0)).toEqual([0, 1])
  })
})
