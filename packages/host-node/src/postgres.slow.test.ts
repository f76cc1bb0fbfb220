import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { conformanceCommand } from '@tributary/test-kit/conformance'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  isBouncerInstalled,
  isServerInstalled,
  startBouncer,
  startServer,
  type Server,
} from '../../core/src/stores/postgres/server.fixture.ts'
import { built, makeBatch, run, signInContributor, startDev } from './cli/cli.fixture.ts'
import { startSmtp } from './smtp.fixture.ts'

/** Checks a running service from outside. Returns the failed checks. */
async function checkConformance(url: string, adminToken: string): Promise<string[]> {
  const failed: string[] = []
  const report = (text: string): void => void (text.startsWith('FAIL') && failed.push(text))
  await conformanceCommand([url, '--admin-token', adminToken], { out: report, error: report, env: {} })
  return failed
}

describe.skipIf(!built || !isServerInstalled)('--database postgres://', () => {
  let server: Server
  const folder = mkdtempSync(join(tmpdir(), 'tributary-move-'))
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(async () => {
    await server.close()
    rmSync(folder, { recursive: true })
  })

  test('start and worker serve as a role that can only change rows', async () => {
    const owner = await server.createDatabase('limited')
    const smtp = await startSmtp()
    expect(await run(['migrate', '--database', owner]).ended).toMatchObject({ code: 0 })
    const url = owner.replace('user=tributary', 'user=app')
    const grants = [
      'create role app login',
      'grant select, insert, update, delete on all tables in schema public to app',
      'grant usage on all sequences in schema public to app',
    ]
    const client = new Client({ connectionString: owner })
    await client.connect()
    for (const grant of grants) await client.query(grant)
    await client.end()
    const adminToken = 'the-operator-of-this-test'
    const host = run(
      [
        'start',
        '--json',
        '--port',
        '0',
        '--base-url',
        'https://x.example',
        '--database',
        url,
        '--worker',
        'off',
      ].concat(
        ['--smtp-url', smtp.url, '--mail-from', 'a@x.example', '--approval', 'automatic', '--country', 'US'],
        ['--admin-token', adminToken, '--drain-seconds', '0'],
      ),
    )
    const worker = run(['worker', '--database', url, '--base-url', 'https://x.example'])
    try {
      await vi.waitUntil(() => host.out().includes('\n'))
      const { url: address } = JSON.parse(host.out()) as { url: string }
      const ann = await signInContributor(address, 'ann@x.example', async (_, to) => {
        await vi.waitUntil(() => smtp.mails.some((mail) => mail.to === to))
        return smtp.mails.find((mail) => mail.to === to)!.data
      })
      expect(await ann.finished(await ann.send(makeBatch(20, 500)))).toMatchObject({ status: 'done', traceCount: 20 })
      const traceIds = await ann.traces()
      expect(traceIds).toHaveLength(20)
      const reply = await fetch(`${address}/api/admin/sales`, {
        method: 'POST',
        headers: { 'authorization': `Bearer ${adminToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ buyer: 'lab', traceIds: traceIds.slice(0, 5), usd: 10 }),
      })
      expect(await reply.json()).toMatchObject({ ok: true, soldIds: traceIds.slice(0, 5) })
      expect(await ann.erase()).toBe(200)
      expect((await ann.call('GET', '/api/traces')).status).toBe(401)
    } finally {
      host.child.kill('SIGTERM')
      worker.child.kill('SIGTERM')
      await Promise.all([host.ended, worker.ended, smtp.close()])
    }
    expect(await host.ended).toMatchObject({ code: 0 })
    expect(await worker.ended).toMatchObject({ code: 0 })
  })

  test('passes the conformance run with a separate worker', async () => {
    const database = await server.createDatabase('direct')
    const dev = await startDev(database, '--worker', 'off', '--approval', 'manual')
    const worker = run(['worker', '--database', database])
    try {
      expect(await checkConformance(dev.url, dev.adminToken)).toEqual([])
    } finally {
      worker.child.kill('SIGTERM')
      await Promise.all([dev.stop(), worker.ended])
    }
  })

  test.skipIf(!isBouncerInstalled)('passes the conformance run behind PgBouncer in transaction mode', async () => {
    await server.createDatabase('bounced')
    const bouncer = await startBouncer(server)
    const dev = await startDev(bouncer.urlOf('bounced'), '--approval', 'manual')
    try {
      expect(await checkConformance(dev.url, dev.adminToken)).toEqual([])
    } finally {
      await dev.stop()
      await bouncer.close()
    }
  })

  test('doctor checks the version, the encoding, the clock, the migrations and the privileges', async () => {
    const url = await server.createDatabase('checked')
    const client = new Client({ connectionString: url })
    await client.connect()
    await client.query('create role reader login')
    await client.query(`create database latin encoding 'LATIN1' template template0 locale_provider libc locale 'C'`)
    const listFailed = async (database: string) => {
      const { code, out } = await run(['doctor', '--json', '--database', database]).ended
      const { checks } = JSON.parse(out) as { checks: { check: string; ok: boolean; found: string }[] }
      return { code, checks: checks.length, failed: checks.filter(({ ok }) => !ok).map(({ found }) => found) }
    }
    expect(await listFailed(url)).toEqual({
      code: 1,
      checks: 7,
      failed: [expect.stringContaining(' pending (0000-init')],
    })
    await run(['migrate', '--database', url]).ended
    expect(await listFailed(url)).toEqual({ code: 0, checks: 10, failed: [] })
    await client.query('grant select on all tables in schema public to reader')
    await client.query('grant insert, update, delete on users to reader')
    expect(await listFailed(url.replace('user=tributary', 'user=reader'))).toEqual({
      code: 1,
      checks: 10,
      failed: [expect.stringMatching(/^no privilege on \w+: grant select, insert, update, delete/)],
    })
    expect((await listFailed(url.replace('/checked', '/latin'))).failed).toContain(
      'LATIN1; create the database with encoding UTF8',
    )
    await client.end()
    expect((await listFailed(url.replace('/checked', '/missing'))).failed).toEqual([expect.stringContaining('missing')])
  })

  test('move copies a service from a file to PostgreSQL and back with equal figures, and is refused while a server runs', async () => {
    const postgres = await server.createDatabase('moved')
    const [file, back] = [join(folder, 'a.db'), join(folder, 'back.db')]
    expect(await run(['seed', '--demo', '--database', file]).ended).toMatchObject({ code: 0 })
    // The test compares only the oldest entries of the audit log, because some reads add an entry.
    const queries: Record<string, string> = {
      '/api/admin/audit': '?order=asc&limit=20',
      '/api/admin/overview': '?days=90',
    }
    /** Reads all figures that operators see, and tries a move while the server runs. */
    const readFigures = async (database: string) => {
      const { url, adminToken, stop } = await startDev(database, '--worker', 'off')
      const headers = { authorization: `Bearer ${adminToken}` }
      const figures = new Map<string, string>()
      const readText = async (path: string, query = ''): Promise<string> => {
        const reply = await fetch(url + path + query, { headers })
        const text = await reply.text()
        expect([path, reply.status, text]).toEqual([path, 200, text])
        return text
      }
      const { paths } = JSON.parse(await readText('/openapi.json')) as { paths: Record<string, object> }
      const lists = Object.keys(paths).filter((path) => path.startsWith('/api/admin/') && 'get' in paths[path]!)
      // A list is read before the page of its first item, because the page needs the item's id.
      for (const path of lists.sort()) {
        const [list, rest = ''] = path.split(/\/\{\w+\}/)
        const id = path === list ? '' : /"(?:id|userId)":"([^"]+)"/.exec(figures.get(list!)!)![1]
        const text = await readText(path === list ? path : `${list}/${id}${rest}`, queries[path])
        figures.set(path, rest === '' && id !== '' ? text.replace(/"audit":\[.*\]/, '') : text)
      }
      const refused = await run(['move', '--from', database, '--to', join(folder, 'refused.db')]).ended
      await stop()
      expect(refused).toMatchObject({
        code: 1,
        err: expect.stringContaining('a server or a worker uses this database'),
      })
      return figures
    }
    const figures = await readFigures(file)
    expect(figures.size).toBeGreaterThan(20)
    for (const [from, to] of [
      [file, postgres],
      [postgres, back],
    ] as const) {
      const moved = await run(['move', '--from', from, '--to', to]).ended
      expect(moved).toMatchObject({ code: 0, out: expect.stringContaining('both databases are equal') })
      const after = await readFigures(to)
      expect([...figures.keys()].filter((path) => after.get(path) !== figures.get(path))).toEqual([])
    }
  })
})
