import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { eligible, useSurroundings } from './scripted.ts'

const surroundings = useSurroundings()

/** Starts `upload --yes` in a separate process. */
async function startUpload(url: string) {
  const program = join(surroundings.home, 'cli.mjs')
  await build({
    entryPoints: [fileURLToPath(new URL('cli.ts', import.meta.url))],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['tributary-source'],
    logLevel: 'error',
  })
  const session = join(surroundings.home, 'some.ingest.json')
  const messages = [{ role: 'user', content: 'hi' }]
  writeFileSync(session, JSON.stringify({ traces: [{ sourceId: 's1', createdAt: '2026-01-01T00:00:00Z', messages }] }))
  const env = { ...process.env, TRIBUTARY_CONFIG_DIR: join(surroundings.home, 'config') }
  const child = spawn(process.execPath, [program, 'upload', session, '--yes', '--url', url, '--token', 't'], {
    env,
  })
  let text = ''
  child.stderr.on('data', (data) => (text += String(data)))
  return {
    child,
    waitFor: (part: string) => expect.poll(() => text).toContain(part),
    ended: once(child, 'exit').then(([code]) => ({ code: code as number, text })),
  }
}

test('upload explains on SIGINT how to continue and exits with 130; the next upload follows the same job', async () => {
  const done = [200, { ok: true, job: { id: 'j1', status: 'done', estimatedUsd: 0 } }] as [number, unknown]
  const answers = {
    ...eligible,
    'POST /api/traces/known': [[200, { ok: true, known: [] }] as [number, unknown]],
    'POST /api/ingest': [[202, { ok: true, jobId: 'j1', status: 'queued' }] as [number, unknown]],
    'GET /api/ingest/jobs/j1': [[200, { ok: true, job: { id: 'j1', status: 'running' } }] as [number, unknown]],
    'GET /api/ingest/jobs/j1/outcomes': [[200, { ok: true, outcomes: [] }] as [number, unknown]],
  }
  const server = await surroundings.startService(answers)
  const stopped = await startUpload(server.url)
  await stopped.waitFor('Job j1: running')
  stopped.child.kill('SIGINT')
  expect(await stopped.ended).toMatchObject({
    code: 130,
    text: expect.stringContaining('run the same command again to send the rest'),
  })
  const record = JSON.parse(readFileSync(join(surroundings.home, 'config', 'uploads.json'), 'utf8')) as object
  expect(record).toMatchObject({ [server.url]: { pendingJobs: [{ jobId: 'j1' }] } })

  answers['GET /api/ingest/jobs/j1'] = [done]
  const resumed = await startUpload(server.url)
  expect(await resumed.ended).toMatchObject({
    code: 0,
    text: expect.stringContaining('Resuming an upload that was stopped: 1 job to follow first.'),
  })
})
