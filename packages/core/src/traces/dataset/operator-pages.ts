import type * as z from 'zod'
import { SaleItem, SalesQuery, SoldTraceItem, SoldTracesQuery } from './contract.ts'
import { listSection, shownItems, sortCaption } from '../../ui/operator/list.ts'
import { table, type Column } from '../../ui/table.ts'
import { sourceText } from '../../ui/source-text.ts'
import type { Issue } from '../../http/failures.ts'
import {
  commandBlock,
  copyable,
  field,
  formError,
  html,
  Html,
  messagesOf,
  money,
  notice,
  number,
  stats,
  time,
} from '../../ui/html.ts'
import { percent } from '../../ui/format.ts'
import { timestamp } from '../../ids.ts'
import { displayTitle } from '../title.ts'
import { toDollars } from '../../money.ts'
import { adminSalesMessages } from '../../messages/admin/sales.ts'
import { buyersMessages } from '../../messages/buyers.ts'
import type { ReviewedTotals } from './sales.ts'
import type { FindAddresses, FormSection, Handed, ItemPage, List, Shown } from '../../admin/contract.ts'
import type { AuditContext } from '../../audit/store.ts'
import { Failure } from '../../http/failures.ts'
import { Uuid } from '../../http/fields.ts'
import { SaleForm } from './sale-form.ts'
import { detailList } from '../../ui/operator/contact.ts'
import {
  auditLink,
  confirmationBox,
  contributorLink,
  csvPath,
  idempotencyField,
  listPath,
  message as shared,
  sectionPath,
  withdrawalPath,
} from '../../ui/operator/pages.ts'
import {
  chosenFilter,
  errorsOf,
  filterForm,
  filterNames,
  filterOf,
  filterText,
  hiddenFields,
  parseFilter,
  rangeIssues,
  type Fields,
  type Filter,
  type StoredFilter,
} from './sale-filter.ts'
import { findWarnings, type Sale } from './sale-warnings.ts'
import { samplePage, sampleTable, type SampledTrace } from './sample.ts'

const message = messagesOf(adminSalesMessages)
const buyersMessage = messagesOf(buyersMessages)

type SoldTrace = z.output<typeof SoldTraceItem>

interface SaleView extends Omit<Sale, 'traceCount'>, Omit<ReviewedTotals, 'until'> {
  readonly copies: DatasetTotals
  /** Null for a sale of listed traces. */
  readonly filter: StoredFilter | null
}

export interface SalesDeps {
  /** The public address of the service. */
  readonly address: string
  /** The command with which an operator runs commands of the host: `tributary`. */
  readonly hostCommand: string
  readonly list: Handed<z.output<typeof SalesQuery>, List<Sale>>
  readonly find: (id: string) => Promise<{ readonly sale: SaleView } | Failure>
  readonly findAddresses: FindAddresses
  readonly listTraces: (id: string, query: z.output<typeof SoldTracesQuery>) => Promise<List<SoldTrace> | Failure>
  /** Returns the amounts that the contributors of a sale got, or null. Times are ms since 1970. */
  readonly findShare: (
    saleId: string,
  ) => Promise<{ readonly micros: number; readonly people: number; readonly availableAt: number } | null>
  /** Returns the number of traces of a sale whose deletion its buyer has not confirmed. */
  readonly countOpenRemovals: (saleId: string) => Promise<number>
  /** Returns the names of the newest buyers, at most 200. */
  readonly listBuyerNames: () => Promise<readonly string[]>
  /** Returns whether sales of a name belong to a buyer, who can download them. */
  readonly isBuyer: (name: string) => Promise<boolean>
  /** Returns whether sales of a name belong to a buyer with a token, who downloads them without the operator. */
  readonly hasBuyerToken: (name: string) => Promise<boolean>
  /** Counts the matching traces that a sale to the buyer would take. */
  readonly count: (filter: Filter, buyer: string) => Promise<ReviewedTotals & SellableTotals>
  /** Returns ten of the traces that may be sold and match. */
  readonly sample: (filter: Filter) => Promise<readonly SampledTrace[]>
  /** Records that an operator read a trace of the sample. */
  readonly recordSampleRead: (traceId: string, audit: AuditContext) => Promise<void>
  /** Returns the amount that the contributors of a sale at this price get, in dollars. */
  readonly shareOf: (usd: number, now: number) => Promise<number>
  /** Sells the reviewed traces. Returns null, and sells nothing, if other traces match by now. */
  readonly sell: (
    sale: { buyer: string; usd: number; filter: Filter; reviewed: ReviewedTotals },
    audit: AuditContext,
    effectId: string,
  ) => Promise<{ readonly traces: number } | null>
}

/** The formats of the download. */
const downloads = ['documents', 'messages', 'sts', 'atif'] as const

/** The traces that a filter matches. `soldBefore` is the number of them that were already sold. */
type DatasetTotals = Omit<ReviewedTotals, 'until'>
type SellableTotals = DatasetTotals & { readonly soldBefore: number; readonly copies: DatasetTotals }

/** Says how many traces there are, and how many of them are in earlier sales. */
const totalsText = ({ traces, tokens, soldBefore }: SellableTotals): Html =>
  html`<strong>${message('admin.sales.totals', { count: traces, tokens })}</strong> ·
    ${
      soldBefore === 0
        ? message('admin.sales.noneSoldBefore')
        : message('admin.sales.soldBefore', { unsold: traces - soldBefore, sold: soldBefore })
    }`

/** Returns the section of sales: the traces by filter, a sale in two steps, and the download of each sale. */
export function salesSection(deps: SalesDeps): FormSection<'sales'> {
  const list = listSection({
    id: 'sales',
    query: SalesQuery,
    item: SaleItem,
    load: deps.list,
    hasDays: false,
    hint: message('admin.sales.searchHint'),
    empty: () => message('admin.sales.none'),
    view: (_: List<Sale>, { prefix }) => ({ columns: saleColumns(prefix) }),
  })
  return {
    id: 'sales',
    filters: [],
    csv: {
      fieldsOf: (asked) => (asked.query['sale'] ? Object.keys(SoldTraceItem.shape) : list.csv.fieldsOf(asked)),
      load: (asked, cursor) =>
        asked.query['sale']
          ? deps.listTraces(asked.query['sale'], {
              ...soldTracesQuery(asked.query).query,
              limit: 200,
              cursor: cursor ?? undefined,
            })
          : list.csv.load(asked, cursor),
    },
    async show(shown) {
      const { prefix, query, problem } = shown
      const entered = problem ? problem.form.fields : query
      const fields = Object.fromEntries(Object.entries(entered).filter(([, value]) => value.trim() !== ''))
      const isFiltered = problem !== null || [...filterNames, 'buyer', 'usd'].some((name) => name in entered)
      const review = await reviewSale(fields, shown, deps)
      if (review) return review
      const listed = await list.show(shown)
      if (!(listed instanceof Html)) return listed
      return html`<h2>${message('admin.sales.new')}</h2>
        <p>${message('admin.sales.intro')}</p>
        ${isFiltered && parseFilter(fields).filter ? foldedFilter(prefix, fields) : filterForm(prefix, fields, isFiltered)}
        ${isFiltered ? await showMatches(fields, shown, deps) : null}
        <h2>${message('admin.sales.all')}</h2>
        ${listed}`
    },
    async showItem(id, { prefix, query }, audit) {
      if (!Uuid.safeParse(id).success) return null
      const found = await deps.find(id)
      if (!(found instanceof Failure)) return salePage(prefix, { sale: found.sale, query }, deps)
      const filter = chosenFilter(query)
      const trace = (await deps.sample(parseFilter(filter).filter ?? {})).find((one) => one.id === id)
      if (!trace) return null
      await deps.recordSampleRead(id, audit)
      return samplePage({ prefix, filter }, trace, query['page'])
    },
    actions: {
      async sell({ buyer, usd, until, traces, tokens, confirmed, ...entered }, audit, effectId) {
        const issues = rangeIssues(entered)
        if (issues.length > 0) return { done: 'refused', issues }
        const [filter, reviewed] = [filterOf(entered), { until, traces, tokens }]
        const warnings = await findWarnings({ buyer, usd, traces }, { now: audit.at, effectId }, deps.list)
        if (warnings.length > 0 && confirmed === undefined) return { done: 'unconfirmed', issues: [isUnconfirmed] }
        const sold = await deps.sell({ buyer, usd: Number(usd), filter, reviewed }, audit, effectId)
        if (sold === null) return { done: 'changed', issues: [isChanged] }
        return sold.traces === traces
          ? { done: 'sold', counts: [traces], item: effectId }
          : { done: 'sold_fewer', counts: [sold.traces, traces], item: effectId }
      },
    },
    notices: {
      sold: { kind: 'done', text: ([count = 0]) => message('admin.sales.sold', { count }) },
      sold_fewer: {
        kind: 'done',
        text: ([sold = 0, reviewed = 0]) => message('admin.sales.soldFewer', { sold, reviewed }),
      },
    },
  }
}

const isUnconfirmed: Issue = { path: ['confirmed'], code: 'unconfirmed', message: 'The box is not selected.' }

const isChanged: Issue = { path: ['traces'], code: 'changed', message: 'Other traces match by now.' }

/** Says that the matching traces changed since the review, when nothing was sold for that reason. */
function changedNotice({ problem }: Shown): Html | null {
  if (!problem?.form.issues.some(({ code }) => code === isChanged.code)) return null
  const { traces, tokens } = problem.form.fields
  return formError(message('admin.sales.changed', { traces: Number(traces), tokens: Number(tokens) }))
}

/** The query parameter with which the form of a reviewed sale is shown again, with the entered values. */
const changeName = 'change'

/** Returns the page that asks to confirm a sale, or null if the form has mistakes. */
async function reviewSale(fields: Fields, shown: Shown, deps: SalesDeps): Promise<ItemPage | null> {
  const { prefix, problem, formKey, query } = shown
  if (problem === null && (changeName in query || !('buyer' in query || 'usd' in query))) return null
  const parsed = SaleForm.safeParse(fields)
  const { filter } = parseFilter(fields)
  if (!parsed.success || !filter) return null
  const { buyer, usd } = parsed.data
  const totals = await deps.count(filter, buyer)
  const entered = { ...chosenFilter(fields), buyer, usd, [changeName]: 'yes' }
  if (totals.traces === 0) return totals.copies.traces === 0 ? null : nothingNewPage(prefix, entered, totals.copies)
  const price = Number(usd)
  const [share, isBuyer] = await Promise.all([deps.shareOf(price, shown.now), deps.isBuyer(buyer)])
  const warnings = await findWarnings(
    { buyer, usd, traces: totals.traces },
    { now: shown.now, effectId: null },
    deps.list,
  )
  const isUnsure = problem?.form.issues.some(({ code }) => code === isUnconfirmed.code)
  const reviewed = Object.entries(totals).map(([name, value]) => [name, String(value)])
  const body = html`${changedNotice(shown)}
    <dl class="beside">
      <dt>${message('admin.sales.amount')}</dt>
      <dd>${money(price)}</dd>
      <dt>${message('admin.sales.share')}</dt>
      <dd>${shareText(share, price)}</dd>
      ${
        totals.tokens === 0
          ? null
          : html`<dt>${message('admin.sales.price')}</dt>
              <dd>${money((price / totals.tokens) * 1000)}</dd>`
      }
      <dt>${message('admin.sales.traces')}</dt>
      <dd>${totalsText(totals)}</dd>
      ${copiesRow(totals.copies)}
      <dt>${message('admin.sales.filter')}</dt>
      <dd>${filterText(fields)}</dd>
    </dl>
    <p>${message('admin.sales.exact', { count: totals.traces })}</p>
    ${isBuyer ? null : notice('error', message('admin.sales.noBuyer'))}
    ${warnings.map((warning) => notice('info', warning))}
    <form class="choice" method="post" action="${prefix}/admin/sales/sell">
      ${idempotencyField(formKey)}${hiddenFields({ ...fields, ...Object.fromEntries(reviewed) }, [
        ...filterNames,
        'buyer',
        'usd',
        'until',
        'traces',
        'tokens',
      ])}
      ${
        warnings.length === 0
          ? null
          : confirmationBox({
              id: 'confirmed',
              label: message('admin.sales.sure'),
              error: isUnsure ? message('admin.sales.error.confirmed') : undefined,
            })
      }
      ${
        isBuyer
          ? html`<button>${message('admin.sales.sell', { count: totals.traces })}</button>`
          : html`<a class="button" href="${prefix}${sectionPath('buyers', 'new')}"
                >${message('admin.sales.newBuyer')}</a
              >
              <button class="second">${message('admin.sales.sell', { count: totals.traces })}</button>`
      }
      <a href="${listPath(prefix, 'sales', entered)}">${message('admin.sales.change')}</a>
    </form>`
  return { title: message('admin.sales.confirm', { buyer: html`<bdi>${buyer}</bdi>` }), body }
}

const newBuyerLink = (prefix: string): Html =>
  html`<a href="${prefix}${sectionPath('buyers', 'new')}">${message('admin.sales.newBuyer')}</a>`

/** Renders the page for a sale that would leave out every trace. */
const nothingNewPage = (prefix: string, entered: Fields, copies: DatasetTotals): ItemPage => ({
  title: message('admin.sales.nothingNew'),
  body: html`${notice('info', message('admin.sales.leftOut', copies))}
    <p><a href="${listPath(prefix, 'sales', entered)}">${message('admin.sales.change')}</a></p>`,
})

/** Renders the traces that a sale leaves out as copies, if there are any. */
const copiesRow = (copies: DatasetTotals): Html | null =>
  copies.traces === 0
    ? null
    : html`<dt>${message('admin.sales.copies')}</dt>
        <dd>${message('admin.sales.leftOut', copies)}</dd>`

/** Shows the contributors' share of a price, in dollars. */
const shareText = (share: number, price: number): Html =>
  html`${money(share)}${price === 0 ? null : html` (${percent(share / price)})`}`

/** Renders the page of a sale. */
async function salePage(
  prefix: string,
  { sale, query }: { readonly sale: SaleView; readonly query: Fields },
  deps: SalesDeps,
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
  { listTraces, findAddresses }: SalesDeps,
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
function soldTracesQuery(entered: Fields): { readonly query: z.output<typeof SoldTracesQuery>; readonly kept: Fields } {
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

/** Folds the filter of the traces that are shown, so that the form of their sale is near. */
const foldedFilter = (prefix: string, fields: Fields): Html =>
  html`<details>
    <summary>${message('admin.sales.changeFilter', { filter: filterText(fields) })}</summary>
    ${filterForm(prefix, fields, true)}
  </details>`

/** Shows the traces that match the filter, and the form of their sale. */
async function showMatches(fields: Fields, shown: Shown, deps: SalesDeps): Promise<Html> {
  const parsed = parseFilter(fields)
  if (parsed.issues) return formError(message('admin.sales.correct'))
  const { filter } = parsed
  const [totals, sampled, buyers] = await Promise.all([
    deps.count(filter, ''),
    deps.sample(filter),
    deps.listBuyerNames(),
  ])
  const copies = totals.copies.traces === 0 ? null : message('admin.sales.leftOut', totals.copies)
  if (totals.traces === 0)
    return html`${changedNotice(shown)}${notice('info', copies ?? message('admin.sales.noMatch'))}`
  return html`<p data-totals>${totalsText(totals)}</p>
    ${copies && html`<p data-copies>${message('admin.sales.copies')}: ${copies}</p>`} ${saleForm(fields, shown, buyers)}
    <h2>${message('admin.sales.sampleTitle')}</h2>
    ${sampleTable({ prefix: shown.prefix, filter: chosenFilter(fields) }, sampled)}`
}

/** Renders the form that asks for a buyer and an amount, with the values that were entered before it was refused. */
function saleForm(fields: Fields, { prefix, problem, query }: Shown, buyers: readonly string[]): Html {
  const isReview = problem !== null || (!(changeName in query) && ('buyer' in query || 'usd' in query))
  const errors = isReview ? errorsOf(SaleForm.safeParse(fields).error?.issues ?? []) : {}
  const input = (name: 'buyer' | 'usd', more: Partial<Parameters<typeof field>[0]>): Html =>
    field({ name, label: message(`admin.sales.${name}`), value: fields[name], error: errors[name], ...more })
  const hint = html`${
    buyers.length > 0 ? html`${message('admin.sales.buyerHint', { name: html`<bdi>${buyers[0]}</bdi>` })} ` : null
  }${newBuyerLink(prefix)}`
  return html`<h2>${message('admin.sales.sellThese')}</h2>
    ${isReview ? formError(message('admin.sales.notSold')) : null}
    <form method="get" action="${prefix}/admin/sales">
      ${hiddenFields(fields, filterNames)} ${input('buyer', { maxlength: 256, hint, proposed: buyers })}
      ${input('usd', { inputmode: 'decimal' })}
      <p><button>${message('admin.sales.review')}</button></p>
    </form>`
}

const saleColumns = (prefix: string): readonly Column<Sale>[] => [
  [
    message('admin.sales.buyer'),
    ({ buyer, id }) =>
      html`<a href="${prefix}${sectionPath('sales', id)}"><bdi>${buyer}</bdi></a
        ><small>${message('admin.sales.saleId')} <code class="whole">${id}</code></small>`,
    undefined,
    'buyer',
  ],
  [message('admin.sales.amount'), ({ usd }) => money(usd), 'number', 'usd'],
  [message('admin.sales.traces'), ({ traceCount }) => number(traceCount), 'number'],
  [message('admin.sales.soldAt'), ({ soldAt }) => time(soldAt), undefined, 'soldAt'],
]
