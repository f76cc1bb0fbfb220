import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createScrubber } from '../../src/scrubber/index.ts'
import { markdownTable } from '../table.ts'
import { changesAgain, decide, type Decision } from './decisions.ts'
import { formatForReader, Labels, readVerdicts } from './labels.ts'
import { readCode, readSessions, type PinnedPackage, type Source } from './sources.ts'
import { estimate, groupBy, shareOfRight, sumOf, tallyRules, unlabelled, type RuleTally } from './tally.ts'

/**
 * Returns the value of an option such as `--label=FILE`: undefined if the option is missing, `''` if it has no value.
 */
function optionOf(name: string): string | undefined {
  const word = process.argv.find((argument) => argument === name || argument.startsWith(`${name}=`))
  return word?.slice(name.length + 1)
}

interface Area {
  readonly title: string
  readonly megabytes: number
  readonly files: number
  /** The number of files in which a second pass replaces something. */
  readonly changedAgain: number
  readonly decisions: readonly Decision[]
  readonly tallies: readonly RuleTally[]
}

/**
 * Prints how many decisions of each rule are right, in real sessions and in code of packages. `--label=FILE` writes the
 * decisions without a label, in their contexts, for a person to judge. `--labelled=FILE` adds that person's verdicts.
 * `--write` writes the tables to SCRUB.md.
 */
export async function precisionReport(root: string): Promise<void> {
  const folder = join(root, 'packages/core/bench/precision')
  const labels = new Labels(join(folder, 'labels.tsv'))
  const labelled = optionOf('--labelled')
  if (labelled) {
    console.log(`${readVerdicts(readFileSync(labelled, 'utf8'), labels)} labels read`)
    labels.save()
    return
  }
  const scrubber = createScrubber()
  const skip = (reason: string): void => console.log(`skip  ${reason}`)
  const areaOf = (title: string, sources: readonly Source[]): Area => {
    const decisions = sources.flatMap((source) => decide(scrubber, source))
    const characters = sources.reduce((sum, { texts }) => sum + texts.reduce((all, { length }) => all + length, 0), 0)
    const changedAgain = sources.filter((source) => changesAgain(scrubber, source)).length
    const tallies = tallyRules(decisions, labels)
    return { title, megabytes: characters / 1e6, files: sources.length, changedAgain, decisions, tallies }
  }
  const areas: Area[] = []
  const sessions = readSessions(join(root, '..', 'shared', 'traces'))
  if (sessions) {
    const isConversation = ({ name }: Source): boolean => name.startsWith('airline/')
    areas.push(
      areaOf(
        'coding sessions',
        sessions.filter((source) => !isConversation(source)),
      ),
    )
    areas.push(areaOf('conversations of a customer service', sessions.filter(isConversation)))
  } else skip('real sessions: ../shared/traces is missing')
  const packages = JSON.parse(readFileSync(join(folder, 'packages.json'), 'utf8')) as PinnedPackage[]
  const languages = [...groupBy(packages, ({ language }) => language)].map(([language, pinned]) =>
    areaOf(language, readCode(pinned, skip)),
  )
  const code = languages.flatMap(({ decisions }) => decisions)
  const megabytes = languages.reduce((sum, area) => sum + area.megabytes, 0)
  areas.push({
    title: 'code',
    megabytes,
    files: languages.reduce((sum, area) => sum + area.files, 0),
    changedAgain: languages.reduce((sum, area) => sum + area.changedAgain, 0),
    decisions: code,
    tallies: tallyRules(code, labels),
  })

  const report = [
    ...areas.map((area) => `${summarize(area)}\n\n${ruleTable(area, labels)}`),
    markdownTable(
      ['code', 'MB', 'decisions', 'replaced', 'replaced per MB', 'wrong per MB'],
      languageRows(languages, areas.at(-1)!.tallies, labels),
    ),
  ].join('\n')
  console.log(`scrubber ${scrubber.version}\n\n${report}`)
  const open = areas.flatMap(({ tallies }) => unlabelled(tallies, labels))
  const target = optionOf('--label')
  if (target) writeFileSync(target, formatForReader(open))
  else if (target === '') console.log(formatForReader(open))
  else if (open.length > 0) console.log(`${open.length} decisions have no label: --label=FILE writes them for a reader`)
  if (process.argv.includes('--write'))
    writeTables(join(root, 'packages/core/SCRUB.md'), compactTable(areas, languages, labels), scrubber.version)
}

function summarize({ title, megabytes, files, changedAgain, decisions, tallies }: Area): string {
  const right = estimate(tallies)
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`
  return (
    `${title[0]!.toUpperCase()}${title.slice(1)}, ${megabytes.toFixed(1)} MB: ${decisions.length} decisions, ` +
    `${sumOf(decisions)} replacements; estimated right ${percent(right.decisions)} of decisions, ` +
    `${percent(right.occurrences)} of replacements. A second pass changes ${changedAgain} of ${files} files.`
  )
}

function ruleTable({ tallies }: Area, labels: Labels): string {
  const rows = tallies.map((tally) => {
    const { rule, evidence, decisions, occurrences, sample, verdicts } = tally
    const open = unlabelled([tally], labels).length
    return [
      rule,
      evidence,
      decisions,
      occurrences,
      sample.length,
      verdicts.right,
      verdicts.wrong,
      verdicts.public,
      open,
      shareOfRight(verdicts),
    ]
  })
  return markdownTable(
    ['rule', 'evidence', 'decisions', 'replaced', 'sample', 'right', 'wrong', 'public', 'open', 'right of judged'],
    rows,
  )
}

/**
 * Returns the number of replacements and of wrong replacements per megabyte, for each language and for all languages.
 * For a decision without a label, the share of wrong replacements in the sample of its rule is used.
 */
function languageRows(
  languages: readonly Area[],
  tallies: readonly RuleTally[],
  labels: Labels,
): (string | number)[][] {
  const wrongShare = new Map(
    tallies.map(({ rule, sampledOccurrences, wrongOccurrences }) => [
      rule,
      sampledOccurrences === 0 ? 1 : wrongOccurrences / sampledOccurrences,
    ]),
  )
  const wrongIn = (decision: Decision): number => {
    const verdict = labels.verdictOf(decision)
    const share = verdict ? Number(verdict === 'wrong') : wrongShare.get(decision.rule)!
    return decision.occurrences * share
  }
  const rowOf = (title: string, megabytes: number, decisions: readonly Decision[]): (string | number)[] => {
    const wrong = decisions.reduce((sum, decision) => sum + wrongIn(decision), 0)
    const perMegabyte = (count: number): string => (count / megabytes).toFixed(1)
    const replaced = sumOf(decisions)
    return [title, megabytes.toFixed(1), decisions.length, replaced, perMegabyte(replaced), perMegabyte(wrong)]
  }
  const all = languages.flatMap(({ decisions }) => decisions)
  const megabytes = languages.reduce((sum, area) => sum + area.megabytes, 0)
  return [...languages.map((area) => rowOf(area.title, area.megabytes, area.decisions)), rowOf('all', megabytes, all)]
}

/**
 * Returns the table of SCRUB.md. Each line is a rule, with the number of its decisions in each area, and how many of
 * them are right, wrong and public.
 */
function compactTable(areas: readonly Area[], languages: readonly Area[], labels: Labels): string {
  const rules = [...new Set(areas.flatMap(({ tallies }) => tallies.map(({ rule }) => rule)))]
  const rows = rules.map((rule) => {
    const found = areas.map(({ tallies }) => tallies.find((tally) => tally.rule === rule))
    const verdicts = { right: 0, wrong: 0, public: 0 }
    for (const tally of found)
      for (const verdict of ['right', 'wrong', 'public'] as const) verdicts[verdict] += tally?.verdicts[verdict] ?? 0
    const cells = found.map((tally) => (tally ? `${tally.decisions} / ${tally.occurrences}` : '-'))
    const { evidence } = found.find((tally) => tally !== undefined)!
    return [rule, evidence, ...cells, verdicts.right, verdicts.wrong, verdicts.public, shareOfRight(verdicts)]
  })
  const heads = areas.map(({ title }) => title.split(' ').slice(0, 2).join(' '))
  const wrong = languageRows(languages, areas.at(-1)!.tallies, labels)
  return [
    ...areas.map((area) => `- ${summarize(area)}`),
    `- Wrong replacements in a megabyte of code: ${wrong.map((row) => `${row[0]} ${row.at(-1)}`).join(', ')}.`,
    '',
    'Decisions and replacements by rule, and the verdicts on the sample:',
    '',
    markdownTable(['rule', 'evidence', ...heads, 'right', 'wrong', 'public', 'right of judged'], rows).trimEnd(),
  ].join('\n')
}

const BEGIN = '<!-- precision: made by `npm run bench:scrub -- --precision --write` -->'
const END = '<!-- end of precision -->'

function writeTables(path: string, report: string, version: string): void {
  const text = readFileSync(path, 'utf8')
  const [start, end] = [text.indexOf(BEGIN), text.indexOf(END)]
  if (start < 0 || end < start) throw new Error(`${path}: needs the lines ${BEGIN} and ${END}`)
  writeFileSync(path, `${text.slice(0, start)}${BEGIN}\n\nScrubber ${version}.\n\n${report}\n${text.slice(end)}`)
}
