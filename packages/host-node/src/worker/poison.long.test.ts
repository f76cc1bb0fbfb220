import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { libsqlStores } from '@tributary/core/libsql'
import { bundle, createMigratedFile, fixture } from '@tributary/test-kit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { signInContributor } from '../../../core/src/ingest/contributor.fixture.ts'
import { openLocal } from '../sqlite/local.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-poison-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('a trace that kills three processes is rejected by the fourth process, which stores the other traces', async () => {
  const path = join(folder, 'poison.db')
  await createMigratedFile(path)
  const client = openLocal(path)
  const made = fixture({
    stores: libsqlStores(client),
    approval: 'automatic',
    country: () => 'US',
    clock: () => Date.now() - 60_000,
  })
  const ann = await signInContributor(made)
  const traces = ['one', 'poison', 'three'].map((content) => ({
    sourceId: content === 'poison' ? 'second' : content,
    createdAt: '2026-01-02T03:04:05Z',
    messages: [{ role: 'user', content }],
  }))
  const { jobId } = (await made.ask('POST', '/api/ingest', { headers: ann.bearer, json: { traces } })).json
  const script = await bundle(new URL('./poison.fixture.ts', import.meta.url))
  const run = () => {
    const { signal, stdout } = spawnSync(process.execPath, [script, path], { timeout: 600_000, encoding: 'utf8' })
    return signal ?? JSON.parse(stdout)
  }
  for (let n = 0; n < 3; n++) {
    expect(run()).toBe('SIGKILL')
    // The lease of a dead worker expires after 30 seconds. The test ends it instead of waiting.
    await client.execute({ sql: 'update jobs set lease_until = 1', args: [] })
  }
  expect(run()).toEqual({ done: 1, failed: 0, later: 0 })
  const { outcomes } = (await made.ask('GET', `/api/ingest/jobs/${jobId}/outcomes`, { headers: ann.bearer })).json
  expect(outcomes.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['stored', 'rejected', 'stored'])
  client.close()
})
