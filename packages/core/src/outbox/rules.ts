import { plainLine, plainText } from '../http/text.ts'
import { retryWaitsMs, type MailPace } from './store.ts'

/** Where an entry goes: a mail, a sponsor network's impression, a telemetry sink. */
export const channels = ['mail', 'impression', 'telemetry'] as const

/**
 * `waiting` to be due; `sending` in a worker's hands; `sent`; `dead` after its last attempt; `unknown`: a mail whose worker
 * ended between the claim and the news of it, or whose mail server broke off, so nobody knows whether it went out. It is never
 * sent again: a person asked twice is worse than an operator who looks.
 */
export const entryStatuses = ['waiting', 'sending', 'sent', 'dead', 'unknown'] as const

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

export const maxAttempts = retryWaitsMs.length + 1

/** Milliseconds to wait after this attempt (1 for the first), or null when it was the last. */
export function waitAfter(attempt: number): number | null {
  return retryWaitsMs[attempt - 1] ?? null
}

/** How long a mailer or a receiver may take with what it is given, in milliseconds. Shorter than the lease. */
export const deliveryMs = 2 * minute
/** Entries of one channel that go out together. */
export const batchSize = 50
/** At most twenty mails an hour to one address; beyond that they gather and go as one. */
export const pace: MailPace = { hourly: 20, gatherMs: 15 * minute, most: 1000 }
/** How long the operator can look up what became of an entry. */
export const keptMs = 30 * day
/** How often a worker forgets what is older. */
export const sweepMs = 10 * minute

const shownSubjects = 200

/** One mail in place of many: what came in, by subject. The whole of each is on the operator's page. */
export function digest(subjects: readonly string[], adminUrl: string): { subject: string; text: string } {
  const lines = subjects.slice(0, shownSubjects).map((subject) => `- ${subject}`)
  const more = subjects.length - lines.length
  return {
    subject: `[Tributary] ${subjects.length} messages`,
    text: `More came in than is sent one by one in an hour:\n\n${lines.join('\n')}${more > 0 ? `\n- and ${more} more` : ''}\n\nAll of them: ${adminUrl}\n`,
  }
}

/** A subject that is one line, whatever it is made of: nothing in it starts a header or turns text round. At most 120 characters. */
export function subjectLine(text: string): string {
  const line = plainLine(text)
  return line.length <= 120
    ? line
    : `${line
        .slice(0, 119)
        .toWellFormed()
        .replace(/\uFFFD$/, '')}…`
}

/** A stranger's text as a mail quotes it: each line behind `> `, so that no line of it passes for ours; nothing hides in it. */
export function quoted(text: string): string {
  return plainText(text)
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n')
}
