import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { Skip, type Target } from '../conformance/target.ts'

/** A connection to the service that sends exactly the given bytes. */
export interface Connection {
  write(data: string | Uint8Array): void
  /** The bytes received until now. */
  readonly received: string
  /** Resolves when the service has closed the connection, or after `ms` milliseconds. True means that it was closed. */
  closed(ms: number): Promise<boolean>
  end(): void
}

/** Opens a connection. Rejects when the address does not accept the connection. */
export async function connect({ origin }: Target): Promise<Connection> {
  if (origin === undefined) throw new Skip('needs an address to open connections to')
  const { protocol, hostname, port } = new URL(origin)
  const isSecure = protocol === 'https:'
  const host = hostname.replace(/^\[|\]$/g, '')
  const socket: Socket = isSecure
    ? connectTls({ host, port: Number(port || 443), servername: host })
    : connectTcp({ host, port: Number(port || 80) })
  const parts: Buffer[] = []
  let isClosed = false
  const over = new Promise<void>((resolve) =>
    socket.once('close', () => {
      isClosed = true
      resolve()
    }),
  )
  socket.on('data', (part: Buffer) => void parts.push(part))
  await new Promise<void>((resolve, reject) =>
    socket.once(isSecure ? 'secureConnect' : 'connect', resolve).once('error', reject),
  )
  // The service may reset the connection, which an attack expects.
  socket.on('error', () => undefined)
  return {
    write: (data) => void (socket.writable && socket.write(data)),
    get received() {
      return Buffer.concat(parts).toString('latin1')
    },
    async closed(ms) {
      let timer: NodeJS.Timeout | undefined
      await Promise.race([over, new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)))])
      clearTimeout(timer)
      return isClosed
    },
    end: () => socket.destroy(),
  }
}

/**
 * Sends one request unchanged, byte by byte. Resolves with all received bytes when the connection ends or is silent for
 * `ms`.
 */
export async function sendRaw(target: Target, request: string | Uint8Array, ms = 1_500): Promise<string> {
  const connection = await connect(target)
  connection.write(request)
  for (let length = -1; length !== connection.received.length;) {
    length = connection.received.length
    if (await connection.closed(ms)) break
  }
  connection.end()
  return connection.received
}
