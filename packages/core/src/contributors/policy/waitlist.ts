import { csvLine } from '../../http/csv.ts'
import type { Language } from '../../ui/messages.ts'
import { timestamp, timestampOrNull } from '../../ids.ts'
import { mailMessages } from '../../messages/mails.ts'
import type { MailText } from '../../outbox/store.ts'
import type { PolicyDeps } from './gate.ts'
import type { ListedWaitlistEntry } from './store.ts'

const pageSize = 500

/** Returns an entry as JSON shows it; times are ISO 8601. */
export function waitlistView({ userId, email, country, joinedAt, notifiedAt }: ListedWaitlistEntry) {
  return { userId, email, country, joinedAt: timestamp(joinedAt), notifiedAt: timestampOrNull(notifiedAt) }
}

/** Reads the waitlist page by page and yields to the event loop in between. */
export async function* waitlistPages(
  country: string | undefined,
  { store, yieldToEventLoop }: Pick<PolicyDeps, 'store' | 'yieldToEventLoop'>,
): AsyncGenerator<readonly ListedWaitlistEntry[]> {
  for (let cursor: string | null = null; ;) {
    const { items, next }: Awaited<ReturnType<PolicyDeps['store']['listWaitlist']>> = await store.listWaitlist({
      country,
      order: 'asc',
      cursor,
      limit: pageSize,
    })
    yield items
    if (next === null) return
    cursor = next
    await yieldToEventLoop()
  }
}

const encoder = new TextEncoder()

/** Streams the waitlist as CSV with a header line. */
export async function* waitlistCsv(
  country: string | undefined,
  deps: Pick<PolicyDeps, 'store' | 'yieldToEventLoop'>,
): AsyncGenerator<Uint8Array> {
  yield encoder.encode('email,country,joined_at,notified_at,user_id\r\n')
  for await (const items of waitlistPages(country, deps)) {
    const lines = items
      .map(waitlistView)
      .map(({ email, country: waitsFor, joinedAt, notifiedAt, userId }) =>
        csvLine([email, waitsFor ?? '', joinedAt, notifiedAt ?? '', userId]),
      )
    if (lines.length > 0) yield encoder.encode(lines.join(''))
  }
}

/** Returns the mail that tells a person on the waitlist that uploads are open in their country. */
export function uploadsOpenMail(
  country: string,
  link: string,
  { text, countries }: Pick<Language, 'text' | 'countries'>,
): MailText {
  return {
    subject: text(mailMessages, 'mail.uploadsOpen.subject'),
    text: text(mailMessages, 'mail.uploadsOpen.text', { country: countries([country]), link }),
  }
}
