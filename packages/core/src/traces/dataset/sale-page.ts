import type * as z from 'zod'
import type { FindAddresses, ItemPage, List } from '../../admin/contract.ts'
import { Failure } from '../../http/failures.ts'
import { timestamp } from '../../ids.ts'
import { adminSalesMessages } from '../../messages/admin/sales.ts'
import { buyersMessages } from '../../messages/buyers.ts'
import { toDollars } from '../../money.ts'
import { percent } from '../../ui/format.ts'
import {
  commandBlock,
  copyable,
  html,
  type Html,
  messagesOf,
  money,
  notice,
  number,
  stats,
  time,
} from '../../ui/html.ts'
import { detailList } from '../../ui/operator/contact.ts'
import { shownItems, sortCaption } from '../../ui/operator/list.ts'
import {
  auditLink,
  contributorLink,
  csvPath,
  message as shared,
  sectionPath,
  withdrawalPath,
} from '../../ui/operator/pages.ts'
import { sourceText } from '../../ui/source-text.ts'
import { table, type Column } from '../../ui/table.ts'
import { displayTitle } from '../title.ts'
import { SoldTracesQuery, type SoldTraceItem } from './contract.ts'
import { filterText, hiddenFields, type Fields, type StoredFilter } from './sale-filter.ts'
import type { Sale } from './sale-warnings.ts'
import type { ReviewedTotals } from './sales.ts'

const message = messagesOf(adminSalesMessages)
const buyersMessage = messagesOf(buyersMessages)

/** The number of traces, and of their tokens. */
export type DatasetTotals = Omit<ReviewedTotals, 'until'>

type SoldTrace = z.output<typeof SoldTraceItem>

export interface SaleView extends Omit<Sale, 'traceCount'>, Omit<ReviewedTotals, 'until'> {
  readonly copies: DatasetTotals
  /** Null for a sale of listed traces. */
  readonly filter: StoredFilter | null
}

export interface SaleDeps {
  /** The public URL of the service. */
  readonly address: string
  /** The command with which an operator runs commands of the host: `tributary`. */
  readonly hostCommand: string
  readonly findAddresses: FindAddresses
  readonly listTraces: (id: string, query: z.output<typeof SoldTracesQuery>) => Promise<List<SoldTrace> | Failure>
  /** Returns the amounts that the contributors of a sale got, or null. Times are ms since 1970. */
  readonly findShare: (
    saleId: string,
  ) => Promise<{ readonly micros: number; readonly people: number; readonly availableAt: number } | null>
  /** Returns the number of traces of a sale whose deletion its buyer has not confirmed. */
  readonly countOpenRemovals: (saleId: string) => Promise<number>
  /** Returns whether sales of a name belong to a buyer with a token, who downloads them without the operator. */
  readonly hasBuyerToken: (name: string) => Promise<boolean>
}

/** The formats of the download. */
const downloads = ['documents', 'messages', 'sts', 'atif'] as const

/** Shows the contributors' share of a price, in dollars. */
export const shareText = (share: number, price: number): Html =>
  html`${money(share)}${price === 0 ? null : html` (${percent(share / price)})`}`

/** Renders the page of a sale. */
export async function salePage(
  prefix: string,
  { sale, query }: { readonly sale: SaleView; readonly query: Fields },
  deps: SaleDeps,
): Promise<ItemPage> {
  const { address, hostCommand, findShare, countOpenRemovals, hasBuyerToken } = deps
  const { id, buyer, usd, traces, tokens, soldAt, filter, copies } = sale
  const [share, toDelete, hasToken] = await Promise.all([findShare(id), countOpenRemovals(id), hasBuyerToken(buyer)])
  const name = html`<bdi>${buyer}</bdi>`
  const link = html`<a href="${prefix}${sectionPath('buyers')}">${message('admin.sales.createToken')}</a>`
  const buyersLink = html`<a href="${prefix}${sectionPath('buyers')}#removals">${message('admin.sales.toBuyers')}</a>`
  return {
    title: message('admin.sales.saleTo', { buyer: html`<bdi>${buyer}</bdi>` }),
    body: html`${toDelete === 0 ? null : notice('error', message('admin.sales.toDelete', { count: toDelete, link: buyersLink }))}
      ${stats([
        [message('admin.sales.amount'), money(usd)],
        [message('admin.sales.traces'), number(traces)],
        [message('admin.sales.tokens'), number(tokens)],
      ])}
      <h2>${message('admin.sales.deliver')}</h2>
      <p>
        ${
          hasToken
            ? message('admin.sales.deliverSelf', { buyer: name })
            : message('admin.sales.deliverFiles', { buyer: name, link })
        }
        ${message('admin.sales.deliverRules')}
      </p>
      <ul class="links">
        ${downloads.map(
          (format) =>
            html`<li>
              <a href="${prefix}/admin/download/sales/${id}?format=${format}">${buyersMessage(`format.${format}`)}</a
              ><small>${buyersMessage(`format.${format}Text`)}</small>
            </li>`,
        )}
      </ul>
      <p>${message('admin.sales.export', { variable: html`<code>TRIBUTARY_ADMIN_TOKEN</code>` })}</p>
      ${commandBlock(
        message('admin.sales.command'),
        [
          `${hostCommand} dataset export`,
          `--address ${address}`,
          `--sale ${id}`,
          '--format parquet',
          '--out ./sale',
        ].join(' \\\n  '),
      )}
      <h2>${message('admin.sales.details')}</h2>
      ${detailList([
        [message('admin.sales.soldAt'), message('admin.sales.soldAtUtc', { time: time(soldAt) })],
        ...(tokens === 0 ? [] : ([[message('admin.sales.price'), money((usd / tokens) * 1000)]] as const)),
        ...(copies.traces === 0
          ? []
          : ([[message('admin.sales.copies'), message('admin.sales.leftOut', copies)]] as const)),
        [message('admin.sales.filter'), filter === null ? message('admin.sales.listed') : filterText(filter)],
        ...(share
          ? ([
              [message('admin.sales.share'), shareText(toDollars(share.micros), usd)],
              [message('admin.sales.contributors'), number(share.people)],
              [
                message('admin.sales.paidFrom'),
                message('admin.sales.soldAtUtc', { time: time(timestamp(share.availableAt)) }),
              ],
            ] as const)
          : []),
        [message('admin.sales.saleId'), copyable(html`<code>${id}</code>`)],
      ])}
      ${auditLink(prefix, id)}
      <h2>${message('admin.sales.tracesOf')}</h2>
      <p>${message('admin.sales.newTokensText')} ${message('admin.sales.withdrawText')}</p>
      ${await soldTraces(prefix, id, query, deps)}`,
  }
}

/** Renders a page of the traces of a sale, with their search. */
async function soldTraces(
  prefix: string,
  saleId: string,
  entered: Fields,
  { listTraces, findAddresses }: SaleDeps,
): Promise<Html> {
  const { query, kept } = soldTracesQuery(entered)
  const found = await listTraces(saleId, query)
  if (found instanceof Failure) return notice('error', shared('admin.notLoaded'))
  const path = `${prefix}${sectionPath('sales', saleId)}`
  const { cursor: _, ...search } = kept
  const link = (changes: Fields): string => `${path}?${new URLSearchParams({ ...search, ...changes })}`
  const owners = found.items.flatMap(({ userId }) => (userId === null ? [] : [userId]))
  const columns = soldColumns(prefix, await findAddresses(owners))
  return html`<form class="search" method="get" action="${path}" role="search">
      ${hiddenFields(search, ['sort', 'order'])}
      <label class="field grow" for="list-q"
        ><span>${message('admin.sales.tracesHint')}</span>
        <input id="list-q" name="q" type="search" value="${query.q}" maxlength="200"
      /></label>
      <p class="actions">
        <button class="second">${shared('admin.search')}</button>
        ${query.q ? html`<a href="${path}">${shared('admin.clearSearch')}</a>` : null}
      </p>
    </form>
    ${
      found.items.length === 0
        ? html`<p data-empty>${message('admin.sales.noTraces')}</p>`
        : html`${table({
              caption: sortCaption(columns, query),
              items: found.items,
              columns,
              sort: { by: query.sort, order: query.order, link: (sort, order) => link({ sort, order }) },
            })}
            <p class="actions">
              ${found.nextCursor ? html`<a href="${link({ cursor: found.nextCursor })}" rel="next">${shared('admin.next')}</a>` : null}
              <a href="${csvPath(prefix, 'sales', { ...search, sale: saleId })}" download>${shared('admin.csv')}</a>
            </p>`
    }`
}

/** Reads the query for the traces of a sale. Malformed values are left out. */
export function soldTracesQuery(entered: Fields): {
  readonly query: z.output<typeof SoldTracesQuery>
  readonly kept: Fields
} {
  const kept: Record<string, string> = {}
  for (const name of ['q', 'sort', 'order', 'cursor'] as const)
    if (entered[name] && SoldTracesQuery.shape[name].safeParse(entered[name]).success) kept[name] = entered[name]
  return { query: SoldTracesQuery.parse({ limit: shownItems, sort: 'createdAt', ...kept }), kept }
}

/** Keeps the name of a model on one line, unless it is long. */
const modelName = (model: string): Html => html`<bdi ${model.length <= 30 ? html` class="whole"` : null}>${model}</bdi>`

const soldColumns = (prefix: string, addresses: ReadonlyMap<string, string>): readonly Column<SoldTrace>[] => [
  [
    message('admin.sales.conversation'),
    ({ id, title, buyerTraceId, withdrawn }) =>
      html`<bdi>${title === null ? message('admin.sales.untitled') : displayTitle(title)}</bdi>${
          withdrawn ? html` <span class="tag bad">${message('admin.sales.withdrawn')}</span>` : null
        }
        <details>
          <summary>${message('admin.sales.ids')}</summary>
          <small>${message('admin.sales.traceIdOf', { id: copyable(html`<code>${id}</code>`) })}</small>${
            buyerTraceId === null
              ? null
              : html`<small
                  >${message('admin.sales.buyerTraceId', { id: copyable(html`<code>${buyerTraceId}</code>`) })}</small
                >`
          }
        </details>
        ${
          withdrawn
            ? null
            : html`<a class="button second small" href="${withdrawalPath(prefix, id)}"
                >${message('admin.sales.withdrawShort')}</a
              >`
        }`,
  ],
  [
    message('admin.sales.contributor'),
    ({ userId }) =>
      userId === null ? message('admin.sales.erased') : contributorLink(prefix, userId, addresses.get(userId)),
  ],
  [
    message('admin.sales.source'),
    ({ source, model }) =>
      html`${sourceText(source)}${model === null ? null : html`<small>${modelName(model)}</small>`}`,
  ],
  [message('admin.sales.created'), ({ createdAt }) => time(createdAt), undefined, 'createdAt'],
  [message('admin.sales.tokens'), ({ tokens }) => number(tokens), 'number', 'tokens'],
  [message('admin.sales.newTokens'), ({ newTokens }) => number(newTokens), 'number', 'newTokens'],
]
