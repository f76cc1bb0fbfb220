import { basename } from 'node:path'
import { displayTitle, estimateTokenizer, titleOf } from '@tributary/core'
import { createScrubber, previewScrub, type Replacement, type ScrubPreview } from '@tributary/core/scrub'
import type { SelectedTrace, Selection } from './selection.ts'
import type { Details } from './sessions/trace.ts'
import { readBlockedTerms } from './choices.ts'
import { nameSource } from './source-names.ts'
import {
  formatTable,
  highlightText,
  toPlainText,
  formatCount,
  CommandError,
  type CommandResult,
  type Terminal,
} from './terminal.ts'

/** A redaction with the text around it, and the rule that caused it. It does not contain the redacted value. */
interface Redaction extends Pick<Replacement, 'placeholder' | 'category' | 'rule' | 'score'> {
  readonly before: string
  readonly after: string
}

interface TracePreview {
  readonly source: string
  readonly sourceId: string
  readonly title: string
  readonly project: string | null
  readonly messages: number
  /** The optional fields of the trace. The service redacts their texts; they are not shown here. */
  readonly details: Details
  /** The number of tokens after redaction, as a service without its own tokenizer estimates it. */
  readonly tokens: number
  readonly counts: Readonly<Record<string, number>>
  readonly redactions: readonly Redaction[]
}

/** The number of characters on either side of a redaction. */
const contextLength = 40

/**
 * Shows what an upload would send, and what the service would redact according to its rules and the blocked terms of
 * `setup`. The preview contacts no server, so it does not know which traces are already stored. It also does not know
 * the data of the account: the blocked terms, contact and e-mail that the service also redacts, and the price of
 * tokens.
 */
export async function previewTraces(
  selection: Selection,
  { details }: { readonly details: boolean },
  terminal: Terminal,
): Promise<CommandResult> {
  const scrubber = createScrubber()
  const context = { blockedTerms: readBlockedTerms(terminal) }
  const traces: TracePreview[] = []
  for (const [index, selected] of selection.traces.entries()) {
    if (index % 10 === 9) terminal.progress(`Scrubbing ${index + 1} of ${selection.traces.length} traces`)
    const contents = selected.trace.messages.map(({ content }) => content)
    const result = previewScrub(scrubber, contents, context)
    if (!result.ok) throw new CommandError('scrub_failed', `${selected.file}: ${result.reason}`)
    traces.push(describeTrace(selected, result))
    await terminal.wait(0)
  }
  const counts: Record<string, number> = {}
  for (const trace of traces)
    for (const [category, count] of Object.entries(trace.counts)) counts[category] = (counts[category] ?? 0) + count
  const tokens = traces.reduce((sum, trace) => sum + trace.tokens, 0)
  const totals = {
    files: selection.files,
    traces: traces.length,
    messages: traces.reduce((sum, { messages }) => sum + messages, 0),
    tokens,
    redactions: counts,
  }
  const left = {
    unreadable: selection.unreadable,
    excludedFiles: selection.excludedFiles,
    skippedLines: selection.skippedLines,
  }
  const sum = Object.values(counts).reduce((all, count) => all + count, 0)
  const rows = Object.entries(counts).sort(([, a], [, b]) => b - a)
  const [traceCount, messageCount] = [formatCount(totals.traces, 'trace'), formatCount(totals.messages, 'message')]
  const text = [
    `${traceCount} with ${messageCount}, about ${tokens.toLocaleString('en')} tokens after redaction.`,
    '',
    ...(sum === 0
      ? ['No redactions.']
      : [
          formatTable(
            ['category', 'redactions'],
            rows.map(([category, count]) => [category, String(count)]),
            ['redactions'],
          ),
        ]),
    '',
    ...traces.slice(0, details ? Infinity : 3).flatMap((trace) => formatTrace(trace, details, terminal)),
    ...(details || traces.length <= 3
      ? []
      : [`and ${formatCount(traces.length - 3, 'more trace')}; --details shows all.`]),
    '',
    'This preview does not use your account: the service also redacts your blocked terms, your contact and your e-mail.',
    '`upload` decides which traces are sent, and skips those already stored.',
    'If a session contains its agent, tools and token counts, these are sent too; --json shows them.',
    'Nothing was sent. Examples such as /Users/test_user and user@example.com identify no person and are kept.',
    'No program finds everything: check the text, and add words with `setup --blocked-term`.',
  ].join('\n')
  return { json: { totals, ...left, traces }, text, nextSteps: ['upload --yes', 'setup --blocked-term WORD'] }
}

function describeTrace(
  { trace, project }: SelectedTrace,
  { texts, counts, replacements }: Extract<ScrubPreview, { ok: true }>,
): TracePreview {
  const scrubbed = trace.messages.map(({ role }, index) => ({ role, content: texts[index] ?? '' }))
  const { agent, tools, usage, outcome } = trace
  return {
    source: trace.source,
    sourceId: trace.sourceId,
    title: displayTitle(toPlainText(titleOf(scrubbed) ?? '')),
    project,
    messages: texts.length,
    details: { ...(agent && { agent }), ...(tools && { tools }), ...(usage && { usage }), ...(outcome && { outcome }) },
    tokens: texts.reduce((sum, content) => sum + estimateTokenizer.count(content), 0),
    counts,
    redactions: texts.flatMap((text, index) => replacements[index]!.map((one) => showInContext(text, one))),
  }
}

function showInContext(text: string, { placeholder, category, rule, score, offset }: Replacement): Redaction {
  const end = offset + placeholder.length
  return {
    placeholder,
    category,
    rule,
    score,
    before: toPlainText(text.slice(Math.max(0, offset - contextLength), offset)),
    after: toPlainText(text.slice(end, end + contextLength)),
  }
}

function formatTrace(trace: TracePreview, details: boolean, terminal: Terminal): string[] {
  const shown = details ? trace.redactions : trace.redactions.slice(0, 5)
  const more = trace.redactions.length - shown.length
  // Only the name is shown, because a path contains the account and looks like a part of the sent data.
  const project = trace.project === null ? '' : ` · folder ${toPlainText(basename(trace.project))}, which is not sent`
  const counts = `${formatCount(trace.messages, 'message')} · ${formatCount(trace.redactions.length, 'redaction')}`
  return [
    `${trace.title || '(no prompt)'}`,
    `  ${nameSource(trace.source)}${project} · ${counts}`,
    ...shown.map(
      ({ placeholder, before, after, category, rule, score }) =>
        `    …${before}${highlightText(placeholder, terminal)}${after}…  (${category}, ${rule}, score ${score})`,
    ),
    ...(more > 0 ? [`    and ${formatCount(more, 'more redaction')}`] : []),
  ]
}
