import { Failure } from '../../http/failures.ts'
import { html, notice } from '../../http/html.ts'
import type { AdminSection, Handed, List } from '../contract.ts'
import { nextPage, status as tag, table, time } from '../pages.ts'

const statuses = ['waiting', 'sending', 'sent', 'dead', 'unknown'] as const
type Status = (typeof statuses)[number]

interface Sending {
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

export interface SendingDeps {
  readonly list: Handed<{ status: Status | undefined; cursor: string | undefined; limit: number }, List<Sending>>
}

/** What went out, or should have: mails, telemetry, network impressions. */
export function outboxSection({ list }: SendingDeps): AdminSection {
  return {
    id: 'outbox',
    title: 'Events',
    filters: statuses,
    async show({ prefix, filter, cursor }) {
      const found = await list(
        { status: statuses.find((one) => one === filter), cursor: cursor ?? undefined, limit: 50 },
        0,
      )
      if (found instanceof Failure) return notice('error', 'This list cannot be shown.')
      return html`<p>
          Unknown: the sending was cut off; the mail may have arrived, and is not sent again. Dead: given up after the
          last attempt.
        </p>
        ${table({
          caption: 'Newest first. Times are UTC.',
          empty: 'Nothing here.',
          items: found.items,
          next: nextPage(prefix, 'outbox', filter, found.nextCursor),
          columns: [
            [
              'What',
              ({ channel, subject, id }) =>
                html`${channel}${subject ? html`: <bdi>${subject}</bdi>` : null}<small>${id}</small>`,
            ],
            ['To', ({ recipient }) => recipient || '-'],
            [
              'Status',
              ({ status, attempts, lastError }) =>
                html`${tag(status)}${attempts > 1 ? html`<small>attempt ${attempts}</small>` : null}${lastError ? html`<small><bdi>${lastError}</bdi></small>` : null}`,
            ],
            ['Made', ({ createdAt }) => time(createdAt)],
            [
              'Next or last',
              ({ status, dueAt, finishedAt }) => time(finishedAt ?? (status === 'waiting' ? dueAt : null)),
            ],
          ],
        })}`
    },
    actions: {},
    notices: {},
  }
}
