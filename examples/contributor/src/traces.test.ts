import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { main } from './main.ts'
import { createRecordingTerminal, useSurroundings, type Script } from './scripted.ts'

const surroundings = useSurroundings()

describe('trace ids', () => {
  const id = '018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71'
  const other = '018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2b71'
  const makeListedTrace = (one: string) => ({
    id: one,
    source: 'codex_jsonl',
    title: 'Add a parser',
    createdAt: '2025-12-24T10:00:00Z',
    uploadedAt: '2026-11-01T10:00:00Z',
    tokenCount: 1200,
    redactions: 3,
    saleCount: 0,
    locked: false,
    sellExcluded: false,
  })
  const script: Script = {
    'GET /api/traces': [[200, { ok: true, traces: [makeListedTrace(id), makeListedTrace(other)], nextCursor: null }]],
    'POST /api/traces/bulk': [[200, { ok: true, updatedIds: [id], updatedCount: 1, skippedCount: 0 }]],
  }
  const run = async (server: { url: string }, ...argv: string[]) => {
    const { terminal, outs, notes } = createRecordingTerminal(surroundings.home, { TRIBUTARY_TOKEN: 't' })
    return { code: await main([...argv, '--url', server.url], terminal), outs, notes }
  }

  test('list prints the last characters of each id, and other commands accept them', async () => {
    const server = await surroundings.startService(script)
    expect((await run(server, 'list')).outs[0]).toContain('6d8b2a71  2026-11-01  Codex   Add a parser   1,200')
    expect((await run(server, 'exclude', '6d8b2a71')).code).toBe(0)
    expect(server.requests.at(-1)?.body).toEqual({ action: 'exclude', ids: [id] })
  })

  test('list shows the day of the upload, and sorts by upload time, newest first', async () => {
    const updated = { ...makeListedTrace(other), uploadedAt: '2026-11-02T10:00:00Z' }
    const server = await surroundings.startService({
      'GET /api/traces': [[200, { ok: true, traces: [makeListedTrace(id), updated], nextCursor: null }]],
    })
    const [text = ''] = (await run(server, 'list')).outs
    expect(text.split('\n')[0]).toMatch(/^id +uploaded +source/)
    expect(
      text
        .split('\n')
        .slice(2)
        .map((row) => row.slice(0, 20)),
    ).toEqual(['6d8b2b71  2026-11-02', '6d8b2a71  2026-11-01'])
  })

  test.each([
    ['0000', 'is not the id of one of your traces'],
    ['71', 'is not a trace id'],
    ['b2a7', 'is not the id of one of your traces'],
    ['nope', 'is not a trace id'],
  ])('`%s` exits with 1 and changes nothing', async (name, message) => {
    const server = await surroundings.startService(script)
    const { code, notes } = await run(server, 'exclude', name)
    expect(code).toBe(1)
    expect(notes[0]).toContain(message)
    expect(server.requests.filter(({ line }) => line.startsWith('POST'))).toEqual([])
  })

  test('a filter selects every matching trace, and --project selects only traces that were uploaded from this machine', async () => {
    const server = await surroundings.startService(script)
    await run(server, 'exclude', '--state', 'for_sale')
    expect(server.requests.at(-1)?.body).toEqual({ action: 'exclude', ids: [id, other] })
    mkdirSync(join(surroundings.home, 'config'), { recursive: true })
    const record = { jobIds: [], pendingJobs: [], projects: { [other]: '/work/parser' } }
    writeFileSync(join(surroundings.home, 'config', 'uploads.json'), JSON.stringify({ [server.url]: record }))
    await run(server, 'exclude', '--project', 'parser')
    expect(server.requests.at(-1)?.body).toEqual({ action: 'exclude', ids: [other] })
  })
})

test.each(['--yes', '--confirm'])(
  'delete deletes nothing without confirmation, and deletes the unsold traces with %s',
  async (consent) => {
    const [sold, unsold] = ['018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71', '018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2b71']
    const server = await surroundings.startService({
      'DELETE /api/traces/bulk': [[200, { ok: true, deletedIds: [unsold], skippedSoldIds: [sold] }]],
    })
    const { terminal, outs } = createRecordingTerminal(surroundings.home, { TRIBUTARY_TOKEN: 't' })
    expect(await main(['delete', sold, unsold, '--url', server.url], terminal)).toBe(1)
    expect(server.requests).toEqual([])
    expect(await main(['delete', sold, unsold, consent, '--url', server.url], terminal)).toBe(0)
    expect(outs).toEqual(['1 trace deleted, 1 kept because sold.'])
  },
)
