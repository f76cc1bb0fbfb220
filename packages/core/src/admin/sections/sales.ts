import { Failure } from '../../http/failures.ts'
import { html, type Html, field, notice } from '../../http/html.ts'
import type { Acted, FormSection, Handed, List, Shown } from '../contract.ts'
import { TraceIds, splitWords } from '../forms.ts'
import { nextPage, table, time } from '../pages.ts'

interface Sale {
  readonly id: string
  readonly buyer: string
  readonly usd: number
  readonly soldAt: string
  readonly traceCount: number
}

export interface SalesDeps {
  readonly list: Handed<{ cursor: string | undefined; limit: number }, List<Sale>>
  readonly sell: Acted<
    { buyer: string; usd: number; traceIds: string[] },
    { soldIds: readonly string[]; skippedIds: readonly string[] }
  >
}

const messages: Record<string, string> = {
  buyer: 'Enter a buyer of up to 256 characters.',
  usd: 'Enter an amount in dollars, such as 12.50.',
  traceIds: 'Enter 1 to 500 trace IDs, separated by spaces, commas or lines.',
}

/** Returns the section of sales, to record one from a list of trace ids. */
export function salesSection({ list, sell }: SalesDeps): FormSection<'sales'> {
  return {
    id: 'sales',
    title: 'Sales',
    filters: [],
    async show({ prefix, cursor, problem }) {
      const page = await list({ cursor: cursor ?? undefined, limit: 50 }, 0)
      return html`${saleForm(prefix, problem)}
        <h2>All sales</h2>
        ${
          page instanceof Failure
            ? notice('error', 'Could not load this list.')
            : table({
                caption: 'Newest first. Times are UTC.',
                empty: 'No sales yet.',
                items: page.items,
                next: nextPage(prefix, 'sales', {}, page.nextCursor),
                columns: [
                  ['Buyer', ({ buyer, id }) => html`<bdi>${buyer}</bdi><small><code>${id}</code></small>`],
                  ['Amount (USD)', ({ usd }) => usd.toFixed(2)],
                  ['Traces', ({ traceCount }) => traceCount],
                  ['Sold', ({ soldAt }) => time(soldAt)],
                ],
              })
        }`
    },
    actions: {
      async sell({ buyer, usd, traceIds }, audit) {
        const result = await sell({ buyer, usd: Number(usd), traceIds: TraceIds.parse(splitWords(traceIds)) }, audit)
        return result instanceof Failure
          ? { done: 'refused' }
          : { done: 'sold', counts: [result.soldIds.length, result.skippedIds.length] }
      },
    },
    notices: {
      sold: {
        kind: 'done',
        text: ([sold = 0, skipped = 0]) => `${sold} sold · ${skipped} skipped (excluded, deleted or unknown).`,
      },
      refused: { kind: 'error', text: () => 'The sale was not recorded.' },
    },
  }
}

function saleForm(prefix: string, problem: Shown['problem']): Html {
  const errorOf = (name: string): string | undefined =>
    problem?.form.issues.some(({ path }) => path[0] === name) ? messages[name] : undefined
  const valueOf = (name: string): string => problem?.form.fields[name] ?? ''
  const error = errorOf('traceIds')
  return html`${problem ? notice('error', 'The sale was not recorded. Correct the marked fields.') : null}
    <form method="post" action="${prefix}/admin/sales/sell">
      ${field({ name: 'buyer', label: 'Buyer', value: valueOf('buyer'), error: errorOf('buyer'), maxlength: 256 })}
      ${field({ name: 'usd', label: 'Amount (USD)', value: valueOf('usd'), error: errorOf('usd'), inputmode: 'decimal' })}
      <p class="field">
        <label for="traceIds">Trace IDs</label
        ><span class="hint" id="traceIds-hint"
          >IDs from the dataset, up to 500, separated by spaces, commas or lines.</span
        ><textarea
          id="traceIds"
          name="traceIds"
          rows="5"
          required
          spellcheck="false"
          aria-describedby="traceIds-hint${error ? ' traceIds-error' : null}"
          ${error ? html` aria-invalid="true"` : null}
        >
${valueOf('traceIds')}</textarea>
        ${error ? html`<span class="error" id="traceIds-error">${error}</span>` : null}
      </p>
      <p><button>Record sale</button></p>
    </form>`
}
