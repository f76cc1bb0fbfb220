import { createServer, type AddressInfo, type Socket } from 'node:net'

/**
 * The answers of a faulty server: no answer, the first half of an answer and then no more bytes, the first half and
 * then the end of the connection, or a proxy's HTML page with status 200, 403 or 502.
 */
export type Fault = 'silent' | 'half' | 'truncated' | 'page 200' | 'page 403' | 'page 502'

export interface FaultyServer {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string
  readonly port: number
  /** Returns the number of connections that the server has accepted. */
  connections(): number
  close(): Promise<void>
}

const page = '<html><body><h1>Please stand by</h1></body></html>'
const json = '{"baton":null,"base_url":null,"results":[{"type":"ok"'

const formatAnswer = (status: number, type: string, length: number, body: string): string =>
  `HTTP/1.1 ${status} X\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n${body}`

/** Starts a TCP server that accepts every connection and answers each request with the same fault. */
export async function startFaultyServer(fault: Fault): Promise<FaultyServer> {
  const sockets = new Set<Socket>()
  let accepted = 0
  const server = createServer((socket) => {
    accepted++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined)
    socket.on('data', () => {
      if (fault === 'half') socket.write(formatAnswer(200, 'application/json', 2 * json.length, json))
      else if (fault === 'truncated') socket.end(formatAnswer(200, 'application/json', json.length, json))
      else if (fault !== 'silent') socket.end(formatAnswer(Number(fault.slice(5)), 'text/html', page.length, page))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    connections: () => accepted,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
