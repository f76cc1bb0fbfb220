import type { Mail, Mailer } from '@tributary/core'
import { createTransport } from 'nodemailer'

/** Mails over SMTP: `smtp://user:password@host:587` or `smtps://`. `from` is an address or `Name <address>`. */
export function smtpMailer(url: string, from: string): Mailer {
  const transport = createTransport(url, { from, disableFileAccess: true, disableUrlAccess: true })
  return {
    async send({ to, subject, text }) {
      await transport.sendMail({ to, subject, text })
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
