import type * as z from 'zod'
import { SaleItem, SalesPageQuery } from './contract.ts'
import { listSection } from '../../ui/operator/list.ts'
import type { Column } from '../../ui/table.ts'
import type { Issue } from '../../http/failures.ts'
import { field, formError, html, Html, messagesOf, money, notice, number, time } from '../../ui/html.ts'
import { adminSalesMessages } from '../../messages/admin/sales.ts'
import { buyersMessages } from '../../messages/buyers.ts'
import type { ReviewedTotals } from './sales.ts'
import type {
  CsvRequest,
  FormSection,
  CapabilityHandler,
  ItemPage,
  List,
  SectionListParams,
} from '../../admin/contract.ts'
import type { AuditContext } from '../../audit/store.ts'
import { Failure } from '../../http/failures.ts'
import { Uuid } from '../../http/fields.ts'
import { SaleForm } from './sale-form.ts'
import { confirmationBox, idempotencyField, listPath, sectionPath } from '../../ui/operator/pages.ts'
import {
  pickFilter,
  describeErrors,
  filterForm,
  filterNames,
  toFilter,
  filterText,
  hiddenFields,
  parseFilter,
  rangeIssues,
  type Fields,
  type Filter,
} from './sale-filter.ts'
import { findWarnings } from './sale-warnings.ts'
import type { DatasetStore } from './store.ts'
import {
  salePage,
  shareText,
  soldTracePage,
  soldTracesList,
  type DatasetTotals,
  type Sale,
  type SaleDeps,
  type SaleView,
} from './sale-page.ts'
import { samplePage, sampleTable, type SampledTrace } from './sample.ts'

const message = messagesOf(adminSalesMessages)
const buyersMessage = messagesOf(buyersMessages)

export interface SalesDeps extends SaleDeps {
  readonly list: CapabilityHandler<z.output<typeof SalesPageQuery>, List<Sale>>
  readonly find: (id: string) => Promise<{ readonly sale: SaleView } | Failure>
  /** Returns the names of the newest buyers, at most 200. */
  readonly listBuyerNames: () => Promise<readonly string[]>
  /** Returns whether sales of a name belong to a buyer, who can download them. */
  readonly isBuyer: (name: string) => Promise<boolean>
  readonly findSimilarSale: DatasetStore['findSimilarSale']
  /** Counts the matching traces that a sale to the buyer would include. */
  readonly count: (filter: Filter, buyer: string) => Promise<ReviewedTotals & SellableTotals>
  /** Returns ten of the traces that may be sold and match the filter. */
  readonly sample: (filter: Filter) => Promise<readonly SampledTrace[]>
  /** Returns the amount that the contributors of a sale at this price get, in dollars. */
  readonly shareOf: (usd: number, now: number) => Promise<number>
  /** Sells the reviewed traces. Returns null, and sells nothing, if different traces match now. */
  readonly sell: (
    sale: { buyer: string; usd: number; filter: Filter; reviewed: ReviewedTotals },
    audit: AuditContext,
    effectId: string,
  ) => Promise<{ readonly traces: number } | null>
}

/** The traces that a filter matches. `soldBefore` is the number of them that were already sold. */
type SellableTotals = DatasetTotals & { readonly soldBefore: number; readonly copies: DatasetTotals }

/** Renders the number of traces, and how many of them are in earlier sales. */
const totalsText = ({ traces, tokens, soldBefore }: SellableTotals): Html =>
  html`<strong>${message('admin.sales.totals', { count: traces, tokens })}</strong> ·
    ${
      soldBefore === 0
        ? message('admin.sales.noneSoldBefore')
        : message('admin.sales.soldBefore', { unsold: traces - soldBefore, sold: soldBefore })
    }`

/** Returns the section of sales. It filters traces, sells them in two steps, and offers the download of each sale. */
export function salesSection(deps: SalesDeps): FormSection<'sales'> {
  const list = listSection({
    id: 'sales',
    // The filter has no buyer, because the form of a new sale on the same page also has this field.
    query: SalesPageQuery,
    item: SaleItem,
    load: deps.list,
    dayNames: { from: 'soldFrom', to: 'soldTo' },
    hint: message('admin.sales.searchHint'),
    empty: () => message('admin.sales.none'),
    view: (_: List<Sale>, { prefix }) => ({ columns: saleColumns(prefix) }),
  })
  const listOf = ({ query: { item } }: CsvRequest) => (item === undefined ? list : soldTracesList(item, deps))
  return {
    id: 'sales',
    filters: [],
    csv: {
      fieldsOf: (asked) => listOf(asked).csv.fieldsOf(asked),
      load: (asked, cursor) => listOf(asked).csv.load(asked, cursor),
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
        ${isFiltered ? await showMatches(fields, shown, deps) : filterForm(prefix, fields, false)}
        <h2>${message('admin.sales.all')}</h2>
        ${listed}`
    },
    async showItem(id, shown, audit) {
      const { prefix, query } = shown
      if (!Uuid.safeParse(id).success) return null
      const found = await deps.find(id)
      if (!(found instanceof Failure)) return salePage(found.sale, shown, deps)
      const saleId = Uuid.safeParse(query['sale']).data
      if (saleId !== undefined) return soldTracePage({ saleId, traceId: id }, shown, audit, deps)
      const filter = pickFilter(query)
      const trace = (await deps.sample(parseFilter(filter).filter ?? {})).find((one) => one.id === id)
      if (!trace) return null
      await deps.recordTraceRead(id, audit)
      return samplePage({ prefix, filter }, trace, query['page'])
    },
    actions: {
      async sell({ buyer, usd, until, traces, tokens, confirmed, ...entered }, audit, effectId) {
        const issues = rangeIssues(entered)
        if (issues.length > 0) return { done: 'refused', issues }
        const [filter, reviewed] = [toFilter(entered), { until, traces, tokens }]
        const warnings = await findWarnings({ buyer, usd, traces }, { now: audit.at, effectId }, deps.findSimilarSale)
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
      withdrawn: { kind: 'done', text: ([count = 0]) => buyersMessage('buyers.done.withdrawn', { count }) },
      sold_fewer: {
        kind: 'done',
        text: ([sold = 0, reviewed = 0]) => message('admin.sales.soldFewer', { sold, reviewed }),
      },
    },
  }
}

const isUnconfirmed: Issue = { path: ['confirmed'], code: 'unconfirmed', message: 'The box is not selected.' }

const isChanged: Issue = { path: ['traces'], code: 'changed', message: 'Other traces match by now.' }

/**
 * Renders the notice that the matching traces changed since the review, so that nothing was sold. Returns null if this
 * did not happen.
 */
function changedNotice({ problem }: SectionListParams): Html | null {
  if (!problem?.form.issues.some(({ code }) => code === isChanged.code)) return null
  const { traces, tokens } = problem.form.fields
  return formError(message('admin.sales.changed', { traces: Number(traces), tokens: Number(tokens) }))
}

/** The query parameter with which the form of a reviewed sale is shown again, with the entered values. */
const changeName = 'change'

/** Returns the page that asks to confirm a sale, or null if the form has mistakes. */
async function reviewSale(fields: Fields, shown: SectionListParams, deps: SalesDeps): Promise<ItemPage | null> {
  const { prefix, problem, formKey, query } = shown
  if (problem === null && (changeName in query || !('buyer' in query || 'usd' in query))) return null
  const parsed = SaleForm.safeParse(fields)
  const { filter } = parseFilter(fields)
  if (!parsed.success || !filter) return null
  const { buyer, usd } = parsed.data
  const totals = await deps.count(filter, buyer)
  const entered = { ...pickFilter(fields), buyer, usd, [changeName]: 'yes' }
  if (totals.traces === 0) return totals.copies.traces === 0 ? null : nothingNewPage(prefix, entered, totals.copies)
  const price = Number(usd)
  const [share, isBuyer] = await Promise.all([deps.shareOf(price, shown.now), deps.isBuyer(buyer)])
  const warnings = await findWarnings(
    { buyer, usd, traces: totals.traces },
    { now: shown.now, effectId: null },
    deps.findSimilarSale,
  )
  const isUnsure = problem?.form.issues.some(({ code }) => code === isUnconfirmed.code)
  const reviewed = Object.entries(totals).map(([name, value]) => [name, String(value)])
  const body = html`${changedNotice(shown)}
    <dl>
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
          : html`${newBuyerLink(prefix, { ...pickFilter(fields), buyer, usd }, true)}
              <button class="second">${message('admin.sales.sell', { count: totals.traces })}</button>`
      }
      <a href="${listPath(prefix, 'sales', entered)}">${message('admin.sales.change')}</a>
    </form>`
  return { title: message('admin.sales.confirm', { buyer: html`<bdi>${buyer}</bdi>` }), body }
}

/** Renders the link to the form of a new buyer, which leads back to the entered sale. */
function newBuyerLink(prefix: string, entered: Fields, isButton = false): Html {
  const query = String(new URLSearchParams({ sale: String(new URLSearchParams(entered)) }))
  return html`<a ${isButton ? html` class="button"` : null} href="${prefix}${sectionPath('buyers', 'new')}?${query}"
    >${message('admin.sales.newBuyer')}</a
  >`
}

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

/** Renders the filter of the shown traces collapsed, so that the form of their sale is close to the top. */
const foldedFilter = (prefix: string, fields: Fields, isOpen = false): Html =>
  html`<details ${isOpen ? html` open` : null}>
    <summary>${message('admin.sales.changeFilter', { filter: filterText(fields) })}</summary>
    ${filterForm(prefix, fields, true)}
  </details>`

/** Shows the filter, the traces that match it, and the form of their sale. */
async function showMatches(fields: Fields, shown: SectionListParams, deps: SalesDeps): Promise<Html> {
  const { prefix } = shown
  const parsed = parseFilter(fields)
  if (parsed.issues) return html`${filterForm(prefix, fields, true)} ${formError(message('admin.sales.correct'))}`
  const { filter } = parsed
  const [totals, sampled, buyers] = await Promise.all([
    deps.count(filter, ''),
    deps.sample(filter),
    deps.listBuyerNames(),
  ])
  const copies = totals.copies.traces === 0 ? null : message('admin.sales.leftOut', totals.copies)
  if (totals.traces === 0) {
    const isNarrowed = Object.keys(pickFilter(fields)).length > 0
    const all = html`<a href="${prefix}${sectionPath('sales')}?source=">${message('admin.sales.showAll')}</a>`
    const none = isNarrowed ? message('admin.sales.noMatch', { all }) : message('admin.sales.noneForSale')
    return html`${changedNotice(shown)}${notice('info', copies ?? none)} ${foldedFilter(prefix, fields, isNarrowed)}`
  }
  return html`${foldedFilter(prefix, fields)}
    <p data-totals>
      ${totalsText(totals)}${totals.soldBefore === 0 ? null : html`. ${message('admin.sales.soldIncluded')}`}
    </p>
    ${copies && html`<p data-copies>${message('admin.sales.copies')}: ${copies}</p>`} ${saleForm(fields, shown, buyers)}
    <h2>${message('admin.sales.sampleTitle')}</h2>
    ${sampleTable({ prefix, filter: pickFilter(fields) }, sampled)}`
}

/** Renders the form that asks for a buyer and an amount, with the values that were entered before it was refused. */
function saleForm(fields: Fields, { prefix, problem, query }: SectionListParams, buyers: readonly string[]): Html {
  const isReview = problem !== null || (!(changeName in query) && ('buyer' in query || 'usd' in query))
  const errors = isReview ? describeErrors(SaleForm.safeParse(fields).error?.issues ?? []) : {}
  const input = (name: 'buyer' | 'usd', more: Partial<Parameters<typeof field>[0]>): Html =>
    field({ name, label: message(`admin.sales.${name}`), value: fields[name], error: errors[name], ...more })
  const hint = html`${
    buyers.length > 0 ? html`${message('admin.sales.buyerHint', { name: html`<bdi>${buyers[0]}</bdi>` })} ` : null
  }${newBuyerLink(prefix, { ...pickFilter(fields), [changeName]: 'yes' })}`
  return html`<h2>${message('admin.sales.sellThese')}</h2>
    ${isReview ? formError(message('admin.sales.notSold')) : null}
    <p>${message('admin.sales.reviewNext')}</p>
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
