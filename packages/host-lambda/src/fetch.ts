import type { Agent, IncomingMessage } from 'node:http'

/** Idle connections are not used after this time, because a function and its timers are frozen between invocations. */
const idleMs = 4_000

/** The part of `Headers` that libSQL's client and MCP's SDK use. Setting a name again replaces its value. */
export class Headers implements Iterable<[string, string]> {
  readonly #values = new Map<string, string>()

  constructor(given: Iterable<readonly [string, string]> = []) {
    for (const [name, value] of given) this.set(name, value)
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null
  }

  set(name: string, value: string): void {
    this.#values.set(name.toLowerCase(), value)
  }

  [Symbol.iterator](): Iterator<[string, string]> {
    return this.#values[Symbol.iterator]()
  }
}

/** The part of `Request` that libSQL's client and MCP's SDK use. A body is text or bytes, so any number of clones can send it. */
export class Request {
  readonly url: string
  readonly method: string
  readonly headers: Headers
  readonly content: string | Uint8Array

  constructor(
    url: string,
    init: { readonly method?: string; readonly headers?: Headers; readonly body?: string | Uint8Array } = {},
  ) {
    this.url = url
    this.method = init.method ?? 'GET'
    this.headers = init.headers ?? new Headers()
    this.content = init.body ?? ''
  }

  clone(): Request {
    return this
  }

  async arrayBuffer(): Promise<Uint8Array> {
    return Buffer.from(this.content)
  }
}

/** The part of `Response` that libSQL's client and MCP's SDK use. The whole body is known, so there is no stream. */
export class Response {
  readonly status: number
  readonly headers: Headers
  readonly body = null
  readonly #bytes: Buffer

  constructor(
    bytes: Buffer | null,
    { status = 200, headers = new Headers() }: { readonly status?: number; readonly headers?: Headers } = {},
  ) {
    this.#bytes = bytes ?? Buffer.alloc(0)
    this.status = status
    this.headers = headers
  }

  static json(value: unknown, { status = 200 }: { readonly status?: number } = {}): Response {
    return new Response(Buffer.from(JSON.stringify(value)), { status })
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return new Uint8Array(this.#bytes).buffer
  }

  async text(): Promise<string> {
    return this.#bytes.toString()
  }

  async json(): Promise<unknown> {
    return JSON.parse(this.#bytes.toString())
  }
}

/**
 * Makes a `fetch` for libSQL's client on `node:http`, which Lambda's runtime has loaded already. Node's own `fetch`
 * loads undici, which takes half of the time of the first request that reads the database. The returned `fetch` reads a
 * reply completely and does not follow redirects. A bundle that replaces the global classes by the classes above
 * (`inject` in the example) does not load undici.
 */
export function createNodeFetch(clock: () => number = Date.now): typeof globalThis.fetch {
  let agent: Agent | null = null
  let usedAt = 0

  const send = async (request: Request, signal: AbortSignal | undefined): Promise<Response> => {
    const url = new URL(request.url)
    const { request: open, Agent: CreatedAgent } = await (url.protocol === 'https:'
      ? import('node:https')
      : import('node:http'))
    if (agent && clock() - usedAt > idleMs) {
      agent.destroy()
      agent = null
    }
    agent ??= new CreatedAgent({ keepAlive: true })
    const body = await request.arrayBuffer()
    const headers = { ...Object.fromEntries(request.headers), 'content-length': body.byteLength }
    try {
      return await new Promise((resolve, reject) => {
        open(url, { method: request.method, headers, agent: agent!, ...(signal ? { signal } : {}) }, (reply) =>
          readReply(reply).then(resolve, reject),
        )
          .on('error', reject)
          .end(Buffer.from(body))
      })
    } finally {
      usedAt = clock()
    }
  }
  return ((request: Request, { signal }: { readonly signal?: AbortSignal } = {}) =>
    send(request, signal)) as unknown as typeof globalThis.fetch
}

/** Rejects when the reply is cut off. */
async function readReply(reply: IncomingMessage): Promise<Response> {
  const parts: Buffer[] = []
  for await (const part of reply) parts.push(part as Buffer)
  const headers = new Headers(Object.entries(reply.headers).map(([name, value]) => [name, String(value)]))
  return new Response(Buffer.concat(parts), { status: reply.statusCode!, headers })
}
