import { plainLine, plainText } from '../http/text.ts'
import type { MailLimits } from './store.ts'

const second = 1000
const minute = 60 * second
const day = 24 * 60 * minute

/** The maximum time for a mailer or a receiver, in milliseconds. It is shorter than the lease. */
export const deliveryTimeoutMs = 2 * minute
/** The maximum time for the deliveries in progress after the worker was told to stop, in milliseconds. */
export const stopGraceMs = 3 * second
/** The error of a delivery that was in progress when the worker stopped. */
export const stopReason = 'the worker stopped while this was being sent'
/** The number of mails that are sent in parallel, so that a mail whose server hangs does not delay all other mails. */
export const maxConcurrentMails = 4
/** The maximum number of entries of one channel that are delivered together. */
export const batchSize = 50
/** At most twenty mails an hour are sent to one address. Further mails are combined into digests. */
export const mailLimits: MailLimits = { perHour: 20, digestAfterMs: 15 * minute, maxDigestEntries: 1000 }
/**
 * The reason why a waiting delivery ends when its webhook is disabled. The text is added to the error of its last
 * attempt.
 */
export const stoppedReason = 'the webhook was disabled'
/** The time for which the operator can look up finished entries. */
export const retentionMs = 30 * day

const maxListedSubjects = 200

/** Builds one mail that lists the subjects of many mails. The operator's page shows the texts of these mails. */
export function buildDigest(
  subjects: readonly string[],
  { adminUrl, brandName }: { readonly adminUrl: string; readonly brandName: string },
): { subject: string; text: string } {
  const lines = subjects.slice(0, maxListedSubjects).map((subject) => `- ${subject}`)
  const omitted = subjects.length - lines.length
  if (omitted > 0) lines.push(`- and ${omitted} more`)
  return {
    subject: `[${brandName}] ${subjects.length} messages`,
    text: `These messages exceeded the hourly limit of single mails:\n\n${lines.join('\n')}\n\nAll of them: ${adminUrl}\n`,
  }
}

/**
 * Makes a subject one line of at most 120 characters without control or bidirectional characters, so it cannot add a
 * header.
 */
export function sanitizeSubject(text: string): string {
  const line = plainLine(text)
  if (line.length <= 120) return line
  const cut = line
    .slice(0, 119)
    .toWellFormed()
    .replace(/\uFFFD$/, '')
  return `${cut}…`
}

/**
 * Quotes a user's text for a mail: each line starts with `> `, so that no line looks like a line of the service, and
 * hidden characters are removed.
 */
export function quoteText(text: string): string {
  return plainText(text)
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n')
}
