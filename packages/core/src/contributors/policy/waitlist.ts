import { csvLine } from '../../http/csv.ts'
import type { Language } from '../../ui/messages.ts'
import type { AuditContext } from '../../audit/store.ts'
import { timestamp, timestampOrNull, uuid7 } from '../../ids.ts'
import { mailMessages } from '../../messages/mails.ts'
import type { MailText } from '../../outbox/store.ts'
import type { PolicyDeps } from './gate.ts'
import type { ListedWaitlistEntry, ListWaitlistParams } from './store.ts'

const pageSize = 500

/** Returns the JSON representation of an entry. Times are ISO 8601. */
export function waitlistView({ userId, email, country, joinedAt, notifiedAt }: ListedWaitlistEntry) {
  return { userId, email, country, joinedAt: timestamp(joinedAt), notifiedAt: timestampOrNull(notifiedAt) }
}

/** Reads the waitlist page by page and yields to the event loop in between. */
async function* waitlistPages(
  filter: Pick<ListWaitlistParams, 'country' | 'to'>,
  { store, yieldToEventLoop }: Pick<PolicyDeps, 'store' | 'yieldToEventLoop'>,
): AsyncGenerator<readonly ListedWaitlistEntry[]> {
  for (let cursor: string | null = null; ;) {
    const { items, next }: Awaited<ReturnType<PolicyDeps['store']['listWaitlist']>> = await store.listWaitlist({
      ...filter,
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
  for await (const items of waitlistPages({ country }, deps)) {
    const lines = items
      .map(waitlistView)
      .map(({ email, country: waitsFor, joinedAt, notifiedAt, userId }) =>
        csvLine([email, waitsFor ?? '', joinedAt, notifiedAt ?? '', userId]),
      )
    if (lines.length > 0) yield encoder.encode(lines.join(''))
  }
}

type MailDeps = Pick<PolicyDeps, 'store' | 'link' | 'languages' | 'random' | 'yieldToEventLoop'>

/**
 * Sends one mail to each person who waits for a country, to say that uploads are open there. Returns the number of
 * these people. Each page of the waitlist has its own audit entry.
 */
export async function mailWaitlist(
  filter: { readonly country: string; readonly to?: number },
  audit: AuditContext,
  deps: MailDeps,
): Promise<number> {
  const { country } = filter
  const { store, random } = deps
  const { subject, text } = uploadsOpenMail(country, deps.link('/terms'), (await deps.languages()).first)
  let notified = 0
  for await (const items of waitlistPages(filter, deps)) {
    const mails = items
      .filter(({ notifiedAt }) => notifiedAt === null)
      .map(({ userId }) => ({ userId, id: uuid7(audit.at, random) }))
    const pageAudit = { ...audit, id: uuid7(audit.at, random) }
    if (mails.length > 0) notified += await store.notifyWaitlist({ country, mails, subject, text, audit: pageAudit })
  }
  return notified
}

/**
 * Mails the people who joined the waitlist before a time and whose country is now open for uploads. A worker may call
 * this function any number of times. Without this time limit, anyone could join with any address and so cause a mail to
 * this address.
 */
export async function mailOpenedCountries(
  { now, joinedUntil: to }: { readonly now: number; readonly joinedUntil: number },
  deps: MailDeps & Pick<PolicyDeps, 'allowedCountries' | 'mailer'>,
): Promise<void> {
  if (deps.mailer === null) return
  const waiting = new Set((await deps.store.countWaitlist()).map(({ country }) => country))
  const id = uuid7(now, deps.random)
  const audit = { id, actor: 'allowed countries', requestId: id, address: null, at: now }
  for (const country of deps.allowedCountries)
    if (waiting.has(country)) await mailWaitlist({ country, to }, audit, deps)
}

/** Returns the mail that tells a person on the waitlist that uploads are open in their country. */
function uploadsOpenMail(
  country: string,
  link: string,
  { text, countries }: Pick<Language, 'text' | 'countries'>,
): MailText {
  return {
    subject: text(mailMessages, 'mail.uploadsOpen.subject'),
    text: text(mailMessages, 'mail.uploadsOpen.text', { country: countries([country]), link }),
  }
}
