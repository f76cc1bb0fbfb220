import { traceMessages } from '../../messages/traces.ts'
import { html, type Html, messagesOf, number } from '../../ui/html.ts'
import { outcomeText } from '../../ui/source-text.ts'
import type { TraceDetails } from '../detail-schemas.ts'

const message = messagesOf(traceMessages)
const counts = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'] as const

/** Lists the details of a trace. Returns null when the trace has no details. */
export function detailList({ agent, tools, usage, outcome }: TraceDetails = {}): Html | null {
  const { testsPassed, testsFailed, note } = outcome ?? {}
  const entries: Entry[] = [
    ...(agent ? [entry('agent', html`<bdi>${agent.name} ${agent.version}</bdi>`)] : []),
    ...(outcome ? [entry('outcome', outcomeText(outcome.status))] : []),
    ...(testsPassed === undefined ? [] : [entry('testsPassed', number(testsPassed))]),
    ...(testsFailed === undefined ? [] : [entry('testsFailed', number(testsFailed))]),
    ...(note ? [entry('note', html`<bdi>${note}</bdi>`)] : []),
    ...counts.flatMap((name) => (usage?.[name] === undefined ? [] : [entry(name, number(usage[name]))])),
    ...(usage?.costUsd === undefined ? [] : [entry('costUsd', html`$${usage.costUsd}`)]),
  ]
  if (entries.length === 0 && !tools?.length) return null
  return html`<h2>${message('trace.details')}</h2>
    <dl>
      ${entries.map(
        ([name, value]) =>
          html`<dt>${name}</dt>
            <dd>${value}</dd>`,
      )}
    </dl>
    ${tools?.length ? toolList(tools) : null}`
}

type Entry = readonly [Html, Html | string]
/** The names of the entries follow from their labels. */
type EntryName = {
  [Key in keyof typeof traceMessages]: Key extends `trace.details.${infer Name}`
    ? Exclude<Name, `tools_${string}`>
    : never
}[keyof typeof traceMessages]
const entry = (name: EntryName, value: Html | string): Entry => [message(`trace.details.${name}`), value]

const toolList = (tools: NonNullable<TraceDetails['tools']>): Html =>
  html`<details>
    <summary>${message('trace.details.tools', { count: tools.length })}</summary>
    ${tools.map(
      ({ name, description, parameters }) =>
        html`<h3><bdi>${name}</bdi></h3>
          ${description ? html`<p><bdi>${description}</bdi></p>` : null}
          ${parameters ? html`<pre>${JSON.stringify(parameters)}</pre>` : null}`,
    )}
  </details>`
