import { createServer, type Socket } from 'node:net'

/**
 * The ways in which a mail server answers a mail. It accepts the mail, refuses it, closes the connection after the
 * whole text, or never answers after the whole text.
 */
export type MailServerBehaviour = 'take' | 'refuse' | 'hang up' | 'silent'

export interface Smtp {
  readonly url: string
  /** All mails that reached the server completely, including mails that it did not accept. */
  readonly mails: { readonly to: string; readonly data: string }[]
  manner: (to: string) => MailServerBehaviour
  /** The reason for which the server refuses a recipient. */
  refusal: (to: string) => string
  close(): Promise<void>
}

/**
 * Starts a mail server on a free port that implements only the necessary part of SMTP (RFC 5321) and records the
 * received mails.
 */
export async function startSmtp(port = 0, host = '127.0.0.1'): Promise<Smtp> {
  const sockets = new Set<Socket>()
  const smtp: { -readonly [K in keyof Smtp]: Smtp[K] } = {
    url: '',
    mails: [],
    manner: () => 'take',
    refusal: () => '550 no such box',
    close: async () => undefined,
  }
  const server = createServer((socket) => {
    sockets.add(socket)
    let [buffer, to, reading] = ['', '', false]
    const sendLine = (line: string): void => void socket.write(`${line}\r\n`)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      buffer += String(chunk)
      for (
        let at = buffer.indexOf(reading ? '\r\n.\r\n' : '\r\n');
        at >= 0;
        at = buffer.indexOf(reading ? '\r\n.\r\n' : '\r\n')
      ) {
        const line = buffer.slice(0, at)
        buffer = buffer.slice(at + (reading ? 5 : 2))
        if (reading) {
          reading = false
          smtp.mails.push({ to, data: line })
          const manner = smtp.manner(to)
          if (manner === 'hang up') return void socket.destroy()
          if (manner === 'take') sendLine('250 kept')
        } else if (/^RCPT TO/i.test(line)) {
          to = /<(.*?)>/.exec(line)![1]!
          sendLine(smtp.manner(to) === 'refuse' ? smtp.refusal(to) : '250 fine')
        } else if (/^DATA/i.test(line)) {
          reading = true
          sendLine('354 go on')
        } else if (/^STARTTLS/i.test(line)) sendLine('502 no such command')
        else if (/^QUIT/i.test(line)) sendLine('221 bye')
        else sendLine('250 fine')
      }
    })
    sendLine('220 mail.test')
  })
  await new Promise<void>((resolve) => server.listen(port, host, resolve))
  smtp.url = `smtp://127.0.0.1:${(server.address() as { port: number }).port}?ignoreTLS=true`
  smtp.close = () =>
    new Promise((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  return smtp
}
