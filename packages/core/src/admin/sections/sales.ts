import { Failure } from '../../http/failures.ts'
import { html, type Html, field, notice } from '../../http/html.ts'
import type { Acted, FormSection, Handed, List, Shown } from '../contract.ts'
import { TraceIds, wordsOf } from '../forms.ts'
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
  buyer: 'Enter who buys, 256 characters at most.',
  usd: 'Enter dollars as a number, such as 12.50.',
  traceIds: 'Enter 1 to 500 trace ids, divided by spaces or lines.',
}

/** Sales: make one from a list of trace ids, and look at those made. */
export function salesSection({ list, sell }: SalesDeps): FormSection<'sales'> {
  return {
    id: 'sales',
    title: 'Sales',
    filters: [],
    async show({ prefix, cursor, problem }) {
      const found = await list({ cursor: cursor ?? undefined, limit: 50 }, 0)
      return html`${form(prefix, problem)}
        <h3>Sales made</h3>
        ${
          found instanceof Failure
            ? notice('error', 'This list cannot be shown.')
            : table({
                caption: 'Newest first. Times are UTC.',
                empty: 'Nothing was sold yet.',
                items: found.items,
                next: nextPage(prefix, 'sales', null, found.nextCursor),
                columns: [
                  ['Buyer', ({ buyer, id }) => html`<bdi>${buyer}</bdi><small><code>${id}</code></small>`],
                  ['Dollars', ({ usd }) => usd.toFixed(2)],
                  ['Traces', ({ traceCount }) => traceCount],
                  ['Sold', ({ soldAt }) => time(soldAt)],
                ],
              })
        }`
    },
    actions: {
      async sell({ buyer, usd, traceIds }, audit) {
        const answer = await sell({ buyer, usd: Number(usd), traceIds: TraceIds.parse(wordsOf(traceIds)) }, audit)
        return answer instanceof Failure
          ? { done: 'refused' }
          : { done: 'sold', counts: [answer.soldIds.length, answer.skippedIds.length] }
      },
    },
    notices: {
      sold: {
        kind: 'done',
        text: ([sold = 0, skipped = 0]) => `${sold} sold, ${skipped} skipped: excluded, deleted or unknown.`,
      },
      refused: { kind: 'error', text: () => 'The sale was not recorded.' },
    },
  }
}

function form(prefix: string, problem: Shown['problem']): Html {
  const wrong = (name: string): string | undefined =>
    problem?.form.issues.some(({ path }) => path[0] === name) ? messages[name] : undefined
  const typed = (name: string): string => problem?.form.fields[name] ?? ''
  const error = wrong('traceIds')
  return html`${problem ? notice('error', 'The sale was not recorded. Please look at the marked fields.') : null}
    <form method="post" action="${prefix}/admin/sales/sell">
      ${field({ name: 'buyer', label: 'Buyer', value: typed('buyer'), error: wrong('buyer'), maxlength: 256 })}
      ${field({ name: 'usd', label: 'Dollars', value: typed('usd'), error: wrong('usd'), inputmode: 'decimal' })}
      <p class="field">
        <label for="traceIds">Trace ids</label
        ><span class="hint" id="traceIds-hint"
          >As the dataset names them, 500 at most, divided by spaces, commas or lines.</span
        ><textarea
          id="traceIds"
          name="traceIds"
          rows="5"
          required
          spellcheck="false"
          aria-describedby="traceIds-hint${error ? ' traceIds-error' : null}"
          ${error ? html` aria-invalid="true"` : null}
        >
${typed('traceIds')}</textarea>
        ${error ? html`<span class="error" id="traceIds-error">${error}</span>` : null}
      </p>
      <p><button>Record the sale</button></p>
    </form>`
}
