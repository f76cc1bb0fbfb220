import { Failure } from '../../http/failures.ts'
import { html, notice } from '../../http/html.ts'
import type { AdminSection, Handed, List } from '../contract.ts'
import { nextPage, status as tag, table, time } from '../pages.ts'

const statuses = ['waiting', 'sending', 'sent', 'dead', 'unknown'] as const
type Status = (typeof statuses)[number]

interface Entry {
  readonly id: string
  readonly channel: string
  readonly status: Status
  readonly recipient: string
  readonly subject: string
  readonly attempts: number
  readonly lastError: string | null
  readonly createdAt: string
  readonly dueAt: string
  readonly finishedAt: string | null
}

export interface OutboxSectionDeps {
  readonly list: Handed<{ status: Status | undefined; cursor: string | undefined; limit: number }, List<Entry>>
}

/** Returns the section of the outbox: mails, telemetry and network impressions. */
export function outboxSection({ list }: OutboxSectionDeps): AdminSection {
  return {
    id: 'outbox',
    title: 'Outbox',
    filters: statuses,
    async show({ prefix, filter, cursor }) {
      const page = await list(
        { status: statuses.find((status) => status === filter), cursor: cursor ?? undefined, limit: 50 },
        0,
      )
      if (page instanceof Failure) return notice('error', 'Could not load this list.')
      return html`<p>
          Unknown: sending was interrupted. The e-mail may have been delivered and is not sent again. Dead: no further
          attempts.
        </p>
        ${table({
          caption: 'Newest first. Times are UTC.',
          empty: 'No entries.',
          items: page.items,
          next: nextPage(prefix, 'outbox', { filter }, page.nextCursor),
          columns: [
            [
              'Entry',
              ({ channel, subject, id }) =>
                html`${channel}${subject ? html`: <bdi>${subject}</bdi>` : null}<small>${id}</small>`,
            ],
            ['To', ({ recipient }) => recipient || '-'],
            [
              'Status',
              ({ status, attempts, lastError }) =>
                html`${tag(status)}${attempts > 1 ? html`<small>Attempt ${attempts}</small>` : null}${lastError ? html`<small><bdi>${lastError}</bdi></small>` : null}`,
            ],
            ['Created', ({ createdAt }) => time(createdAt)],
            [
              'Next or last attempt',
              ({ status, dueAt, finishedAt }) => time(finishedAt ?? (status === 'waiting' ? dueAt : null)),
            ],
          ],
        })}`
    },
    actions: {},
    notices: {},
  }
}
