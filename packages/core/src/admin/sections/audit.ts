import { auditActions, type AuditAction } from '../audit/rules.ts'
import type { AuditState } from '../audit/store.ts'
import { Failure } from '../../http/failures.ts'
import { html, type Html, notice } from '../../http/html.ts'
import type { AdminSection, Handed, List } from '../contract.ts'
import { nextPage, table, time } from '../pages.ts'

/** An entry of the audit, as JSON shows it. */
export interface Entry {
  readonly id: string
  readonly at: string
  readonly actor: string
  readonly action: AuditAction
  readonly target: string
  readonly before: AuditState
  readonly after: AuditState
  readonly requestId: string
  readonly address: string | null
}

export interface AuditSectionDeps {
  readonly list: Handed<
    {
      action: AuditAction | undefined
      actor: string | undefined
      cursor: string | undefined
      limit: number
    },
    List<Entry>
  >
}

/** Returns the section of the audit log. */
export function auditSection({ list }: AuditSectionDeps): AdminSection {
  return {
    id: 'audit',
    title: 'Audit log',
    filters: [],
    async show({ prefix, query, cursor }) {
      const action = auditActions.find((name) => name === query['action'])
      const actor = query['actor']?.trim().slice(0, 64) || undefined
      const page = await list({ action, actor, cursor: cursor ?? undefined, limit: 50 }, 0)
      if (page instanceof Failure) return notice('error', 'Could not load this list.')
      return html`<p>All changes by operators. Entries cannot be edited; only the oldest are deleted.</p>
        <form class="search" method="get" action="${prefix}/admin/audit">
          <label for="actor">Operator <input id="actor" name="actor" value="${actor}" maxlength="64" /></label>
          <label for="action"
            >Action
            <select id="action" name="action">
              <option value="">All</option>
              ${auditActions.map(
                (name) => html`<option value="${name}" ${name === action ? html` selected` : null}>${name}</option>`,
              )}
            </select></label
          >
          <button class="second">Filter</button>
        </form>
        ${auditTable(page.items, nextPage(prefix, 'audit', { actor, action }, page.nextCursor))}`
    },
    actions: {},
    notices: {},
  }
}

/** Renders audit entries, newest first. */
export function auditTable(items: readonly Entry[], next: string | null): Html {
  return table({
    caption: 'Newest first. Times are UTC.',
    empty: 'No changes.',
    items,
    next,
    columns: [
      ['Action', ({ action, target }) => html`${action}<small><code>${target}</code></small>`],
      ['Operator', ({ actor, address }) => html`<bdi>${actor}</bdi><small>${address ?? 'Unknown address'}</small>`],
      ['Before', ({ before }) => stateOf(before)],
      ['After', ({ after }) => stateOf(after)],
      ['Time', ({ at, requestId }) => html`${time(at)}<small>Request <code>${requestId}</code></small>`],
    ],
  })
}

function stateOf(fields: AuditState): Html | string {
  if (fields === null) return 'None'
  return html`${Object.entries(fields).map(([name, value]) => html`<small>${name}: <bdi>${String(value)}</bdi></small>`)}`
}
