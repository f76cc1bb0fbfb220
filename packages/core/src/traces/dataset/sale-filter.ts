import type * as z from 'zod'
import type { DatasetFilter, StoredFilter as StoredFilterShape } from './contract.ts'
import type { Issue } from '../../http/failures.ts'
import { html, type Html, messagesOf } from '../../ui/html.ts'
import { outcomeField, outcomeText, sourceText } from '../../ui/source-text.ts'
import { adminSalesMessages } from '../../messages/admin/sales.ts'
import { sources } from '../../sources.ts'
import { outcomeStatuses } from '../detail-schemas.ts'
import { SaleFilter } from './sale-form.ts'
import { message as shared } from '../../ui/operator/pages.ts'

const message = messagesOf(adminSalesMessages)

export type Filter = z.output<typeof DatasetFilter>
export type StoredFilter = z.output<typeof StoredFilterShape>

/** Fields as they were entered, without empty fields. */
export type Fields = Readonly<Record<string, string>>

export const filterNames = ['source', 'agent', 'model', 'outcome', 'from', 'to', 'minTokens', 'neverSold'] as const

/** Returns the filter of the valid fields of a form. */
export function toFilter(fields: ReturnType<(typeof SaleFilter)['parse']>): Filter {
  const { minTokens, neverSold, ...filter } = SaleFilter.parse(fields)
  return {
    ...filter,
    ...(minTokens === undefined ? {} : { minTokens: Number(minTokens) }),
    ...(neverSold === undefined ? {} : { neverSold: true }),
  }
}

/** Returns the fields of the filter that were entered. */
export const pickFilter = (fields: Fields): Fields =>
  Object.fromEntries(filterNames.flatMap((name) => (fields[name] ? [[name, fields[name]]] : [])))

type Issues = readonly { readonly path: readonly PropertyKey[]; readonly code: string }[]

/** Returns the problem of a range of days that ends before it starts. */
export const rangeIssues = ({
  from,
  to,
}: {
  readonly from?: string | undefined
  readonly to?: string | undefined
}): Issue[] =>
  from !== undefined && to !== undefined && from > to
    ? [{ path: ['to'], code: 'before_from', message: 'The last day is before the first.' }]
    : []

/** Returns the filter of a form, or its problems. */
export function parseFilter(
  fields: Fields,
): { filter: Filter; issues?: undefined } | { filter?: undefined; issues: Issues } {
  const parsed = SaleFilter.safeParse(fields)
  const issues = parsed.success ? rangeIssues(parsed.data) : parsed.error.issues
  return parsed.success && issues.length === 0 ? { filter: toFilter(parsed.data) } : { issues }
}

const errorNames = [...filterNames, 'buyer', 'usd'] as const

/** Returns the message of each field that is invalid. */
export const describeErrors = (issues: Issues): Partial<Record<string, Html>> =>
  Object.fromEntries(
    issues.flatMap(({ path, code }) => {
      const name = errorNames.find((one) => one === path[0])
      return name ? [[name, message(`admin.sales.error.${code === 'before_from' ? 'range' : name}`)]] : []
    }),
  )

export function filterForm(prefix: string, fields: Fields, isFiltered: boolean): Html {
  const errors = isFiltered ? describeErrors(parseFilter(fields).issues ?? []) : {}
  const input = (name: 'agent' | 'model' | 'from' | 'to' | 'minTokens', type: string, inputmode?: string): Html => {
    const error = errors[name]
    return html`<p class="field">
      <label for="${name}">${message(`admin.sales.${name === 'model' ? 'modelName' : name}`)}</label>
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
  return html`<form class="search days" method="get" action="${prefix}/admin/sales">
    <p class="hint more">${message('admin.sales.filterHint')}</p>
    <p class="field">
      <label for="source">${message('admin.sales.sourceName')}</label>
      <select id="source" name="source">
        <option value="">${message('admin.sales.anySource')}</option>
        ${sources.map(
          (source) =>
            html`<option value="${source}" ${fields['source'] === source ? html` selected` : null}>
              ${sourceText(source)}
            </option>`,
        )}
      </select>
      ${errors['source'] ? html`<span class="error">${errors['source']}</span>` : null}
    </p>
    ${input('agent', 'text')} ${input('model', 'text')}
    ${outcomeField(outcomeStatuses, fields['outcome'], message('admin.sales.outcome'))} ${input('from', 'date')}
    ${input('to', 'date')} ${input('minTokens', 'text', 'numeric')}
    <p class="field check">
      <label for="neverSold"
        ><input
          id="neverSold"
          name="neverSold"
          type="checkbox"
          value="true"
          ${fields['neverSold'] === 'true' ? html` checked` : null}
        />
        <span>${message('admin.sales.neverSold')}</span></label
      >
    </p>
    <p class="actions">
      <button class="second">${message('admin.sales.show')}</button>
      ${Object.keys(pickFilter(fields)).length > 0 ? html`<a href="${prefix}/admin/sales">${shared('admin.clearFilter')}</a>` : null}
    </p>
  </form>`
}

/** Describes which traces a filter selects. */
export function filterText({
  source,
  agent,
  model,
  outcome,
  from,
  to,
  minTokens,
  neverSold,
}: StoredFilter | Fields): Html {
  const chosen = [
    source && message('admin.sales.bySource', { source: sourceText(source) }),
    agent && message('admin.sales.byAgent', { agent }),
    model && message('admin.sales.byModel', { model }),
    outcome && message('admin.sales.byOutcome', { outcome: outcomeText(outcome) }),
    from && message('admin.sales.byFrom', { day: from.slice(0, 10) }),
    to && message('admin.sales.byTo', { day: to.slice(0, 10) }),
    minTokens && message('admin.sales.byTokens', { count: Number(minTokens) }),
    neverSold && message('admin.sales.byNeverSold'),
  ].filter((one): one is Html => typeof one === 'object')
  if (chosen.length === 0) return message('admin.sales.noFilter')
  return html`${chosen.map((one, n) => html`${n > 0 ? ', ' : null}${one}`)}`
}

export const hiddenFields = (fields: Fields, names: readonly string[]): Html[] =>
  names.map((name) => html`<input type="hidden" name="${name}" value="${fields[name] ?? ''}" />`)
