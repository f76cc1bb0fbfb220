import { auditActions, type AuditAction } from '../audit/actions.ts'
import type { AuditState } from '../audit/store.ts'
import { Failure } from '../../http/failures.ts'
import { html, type Html, notice } from '../../http/html.ts'
import { formatUsd } from '../../money.ts'
import type { AdminSection, FindAddresses, Handed, List } from '../contract.ts'
import { capitalize, contributorLink, listTable, nextPage, orDash, sectionPath, time } from '../pages.ts'

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
  readonly findAddresses: FindAddresses
}

/** The actions in words. */
const actionNames: Readonly<Record<AuditAction, string>> = {
  'application.review': 'Application reviewed',
  'contributor.pause': 'Contributor paused or resumed',
  'waitlist.notify': 'Waitlist notified',
  'waitlist.remove': 'Person removed from the waitlist',
  'job.retry': 'Job retried',
  'sale.record': 'Sale recorded',
  'payout.record': 'Payout recorded',
  'correction.record': 'Correction recorded',
  'campaign.create': 'Campaign created',
  'campaign.update': 'Campaign changed',
  'report.update': 'Report status changed',
  'report.merge': 'Reports merged',
  'report.separate': 'Reports separated',
  'webhook.create': 'Webhook created',
  'webhook.update': 'Webhook changed',
  'webhook.delete': 'Webhook deleted',
  'webhook.rotate_secret': 'Webhook secret rotated',
  'webhook.test': 'Webhook test sent',
  'webhook.redeliver': 'Event redelivered',
  'outbox.resend': 'Deliveries sent again',
  'outbox.delete': 'Deliveries deleted',
  'operator.sign_in': 'Operator signed in',
  'operator.sign_out': 'Operator signed out',
}

/** Returns the section of the audit log. */
export function auditSection({ list, findAddresses }: AuditSectionDeps): AdminSection {
  return {
    id: 'audit',
    filters: [],
    async show({ prefix, query, cursor }) {
      const action = auditActions.find((name) => name === query['action'])
      const actor = query['actor']?.trim().slice(0, 64) || undefined
      const page = await list({ action, actor, cursor: cursor ?? undefined, limit: 50 }, 0)
      if (page instanceof Failure) return notice('error', 'Could not load this list.')
      const addresses = await findAddresses(page.items.filter(concernsContributor).map(({ target }) => target))
      const next = nextPage(prefix, 'audit', { actor, action }, page.nextCursor)
      return html`<p>All changes by operators. Entries cannot be edited; only the oldest are deleted.</p>
        <form class="search" method="get" action="${prefix}/admin/audit">
          <label for="actor">Operator <input id="actor" name="actor" value="${actor}" maxlength="64" /></label>
          <label for="action"
            >Action
            <select id="action" name="action">
              <option value="">All</option>
              ${auditActions.map(
                (name) =>
                  html`<option value="${name}" ${name === action ? html` selected` : null}>
                    ${actionNames[name]}
                  </option>`,
              )}
            </select></label
          >
          <button class="second">Filter</button>
          ${actor || action ? html`<a href="${prefix}${sectionPath('audit')}">Clear filter</a>` : null}
        </form>
        ${auditTable(prefix, { items: page.items, next, addresses })}`
    },
    actions: {},
    notices: {},
  }
}

const concernsContributor = ({ action }: Entry): boolean => /^(?:contributor|payout|correction)\./.test(action)

/** Renders audit entries, newest first. `addresses` are the e-mail addresses of contributors by user ID. */
export function auditTable(
  prefix: string,
  { items, next, addresses }: { items: readonly Entry[]; next: string | null; addresses: ReadonlyMap<string, string> },
): Html {
  return listTable({
    caption: 'Newest first. Times are UTC.',
    empty: 'No changes.',
    items,
    next,
    columns: [
      ['Action', (entry) => html`${actionNames[entry.action]}<small>${targetOf(prefix, entry, addresses)}</small>`],
      ['Change', ({ before, after }) => changesOf(before, after)],
      ['Operator', ({ actor, address }) => html`<bdi>${actor}</bdi><small>${orDash(address)}</small>`],
      [
        'Time',
        ({ at, requestId }) =>
          html`${time(at)}
            <details>
              <summary>Request ID</summary>
              <code>${requestId}</code>
            </details>`,
      ],
    ],
  })
}

/** Renders what was changed, as a link to its page where it has one. */
function targetOf(prefix: string, entry: Entry, addresses: ReadonlyMap<string, string>): Html | string | null {
  const { action, target, before, after } = entry
  const kind = action.slice(0, action.indexOf('.'))
  const named = (name: string): string | undefined => {
    const value = after?.[name] ?? before?.[name]
    return typeof value === 'string' ? value : undefined
  }
  const link = (path: string, text: string): Html => html`<a href="${prefix}${path}"><bdi>${text}</bdi></a>`
  if (concernsContributor(entry)) return contributorLink(prefix, target, addresses.get(target))
  if (kind === 'campaign') return link(sectionPath('campaigns', target), named('name') ?? 'Campaign')
  if (kind === 'report') return link(sectionPath('reports', target), 'Report')
  if (kind === 'sale') return link(sectionPath('sales'), named('buyer') ?? 'Sale')
  if (kind === 'outbox') return link(sectionPath('outbox'), 'Outbox')
  if (kind === 'job') return link(sectionPath('jobs'), `Job ${target}`)
  if (kind === 'application') return link(`${sectionPath('applications')}?filter=all`, 'Applications')
  if (action === 'webhook.delete') return named('url') ?? null
  if (kind === 'webhook') return link(sectionPath('webhooks', target), named('url') ?? 'Webhook')
  return kind === 'operator' ? null : target
}

/** The names of recorded fields that are not their words. */
const fieldNames: Readonly<Record<string, string>> = {
  usd: 'Amount',
  url: 'URL',
  cpmUsd: 'CPM',
  budgetUsd: 'Budget',
  brandName: 'Brand',
}
/** What the page of the target says, or nobody reads. */
const leftOut = new Set(['id', 'delivery'])

const nameOf = (field: string): string =>
  fieldNames[field] ?? capitalize(field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`))

/** Renders a recorded value in words. */
function valueOf(field: string, value: string | number | boolean | null | undefined): Html | string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number' && /^usd$|Usd$/.test(field)) return formatUsd(value)
  if (field === 'duplicateOf' && typeof value === 'string') return 'another report'
  return orDash(value === null || value === undefined ? null : html`<bdi>${String(value).replaceAll('_', ' ')}</bdi>`)
}

/** Renders the fields that differ: `Status: open → accepted`. */
function changesOf(before: AuditState, after: AuditState): Html | string {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].filter(
    (field) => !leftOut.has(field) && before?.[field] !== after?.[field],
  )
  if (fields.length === 0) return orDash(null)
  return html`${fields.map(
    (field) =>
      html`<small
        >${nameOf(field)}:
        ${before === null ? null : html`${valueOf(field, before[field])} → `}${after === null ? 'deleted' : valueOf(field, after[field])}</small
      >`,
  )}`
}
