import { auditActions, type AuditAction } from '../audit/rules.ts'
import type { AuditState } from '../audit/store.ts'
import { Failure } from '../../http/failures.ts'
import { html, type Html, notice } from '../../http/html.ts'
import type { AdminSection, Handed, List } from '../contract.ts'
import { nextPage, table, time } from '../pages.ts'

interface Entry {
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
  readonly list: Handed<{ action: AuditAction | undefined; cursor: string | undefined; limit: number }, List<Entry>>
}

/** What operators changed, by whom, when and from where. */
export function auditSection({ list }: AuditSectionDeps): AdminSection {
  return {
    id: 'audit',
    title: 'Audit',
    filters: auditActions,
    async show({ prefix, filter, cursor }) {
      const found = await list(
        { action: auditActions.find((one) => one === filter), cursor: cursor ?? undefined, limit: 50 },
        0,
      )
      if (found instanceof Failure) return notice('error', 'This list cannot be shown.')
      return html`<p>Every change that an operator made. Entries cannot be changed, and only the oldest are deleted.</p>
        ${table({
          caption: 'Newest first. Times are UTC.',
          empty: 'No changes yet.',
          items: found.items,
          next: nextPage(prefix, 'audit', filter, found.nextCursor),
          columns: [
            ['Action', ({ action, target }) => html`${action}<small><code>${target}</code></small>`],
            [
              'Operator',
              ({ actor, address }) => html`<bdi>${actor}</bdi><small>${address ?? 'address unknown'}</small>`,
            ],
            ['Before', ({ before }) => state(before)],
            ['After', ({ after }) => state(after)],
            ['Time', ({ at }) => time(at)],
            ['Request', ({ requestId }) => html`<small><code>${requestId}</code></small>`],
          ],
        })}`
    },
    actions: {},
    notices: {},
  }
}

function state(fields: AuditState): Html | string {
  if (fields === null) return 'none'
  return html`${Object.entries(fields).map(([name, value]) => html`<small>${name}: <bdi>${String(value)}</bdi></small>`)}`
}
