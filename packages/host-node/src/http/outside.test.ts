import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { outsideFetch, type OutsideOptions } from './outside.ts'

let server: Server
let port: number
let requests: string[]
beforeEach(async () => {
  requests = []
  server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += String(chunk)))
    request.on('end', () => {
      requests.push(`${request.method} ${request.url} ${request.headers['x-key']} ${body}`)
      if (request.url === '/away') response.writeHead(302, { location: '/inside' }).end()
      else if (request.url === '/none') response.writeHead(204).end()
      else if (request.url !== '/hangs') response.end('hello')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const makeLookup =
  (...addresses: string[]): NonNullable<OutsideOptions['lookup']> =>
  (_, __, done) =>
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
const send = (options: OutsideOptions, url: string, signal = new AbortController().signal) =>
  outsideFetch(options)(url, { method: 'POST', headers: { 'x-key': 'k' }, body: 'über', redirect: 'manual', signal })
const all = { lookup: makeLookup('127.0.0.1'), allows: () => true }
const makeUrl = (path: string): string => `http://sponsor.example:${port}${path}`

test('outsideFetch sends the request as given and does not follow a redirect', async () => {
  const answer = await send(all, makeUrl('/a?b'))
  expect([answer.status, await new Response(answer.body).text(), requests]).toEqual([
    200,
    'hello',
    ['POST /a?b k über'],
  ])
  expect(await send(all, makeUrl('/none'))).toEqual({ status: 204, body: null })
  expect((await send(all, makeUrl('/away'))).status).toBe(302)
  expect(requests).toHaveLength(3)
})

test('outsideFetch rejects a host name with a private address before it sends anything', async () => {
  const inside: string[][] = [
    ['127.0.0.1'],
    ['10.1.2.3'],
    ['::1'],
    ['fd00::1'],
    ['169.254.169.254'],
    ['8.8.8.8', '127.0.0.1'],
    ['::ffff:127.0.0.1'],
  ]
  for (const addresses of inside)
    await expect(send({ lookup: makeLookup(...addresses) }, makeUrl('/'))).rejects.toThrow('public address')
  for (const host of [`127.0.0.1:${port}`, `[::1]:${port}`, 'localhost'])
    await expect(send({}, `http://${host}/`)).rejects.toThrow('public address')
  expect(requests).toEqual([])
})

test('outsideFetch rejects for an unknown name and an aborted call', async () => {
  await expect(
    send(
      { lookup: (_, __, done) => done(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), []) },
      makeUrl('/'),
    ),
  ).rejects.toThrow('no such name')
  await expect(send({ ...all, lookup: makeLookup() }, makeUrl('/'))).rejects.toThrow('public address')
  const stop = new AbortController()
  const hanging = send(all, makeUrl('/hangs'), stop.signal)
  hanging.catch(() => {})
  while (requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
  stop.abort()
  await expect(hanging).rejects.toThrow()
})
