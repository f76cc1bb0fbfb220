import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isFullRun } from '@tributary/test-kit'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { built, startDev, run, type Dev } from '../cli.fixture.ts'

const root = mkdtempSync(join(tmpdir(), 'tributary-webhooks-'))
let served: Dev

beforeAll(async () => {
  if (built) served = await startDev(join(root, 'tributary.db'))
})
afterAll(async () => {
  if (built) await served.stop()
  rmSync(root, { recursive: true, force: true })
})

/** Starts an app that answers every request with `status` and records the requests. */
async function openApp(status: () => number) {
  const received: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (data) => (body += String(data)))
    request.on('end', () => {
      received.push({ headers: request.headers, body })
      response.writeHead(status()).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { received, url: `http://127.0.0.1:${port}/hooks`, close: () => server.close() }
}

const startListening = (url: string, ...more: string[]) =>
  run(['webhooks', 'listen', '--address', served.url, '--forward-to', url, '--json', ...more], {
    TRIBUTARY_ADMIN_TOKEN: served.adminToken,
  })
// oxlint-disable-next-line typescript/no-explicit-any -- read as the shape that each step expects
const parseLines = (out: string): any[] =>
  out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
// oxlint-disable-next-line typescript/no-explicit-any -- as above
async function ask(path: string, method = 'GET'): Promise<any> {
  const headers = { authorization: `Bearer ${served.adminToken}` }
  return (await fetch(`${served.url}/api/admin/webhooks${path}`, { method, headers })).json()
}
const waitFor = <Found>(found: () => Found | Promise<Found>) => vi.waitFor(found, { interval: 50 })

describe.runIf(built)('tributary webhooks listen', () => {
  test.each(isFullRun ? (['SIGINT', 'SIGTERM'] as const) : (['SIGTERM'] as const))(
    'forwards each event unchanged with its headers, and deletes its webhook at %s',
    async (signal) => {
      const app = await openApp(() => 204)
      const listening = startListening(app.url)
      const { webhookId, secret } = await waitFor(() => {
        expect(parseLines(listening.out())).toHaveLength(1)
        return parseLines(listening.out())[0]
      })
      await ask(`/${webhookId}/test`, 'POST')
      await waitFor(() => expect(parseLines(listening.out())).toHaveLength(2))
      expect(app.received).toHaveLength(1)
      const [{ headers, body }] = app.received as [(typeof app.received)[0]]
      const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`
      const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
      expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
      expect(JSON.parse(body)).toMatchObject({ id: headers['webhook-id'], type: 'webhook.test', data: { webhookId } })
      expect(parseLines(listening.out())[1]).toEqual({
        id: headers['webhook-id'],
        type: 'webhook.test',
        status: 204,
        body,
      })
      await waitFor(async () =>
        expect((await ask(`/${webhookId}/deliveries`)).items).toMatchObject([{ status: 'sent' }]),
      )
      listening.child.kill(signal)
      expect(await listening.ended).toMatchObject({ code: 0, err: '' })
      expect((await ask('')).items).toEqual([])
      app.close()
    },
  )

  test(
    'returns the reply of the app to the service, so that a refused event is retried',
    { tags: 'slow' },
    async () => {
      let status = 500
      const app = await openApp(() => status)
      const listening = startListening(app.url)
      const { webhookId } = await waitFor(
        () => parseLines(listening.out())[0] ?? Promise.reject(new Error('no line yet')),
      )
      await ask(`/${webhookId}/test`, 'POST')
      await waitFor(() => expect(parseLines(listening.out())[1]).toMatchObject({ status: 500 }))
      status = 200
      await waitFor(() => expect(parseLines(listening.out())[2]).toMatchObject({ status: 200 }))
      const [first, second] = app.received
      expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id'])
      listening.child.kill('SIGINT')
      expect((await listening.ended).code).toBe(0)
      app.close()
    },
  )

  test('names an invalid token, event type or address, and a missing flag', { tags: 'slow' }, async () => {
    const readFailure = async (...args: string[]) => {
      const { code, err } = await run(['webhooks', 'listen', ...args]).ended
      return [code, err]
    }
    const at = ['--address', served.url, '--forward-to', 'http://127.0.0.1:9/hooks']
    const token = ['--admin-token', served.adminToken]
    expect(await readFailure(...at, '--admin-token', 'wrong')).toEqual([
      1,
      '--admin-token: the service does not accept it\n',
    ])
    expect(await readFailure(...at, ...token, '--event', 'job.done')).toEqual([
      2,
      '--event: expected types of docs/events.md, not "job.done"\n',
    ])
    const [code, err] = await readFailure('--address', 'http://127.0.0.1:9', ...at.slice(2), ...token)
    expect([code, err]).toEqual([1, expect.stringContaining('http://127.0.0.1:9 does not answer')])
    expect(await readFailure(...token)).toEqual([
      2,
      '--forward-to is required, such as --forward-to http://127.0.0.1:3000/hooks\n',
    ])
    expect((await ask('')).items).toEqual([])
  })
})
