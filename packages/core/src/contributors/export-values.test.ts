import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openTwoClients, sampledKinds, type TwoClients } from '../stores/libsql/two-clients.fixture.ts'
import { openFilledAccount, type FilledAccount } from './filled-account.fixture.ts'

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const isoDay = /^\d{4}-\d\d-\d\d$/

/** Every value of a document that is not an object or a list, with its path. */
function listValues(value: unknown, path = ''): (readonly [path: string, value: unknown])[] {
  if (typeof value !== 'object' || value === null) return [[path, value]]
  return Object.entries(value).flatMap(([key, inner]) =>
    listValues(inner, Array.isArray(value) ? `${path}[]` : `${path}.${key}`),
  )
}

/** Returns whether a number may be a time in ms or in seconds, or a day since 1970, of the years 2000 to 2100. */
const looksLikeTime = (value: unknown): boolean =>
  typeof value === 'number' &&
  [1, 1000, 24 * 60 * 60 * 1000].some(
    (unit) => value * unit >= Date.UTC(2000, 0) && value * unit < Date.UTC(2100, 0) && Number.isInteger(value),
  )

describe.each(sampledKinds)('%s', { tags: 'long' }, (kind) => {
  let database: TwoClients
  let account: FilledAccount
  beforeEach(async () => {
    database = await openTwoClients(kind)
    account = await openFilledAccount(database)
  })
  afterEach(() => database.close())

  test('GET /api/account/export has times as timestamps, days as dates and amounts in dollars, in every part', async () => {
    const { ann, send } = account
    const exported = (await send('GET', '/api/account/export', ann.bearer)).json
    const values = listValues(exported)
    const parts = Object.entries(exported.account as Record<string, object>)
    // Only an earlier version stored names of deleted traces, which are hashes.
    expect(parts.flatMap(([name, part]) => (isEmpty(part) ? [name] : []))).toEqual(['deletedNames'])
    expect(values.filter(([, value]) => looksLikeTime(value))).toEqual([])
    expect(values.filter(([path]) => /micros/i.test(path))).toEqual([])
    const withName = (name: RegExp) => values.filter(([path, value]) => name.test(path) && value !== null)
    expect(withName(/(?:\.at|At)$/).filter(([, value]) => !isoTime.test(String(value)))).toEqual([])
    expect(withName(/\.day$/).filter(([, value]) => !isoDay.test(String(value)))).toEqual([])
    expect([withName(/(?:\.at|At)$/).length, withName(/\.day$/).length].every((count) => count > 2)).toBe(true)

    const { items, ...balance } = (await send('GET', '/api/account/earnings', ann.bearer)).json
    expect(exported.account.ledger).toEqual(items.toReversed())
    expect(items.map(({ kind: one }: { kind: string }) => one)).toEqual(['payout', 'correction', 'impressions', 'sale'])
    expect(exported.account.payoutRequests).toEqual([
      expect.objectContaining({ status: 'rejected', usd: 80.01 }),
      expect.objectContaining({ status: 'open', usd: balance.balanceUsd }),
    ])
    const today = new Date(account.made.clock()).toISOString().slice(0, 10)
    expect(exported.account.ads.days).toContainEqual(
      expect.objectContaining({ day: today, outcome: 'counted', count: 1, usd: 0.02 }),
    )
  })
})

/** Returns whether a part has an empty list or null in place of data. */
const isEmpty = (part: object): boolean =>
  [part, ...Object.values(part)].some((one: unknown) => one === null || (Array.isArray(one) && one.length === 0))
