import * as z from 'zod'
import type { FindAddresses, ItemPage, List, SectionListParams } from '../../admin/contract.ts'
import type { Failure } from '../../http/failures.ts'
import { timestamp } from '../../ids.ts'
import { adminSalesMessages } from '../../messages/admin/sales.ts'
import { buyersMessages } from '../../messages/buyers.ts'
import { toDollars } from '../../money.ts'
import { percent } from '../../ui/format.ts'
import { commandBlock, copyable, html, Html, messagesOf, money, notice, number, stats, time } from '../../ui/html.ts'
import { detailList } from '../../ui/operator/contact.ts'
import { listSection } from '../../ui/operator/list.ts'
import { auditLink, contributorLink, message as shared, sectionPath, withdrawalPath } from '../../ui/operator/pages.ts'
import { sourceText } from '../../ui/source-text.ts'
import type { Column } from '../../ui/table.ts'
import { sources } from '../../sources.ts'
import { displayTitle } from '../names.ts'
import { type SaleItem, SoldTraceItem, SoldTracesQuery } from './contract.ts'
import { filterText, type StoredFilter } from './sale-filter.ts'
import type { ReviewedTotals } from './sales.ts'

const message = messagesOf(adminSalesMessages)
const buyersMessage = messagesOf(buyersMessages)

/** The number of traces, and of their tokens. */
export type DatasetTotals = Omit<ReviewedTotals, 'until'>

type SoldTrace = z.output<typeof SoldTraceItem>

export type Sale = z.output<typeof SaleItem>

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
  /**
   * Returns whether the buyer of a sale has a token to download it without the operator, and the time of the buyer's last
   * download: null before the first, undefined if unknown. Returns null for a buyer who cannot sign in.
   */
  readonly findDelivery: (
    sale: Pick<Sale, 'id' | 'buyer' | 'soldAt'>,
    now: number,
  ) => Promise<{ readonly hasToken: boolean; readonly downloadedAt: number | null | undefined } | null>
}

/** The formats of the download. */
const downloads = ['documents', 'messages', 'sts', 'atif'] as const

/** Shows the contributors' share of a price, in dollars. */
export const shareText = (share: number, price: number): Html =>
  html`${money(share)}${price === 0 ? null : html` (${percent(share / price)})`}`

/** Renders a time with its zone. */
const utc = (iso: string): Html => message('admin.sales.utc', { time: time(iso) })

/** Renders the time in milliseconds of the buyer's last download. */
const showDownload = (at: number | null): Html =>
  at === null ? message('admin.sales.notDownloaded') : utc(timestamp(at))

/** Renders the page of a sale. */
export async function salePage(sale: SaleView, shown: SectionListParams, deps: SaleDeps): Promise<ItemPage> {
  const { prefix } = shown
  const { address, hostCommand, findShare, countOpenRemovals, findDelivery } = deps
  const { id, buyer, usd, traces, tokens, soldAt, filter, copies } = sale
  const [share, toDelete, delivery, traceList] = await Promise.all([
    findShare(id),
    countOpenRemovals(id),
    findDelivery(sale, shown.now),
    soldTracesList(id, deps).show(shown),
  ])
  if (!(traceList instanceof Html)) return traceList
  const downloadedAt = delivery?.downloadedAt
  const name = html`<bdi>${buyer}</bdi>`
  const link = html`<a href="${prefix}${sectionPath('buyers')}">${message('admin.sales.createToken')}</a>`
  const buyersLink = html`<a href="${prefix}${sectionPath('buyers')}?filter=unconfirmed"
    >${message('admin.sales.toBuyers')}</a
  >`
  return {
    title: message('admin.sales.saleTo', { buyer: html`<bdi>${buyer}</bdi>` }),
    body: html`${toDelete === 0 ? null : notice('error', message('admin.sales.toDelete', { count: toDelete, link: buyersLink }))}
      ${stats([
        [message('admin.sales.amount'), money(usd)],
        [message('admin.sales.traces'), number(traces)],
        [message('admin.sales.tokens'), number(tokens)],
        ...(downloadedAt === undefined
          ? []
          : ([[message('admin.sales.downloaded'), showDownload(downloadedAt)]] as const)),
      ])}
      <h2>${message('admin.sales.deliver')}</h2>
      <p>
        ${
          delivery?.hasToken
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
      <details>
        <summary>${message('admin.sales.exportTitle')}</summary>
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
      </details>
      <h2>${message('admin.sales.details')}</h2>
      ${detailList([
        [message('admin.sales.soldAt'), utc(soldAt)],
        ...(tokens === 0 ? [] : ([[message('admin.sales.price'), money((usd / tokens) * 1000)]] as const)),
        ...(copies.traces === 0
          ? []
          : ([[message('admin.sales.copies'), message('admin.sales.leftOut', copies)]] as const)),
        [message('admin.sales.filter'), filter === null ? message('admin.sales.listed') : filterText(filter)],
        ...(share
          ? ([
              [message('admin.sales.share'), shareText(toDollars(share.micros), usd)],
              [message('admin.sales.contributors'), number(share.people)],
              [message('admin.sales.paidFrom'), utc(timestamp(share.availableAt))],
            ] as const)
          : []),
        [message('admin.sales.saleId'), copyable(html`<code>${id}</code>`)],
      ])}
      ${auditLink(prefix, id)}
      <h2>${message('admin.sales.tracesOf')}</h2>
      <p>${message('admin.sales.newTokensText')} ${message('admin.sales.withdrawText')}</p>
      ${traceList}`,
  }
}

/** The page lists the traces in the order in which their conversations began. */
const Query = SoldTracesQuery.safeExtend({ sort: z.enum(['createdAt', 'tokens', 'newTokens']).default('createdAt') })

/** Returns the list of the traces of a sale. */
export const soldTracesList = (saleId: string, { listTraces, findAddresses }: SaleDeps) =>
  listSection({
    id: 'sales',
    itemId: saleId,
    query: Query,
    item: SoldTraceItem,
    load: (query) => listTraces(saleId, query),
    hint: message('admin.sales.tracesHint'),
    empty: () => message('admin.sales.noTraces'),
    view: async ({ items }: List<SoldTrace>, { prefix }) => ({
      fields: [
        {
          name: 'source',
          label: message('admin.sales.source'),
          options: sources.map((one) => [one, sourceText(one)] as const),
        },
        {
          name: 'withdrawn',
          label: shared('admin.status'),
          options: [
            ['false', message('admin.sales.delivered')],
            ['true', message('admin.sales.withdrawn')],
          ],
        },
      ],
      columns: soldColumns(prefix, await findAddresses(items.flatMap(({ userId }) => userId ?? []))),
    }),
  })

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
