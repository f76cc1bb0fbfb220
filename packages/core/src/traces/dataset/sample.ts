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

const showTitle = ({ title }: SampledTrace): Html =>
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
export function samplePage({ prefix, filter }: SamplePlace, trace: SampledTrace, page: string | undefined): ItemPage {
  const path = `${prefix}${sectionPath('sales', trace.id)}`
  return {
    title: showTitle(trace),
    back: html`<a href="${prefix}${sectionPath('sales')}${toQuery(filter)}">${message('admin.sales.backToSample')}</a>`,
    body: html`<p class="facts">
        <span>${sourceText(trace.source)}${trace.model ? html` · <bdi>${trace.model}</bdi>` : null}</span>
        <span>${message('admin.sales.traceId')} ${copyable(html`<code>${trace.id}</code>`)}</span>
      </p>
      ${stats([
        [message('admin.sales.tokens'), number(trace.tokenCount)],
        [message('admin.sales.redactions'), number(totalRedactions(trace))],
      ])}
      ${redactionList(trace, operatorCategoryName)}
      <p>${message('admin.sales.shouldBeRemoved')}</p>
      <p>
        <a class="button danger small" href="${withdrawalPath(prefix, trace.id)}">${message('admin.sales.withdraw')}</a>
      </p>
      <h2>${message('admin.sales.conversationBelow')}</h2>
      ${renderPart(
        findPart(trace.messages, page),
        message('admin.sales.notSoldYet'),
        (to) => `${path}${toQuery({ ...filter, page: String(to) })}`,
      )}`,
  }
}
