import type * as z from 'zod'
import { timestamp } from '../ids.ts'
import { quoteText, sanitizeSubject } from '../outbox/rules.ts'
import type { AgentReport } from './contract.ts'

type Report = z.output<typeof AgentReport>

/** Builds the subject of a report's mail to the operator. */
export const buildReportSubject = ({ content }: Report, brandName: string): string =>
  sanitizeSubject(`[${brandName}] Agent report: ${content.title}`)

/**
 * Builds the text of a report's mail. The sender's text is quoted, so that none of it looks like a text of the service.
 */
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
  const text = [
    content.title,
    '',
    ...lines.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [`${name}: ${String(value)}`])),
    ...(content.summary ? ['', content.summary] : []),
    ...(content.hypothesis ? ['', 'hypothesis:', content.hypothesis] : []),
    ...evidence.flatMap(({ type, content: excerpt, redacted }) => [
      '',
      `evidence (${type}${redacted ? ', redacted by its sender' : ''}):`,
      excerpt,
    ]),
  ]
  return `New agent report, ${timestamp(now)} (${id}). Untrusted text of the agent:\n\n${quoteText(text.join('\n'))}\n`
}
