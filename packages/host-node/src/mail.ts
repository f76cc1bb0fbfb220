import type { Mail, Mailer } from '@tributary/core'
import { within, redactAddresses } from '@tributary/core/adapter'
import type { createTransport } from 'nodemailer'

/** Timeouts that are long enough for a busy server, and short enough for a worker that must stop. */
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 }
/**
 * The deadline of a whole mail, because a server that sends single bytes slowly would never reach the timeouts above.
 */
const mailMs = 60_000
const ignore = (): void => undefined

/** A mail server: its URL for nodemailer, and whether the connection must be encrypted before mails are sent. */
export interface SmtpServer {
  readonly url: string
  /** `no` for `smtp+insecure://`. */
  readonly tls: 'required' | 'if offered' | 'no'
}

/** URL parameters with which nodemailer would send unencrypted, or without checking the certificate. */
const insecureParameters = ['ignoretls', 'opportunistictls', 'secure', 'requiretls']

/**
 * Parses the URL of a mail server. TLS is required unless the server is on this machine or the scheme is
 * `smtp+insecure`. Throws an `Error`; its message does not contain the URL, which may contain a password.
 */
export function smtpServer(address: string): SmtpServer {
  const url = address.trim()
  if (!/^(?:smtps?|smtp\+insecure):\/\//i.test(url) || !URL.canParse(url) || new URL(url).hostname === '') {
    throw new Error('expected a URL such as smtps://user:password@mail.example.com')
  }
  const { protocol, hostname, searchParams } = new URL(url)
  if (protocol === 'smtp+insecure:') return { url: url.replace(/^smtp\+insecure:/i, 'smtp:'), tls: 'no' }
  if (/^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i.test(hostname)) return { url, tls: 'if offered' }
  const weak = [...searchParams.keys()].find(
    (name) => insecureParameters.includes(name.toLowerCase()) || /^tls\./i.test(name),
  )
  if (weak !== undefined) {
    throw new Error(`${weak} would weaken the encryption of mails; on a trusted network use smtp+insecure:// instead`)
  }
  return { url, tls: 'required' }
}

/**
 * Returns nodemailer's error without the server's reply, which often contains e-mail addresses. The message consists of
 * the command and the codes (RFC 5321, RFC 3463), or says why there was no reply.
 */
export function smtpError(error: unknown): Error {
  const {
    message = String(error),
    code,
    command,
    response,
    responseCode,
    name,
  } = (error ?? {}) as {
    message?: string
    code?: string
    command?: string
    response?: string
    responseCode?: number
    name?: string
  }
  if (command === 'STARTTLS') {
    return new Error('the mail server offers no TLS; use smtps://, or smtp+insecure:// on a trusted network')
  }
  if (response === undefined && responseCode === undefined) {
    return Object.assign(new Error(redactAddresses(message)), { ...(name ? { name } : {}), ...(code ? { code } : {}) })
  }
  const enhanced = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response ?? '')?.[1]
  const text = `the mail server rejected ${command ?? 'the mail'}: ${[responseCode, enhanced].filter(Boolean).join(' ')}`
  return Object.assign(new Error(text), {
    ...(code ? { code } : {}),
    ...(responseCode === undefined ? {} : { responseCode }),
  })
}

/**
 * Sends mails over SMTP: `smtp://user:password@host:587` or `smtps://`. `from` is an address or `Name <address>`. TLS
 * is required unless the server is on this machine; `smtp+insecure://` sends unencrypted. Throws on an invalid URL. An
 * error of `send` contains no e-mail address, and is `uncertain` when the server received the whole text and did not
 * answer: the mail may have been delivered.
 */
export function smtpMailer(address: string, from: string): Mailer {
  const { url, tls } = smtpServer(address)
  return {
    async send({ to, subject, text }) {
      // nodemailer's errors do not show whether the text was sent, but its log does.
      let messageSent = false
      const observe = (entry: unknown): void => {
        if ((entry as { tnx?: unknown } | null)?.tnx === 'message') messageSent = true
      }
      const logger = {
        level: ignore,
        trace: ignore,
        debug: ignore,
        info: observe,
        warn: ignore,
        error: ignore,
        fatal: ignore,
      }
      const options = { ...timeouts, url, logger, requireTLS: tls === 'required' } as Parameters<
        typeof createTransport
      >[0]
      const nodemailer = await import('nodemailer')
      const transport = nodemailer.createTransport(options, { from, disableFileAccess: true, disableUrlAccess: true })
      try {
        await within(mailMs, () => transport.sendMail({ to, subject, text }))
      } catch (error) {
        const answered = typeof (error as { responseCode?: unknown }).responseCode === 'number'
        throw Object.assign(smtpError(error), messageSent && !answered ? { uncertain: true } : {})
      } finally {
        transport.close()
      }
    },
  }
}

export interface ReceivedMail extends Mail {
  /** ISO 8601. */
  readonly at: string
}

/** The mailbox of `tributary dev`: mails in memory, newest first. */
export interface Mailbox extends Mailer {
  readonly mails: readonly ReceivedMail[]
  /** Adds a mail that the worker thread sent. */
  add(mail: Mail): void
}

const maxMails = 200

export function createMailbox(clock: () => number = Date.now): Mailbox {
  const mails: ReceivedMail[] = []
  const add = ({ to, subject, text }: Mail): void => {
    mails.unshift({ to, subject, text, at: new Date(clock()).toISOString() })
    mails.length = Math.min(mails.length, maxMails)
  }
  return { mails, add, send: async (mail) => add(mail) }
}
