import { within, redactAddresses, type Mail, type Mailer } from '@tributary/core'
import { createTransport } from 'nodemailer'

/** Long enough for a busy server, short enough for a worker that must stop. */
const patience = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 }
/** For the whole of a mail: a server that says a little now and then keeps none of the times above. */
const mailMs = 60_000
const quiet = (): void => undefined

/** A mail server: its address as nodemailer takes it, and whether the connection must be encrypted before anything is sent. */
export interface SmtpServer {
  readonly url: string
  /** `no` when the address says so itself: `smtp+insecure://`. */
  readonly tls: 'required' | 'if offered' | 'no'
}

/** Parameters of an address by which nodemailer would send in the clear, or to whoever answers. */
const weakening = ['ignoretls', 'opportunistictls', 'secure', 'requiretls']

/**
 * Reads the address of a mail server. TLS is required unless the server is on this machine, or the address begins with
 * `smtp+insecure://`. Throws an `Error` that does not hold the address, since that may hold a password.
 */
export function smtpServer(address: string): SmtpServer {
  const url = address.trim()
  if (!/^(?:smtps?|smtp\+insecure):\/\//i.test(url) || !URL.canParse(url) || new URL(url).hostname === '') {
    throw new Error('a mail server is an address like smtps://user:password@mail.example.com')
  }
  const { protocol, hostname, searchParams } = new URL(url)
  if (protocol === 'smtp+insecure:') return { url: url.replace(/^smtp\+insecure:/i, 'smtp:'), tls: 'no' }
  if (/^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i.test(hostname)) return { url, tls: 'if offered' }
  const weak = [...searchParams.keys()].find((name) => weakening.includes(name.toLowerCase()) || /^tls\./i.test(name))
  if (weak !== undefined) {
    throw new Error(
      `${weak} would weaken the encryption of mails; if the network is trusted, say smtp+insecure:// instead`,
    )
  }
  return { url, tls: 'required' }
}

/**
 * Makes an error of one of nodemailer's that names nobody: a server's reply often holds the recipient, and so do the fields
 * beside it. What is left is the command, the codes (RFC 5321, RFC 3463) or why there was no reply.
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
    return new Error('the mail server offers no TLS; use smtps://, or smtp+insecure:// where the network is trusted')
  }
  if (response === undefined && responseCode === undefined) {
    return Object.assign(new Error(redactAddresses(message)), { ...(name ? { name } : {}), ...(code ? { code } : {}) })
  }
  const enhanced = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response ?? '')?.[1]
  const text = `the mail server refused ${command ?? 'the mail'}: ${[responseCode, enhanced].filter(Boolean).join(' ')}`
  return Object.assign(new Error(text), {
    ...(code ? { code } : {}),
    ...(responseCode === undefined ? {} : { responseCode }),
  })
}

/**
 * Mails over SMTP: `smtp://user:password@host:587` or `smtps://`. `from` is an address or `Name <address>`. TLS is required
 * unless the server is on this machine; `smtp+insecure://` sends in the clear. Throws on an address that cannot work. An error
 * of `send` names nobody, and is `uncertain` when the server had the whole text and then said neither yes nor no: it may
 * have been delivered.
 */
export function smtpMailer(address: string, from: string): Mailer {
  const { url, tls } = smtpServer(address)
  return {
    async send({ to, subject, text }) {
      // nodemailer's errors look the same before and after the text went out; its log does not.
      let messageSent = false
      const heard = (entry: unknown): void => {
        if ((entry as { tnx?: unknown } | null)?.tnx === 'message') messageSent = true
      }
      const logger = { level: quiet, trace: quiet, debug: quiet, info: heard, warn: quiet, error: quiet, fatal: quiet }
      const options = { ...patience, url, logger, requireTLS: tls === 'required' } as Parameters<
        typeof createTransport
      >[0]
      const transport = createTransport(options, { from, disableFileAccess: true, disableUrlAccess: true })
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
