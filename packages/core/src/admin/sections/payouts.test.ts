import { fixture, type Fixture, type Signed } from '@tributary/test-kit'
import { beforeEach, describe, expect, test } from 'vitest'
import { memoryStores } from '../../stores/memory/index.ts'

const adminToken = 'operator-of-the-test'
let made: Fixture
let ann: Signed
let cookie: Record<string, string>

beforeEach(async () => {
  made = fixture({ stores: memoryStores(), adminToken })
  ann = await made.signIn('ann@example.com')
  const { cookies } = await made.ask('POST', '/admin/sign-in', { form: { token: adminToken } })
  cookie = {
    cookie: Object.entries(cookies)
      .map(([name, value]) => `${name}=${value}`)
      .join('; '),
  }
})

const submit = (action: 'record' | 'correct', form: Record<string, string>) =>
  made.ask('POST', `/admin/payouts/${action}`, { form: { userId: ann.userId, ...form }, headers: cookie })
const open = async () => (await made.ask('GET', '/admin/payouts', { headers: cookie })).text
const resultOf = async ({ headers }: { headers: Headers }): Promise<string | undefined> =>
  /done=(\w+)/.exec(headers.get('location') ?? '')?.[1]

describe('the payouts section of /admin', () => {
  test('lists balances, records a correction and a payout, and says why it refuses one', async () => {
    expect(await open()).toContain('No contributor has earnings yet.')
    const confirmed = 'yes'
    expect(await resultOf(await submit('correct', { usd: '10.5', reason: 'Bonus', confirmed }))).toBe('corrected')
    expect(await resultOf(await submit('record', { usd: '10.51', reference: 'a', confirmed }))).toBe(
      'insufficient_balance',
    )
    expect(await resultOf(await submit('record', { usd: '4', reference: 'a', confirmed }))).toBe('recorded')
    expect(await resultOf(await submit('record', { usd: '5', reference: 'a', confirmed }))).toBe('reference_used')
    expect(await resultOf(await submit('record', { userId: 'nobody', usd: '1', reference: 'b', confirmed }))).toBe(
      'not_found',
    )
    const text = await open()
    for (const part of ['ann@example.com', ann.userId, '$6.50', '$10.50']) expect(text).toContain(part)
  })

  test('records a payout and a correction once for a form that is submitted twice', async () => {
    const confirmed = 'yes'
    for (let time = 0; time < 2; time++) {
      const form = { usd: '10', reason: 'Bonus', confirmed, idempotencyKey: 'form-1' }
      expect(await resultOf(await submit('correct', form))).toBe('corrected')
    }
    for (let time = 0; time < 2; time++) {
      const form = { usd: '4', reference: 'a', confirmed, idempotencyKey: 'form-2' }
      expect(await resultOf(await submit('record', form))).toBe('recorded')
    }
    expect(await open()).toMatch(/data-label="Available"[^<]*>\$6\.00</)
    expect(await open()).toContain('name="idempotencyKey"')
  })

  test('refuses a form without its confirmation or with a wrong amount, and keeps what was entered', async () => {
    const unconfirmed = await submit('record', { usd: '4', reference: 'transfer-7' })
    expect(unconfirmed.status).toBe(400)
    for (const part of ['Select this box to continue.', 'value="transfer-7"']) expect(unconfirmed.text).toContain(part)
    for (const usd of ['0', '-1', '1e3', '1.0000001', 'ten'])
      expect([usd, (await submit('record', { usd, reference: 'a', confirmed: 'yes' })).status]).toEqual([usd, 400])
    expect((await submit('correct', { usd: '0', reason: 'x', confirmed: 'yes' })).status).toBe(400)
    expect(await open()).toContain('No contributor has earnings yet.')
  })
})
