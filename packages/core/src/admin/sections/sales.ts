import { Failure, type Issue } from '../../http/failures.ts'
import { html, type Html, field, notice } from '../../http/html.ts'
import { formatUsd } from '../../money.ts'
import { sourceName, sources } from '../../sources.ts'
import { displayTitle } from '../../traces/title.ts'
import type { Created, FormSection, Handed, List, Shown } from '../contract.ts'
import { adminForms, SaleFilter } from '../forms.ts'
import { idempotencyField, listTable, nextPage, time } from '../pages.ts'

interface Sale {
  readonly id: string
  readonly buyer: string
  readonly usd: number
  readonly soldAt: string
  readonly traceCount: number
}

interface Filter {
  readonly source?: (typeof sources)[number] | undefined
  /** ISO 8601. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly minTokens?: number | undefined
}

interface SampledTrace {
  readonly title: string | null
  readonly source: string
  readonly model: string | null
  readonly tokenCount: number
}

/** How many traces a sale took, and their tokens. */
export interface Sold {
  readonly traces: number
  readonly tokens: number
}

export interface SalesDeps {
  readonly list: Handed<{ cursor: string | undefined; limit: number }, List<Sale>>
  /** Counts what may be sold and matches. */
  readonly count: (filter: Filter) => Promise<Sold>
  /** Returns ten of the traces that may be sold and match. */
  readonly sample: (filter: Filter) => Promise<readonly SampledTrace[]>
  readonly sell: Created<{ buyer: string; usd: number; filter: Filter }, Sold>
}

/** Fields as they were entered, without empty ones. */
type Fields = Readonly<Record<string, string>>

const messages: Record<string, string> = {
  source: 'Select a source of the list.',
  from: 'Enter a date.',
  to: 'Enter a date.',
  minTokens: 'Enter a whole number.',
  buyer: 'Enter a buyer of up to 256 characters.',
  usd: 'Enter an amount in dollars, such as 12.50.',
}
const filterNames = ['source', 'from', 'to', 'minTokens'] as const
/** The names under which the download offers its formats. */
const downloads = [
  ['documents', 'Documents'],
  ['messages', 'Messages'],
  ['sts', 'Session traces (STS)'],
] as const

const number = new Intl.NumberFormat('en-US')
const totalsText = ({ traces, tokens }: Sold): string =>
  `${number.format(traces)} ${traces === 1 ? 'trace' : 'traces'} · ${number.format(tokens)} tokens`

/** Returns the section of sales: the dataset by filter, a sale in two steps, and the download of each sale. */
export function salesSection(deps: SalesDeps): FormSection<'sales'> {
  return {
    id: 'sales',
    filters: [],
    async show(shown) {
      const { prefix, cursor, query, problem } = shown
      const entered = problem ? problem.form.fields : query
      const fields = Object.fromEntries(Object.entries(entered).filter(([, value]) => value.trim() !== ''))
      const isFiltered = problem !== null || [...filterNames, 'buyer', 'usd'].some((name) => name in entered)
      const review = await reviewSale(fields, shown, deps)
      if (review) return review
      const page = await deps.list({ cursor: cursor ?? undefined, limit: 50 }, 0)
      return html`<h2>Dataset</h2>
        <p>Every trace that contributors offer for sale. Choose traces, see how many there are, then sell them.</p>
        ${filterForm(prefix, fields, isFiltered)} ${isFiltered ? await showMatches(fields, shown, deps) : null}
        <h2>All sales</h2>
        ${page instanceof Failure ? notice('error', 'Could not load this list.') : saleTable(prefix, page)}`
    },
    actions: {
      async sell({ buyer, usd, ...filter }, audit, effectId) {
        const issues = rangeIssues(filter)
        if (issues.length > 0) return { done: 'refused', issues }
        const result = await deps.sell({ buyer, usd: Number(usd), filter: filterOf(filter) }, audit, effectId)
        return result instanceof Failure ? { done: 'refused' } : { done: 'sold', counts: [result.traces] }
      },
    },
    notices: {
      sold: {
        kind: 'done',
        text: ([traces = 0]) =>
          `Sale recorded: ${number.format(traces)} ${traces === 1 ? 'trace' : 'traces'}. Download it from the list.`,
      },
      refused: { kind: 'error', text: () => 'The sale was not recorded.' },
    },
  }
}

/** Returns the filter of the valid fields of a form. */
function filterOf({ source, from, to, minTokens }: ReturnType<(typeof SaleFilter)['parse']>): Filter {
  return {
    ...(source === undefined ? {} : { source }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(minTokens === undefined ? {} : { minTokens: Number(minTokens) }),
  }
}

type Issues = readonly { readonly path: readonly PropertyKey[]; readonly code: string }[]

/** Returns what is wrong with a range of days: it ends before it starts. */
const rangeIssues = ({ from, to }: { readonly from?: string | undefined; readonly to?: string | undefined }): Issue[] =>
  from !== undefined && to !== undefined && from > to
    ? [{ path: ['to'], code: 'before_from', message: 'The last day is before the first.' }]
    : []

/** Returns the filter of a form, or what is wrong with it. */
function parseFilter(fields: Fields): { filter: Filter; issues?: undefined } | { issues: Issues } {
  const parsed = SaleFilter.safeParse(fields)
  const issues = parsed.success ? rangeIssues(parsed.data) : parsed.error.issues
  return parsed.success && issues.length === 0 ? { filter: filterOf(parsed.data) } : { issues }
}

/** Returns the message of each field that is invalid. */
const errorsOf = (issues: Issues): Fields =>
  Object.fromEntries(
    issues.map(({ path: [name], code }) => [
      String(name),
      code === 'before_from'
        ? 'Enter a day that is not before the first.'
        : (messages[String(name)] ?? 'Correct this field.'),
    ]),
  )

function filterForm(prefix: string, fields: Fields, isFiltered: boolean): Html {
  const errors = isFiltered ? errorsOf(parseFilter(fields).issues ?? []) : {}
  const input = (name: string, label: string, type: string, inputmode?: string): Html => {
    const error = errors[name]
    return html`<p class="field">
      <label for="${name}">${label}</label>
      <input
        id="${name}"
        name="${name}"
        type="${type}"
        value="${fields[name]}"
        autocomplete="off"
        ${inputmode ? html` inputmode="${inputmode}"` : null}
        ${error ? html` aria-invalid="true" aria-describedby="${name}-error"` : null}
      />
      ${error ? html`<span class="error" id="${name}-error">${error}</span>` : null}
    </p>`
  }
  return html`<form class="search" method="get" action="${prefix}/admin/sales">
    <p class="field">
      <label for="source">Source</label>
      <select id="source" name="source">
        <option value="">All</option>
        ${sources.map(
          (source) =>
            html`<option value="${source}" ${fields['source'] === source ? html` selected` : null}>
              ${sourceName(source)}
            </option>`,
        )}
      </select>
      ${errors['source'] ? html`<span class="error">${errors['source']}</span>` : null}
    </p>
    ${input('from', 'Created from (UTC)', 'date')} ${input('to', 'To, included', 'date')}
    ${input('minTokens', 'Minimum tokens', 'text', 'numeric')}
    <p class="actions">
      <button class="second">Show traces</button>
      ${isFiltered ? html`<a href="${prefix}/admin/sales">Clear filter</a>` : null}
    </p>
  </form>`
}

/** Returns the confirmation of a sale that was entered without mistakes, which stands alone on the page; else null. */
async function reviewSale(
  fields: Fields,
  { prefix, problem, formKey, query }: Shown,
  deps: SalesDeps,
): Promise<Html | null> {
  if (problem === null && !('buyer' in query || 'usd' in query)) return null
  const parsed = adminForms.sales.sell.form.safeParse(fields)
  const { filter } = parseFilter(fields) as { filter?: Filter }
  if (!parsed.success || !filter) return null
  const totals = await deps.count(filter)
  if (totals.traces === 0) return null
  const { source, from, to, minTokens } = fields
  const chosen = [
    source && `from ${sourceName(source)}`,
    from && `created on ${from} or later`,
    to && `created on ${to} or earlier`,
    minTokens && `with ${number.format(Number(minTokens))} tokens or more`,
  ].filter(Boolean)
  return html`<h2 class="first">Confirm the sale</h2>
    <dl>
      <dt>Buyer</dt>
      <dd><bdi>${parsed.data.buyer}</bdi></dd>
      <dt>Amount</dt>
      <dd>${formatUsd(Number(parsed.data.usd))}</dd>
      <dt>Traces</dt>
      <dd>${totalsText(totals)}</dd>
      <dt>Filter</dt>
      <dd>${chosen.length > 0 ? chosen.join(', ') : 'All traces for sale'}</dd>
    </dl>
    <p>
      These numbers are of now. Traces that match and are stored before you confirm are sold too; the next page says how
      many were sold. A sale cannot be undone.
    </p>
    <form class="choice" method="post" action="${prefix}/admin/sales/sell">
      ${idempotencyField(formKey)}${hiddenFields(fields, [...filterNames, 'buyer', 'usd'])}
      <button>Sell all matching traces</button>
      <a href="${prefix}/admin/sales">Cancel</a>
    </form>`
}

const hiddenFields = (fields: Fields, names: readonly string[]): Html[] =>
  names.map((name) => html`<input type="hidden" name="${name}" value="${fields[name] ?? ''}" />`)

/** Shows what matches the filter, and the form of its sale. */
async function showMatches(fields: Fields, shown: Shown, deps: SalesDeps): Promise<Html> {
  const parsed = parseFilter(fields)
  if (parsed.issues) return notice('error', 'Correct the marked fields.')
  const { filter } = parsed
  const [totals, sampled] = await Promise.all([deps.count(filter), deps.sample(filter)])
  if (totals.traces === 0) return notice('info', 'No trace for sale matches.')
  return html`<p data-totals><strong>${totalsText(totals)}</strong></p>
    ${listTable({
      caption: 'The oldest ten of them, as a buyer would get them.',
      empty: 'None of the first ten can be shown.',
      items: sampled,
      next: null,
      columns: [
        ['Title', ({ title }) => html`<bdi>${title === null ? 'Untitled' : displayTitle(title)}</bdi>`],
        ['Source', ({ source }) => sourceName(source)],
        ['Model', ({ model }) => (model === null ? null : html`<bdi>${model}</bdi>`)],
        ['Tokens', ({ tokenCount }) => number.format(tokenCount), 'number'],
      ],
    })}
    ${saleForm(fields, shown)}`
}

/** Renders the form that asks for a buyer and an amount, with what was entered before it was refused. */
function saleForm(fields: Fields, { prefix, problem, query }: Shown): Html {
  const isReview = problem !== null || 'buyer' in query || 'usd' in query
  const errors = isReview ? errorsOf(adminForms.sales.sell.form.safeParse(fields).error?.issues ?? []) : {}
  const input = (name: string, label: string, more: { maxlength?: number; inputmode?: string }): Html =>
    field({ name, label, value: fields[name], error: errors[name], ...more })
  return html`<h2>Sell these traces</h2>
    ${isReview ? notice('error', 'Nothing was sold. Correct the marked fields.') : null}
    <form method="get" action="${prefix}/admin/sales">
      ${hiddenFields(fields, filterNames)} ${input('buyer', 'Buyer', { maxlength: 256 })}
      ${input('usd', 'Amount (USD)', { inputmode: 'decimal' })}
      <p><button>Review sale</button></p>
    </form>`
}

const saleTable = (prefix: string, { items, nextCursor }: List<Sale>): Html =>
  listTable({
    caption: 'Newest first. Times are UTC.',
    empty: 'No sales yet.',
    items,
    next: nextPage(prefix, 'sales', {}, nextCursor),
    columns: [
      ['Buyer', ({ buyer, id }) => html`<bdi>${buyer}</bdi><small>Sale ID <code>${id}</code></small>`],
      ['Amount', ({ usd }) => formatUsd(usd), 'number'],
      ['Traces', ({ traceCount }) => number.format(traceCount), 'number'],
      ['Sold', ({ soldAt }) => time(soldAt)],
      [
        'Download',
        ({ id, buyer }) =>
          html`${downloads.map(
            ([format, name]) =>
              html`<a
                  href="${prefix}/admin/download/sales/${id}?format=${format}"
                  aria-label="${name} of the sale to ${buyer}"
                  >${name}</a
                ><br />`,
          )}`,
      ],
    ],
  })
