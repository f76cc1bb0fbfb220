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

/** Returns the section of the audit log. */
export function auditSection({ list }: AuditSectionDeps): AdminSection {
  return {
    id: 'audit',
    title: 'Audit log',
    filters: auditActions,
    async show({ prefix, filter, cursor }) {
      const page = await list(
        { action: auditActions.find((action) => action === filter), cursor: cursor ?? undefined, limit: 50 },
        0,
      )
      if (page instanceof Failure) return notice('error', 'Could not load this list.')
      return html`<p>All changes by operators. Entries cannot be edited; only the oldest are deleted.</p>
        ${table({
          caption: 'Newest first. Times are UTC.',
          empty: 'No changes yet.',
          items: page.items,
          next: nextPage(prefix, 'audit', { filter }, page.nextCursor),
          columns: [
            ['Action', ({ action, target }) => html`${action}<small><code>${target}</code></small>`],
            [
              'Operator',
              ({ actor, address }) => html`<bdi>${actor}</bdi><small>${address ?? 'Unknown address'}</small>`,
            ],
            ['Before', ({ before }) => stateOf(before)],
            ['After', ({ after }) => stateOf(after)],
            ['Time', ({ at }) => time(at)],
            ['Request', ({ requestId }) => html`<small><code>${requestId}</code></small>`],
          ],
        })}`
    },
    actions: {},
    notices: {},
  }
}

function stateOf(fields: AuditState): Html | string {
  if (fields === null) return 'None'
  return html`${Object.entries(fields).map(([name, value]) => html`<small>${name}: <bdi>${String(value)}</bdi></small>`)}`
}
