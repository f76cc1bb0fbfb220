import { copyable, html, type Html, messagesOf, number, stats, time } from '../../ui/html.ts'
import { sourceText } from '../../ui/source-text.ts'
import { adminSalesMessages } from '../../messages/admin/sales.ts'
import { findPart, redactionList, renderPart } from '../pages/conversation.ts'
import { operatorCategoryName } from '../pages/texts.ts'
import { totalRedactions } from '../rules.ts'
import { displayTitle } from '../names.ts'
import type { ItemPage } from '../../admin/contract.ts'
import { listTable, sectionPath, withdrawalPath } from '../../ui/operator/pages.ts'

const message = messagesOf(adminSalesMessages)

/** A trace that may be sold, as a buyer would get it. */
export interface SampledTrace {
  readonly id: string
  readonly title: string | null
  readonly source: string
  readonly model: string | null
  /** The time at which the conversation took place, as ISO 8601. */
  readonly createdAt: string
  readonly tokenCount: number
  /** The counts of redactions by category, as JSON. */
  readonly redactions: string
  readonly messages: string
}

/** The URL of the sample: below the mount prefix, with the query of its filter. */
export interface SamplePlace {
  readonly prefix: string
  readonly filter: Readonly<Record<string, string>>
}

/** Returns the query of the filter. It is never empty, because there is no sample without a filter. */
const toQuery = (values: Readonly<Record<string, string>>): string =>
  `?${new URLSearchParams({ source: '', ...values })}`

/** Renders the title of a trace. */
export const showTitle = ({ title }: Pick<SampledTrace, 'title'>): Html =>
  html`<bdi>${title === null ? message('admin.sales.untitled') : displayTitle(title)}</bdi>`

/** Renders the sample as a list, whose titles lead to the conversations. */
export const sampleTable = ({ prefix, filter }: SamplePlace, items: readonly SampledTrace[]): Html =>
  listTable({
    caption: message('admin.sales.sample'),
    empty: message('admin.sales.noSample'),
    items,
    next: null,
    columns: [
      [
        message('admin.sales.conversation'),
        (trace) => html`<a href="${prefix}${sectionPath('sales', trace.id)}${toQuery(filter)}">${showTitle(trace)}</a>`,
      ],
      [message('admin.sales.created'), ({ createdAt }) => time(createdAt)],
      [message('admin.sales.source'), ({ source }) => html`<span class="whole">${sourceText(source)}</span>`],
      [message('admin.sales.model'), ({ model }) => (model === null ? null : html`<bdi class="whole">${model}</bdi>`)],
      [message('admin.sales.tokens'), ({ tokenCount }) => number(tokenCount), 'number'],
    ],
  })

/** Renders the page of a trace of the sample. The page shows the conversation, but not its contributor. */
export const samplePage = (
  { prefix, filter }: SamplePlace,
  trace: SampledTrace,
  page: string | undefined,
): ItemPage => ({
  title: showTitle(trace),
  back: html`<a href="${prefix}${sectionPath('sales')}${toQuery(filter)}">${message('admin.sales.backToSample')}</a>`,
  body: traceView(trace, {
    advice: message('admin.sales.shouldBeRemoved'),
    withdrawal: withdrawalPath(prefix, trace.id),
    hint: message('admin.sales.notSoldYet'),
    page,
    linkTo: (to) => `${prefix}${sectionPath('sales', trace.id)}${toQuery({ ...filter, page: String(to) })}`,
  }),
})

/** Renders the ID of a trace as one of its facts. */
export const traceIdFact = (id: string): Html =>
  html`<span>${message('admin.sales.traceId')} ${copyable(html`<code>${id}</code>`)}</span>`

/** Renders the link to the form that withdraws a trace. */
export const withdrawButton = (href: string): Html =>
  html`<p><a class="button danger small" href="${href}">${message('admin.sales.withdraw')}</a></p>`

/** Renders a trace as a buyer gets it, with a link to its withdrawal. */
export function traceView(
  trace: SampledTrace,
  view: {
    /** Facts besides the source, the model and the ID. */
    readonly facts?: Html
    readonly advice: Html
    /** The URL of the form that withdraws the trace. */
    readonly withdrawal: string
    readonly hint: Html
    /** The number of the page of the conversation. */
    readonly page: string | undefined
    readonly linkTo: (page: number) => string
  },
): Html {
  return html`<p class="facts">
      <span>${sourceText(trace.source)}${trace.model ? html` · <bdi>${trace.model}</bdi>` : null}</span>
      ${traceIdFact(trace.id)} ${view.facts}
    </p>
    ${stats([
      [message('admin.sales.tokens'), number(trace.tokenCount)],
      [message('admin.sales.redactions'), number(totalRedactions(trace))],
    ])}
    ${redactionList(trace, operatorCategoryName)}
    <p>${view.advice}</p>
    ${withdrawButton(view.withdrawal)}
    <h2>${message('admin.sales.conversationBelow')}</h2>
    ${renderPart(findPart(trace.messages, view.page), view.hint, view.linkTo)}`
}
