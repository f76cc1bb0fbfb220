import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createService } from '@tributary/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nodeDigest, nodeRandom } from '../../platform.ts'
import type { OpenDatabase } from '../../open-database.ts'
import { openStore } from '../../server-config.ts'
import { runCommand } from '../program.fixture.ts'
import { seedCommand } from './seed.ts'

const folder = mkdtempSync(join(tmpdir(), 'tributary-seed-'))
const adminToken = 'operator-of-the-seed-test'
const locateFile = (name: string): string => join(folder, `${name}.db`)
let opened: OpenDatabase
let printed: string
const seed = (...argv: string[]) => runCommand(seedCommand, argv)

beforeAll(async () => {
  ;({ printed } = await seed('--demo', '--database', locateFile('one'), '--json'))
  opened = await openStore({ url: locateFile('one') })
})
afterAll(() => {
  opened?.client?.close()
  rmSync(folder, { recursive: true, force: true })
})

// oxlint-disable-next-line typescript/no-explicit-any -- read as the shape that each test expects
async function createOperator(path: string, from = opened): Promise<any> {
  const service = createService({
    baseUrl: 'http://127.0.0.1:8787',
    stores: from.stores,
    random: nodeRandom,
    digest: nodeDigest,
    adminToken,
  })
  const response = await service.fetch(
    new Request(`http://127.0.0.1:8787${path}`, { headers: { authorization: `Bearer ${adminToken}` } }),
  )
  expect(response!.status).toBe(200)
  const text = await response!.text()
  return text.startsWith('{"ok"') ? JSON.parse(text) : text
}
function countByStatus(items: { status: string }[]): Record<string, number> {
  const by: Record<string, number> = {}
  for (const { status } of items) by[status] = (by[status] ?? 0) + 1
  return by
}

test('seed creates applications and jobs in every state', async () => {
  expect(JSON.parse(printed)).toMatchObject({ ok: true, people: 12, signIn: 'ada@example.com' })
  expect(Object.keys(countByStatus((await createOperator('/api/admin/applications?limit=200')).items)).sort()).toEqual([
    'approved',
    'pending',
    'rejected',
  ])
  const { items } = await createOperator('/api/admin/jobs?limit=200')
  expect(countByStatus(items)).toEqual({ done: expect.any(Number), failed: 1, queued: 1 })
  expect(items.filter(({ rejectedCount }: { rejectedCount: number }) => rejectedCount > 0).length).toBeGreaterThan(0)
})

test('seed creates users at example.com and activity on 30 days', async () => {
  const read = async (sql: string): Promise<unknown[]> =>
    (await opened.client!.execute({ sql, args: [] })).rows.map((row) => Object.values(row)[0])
  expect(
    await read(
      "select distinct substr(email, instr(email, '@') + 1) from (select email from users union select email from waitlist)",
    ),
  ).toEqual(['example.com'])
  const day = 24 * 60 * 60 * 1000
  const days = (await read(`select distinct at / ${day} from (
    select created_at as at from users union all select enqueued_at from jobs union all select sold_at from sales
    union all select created_at from reports union all select day * ${day} from ad_days) order by 1`)) as number[]
  expect(days.at(-1)! - days[0]!).toBe(30)
  expect(Math.max(...days.slice(1).map((one, at) => one - days[at]!))).toBeLessThanOrEqual(3)
})

test('seed creates campaigns in every state, with spending that matches the impressions', async () => {
  const { items } = await createOperator('/api/admin/campaigns')
  expect(countByStatus(items)).toEqual({ active: 2, exhausted: 1, ended: 1, paused: 1, scheduled: 1 })
  for (const { spentUsd, impressions, cpmUsd } of items) expect(spentUsd).toBeCloseTo((impressions * cpmUsd) / 1000, 6)
  const spent = items.find(({ name }: { name: string }) => name === 'Lantern trial')
  expect(spent.spentUsd).toBeCloseTo(spent.budgetUsd, 6)
  expect(items.reduce((sum: number, { clicks }: { clicks: number }) => sum + clicks, 0)).toBeGreaterThan(3)
})

test('seed creates a dataset with placeholders in place of secrets and personal data', async () => {
  const lines = await createOperator('/api/admin/dataset?limit=200')
  expect(lines.split('\n').length).toBeGreaterThan(40)
  for (const kind of ['EMAIL', 'PHONE', 'GITHUB_TOKEN']) expect(lines.includes(`[${kind}_1]`), kind).toBe(true)
  // The test does not match the whole text, because a failure would print all of it.
  expect(
    lines.match(
      /ghp_|-mail\.com|\/home\/(?:aokafor|blindqvist|cruiz|dpatel|enovak)\b|postgres:\/\/app:[A-Za-z0-9]{18}@/,
    )?.[0],
  ).toBeUndefined()
})

test('seed creates reports, sales, payouts and webhook deliveries, and counts of every day', async () => {
  const { statuses, duplicates } = await createOperator('/api/admin/reports/stats')
  expect([Object.values(statuses).filter((count) => Number(count) > 0).length, duplicates > 0]).toEqual([5, true])
  const { items } = await createOperator('/api/admin/balances')
  // A trace of the demo is worth the same as a trace of any service: its tokens at the default price.
  expect(items.filter(({ lifetimeUsd }: { lifetimeUsd: number }) => lifetimeUsd > 0.1).length).toBeGreaterThan(2)
  for (const { id, usd } of (await createOperator('/api/admin/sales')).items) {
    const { tokens } = (await createOperator(`/api/admin/sales/${id}`)).sale
    expect(usd).toBeCloseTo(tokens * 1.25e-6, 1)
  }
  expect((await createOperator('/api/admin/payout-requests')).items).toMatchObject([{ status: 'open' }])
  const actions = (await createOperator('/api/admin/audit?limit=200')).items.map(
    ({ action }: { action: string }) => action,
  )
  expect(actions).toEqual(
    expect.arrayContaining(['sale.record', 'payout.record', 'correction.record', 'campaign.update', 'report.merge']),
  )
  const { days } = await createOperator('/api/admin/overview')
  for (const name of ['uploads', 'tracesStored', 'tokens', 'impressions', 'spendUsd'])
    expect(days.filter((day: Record<string, number>) => day[name]! > 0).length, name).toBeGreaterThan(20)
})

test('seed creates feedback, and leaves nothing for a server to send', async () => {
  expect((await createOperator('/api/admin/feedback')).items).toHaveLength(4)
  const { rows } = await opened.client!.execute({ sql: 'select distinct status from outbox', args: [] })
  expect(rows.map(({ status }) => status).sort()).toEqual(['dead', 'sent'])
})

test('seed creates the same data for the same --seed, and other data for another seed', { tags: 'slow' }, async () => {
  const results = []
  await seed('--demo', '--database', locateFile('two'), '--seed', '1')
  await seed('--demo', '--database', locateFile('three'), '--seed', '2')
  for (const name of ['one', 'two', 'three']) {
    const one = await openStore({ url: locateFile(name) })
    const { items } = await createOperator('/api/admin/campaigns', one)
    const lines = (await createOperator('/api/admin/dataset?limit=200', one)) as string
    results.push({
      spend: items.map(({ name: called, spentUsd, clicks }: { name: string; spentUsd: number; clicks: number }) => [
        called,
        spentUsd,
        clicks,
      ]),
      hashes: lines.match(/"contentHash":"\w+"/g)!.join(),
    })
    one.client!.close()
  }
  expect(results[0]).toEqual(results[1])
  expect(results[0]!.hashes).not.toBe(results[2]!.hashes)
  // Two databases are filled one after the other.
})

test('seed exits with 1 for a database with users, and fills it with --force', { tags: 'slow' }, async () => {
  expect(await seed('--demo', '--database', locateFile('one'))).toMatchObject({
    code: 1,
    err: expect.stringMatching(/is not empty.*--force/),
  })
  expect((await seed('--demo', '--database', locateFile('one'), '--force')).code).toBe(0)
})

test('seed exits with 2 without --demo', async () => {
  expect(await seed('--database', locateFile('none'))).toMatchObject({
    code: 2,
    err: expect.stringContaining('--demo'),
  })
})
