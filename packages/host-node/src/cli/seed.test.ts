import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createService } from '@tributary/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seedCommand } from './commands/seed.ts'
import { openStore, type OpenDatabase } from '../server-config.ts'
import { nodeDigest, nodeRandom } from '../platform.ts'

const folder = mkdtempSync(join(tmpdir(), 'tributary-seed-'))
const adminToken = 'operator-of-the-seed-test'
const outs: string[] = []
const io = { env: {}, out: (text: string) => void outs.push(text), err: () => {} }
const file = (name: string): string => join(folder, `${name}.db`)
let opened: OpenDatabase

beforeAll(async () => {
  await seedCommand.run(['--demo', '--database', file('one'), '--json'], io)
  opened = openStore({ url: file('one') })
})
afterAll(() => {
  opened?.client.close()
  rmSync(folder, { recursive: true, force: true })
})

// oxlint-disable-next-line typescript/no-explicit-any -- read as the shape that each test expects
async function operator(path: string, from = opened): Promise<any> {
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
function counted(items: { status: string }[]): Record<string, number> {
  const by: Record<string, number> = {}
  for (const { status } of items) by[status] = (by[status] ?? 0) + 1
  return by
}

test('every state of an application and of a job has something in it', async () => {
  expect(JSON.parse(outs[0]!)).toMatchObject({ ok: true, people: 12, signIn: 'ada@example.com' })
  expect(Object.keys(counted((await operator('/api/admin/applications?limit=200')).items)).sort()).toEqual([
    'approved',
    'pending',
    'rejected',
  ])
  const { items } = await operator('/api/admin/jobs?limit=200')
  expect(counted(items)).toEqual({ done: 8, failed: 1, queued: 1 })
  expect(items.filter(({ rejectedCount }: { rejectedCount: number }) => rejectedCount > 0).length).toBeGreaterThan(0)
})

test('everyone is at example.com, and something happens in each three days of two weeks', async () => {
  const read = async (sql: string): Promise<unknown[]> =>
    (await opened.client.execute({ sql, args: [] })).rows.map((row) => Object.values(row)[0])
  expect(
    await read(
      "select distinct substr(email, instr(email, '@') + 1) from (select email from users union select email from waitlist)",
    ),
  ).toEqual(['example.com'])
  const day = 24 * 60 * 60 * 1000
  const days = (await read(`select distinct at / ${day} from (
    select created_at as at from users union all select enqueued_at from jobs union all select sold_at from sales
    union all select created_at from reports union all select day * ${day} from ad_days) order by 1`)) as number[]
  expect(days.at(-1)! - days[0]!).toBe(14)
  expect(Math.max(...days.slice(1).map((one, at) => one - days[at]!))).toBeLessThanOrEqual(3)
})

test('campaigns are running, spent, paused and to come; the ledger fits its impressions', async () => {
  const { items } = await operator('/api/admin/campaigns')
  expect(counted(items)).toEqual({ active: 2, exhausted: 1, paused: 1, scheduled: 1 })
  for (const { spentUsd, impressions, cpmUsd } of items) expect(spentUsd).toBeCloseTo((impressions * cpmUsd) / 1000, 6)
  const spent = items.find(({ name }: { name: string }) => name === 'Lantern trial')
  expect(spent.spentUsd).toBeCloseTo(spent.budgetUsd, 6)
  expect(items.reduce((sum: number, { clicks }: { clicks: number }) => sum + clicks, 0)).toBeGreaterThan(3)
})

test('what may be sold is scrubbed: placeholders are in it, and nothing that was slipped in', async () => {
  const lines = await operator('/api/admin/dataset?limit=200')
  expect(lines.split('\n').length).toBeGreaterThan(40)
  for (const kind of ['EMAIL', 'PHONE', 'GITHUB_TOKEN']) expect(lines.includes(`[${kind}_1]`), kind).toBe(true)
  // Not as one match of the whole, which would print it all.
  expect(
    lines.match(
      /ghp_|-mail\.com|\/home\/(?:aokafor|blindqvist|cruiz|dpatel|enovak)\b|postgres:\/\/app:[A-Za-z0-9]{18}@/,
    )?.[0],
  ).toBeUndefined()
})

test('feedback is there, and nobody is mailed', async () => {
  expect((await operator('/api/admin/feedback')).items).toHaveLength(4)
  expect((await opened.client.execute({ sql: 'select count(*) from outbox', args: [] })).rows[0]?.[0]).toBe(0)
})

test('a database with people in it is refused, unless forced', async () => {
  await expect(seedCommand.run(['--demo', '--database', file('one')], io)).rejects.toThrow(/people in .*--force/)
  expect(await seedCommand.run(['--demo', '--database', file('one'), '--force'], io)).toBe(0)
})

test('the same seed tells the same story, another one another; secrets differ always', async () => {
  const stories = []
  for (const [name, seed] of [
    ['two', '1'],
    ['three', '1'],
    ['four', '2'],
  ] as const) {
    await seedCommand.run(['--demo', '--database', file(name), '--seed', seed], io)
    const one = openStore({ url: file(name) })
    const { items } = await operator('/api/admin/campaigns', one)
    const lines = (await operator('/api/admin/dataset?limit=200', one)) as string
    stories.push({
      spend: items.map(({ name: called, spentUsd, clicks }: { name: string; spentUsd: number; clicks: number }) => [
        called,
        spentUsd,
        clicks,
      ]),
      hashes: lines.match(/"contentHash":"\w+"/g)!.join(),
    })
    one.client.close()
  }
  expect(stories[0]).toEqual(stories[1])
  expect(stories[0]!.hashes).not.toBe(stories[2]!.hashes)
  // Three databases are filled one after the other.
}, 60_000)

test('it wants to be told what to fill with', async () => {
  await expect(seedCommand.run(['--database', file('none')], io)).rejects.toThrow('--demo')
})
