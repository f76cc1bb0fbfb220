import { Failure } from '../../http/failures.ts'
import { html, type Html, notice } from '../../http/html.ts'
import type { Acted, FormSection, Handed, List } from '../contract.ts'
import { filterField, nextPage, orDash, sectionPath, status as tag, table, time } from '../pages.ts'

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
  /** Returns the URL of each webhook by its id. */
  readonly listWebhooks: () => Promise<ReadonlyMap<string, string>>
  /** Returns whether the entry was dead and is tried again. */
  readonly resend: Acted<string, boolean>
}

/** What an entry is, by its channel. */
const channelNames: Readonly<Record<string, string>> = {
  mail: 'E-mail',
  impression: 'Impression for an ad network',
  telemetry: 'Telemetry',
  event: 'Event for the app',
  webhook: 'Webhook delivery',
}

/** Returns the section of the outbox: mails, telemetry, network impressions, events and webhooks. */
export function outboxSection({ list, listWebhooks, resend }: OutboxSectionDeps): FormSection<'outbox'> {
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
      const webhooks = await listWebhooks()
      return html`<p>
          Everything that the service sends. Dead: all attempts failed. Unknown: sending was interrupted, so the e-mail
          may have been delivered and is not sent again.
        </p>
        ${table({
          caption: 'Newest first. Times are UTC.',
          empty: 'No entries.',
          items: page.items,
          next: nextPage(prefix, 'outbox', { filter }, page.nextCursor),
          columns: [
            [
              'Entry',
              ({ channel, subject }) => {
                const name = channelNames[channel] ?? channel
                return subject ? html`<bdi>${subject}</bdi><small>${name}</small>` : name
              },
            ],
            ['To', (entry) => recipientOf(prefix, entry, webhooks)],
            [
              'Status',
              ({ status, attempts, lastError }) =>
                html`${tag(status)}${attempts > 1 ? html`<small>Attempt ${attempts}</small>` : null}${lastError ? html`<small><bdi>${lastError}</bdi></small>` : null}`,
            ],
            ['Created', ({ createdAt }) => time(createdAt)],
            [
              'Next or last attempt',
              ({ status, dueAt, finishedAt }) => orDash(time(finishedAt ?? (status === 'waiting' ? dueAt : null))),
            ],
            ['Actions', (entry) => resendForm(prefix, entry, filter)],
          ],
        })}`
    },
    actions: {
      async resend({ id }, audit) {
        return { done: (await resend(id, audit)) === true ? 'resent' : 'not_dead' }
      },
    },
    notices: {
      resent: { kind: 'done', text: () => 'Queued again. It is sent within a minute.' },
      not_dead: { kind: 'error', text: () => 'Only dead entries can be sent again; nothing was changed.' },
    },
  }
}

function recipientOf(
  prefix: string,
  { channel, recipient }: Entry,
  webhooks: ReadonlyMap<string, string>,
): Html | string {
  if (channel !== 'webhook') return orDash(recipient && html`<bdi>${recipient}</bdi>`)
  const url = webhooks.get(recipient)
  return url === undefined
    ? 'Deleted webhook'
    : html`<a href="${prefix}${sectionPath('webhooks', recipient)}"><bdi>${url}</bdi></a>`
}

/**
 * Renders the button that sends a dead entry again. Deliveries to webhooks are redelivered on the page of their
 * webhook.
 */
function resendForm(prefix: string, { id, channel, status, subject }: Entry, filter: string | null): Html | null {
  if (status !== 'dead' || channel === 'webhook') return null
  return html`<form method="post" action="${prefix}/admin/outbox/resend">
    <input type="hidden" name="id" value="${id}" />${filterField(filter)}
    <button class="second small" aria-label="Send again: ${subject || channelNames[channel]}">Send again</button>
  </form>`
}
