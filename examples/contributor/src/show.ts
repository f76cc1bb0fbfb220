import { parseMessageBlocks, type MessageBlock } from '@tributary/core'
import { readValue, type Service } from './service.ts'
import { nameSource } from './source-names.ts'
import { highlightText, toPlainLines, toPlainText, formatCount, type CommandResult, type Terminal } from './terminal.ts'
import { readState, shortenId } from './traces.ts'

/** The number of lines of a tool's output that are shown before the rest is folded. */
const foldedLines = 5

/** Shows a conversation turn by turn as a buyer gets it. Long output of tools is folded unless `full` is set. */
export async function show(service: Service, id: string, full: boolean, terminal: Terminal): Promise<CommandResult> {
  const trace = readValue(await service.client.downloadTrace({ params: { id } }))
  const state = await readState(service, id)
  const counts = Object.entries(trace.scrub.redactions)
  const head = [
    toPlainText(trace.title ?? '(no title)'),
    [nameSource(trace.source), toPlainText(trace.model ?? 'unknown model'), trace.createdAt, state, trace.id].join(
      ' · ',
    ),
    counts.length === 0
      ? 'No redactions'
      : `Redactions: ${counts.map(([category, count]) => `${category} ${count}`).join(', ')}`,
  ]
  const turns = trace.messages.flatMap((message) => {
    const role = toPlainText(message.role ?? 'unknown')
    return parseMessageBlocks(message).map((block) => formatBlock(role, block, full, terminal))
  })
  return {
    json: { trace, state },
    text: `${head.join('\n')}\n\n${turns.join('\n\n')}`,
    nextSteps: [`exclude ${shortenId(id)}`, `delete ${shortenId(id)}`, `open ${shortenId(id)}`],
  }
}

function formatBlock(role: string, block: MessageBlock, full: boolean, terminal: Terminal): string {
  const [label, content] = describeBlock(role, block)
  const lines = toPlainLines(content).split('\n')
  const isFolded = !full && block.type !== 'text' && lines.length > foldedLines
  const shown = isFolded ? lines.slice(0, foldedLines) : lines
  const folded = isFolded ? [`… ${formatCount(lines.length - foldedLines, 'more line')}; --full shows them`] : []
  const marked = shown.join('\n').replace(/\[[A-Z][A-Z0-9_]*_\d+\]/g, (found) => highlightText(found, terminal))
  return [`── ${label}`, ...[...marked.split('\n'), ...folded].map((line) => `  ${line}`.trimEnd())].join('\n')
}

function describeBlock(role: string, block: MessageBlock): readonly [label: string, content: string] {
  switch (block.type) {
    case 'text':
      return [role, block.text]
    case 'thinking':
      return [`${role} (thinking)`, block.text]
    case 'tool_call':
      return [`${role} calls ${toPlainText(block.name)}`, block.arguments]
    case 'tool_result':
      return ['result', block.text]
  }
}
