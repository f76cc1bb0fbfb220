import * as z from 'zod'
import type { FindAddresses, ItemPage, List, SectionListParams } from '../../admin/contract.ts'
import type { AuditContext } from '../../audit/store.ts'
import type { Failure } from '../../http/failures.ts'
import { timestamp } from '../../ids.ts'
import { adminSalesMessages } from '../../messages/admin/sales.ts'
import { buyersMessages } from '../../messages/buyers.ts'
import { toDollars } from '../../money.ts'
import { percent } from '../../ui/format.ts'
import { commandBlock, copyable, html, Html, messagesOf, money, notice, number, stats, time } from '../../ui/html.ts'
import { detailList } from '../../ui/operator/contact.ts'
import { listSection } from '../../ui/operator/list.ts'
import {
  auditLink,
  contributorLink,
  listPath,
  message as shared,
  sectionPath,
  withdrawalPath,
} from '../../ui/operator/pages.ts'
import { sourceText } from '../../ui/source-text.ts'
import type { Column } from '../../ui/table.ts'
import { sources } from '../../sources.ts'
import { displayTitle } from '../names.ts'
import type { WithheldReason } from '../store.ts'
import { type SaleItem, SoldTraceItem, SoldTracesQuery } from './contract.ts'
import { filterText, type StoredFilter } from './sale-filter.ts'
import type { ReviewedTotals } from './sales.ts'
import { type SampledTrace, showTitle, traceIdFact, traceView, withdrawButton } from './sample.ts'

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

export type FindSoldTrace = (
  params: Readonly<{ saleId: string; traceId: string }>,
) => Promise<Pick<SoldTrace, 'id' | 'buyerTraceId' | 'userId' | 'withdrawn'> | null>

export interface SaleDeps {
  /** The public URL of the service. */
  readonly address: string
  /** The command with which an operator runs commands of the host: `tributary`. */
  readonly hostCommand: string
  readonly findAddresses: FindAddresses
  /** Returns a trace of a sale, or null if it is not in this sale. */
  readonly findSoldTrace: FindSoldTrace
  /** Returns a trace as its buyer gets it, the reason why it is withheld, or null if it does not exist. */
  readonly readTrace: (
    params: Readonly<{ ownerId: string; id: string }>,
  ) => Promise<SampledTrace | WithheldReason | null>
  /** Records that an operator read a trace. */
  readonly recordTraceRead: (traceId: string, audit: AuditContext) => Promise<void>
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
      <h2>${message('admin.sales.tracesOf', { count: traces })}</h2>
      <p>${message('admin.sales.newTokensText')} ${message('admin.sales.withdrawText')}</p>
      ${traceList}`,
  }
}

/** Renders the link back to the page of a sale. */
export const saleLink = (prefix: string, saleId: string): Html =>
  html`<a href="${prefix}${sectionPath('sales', saleId)}">${message('admin.sales.backToSale')}</a>`

/** Returns the URL of the page of a trace of a sale. */
const soldTracePath = (prefix: string, saleId: string, traceId: string, page?: number): string =>
  listPath(prefix, 'sales', { sale: saleId, page: page === undefined ? null : String(page) }, traceId)

/** Renders the page of a sold trace. Returns null if the trace is no longer delivered. */
export async function soldTracePage(
  { saleId, traceId: id }: { readonly saleId: string; readonly traceId: string },
  { prefix, query }: SectionListParams,
  audit: AuditContext,
  { findSoldTrace, readTrace, recordTraceRead, findAddresses }: SaleDeps,
): Promise<ItemPage | null> {
  const sold = await findSoldTrace({ saleId, traceId: id })
  if (!sold || !isDelivered(sold)) return null
  const { userId, buyerTraceId } = sold
  const [trace, addresses] = await Promise.all([readTrace({ ownerId: userId, id }), findAddresses([userId])])
  if (trace === null) return null
  await recordTraceRead(id, audit)
  const withdrawal = withdrawalPath(prefix, id, saleId)
  const facts = html`${buyerTraceId === null ? null : html`<span>${buyerTraceIdText(buyerTraceId)}</span>`}
    <span>${message('admin.sales.contributor')} ${contributorLink(prefix, userId, addresses.get(userId))}</span>`
  const back = saleLink(prefix, saleId)
  if (typeof trace === 'string')
    return {
      title: message('admin.sales.untitled'),
      back,
      body: html`<p class="facts">${traceIdFact(id)} ${facts}</p>
        ${notice('info', message('admin.sales.withheld'))} ${withdrawButton(withdrawal)}`,
    }
  return {
    title: showTitle(trace),
    back,
    body: traceView(trace, {
      facts,
      advice: message('admin.sales.withdrawText'),
      withdrawal,
      hint: message('admin.sales.soldText'),
      page: query['page'],
      linkTo: (page) => soldTracePath(prefix, saleId, id, page),
    }),
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
      columns: soldColumns({ prefix, saleId }, await findAddresses(items.flatMap(({ userId }) => userId ?? []))),
    }),
  })

/** Keeps the name of a model on one line, unless it is long. */
const modelName = (model: string): Html => html`<bdi ${model.length <= 30 ? html` class="whole"` : null}>${model}</bdi>`

const soldColumns = (
  { prefix, saleId }: { readonly prefix: string; readonly saleId: string },
  addresses: ReadonlyMap<string, string>,
): readonly Column<SoldTrace>[] => [
  [
    message('admin.sales.conversation'),
    (trace) => {
      const { source, model, withdrawn } = trace
      const title = isDelivered(trace)
        ? html`<a class="sentence" href="${soldTracePath(prefix, saleId, trace.id)}">${showTitle(trace)}</a>`
        : html`<span class="sentence">${showTitle(trace)}</span>`
      const tag = withdrawn ? html` <span class="tag bad">${message('admin.sales.withdrawn')}</span>` : null
      const origin = html`${sourceText(source)}${model === null ? null : html` · ${modelName(model)}`}`
      return html`${title}${tag}<small>${origin}</small>${isDelivered(trace) ? null : foldedIds(trace)}`
    },
  ],
  [
    message('admin.sales.contributor'),
    ({ userId }) =>
      userId === null ? message('admin.sales.erased') : contributorLink(prefix, userId, addresses.get(userId)),
  ],
  [message('admin.sales.tokens'), ({ tokens }) => number(tokens), 'number', 'tokens'],
  [message('admin.sales.newTokens'), ({ newTokens }) => number(newTokens), 'number', 'newTokens'],
  [message('admin.sales.created'), ({ createdAt }) => time(createdAt), undefined, 'createdAt'],
  [
    shared('admin.actions'),
    (trace) =>
      isDelivered(trace)
        ? html`<a
            href="${withdrawalPath(prefix, trace.id, saleId)}"
            aria-label="${message('admin.sales.withdrawOne', {
              title: trace.title === null ? message('admin.sales.untitled') : displayTitle(trace.title),
            })}"
            >${message('admin.sales.withdrawShort')}</a
          >`
        : null,
    'act',
  ],
]

/** Returns whether a trace is still delivered, so that its conversation can be read. */
const isDelivered = <Trace extends Pick<SoldTrace, 'userId' | 'withdrawn'>>(
  trace: Trace,
): trace is Trace & { readonly userId: string } => trace.userId !== null && !trace.withdrawn

/** Renders the IDs of a trace that has no page. */
const foldedIds = ({ id, buyerTraceId }: SoldTrace): Html =>
  html`<details>
    <summary>${message('admin.sales.ids')}</summary>
    <small>${message('admin.sales.traceIdOf', { id: copyable(html`<code>${id}</code>`) })}</small>
    ${buyerTraceId === null ? null : html`<small>${buyerTraceIdText(buyerTraceId)}</small>`}
  </details>`

const buyerTraceIdText = (id: string): Html =>
  message('admin.sales.buyerTraceId', { id: copyable(html`<code>${id}</code>`) })
