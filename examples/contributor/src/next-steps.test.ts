import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandNames } from './help.ts'
import { main } from './main.ts'
import { createRecordingTerminal, eligible, useSurroundings, type Script } from './scripted.ts'

const surroundings = useSurroundings()
const id = '018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71'
const trace = {
  id,
  source: 'codex_jsonl',
  model: null,
  title: 'Add a parser',
  createdAt: '2026-11-01T10:00:00Z',
  uploadedAt: '2026-11-01T10:00:00Z',
  tokenCount: 12,
  redactions: 0,
  saleCount: 0,
  locked: false,
  sellExcluded: false,
}
const session = { sourceId: 's1', createdAt: '2026-01-01T00:00:00Z', messages: [{ role: 'user', content: 'hi' }] }
const script: Script = {
  ...eligible,
  'POST /api/cli/device/start': [[200, { ok: true, deviceCode: 'dc', userCode: 'BCDF-GHJK', interval: 5 }]],
  'GET /api/cli/device/poll': [[200, { ok: true, status: 'approved', token: 'a token', userId: 'u1' }]],
  'POST /api/auth/sign-out': [[200, { ok: true }]],
  'POST /api/traces/known': [[200, { ok: true, known: [] }]],
  'POST /api/ingest': [[202, { ok: true, jobId: 'j1', status: 'queued' }]],
  'GET /api/ingest/jobs/j1': [[200, { ok: true, job: { id: 'j1', status: 'done', estimatedUsd: 0.5 } }]],
  'GET /api/ingest/jobs/j1/outcomes': [
    [200, { ok: true, outcomes: [{ outcome: 'stored', redactions: 0, sourceId: 's1', traceId: id }] }],
  ],
  'GET /api/traces': [[200, { ok: true, traces: [trace], nextCursor: null }]],
  [`GET /api/traces/${id}`]: [[200, { ok: true, trace }]],
  [`GET /api/traces/${id}/download`]: [[200, { ...trace, scrub: { redactions: {} }, messages: [] }]],
  'POST /api/traces/bulk': [[200, { ok: true, updatedIds: [id], updatedCount: 1, skippedCount: 0 }]],
  'DELETE /api/traces/bulk': [[200, { ok: true, deletedIds: [id], skippedSoldIds: [] }]],
  'GET /api/account/earnings': [
    [200, { ok: true, balanceUsd: 0, pendingUsd: 0, lifetimeUsd: 0, items: [], nextCursor: null }],
  ],
}

/** Each command as an agent calls it, in this order, with the commands that the agent may call next. */
const calls: readonly (readonly [call: string, nextSteps: readonly string[]])[] = [
  ['login', ['status', 'setup']],
  ['status', ['setup', 'preview']],
  ['setup', ['preview']],
  ['preview FILE', ['upload --yes', 'setup --blocked-term WORD']],
  ['jobs', ['preview']],
  ['upload FILE --yes', ['list', 'open traces']],
  ['jobs', ['jobs j1']],
  ['jobs j1', ['list']],
  ['list', ['show 6d8b2a71', 'exclude 6d8b2a71']],
  ['show 6d8b2a71', ['exclude 6d8b2a71', 'delete 6d8b2a71', 'open 6d8b2a71']],
  ['exclude 6d8b2a71', ['list']],
  ['include 6d8b2a71', ['list']],
  ['download 6d8b2a71', []],
  ['download 6d8b2a71 --out FILE', ['show 6d8b2a71']],
  ['delete 6d8b2a71 --yes', ['list']],
  ['earnings', ['open earnings']],
  ['open traces', ['list']],
  ['logout', ['login']],
]

test('every command prints its nextSteps with --json, and each next step is an existing command', async () => {
  const server = await surroundings.startService(script)
  const file = join(surroundings.home, 'some.ingest.json')
  writeFileSync(file, JSON.stringify({ traces: [session] }))
  for (const [call, nextSteps] of calls) {
    const { terminal, outs } = createRecordingTerminal(surroundings.home)
    const argv = call.split(' ').map((word) => (word === 'FILE' ? file : word))
    await main([...argv, '--json', '--url', server.url], terminal)
    expect([call, JSON.parse(outs[0]!)]).toMatchObject([call, { ok: true, nextSteps }])
  }
  expect([...new Set(calls.map(([call]) => call.split(' ')[0]))].sort()).toEqual([...commandNames].sort())
  for (const [, steps] of calls) for (const step of steps) expect(commandNames).toContain(step.split(' ')[0])
})
