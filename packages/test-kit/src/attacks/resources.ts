import { gzipSync } from 'node:zlib'
import { check, type Check } from '../conformance/check.ts'
import type { Context } from '../conformance/context.ts'
import { connect, sendRaw } from './connection.ts'

const readHost = ({ target }: Context): string => new URL(target.origin ?? 'http://127.0.0.1').host
const formatHead = (context: Context, as: Readonly<Record<string, string>>, length: number): string =>
  `POST ${context.target.prefix ?? ''}/api/ingest HTTP/1.1\r\n` +
  `host: ${readHost(context)}\r\nauthorization: ${as['authorization']}\r\n` +
  `content-type: application/json\r\ncontent-length: ${length}\r\n\r\n`

/** Checks that the service answers other people, and lets them use their data, during an attack. */
async function expectOthersAnswered({ ask, own }: Context): Promise<void> {
  await ask('GET', '/healthz').is(200)
  await ask('GET', '/api/cli/session', { as: (await own('stranger')).bearer }).is(200)
}

/** Requests that cost the service more than their sender. */
export const resources: readonly Check[] = [
  check('API4', 'a body that arrives too slowly returns 408', ['origin', 'contributor', 'mailbox'], async (context) => {
    const { bearer } = await context.contributor()
    const connection = await connect(context.target)
    connection.write(formatHead(context, bearer, 1_000_000))
    const drip = setInterval(() => connection.write(' '), 500)
    try {
      const isClosed = await connection.closed(60_000)
      const reply = await context.ask('GET', '/healthz').is(200)
      reply.must(isClosed, 'a connection that the service closes within a minute', 'it is still open')
      reply.must(/^HTTP\/1\.1 408 /.test(connection.received), '408', connection.received.split('\r\n')[0] || 'nothing')
    } finally {
      clearInterval(drip)
      connection.end()
    }
  }),
  check(
    'API4',
    '40 open bodies of 60 MB of one user delay no other request, and only a few bodies are read',
    ['rates', 'origin', 'contributor', 'mailbox'],
    async (context) => {
      const { bearer } = await context.contributor()
      const connections = await Promise.all(Array.from({ length: 40 }, () => connect(context.target)))
      try {
        for (const connection of connections) {
          connection.write(formatHead(context, bearer, 60_000_000))
          connection.write(Buffer.alloc(64 * 1024, 32))
        }
        await new Promise((resolve) => setTimeout(resolve, 2_000))
        await expectOthersAnswered(context)
        const refused = connections.filter(({ received }) => /^HTTP\/1\.1 (429|503|413) /.test(received)).length
        const reply = await context.ask('GET', '/healthz').is(200)
        reply.must(refused >= 20, 'a refusal of most of them', `${refused} of 40 were refused`)
      } finally {
        for (const connection of connections) connection.end()
      }
    },
  ),
  check(
    'API4',
    '200 connections that never finish their headers delay no other request',
    ['origin', 'mailbox'],
    async (context) => {
      const connections = await Promise.all(Array.from({ length: 200 }, () => connect(context.target)))
      try {
        for (const connection of connections)
          connection.write(`GET /healthz HTTP/1.1\r\nhost: ${readHost(context)}\r\nx-slow: `)
        await expectOthersAnswered(context)
      } finally {
        for (const connection of connections) connection.end()
      }
    },
  ),
  check(
    'API4',
    'a small compressed body that unpacks to 300 MB is refused',
    ['contributor', 'mailbox'],
    async (context) => {
      const { bearer } = await context.contributor()
      const bomb = gzipSync(Buffer.alloc(300 * 1024 * 1024, 32), { level: 9 })
      const reply = await context.ask('POST', '/api/ingest', {
        as: bearer,
        body: bomb,
        headers: { 'content-encoding': 'gzip' },
      })
      reply.must(reply.status === 413, '413')
      await expectOthersAnswered(context)
    },
  ),
  check('API4', 'a doubly compressed body and an unknown encoding are refused', ['contributor'], async (context) => {
    const { bearer } = await context.contributor()
    const twice = gzipSync(gzipSync('{"traces":[]}'))
    for (const encoding of ['gzip, gzip', 'br', 'deflate', 'x']) {
      const reply = await context.ask('POST', '/api/ingest', {
        as: bearer,
        body: twice,
        headers: { 'content-encoding': encoding },
      })
      reply.must(reply.status >= 400 && reply.status < 500, 'a refusal')
    }
  }),
  ...(
    [
      ['brackets', '['.repeat(5_000_000)],
      ['nested lists', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
      ['nested objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
      ['a long number', `{"traces":${'9'.repeat(1_000_000)}}`],
      ['many keys', `{${Array.from({ length: 100_000 }, (_, i) => `"k${i}":1`).join(',')}}`],
      ['broken escapes', `{"traces":"${'\\ud800'.repeat(100_000)}"}`],
    ] as const
  ).map(([name, body]) =>
    check(
      'API4',
      `a body of ${name} is refused, and other requests are answered`,
      ['contributor', 'mailbox'],
      async (context) => {
        const { bearer } = await context.contributor()
        const [reply] = await Promise.all([
          context.ask('POST', '/api/ingest', { as: bearer, body }),
          expectOthersAnswered(context),
        ])
        reply.must(reply.status >= 400 && reply.status < 500, 'a refusal')
      },
    ),
  ),
  check('API4', 'headers of 1 MB are refused', ['origin'], async (context) => {
    const received = await sendRaw(
      context.target,
      `GET /healthz HTTP/1.1\r\nhost: ${readHost(context)}\r\nx-large: ${'x'.repeat(1024 * 1024)}\r\n\r\n`,
    )
    const reply = await context.ask('GET', '/healthz').is(200)
    reply.must(/^HTTP\/1\.1 (431|400) /.test(received) || received === '', '431', received.split('\r\n')[0])
  }),
  check('API4', 'a list limit that is too large is refused', ['mailbox'], async ({ ask, own }) => {
    const { bearer } = await own('stranger')
    for (const limit of ['1000000', '-1', '1e9', 'NaN', '9'.repeat(400)])
      await ask('GET', `/api/traces?limit=${limit}`, { as: bearer }).is(400)
  }),
]
