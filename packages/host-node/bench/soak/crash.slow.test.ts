import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { isServerInstalled, startServer, type Server } from '../../../core/src/stores/postgres/server.fixture.ts'
import { built, makeBatch, run, signInContributor, startDev } from '../../src/cli/cli.fixture.ts'
import { listAcknowledged } from './outside.ts'
import { findMissing } from './outside-postgres.ts'
import { simulatePerson } from './person.ts'

/**
 * Starts a worker, and waits until it prints that it is running. A worker that finds no database at its start exits.
 */
async function startWorker(database: string): Promise<ReturnType<typeof run>> {
  const worker = run(['worker', '--database', database, '--json', '--log-level', 'silent'])
  await vi.waitUntil(() => worker.out().includes('\n'))
  return worker
}

describe.skipIf(!built || !isServerInstalled)('a crash of PostgreSQL', () => {
  let server: Server
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.close())

  test('loses no acknowledged data, makes replies 503 with retry-after, and ends no other process', async () => {
    const hosts = [await startDev(server.url, '--worker', 'off'), await startDev(server.url)]
    const workers = [await startWorker(server.url)]
    const url = (): string => hosts[Math.random() < 0.5 ? 0 : 1]!.url
    const people = []
    for (let i = 0; i < 2; i++)
      people.push(
        simulatePerson(`crash-${i}`, await signInContributor(url(), `person-${i}@x.example`), Math.random, url),
      )
    const over = new AbortController()
    const lives = people.map((one) => one.live(over.signal))
    const outages: [status: number, retryAfter: string | null][] = []
    const ann = await signInContributor(hosts[0]!.url, 'ann@x.example')
    const headers = { authorization: `Bearer ${ann.token}` }
    const watching = (async () => {
      while (!over.signal.aborted) {
        const reply = await fetch(`${url()}/api/traces?limit=1`, { headers }).catch(() => null)
        // The status is null while the host is killed.
        if (reply && reply.status >= 500) outages.push([reply.status, reply.headers.get('retry-after')])
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    })()
    for (let crash = 0; crash < 3; crash++) {
      await new Promise((resolve) => setTimeout(resolve, 2_000))
      await server.crash()
      // A worker and a host are killed while the database is down.
      if (crash === 1) workers[0]!.child.kill('SIGKILL')
      if (crash === 2) await hosts[1]!.stop('SIGKILL')
      await new Promise((resolve) => setTimeout(resolve, 500))
      await server.restart()
      if (crash === 1) workers.push(await startWorker(server.url))
      if (crash === 2) hosts[1] = await startDev(server.url)
      // This batch shows that the service works after the crash.
      const batch = makeBatch(2, 200, crash * 2)
      const jobId = await vi.waitUntil(() => ann.send(batch).catch(() => undefined))
      expect(await ann.finished(jobId)).toMatchObject({ status: 'done' })
    }
    over.abort()
    await Promise.all([...lives, watching])
    expect((await Promise.all(people.map((one) => one.check()))).flat()).toEqual([])
    expect(await findMissing(server, listAcknowledged(people.map(({ ledger }) => ledger)))).toEqual([])
    expect(await ann.traces()).toHaveLength(6)
    expect(outages.length).toBeGreaterThan(0)
    expect(outages.filter(([status, retryAfter]) => status !== 503 || !(Number(retryAfter) > 0))).toEqual([])
    // The other processes must still run.
    expect([hosts[0]!.child.exitCode, workers[1]!.child.exitCode]).toEqual([null, null])
    for (const { child } of workers) child.kill('SIGTERM')
    await Promise.all([...hosts.map((host) => host.stop()), ...workers.map(({ ended }) => ended)])
  })
})
