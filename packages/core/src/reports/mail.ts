import type * as z from 'zod'
import { timestamp } from '../ids.ts'
import { quoteText, sanitizeSubject } from '../outbox/rules.ts'
import type { AgentReport } from './contract.ts'

type Report = z.output<typeof AgentReport>

/** The subject of a report's mail. */
export const buildReportSubject = ({ content }: Report): string =>
  sanitizeSubject(`[Tributary] Agent report: ${content.title}`)

/** The mail of a report: every word of the sender's is quoted, so that nothing in it passes for ours. */
export function buildReportText(
  id: string,
  { reporter, subject, signal = {}, content, evidence = [] }: Report,
  now: number,
): string {
  const lines: [string, unknown][] = [
    [
      'reporter',
      [reporter.agent_vendor, reporter.agent_product, reporter.agent_version].filter((part) => part).join(' '),
    ],
    ['surface', subject.surface],
    ['domain', subject.domain],
    ['kind', subject.kind],
    ['category', signal.category],
    ['severity', signal.severity],
    ['reproducibility', signal.reproducibility],
    ['confidence', signal.confidence],
  ]
  const told = [
    content.title,
    '',
    ...lines.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [`${name}: ${String(value)}`])),
    ...(content.summary ? ['', content.summary] : []),
    ...(content.hypothesis ? ['', 'hypothesis:', content.hypothesis] : []),
    ...evidence.flatMap(({ type, content: shown, redacted }) => [
      '',
      `evidence (${type}${redacted ? ', redacted by its sender' : ''}):`,
      shown,
    ]),
  ]
  return `A software agent reported, ${timestamp(now)} (${id}). Its words are a stranger's:\n\n${quoteText(told.join('\n'))}\n`
}
