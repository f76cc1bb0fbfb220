import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeTraces, seedTraces } from '@tributary/test-kit'
import Database from 'libsql'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { built, run, signInContributor, startDev } from './cli/cli.fixture.ts'
import { startSmtp, type Smtp } from './smtp.fixture.ts'
import { openLocal } from './sqlite/local.ts'

const buyer = { name: 'Acme', email: 'buyer@acme.example' }
const sold = 3
let folder: string
let smtp: Smtp
const running: ReturnType<typeof run>[] = []
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-removals-'))
  smtp = await startSmtp()
})
afterEach(async () => {
  for (const { child } of running) child.kill('SIGKILL')
  await Promise.all(running.splice(0).map(({ ended }) => ended))
  await smtp.close()
  rmSync(folder, { recursive: true, force: true })
})
const locateDatabase = (): string => join(folder, 'test.db')
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

function change(sql: string): void {
  const database = new Database(locateDatabase())
  database.exec(sql)
  database.close()
}
function count(from: string): number {
  const database = new Database(locateDatabase(), { readonly: true } as Database.Options)
  try {
    return (database.prepare(`select count(*) as n from ${from}`).get() as { n: number }).n
  } finally {
    database.close()
  }
}
const countMails = (): number => smtp.mails.filter(({ to }) => to === buyer.email).length

/** Sells traces of a contributor who then erases the account. Kills the process as soon as it has answered. */
async function eraseAndKill(): Promise<{ readonly token: string }> {
  // This process has no worker, so it only accepts the erasure.
  const selling = await startDev(locateDatabase(), '--worker', 'off')
  const person = await signInContributor(selling.url, 'ann@example.com')
  const local = openLocal(locateDatabase())
  const [{ id }] = (await local.execute({ sql: 'select id from users', args: [] })).rows as unknown as [{ id: string }]
  await seedTraces(local, id, makeTraces(sold, 'loquat'))
  local.close()
  const headers = { 'authorization': `Bearer ${selling.adminToken}`, 'content-type': 'application/json' }
  const post = async (path: string, json: object) =>
    (await (await fetch(selling.url + path, { method: 'POST', headers, body: JSON.stringify(json) })).json()) as {
      token: string
    }
  const { token } = await post('/api/admin/buyers', buyer)
  await post('/api/admin/sales', { buyer: buyer.name, usd: 10, traceIds: await person.traces() })
  expect(await person.erase()).toBe(200)
  await selling.stop('SIGKILL')
  expect([count('account_jobs'), count('removals')]).toEqual([1, 0])
  return { token }
}

function startWorker(smtpUrl = smtp.url): ReturnType<typeof run> {
  // The lease of a killed worker ends after 30 seconds. The test ends it instead of waiting.
  change('update account_jobs set lease_until = 1 where lease_until is not null')
  change("update outbox set lease_until = 0 where status = 'sending'")
  const worker = run(['worker', '--json', '--database', locateDatabase(), '--mail-from', 'hello@example.com'], {
    TRIBUTARY_SMTP_URL: smtpUrl,
    TRIBUTARY_BASE_URL: 'https://traces.example.com',
  })
  running.push(worker)
  return worker
}
async function kill({ child, ended }: ReturnType<typeof run>): Promise<void> {
  child.kill('SIGKILL')
  await ended
}

describe.skipIf(!built)('removals of an erased account', () => {
  test('survive SIGKILL between the erasure and the notice, and the buyer is mailed once', async () => {
    const { token } = await eraseAndKill()
    // The process is killed when the removals exist. It cannot send the mail, because no mail server listens.
    const first = startWorker('smtp://127.0.0.1:1')
    await vi.waitFor(() => expect(count('removals')).toBe(sold), { interval: 1 })
    await kill(first)
    change("update outbox set due_at = 0 where status = 'waiting'")
    startWorker()
    startWorker()
    await vi.waitFor(
      () => expect([count('account_jobs'), count("outbox where status in ('waiting', 'sending')")]).toEqual([0, 0]),
      { interval: 20 },
    )
    await sleep(1_000)
    expect([count('removals'), countMails()]).toEqual([sold, 1])
    const serving = await startDev(locateDatabase())
    const reply = await fetch(`${serving.url}/api/buyer/removals`, { headers: { authorization: `Bearer ${token}` } })
    await serving.stop()
    const { items } = (await reply.json()) as { items: { id: string; reason: string }[] }
    expect(new Set(items.map(({ id }) => id)).size).toBe(sold)
    expect(items.every(({ reason }) => reason === 'erased')).toBe(true)
  })

  test('survive a SIGKILL at every moment of the erasure, and each removal exists once', { tags: 'slow' }, async () => {
    await eraseAndKill()
    for (const ms of [150, 250, 350, 450, 600, 800]) {
      const worker = startWorker()
      await sleep(ms)
      await kill(worker)
    }
    startWorker()
    await vi.waitFor(() => expect(count('account_jobs')).toBe(0), { interval: 20 })
    expect([count('removals'), count('(select distinct sale, buyer_trace_id from removals)')]).toEqual([sold, sold])
    expect(count("outbox where channel = 'mail' and subject like '%delete%'")).toBe(1)
    expect(countMails()).toBeLessThanOrEqual(1)
  })
})
