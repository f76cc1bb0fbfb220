import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { main } from './main.ts'
import { eligible, createRecordingTerminal, useSurroundings, type Script } from './scripted.ts'

const surroundings = useSurroundings()

describe('upload', () => {
  const body = {
    traces: [1, 2, 3].map((n) => ({
      sourceId: `s${n}`,
      createdAt: '2026-01-01T00:00:00Z',
      messages: [{ role: 'user', content: `hi ${n}` }],
    })),
  }
  const writeBatchFile = (): string => {
    const file = join(surroundings.home, 'some.ingest.json')
    writeFileSync(file, JSON.stringify(body))
    return file
  }

  const upload = (server: { url: string }, ...argv: string[]) => {
    const recorded = createRecordingTerminal(surroundings.home)
    const done = main(['upload', writeBatchFile(), '--url', server.url, '--token', 't', ...argv], recorded.terminal)
    return { ...recorded, done }
  }

  test('sends nothing, not even a hash, before the person confirms', async () => {
    const server = await surroundings.startService(eligible)
    const { done, outs } = upload(server, '--json')
    expect(await done).toBe(1)
    expect(JSON.parse(outs[0]!)).toMatchObject({
      ok: false,
      error: 'confirmation_required',
      nextSteps: ['preview', 'upload --yes'],
    })
    expect(server.requests).toEqual([])
  })

  test('lists the missing steps with their links, and sends no trace', async () => {
    const server = await surroundings.startService({
      ...eligible,
      'GET /api/traces/upload-policy': [
        [200, { ok: true, eligible: false, reason: 'terms_required', acceptanceUrl: 'http://x/terms' }],
      ],
      'GET /api/traces/access': [[200, { ok: true, status: 'not_applied', applyUrl: 'http://x/apply' }]],
    })
    const { done, notes } = upload(server, '--yes')
    expect(await done).toBe(1)
    expect(notes[0]).toContain('http://x/terms')
    expect(notes[0]).toContain('http://x/apply')
    expect(server.requests.filter(({ line }) => line.startsWith('POST'))).toEqual([])
  })

  const accepting: Script = {
    ...eligible,
    'POST /api/traces/known': [[200, { ok: true, known: [] }]],
    'POST /api/ingest': [[202, { ok: true, jobId: 'j1', status: 'queued' }]],
    'GET /api/ingest/jobs/j1': [
      [200, { ok: true, job: { id: 'j1', status: 'queued' } }],
      [200, { ok: true, job: { id: 'j1', status: 'done', estimatedUsd: 0.5 } }],
    ],
    'GET /api/ingest/jobs/j1/outcomes': [
      [
        200,
        {
          ok: true,
          outcomes: [
            { outcome: 'stored', redactions: 2, sourceId: 's1', traceId: 't1' },
            { outcome: 'stored', redactions: 1, sourceId: 's3', traceId: 't3' },
          ],
        },
      ],
    ],
  }

  test('sends unknown traces, compressed, follows the job and counts its outcomes', async () => {
    const { contentHash } = await import('@tributary/core')
    const known = [contentHash(body.traces[1]!.messages)]
    const server = await surroundings.startService({
      ...accepting,
      'POST /api/traces/known': [[200, { ok: true, known }]],
    })
    const { done, outs, notes } = upload(server, '--yes')
    expect(await done).toBe(0)
    const sent = server.requests.find(({ line }) => line === 'POST /api/ingest')
    expect(sent?.headers['content-encoding']).toBe('gzip')
    expect(sent?.body).toEqual({ traces: [body.traces[0], body.traces[2]] })
    expect(outs[0]).toContain('Read 3 traces in 1 file, 1 already known.')
    expect(outs[0]).toMatch(/stored +2 +3/)
    expect(outs[0]).toContain('$0.50')
    expect(notes.join('\n')).toMatch(/Uploading \[####################\] · 1 of 1 file · (\d+) B of \1 B/)
  })

  test('shows files, bytes, rate and the time left while it sends', { tags: 'long' }, async () => {
    const server = await surroundings.startService(accepting)
    const folder = join(surroundings.home, 'batches')
    mkdirSync(folder)
    for (const name of ['one', 'two']) {
      const messages = [{ role: 'user', content: name.repeat(1024 * 1024) }]
      const traces = [{ sourceId: name, createdAt: '2026-01-01T00:00:00Z', messages }]
      writeFileSync(join(folder, `${name}.ingest.json`), JSON.stringify({ traces }))
    }
    const { terminal, notes } = createRecordingTerminal(surroundings.home)
    let seconds = 0
    const slow = { ...terminal, now: () => seconds++ * 1000 }
    expect(await main(['upload', folder, '--url', server.url, '--token', 't', '--yes'], slow)).toBe(0)
    expect(notes.filter((note) => note.startsWith('Uploading'))).toEqual([
      'Uploading [--------------------] · 0 of 2 files · 0 B of 6.0 MB',
      'Uploading [##########----------] · 1 of 2 files · 3.0 MB of 6.0 MB · 1.5 MB/s · 2 s left',
      'Uploading [####################] · 2 of 2 files · 6.0 MB of 6.0 MB · 2.0 MB/s · 0 s left',
    ])
  })

  const locateRecord = (): string => join(surroundings.home, 'config', 'uploads.json')

  test('follows the job of an interrupted upload first', async () => {
    const failing = await surroundings.startService({
      ...accepting,
      'GET /api/ingest/jobs/j1': [[503, { ok: false, error: 'unavailable' }]],
    })
    expect(await upload(failing, '--yes').done).toBe(1)
    const stopped = JSON.parse(readFileSync(locateRecord(), 'utf8')) as Record<string, unknown>
    expect(stopped[failing.url]).toMatchObject({ pendingJobs: [{ jobId: 'j1' }] })
    const again = await surroundings.startService(accepting)
    writeFileSync(locateRecord(), JSON.stringify({ [again.url]: stopped[failing.url] }))
    const { done, notes } = upload(again, '--yes')
    expect(await done).toBe(0)
    expect(notes[0]).toBe('Resuming an upload that was stopped: 1 job to follow first.')
    const lines = again.requests.map(({ line }) => line)
    expect(lines.indexOf('GET /api/ingest/jobs/j1')).toBeLessThan(lines.indexOf('POST /api/traces/known'))
  })

  test('sends the stated outcome with every trace, and cuts a long note and reports the cut', async () => {
    const server = await surroundings.startService(accepting)
    const flags = ['--outcome', 'success', '--tests-passed', '12', '--tests-failed', '0', '--note', 'n'.repeat(501)]
    const { done, notes } = upload(server, '--yes', ...flags)
    expect(await done).toBe(0)
    const sent = server.requests.find(({ line }) => line === 'POST /api/ingest')?.body
    const outcome = { status: 'success', testsPassed: 12, testsFailed: 0, note: 'n'.repeat(500) }
    expect(sent).toEqual({ traces: body.traces.map((trace) => ({ ...trace, outcome })) })
    expect(notes).toContain('--note: note cut to 500 characters.')
  })

  test.each([
    ['asks for the outcome with the consent, until the answer is one', [], ['y', 'maybe', 'Partial'], 'partial'],
    ['sends no outcome after an empty answer', [], ['y', ''], undefined],
    ['asks nothing with --yes', ['--yes'], [], undefined],
    ['asks for the consent alone with --outcome', ['--outcome', 'failure'], ['y'], 'failure'],
  ])('%s', async (_, argv, answers, status) => {
    const server = await surroundings.startService(accepting)
    const { terminal } = createRecordingTerminal(surroundings.home)
    let asked = 0
    const ask = async (): Promise<string> => answers[asked++] ?? ''
    expect(
      await main(['upload', writeBatchFile(), '--url', server.url, '--token', 't', ...argv], { ...terminal, ask }),
    ).toBe(0)
    expect(asked).toBe(answers.length)
    const sent = server.requests.find(({ line }) => line === 'POST /api/ingest')?.body
    expect(sent).toEqual({ traces: body.traces.map((trace) => ({ ...trace, ...(status && { outcome: { status } }) })) })
  })

  test.each([
    [['--outcome', 'won'], '--outcome: `won` is not one of success, failure, partial, unknown.'],
    [['--tests-passed', '3'], '--tests-passed needs --outcome.'],
    [['--outcome', 'partial', '--tests-failed', '1e3'], '--tests-failed: use a whole number from 0.'],
  ])('%j exits with 2 and sends nothing', async (argv, message) => {
    const server = await surroundings.startService(accepting)
    const { done, notes } = upload(server, '--yes', ...argv)
    expect(await done).toBe(2)
    expect(notes).toEqual([message])
    expect(server.requests).toEqual([])
  })

  test('forgets a job that the service no longer has, and sends the rest', async () => {
    const server = await surroundings.startService(accepting)
    mkdirSync(join(surroundings.home, 'config'))
    const gone = { jobIds: ['j0'], pendingJobs: [{ jobId: 'j0', projects: {} }], projects: {} }
    writeFileSync(locateRecord(), JSON.stringify({ [server.url]: gone }))
    const { done, outs, notes } = upload(server, '--yes')
    expect(await done).toBe(0)
    expect(notes).toContain('The service has no job j0 any more; its traces that are not stored are sent again.')
    expect(outs[0]).toMatch(/stored +2 +3/)
    expect(JSON.parse(readFileSync(locateRecord(), 'utf8'))).toMatchObject({ [server.url]: { pendingJobs: [] } })
  })

  test('adds the blocked terms of setup to the blocked terms of the account', async () => {
    const terms = { ok: true, terms: ['Roe'], updatedAt: null, pending: 0 }
    const server = await surroundings.startService({
      ...accepting,
      'GET /api/account/blocked-terms': [[200, terms]],
      'PUT /api/account/blocked-terms': [[200, terms]],
    })
    expect(
      await main(
        ['setup', '--blocked-term', 'Jane', '--blocked-term', 'Roe'],
        createRecordingTerminal(surroundings.home).terminal,
      ),
    ).toBe(0)
    expect(await upload(server, '--yes').done).toBe(0)
    const put = server.requests.find(({ line }) => line === 'PUT /api/account/blocked-terms')
    expect(put?.body).toEqual({ terms: ['Roe', 'Jane'] })
  })

  test.each([[[]], [['--token', 't']]])('sends no request in a dry run, given %j', async (login) => {
    const server = await surroundings.startService({})
    const { terminal, outs } = createRecordingTerminal(surroundings.home)
    expect(
      await main(['upload', '--dry-run', '--json', writeBatchFile(), '--url', server.url, ...login], terminal),
    ).toBe(0)
    expect(JSON.parse(outs[0]!)).toMatchObject({ ok: true, traces: 3, nextSteps: ['preview', 'upload --yes'] })
    expect(await main(['upload', '--dry-run', writeBatchFile(), '--url', server.url, ...login], terminal)).toBe(0)
    expect(outs[1]).toContain('Dry run: nothing was sent, and the service was not contacted.')
    expect(server.requests).toEqual([])
  })

  test.each([
    ['a file that is not a session', 'notes.txt', 'hello', 'No conversation that this client can read'],
    ['an empty folder', 'empty', null, 'The folder has no session files.'],
    ['a path that does not exist', 'missing.jsonl', undefined, 'File not found'],
  ])('exits with 1 for %s', async (_, name, content, message) => {
    const path = join(surroundings.home, name)
    if (content === null) mkdirSync(path)
    else if (content !== undefined) writeFileSync(path, content)
    for (const command of [['upload', '--dry-run'], ['preview']]) {
      const { terminal, notes } = createRecordingTerminal(surroundings.home)
      expect(await main([...command, path], terminal)).toBe(1)
      expect(notes[0]).toContain(message)
    }
  })
})
