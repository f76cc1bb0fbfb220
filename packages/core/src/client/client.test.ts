import { fixture } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { memoryStores } from '../stores/memory/index.ts'
import { createClient } from './index.ts'

const base = 'http://127.0.0.1:8787'
const whole = fixture({ stores: memoryStores(), baseUrl: base, country: () => 'US' })
const through = (async (url: string, init: RequestInit) =>
  (await whole.service.fetch(new Request(url, init)))!) as typeof fetch

test('calls are typed by the contracts: a value when it went well, the code when it did not', async () => {
  const { token, userId } = await whole.signIn('jane@example.com')
  const client = createClient({ baseUrl: `${base}/`, token, fetch: through })
  expect(await client.session({})).toEqual({ ok: true, status: 200, value: { ok: true, userId } })
  const known = await client.knownHashes({ body: { hashes: ['ab', 'cd'] } })
  expect(known.ok && known.value.known).toEqual([])
  const list = await client.listTraces({ query: { limit: 5 } })
  expect(list.ok && list.value.traces).toEqual([])
  const gone = await client.getTrace({ params: { id: '00000000-0000-0000-0000-000000000000' } })
  expect(gone).toMatchObject({ ok: false, status: 404, error: 'not_found' })
})

test('sends the idempotency key of a call', async () => {
  const { token } = await whole.signIn('joe@example.com')
  const client = createClient({ baseUrl: base, token, fetch: through })
  const send = (message: string) => client.sendFeedback({ body: { message }, idempotencyKey: 'call 1' })
  const first = await send('m')
  expect(first.ok && (await send('m'))).toEqual(first)
  expect(await send('n')).toMatchObject({ ok: false, status: 422, error: 'idempotency_key_reused' })
})

test('a token may be asked for at each call, and its absence is the service’s to refuse', async () => {
  const client = createClient({ baseUrl: base, token: () => null, fetch: through, clientVersion: '1.0.0' })
  expect(await client.session({})).toMatchObject({ ok: false, status: 401, error: 'unauthorized' })
})
