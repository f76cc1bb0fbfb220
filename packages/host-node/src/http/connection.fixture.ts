import { randomInt } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { echoService } from '@tributary/test-kit'
import { afterEach } from 'vitest'
import { listen, type Listening, type ListenOptions } from './listen.ts'

/** Cleanups that run after each test, the last one first. */
export const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const close of cleanups.splice(0).reverse()) await close()
})

/** Starts a server of the echo service on a free port. */
export async function startEchoServer(options: ListenOptions = {}, service = echoService()): Promise<Listening> {
  const listening = await listen(service, { port: 0, stopMs: 2_000, ...options })
  cleanups.push(() => listening.close())
  return listening
}

/**
 * Chooses a port that the system gives to no server that listens on port 0. After the server of a test is closed, no
 * parallel test answers on this port.
 */
export const choosePort = (): number => randomInt(20_000, 30_000)

/**
 * Opens a socket. `readReceived` returns everything received; `waitFor` waits for a text, at most until the connection is
 * closed.
 */
export function openConnection({ port }: Listening): Promise<{
  socket: Socket
  readReceived: () => string
  waitFor: (what: string | 'close') => Promise<string>
}> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    cleanups.push(() => socket.destroy())
    let [received, isClosed] = ['', false]
    const waiting = new Set<() => void>()
    const checkWaiting = (): void => waiting.forEach((check) => check())
    socket.on('data', (data) => {
      received += data.toString('latin1')
      checkWaiting()
    })
    socket.on('close', () => {
      isClosed = true
      checkWaiting()
    })
    socket.on('error', () => undefined)
    socket.once('error', reject)
    socket.on('connect', () =>
      resolve({
        socket,
        readReceived: () => received,
        waitFor: (what) =>
          new Promise((done) => {
            const check = (): void => {
              if (isClosed || (what !== 'close' && received.includes(what))) {
                waiting.delete(check)
                done(received)
              }
            }
            waiting.add(check)
            check()
          }),
      }),
    )
  })
}

export const formatHead = (lines: string[]): string => `${lines.join('\r\n')}\r\n\r\n`
export const formatJsonHead = (...more: string[]): string =>
  formatHead(['POST /json HTTP/1.1', 'Host: x', 'Content-Type: application/json', ...more])
export const decodeText = (bytes: Uint8Array): string => Buffer.from(bytes).toString()
