import { connect, type Socket } from 'node:net'
import { echoService } from '@tributary/test-kit'
import { afterEach } from 'vitest'
import { listen, type Listening, type ListenOptions } from './listen.ts'

/** Closed after each test, last first. */
export const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

/** A server of the echo service on a free port. */
export async function start(options: ListenOptions = {}, service = echoService()): Promise<Listening> {
  const listening = await listen(service, { port: 0, stopMs: 2_000, ...options })
  open.push(() => listening.close())
  return listening
}

/** A bare socket and everything that came over it. */
export function dial({
  port,
}: Listening): Promise<{ socket: Socket; seen: () => string; until: (what: string | 'close') => Promise<string> }> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    open.push(() => socket.destroy())
    let [text, closed] = ['', false]
    const waiting = new Set<() => void>()
    const look = (): void => waiting.forEach((one) => one())
    socket.on('data', (data) => {
      text += data.toString('latin1')
      look()
    })
    socket.on('close', () => {
      closed = true
      look()
    })
    socket.on('error', () => undefined)
    socket.once('error', reject)
    socket.on('connect', () =>
      resolve({
        socket,
        seen: () => text,
        until: (what) =>
          new Promise((done) => {
            const check = (): void => {
              if (what === 'close' ? closed : text.includes(what)) {
                waiting.delete(check)
                done(text)
              }
            }
            waiting.add(check)
            check()
          }),
      }),
    )
  })
}

export const head = (lines: string[]): string => `${lines.join('\r\n')}\r\n\r\n`
export const json = (...more: string[]): string =>
  head(['POST /json HTTP/1.1', 'Host: x', 'Content-Type: application/json', ...more])
export const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString()
