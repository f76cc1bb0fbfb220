import { within, type Mail, type Mailer } from '@tributary/core'
import { createTransport } from 'nodemailer'

/** Long enough for a busy server, short enough for a worker that must stop. */
const patience = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 }
/** For the whole of a mail: a server that says a little now and then keeps none of the times above. */
const mailMs = 60_000
const quiet = (): void => undefined

/**
 * Mails over SMTP: `smtp://user:password@host:587` or `smtps://`. `from` is an address or `Name <address>`. An error is
 * `uncertain` when the server had the whole text and then said neither yes nor no: it may have been delivered.
 */
export function smtpMailer(url: string, from: string): Mailer {
  return {
    async send({ to, subject, text }) {
      // nodemailer's errors look the same before and after the text went out; its log does not.
      let told = false
      const heard = (entry: unknown): void => {
        if ((entry as { tnx?: unknown } | null)?.tnx === 'message') told = true
      }
      const logger = { level: quiet, trace: quiet, debug: quiet, info: heard, warn: quiet, error: quiet, fatal: quiet }
      const transport = createTransport({ ...patience, url, logger } as Parameters<typeof createTransport>[0], { from, disableFileAccess: true, disableUrlAccess: true })
      try {
        await within(mailMs, () => transport.sendMail({ to, subject, text }))
      } catch (error) {
        const answered = typeof (error as { responseCode?: unknown }).responseCode === 'number'
        throw told && !answered && error instanceof Error ? Object.assign(error, { uncertain: true }) : error
      } finally {
        transport.close()
      }
    },
  }
}

export interface Kept extends Mail {
  /** ISO 8601. */
  readonly at: string
}

/** The mailbox of `tributary dev`: what would have been mailed, newest first, until the process ends. */
export interface Mailbox extends Mailer {
  readonly mails: readonly Kept[]
  /** A mail that was sent elsewhere: by the worker thread. */
  keep(mail: Mail): void
}

const most = 200

export function createMailbox(clock: () => number = Date.now): Mailbox {
  const mails: Kept[] = []
  const keep = ({ to, subject, text }: Mail): void => {
    mails.unshift({ to, subject, text, at: new Date(clock()).toISOString() })
    mails.length = Math.min(mails.length, most)
  }
  return { mails, keep, send: async (mail) => keep(mail) }
}
