import { createTestStores, fixture, makeId, makeTrace, seedTraces } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { createScrubber, type Scrubber } from '../scrubber/index.ts'
import { VERSION } from '../scrubber/version.ts'

const adminToken = 'operator-of-the-test'
const operator = { authorization: `Bearer ${adminToken}` }
const token = `gh${'p_'}A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8`
const makeMessage = (content: string) => ({
  position: 0,
  role: 'user',
  content,
  tokenCount: 9,
  createdAt: null,
  truncated: false,
})

/**
 * Stores a trace that an older version of the scrubber scrubbed, with text that the current version replaces. Returns
 * the trace in the form of each of the three outputs.
 */
async function read(more: object, scrubber?: Scrubber, withheld: string | null = null) {
  const stores = createTestStores()
  const { ask, signIn } = fixture({ stores, adminToken, ...(scrubber ? { scrubber } : {}) })
  const { bearer, userId } = await signIn()
  await seedTraces(stores.client, userId, [
    makeTrace('old', 0, {
      sourceId: `run of ${token}`,
      model: 'jane@acme.io',
      parentTraceId: 'jane@acme.io',
      redactions: '{"email":2}',
      scrubVersion: 'older',
      messages: JSON.stringify([makeMessage(`use ${token} now`), makeMessage('said [EMAIL_1]')]),
      ...more,
    }),
  ])
  await stores.client.execute({ sql: 'update traces set withheld = ?', args: [withheld] })
  const download = await ask('GET', `/api/traces/${makeId('old', 0)}/download`, { headers: bearer })
  const dataset = await ask('GET', '/api/admin/dataset', { headers: operator })
  const account = await ask('GET', '/api/account/export', { headers: bearer })
  return { download, dataset: dataset.text, exported: JSON.parse(account.text).account.traces[0] }
}

test('the export adds the reason for each new placeholder, and keeps the reasons of older placeholders', async () => {
  const older = { category: 'email', rule: 'older-rule', score: 0.7 }
  const { exported } = await read({ replacements: JSON.stringify({ EMAIL_1: older }) })
  expect(exported.replacements).toEqual({
    EMAIL_1: older,
    EMAIL_2: expect.objectContaining({ category: 'email', rule: 'email', score: 1 }),
    GITHUB_TOKEN_1: expect.objectContaining({ category: 'token', rule: expect.stringContaining('github') }),
  })
})

test('a trace whose content was damaged during the last pass is shown again when its content is back', async () => {
  const { download, exported } = await read({ scrubVersion: VERSION }, undefined, 'damaged')
  expect([download.status, download.json.messages[0].content]).toEqual([200, 'use [GITHUB_TOKEN_1] now'])
  expect(exported).not.toHaveProperty('skipped')
  expect((await read({ scrubVersion: VERSION }, undefined, 'refused')).download.status).toBe(502)
})

// promise: what-older-version-stored
test('download, dataset and export return no value that an older scrubber version missed', async () => {
  const { download, dataset, exported } = await read({})
  expect(download.json).toMatchObject({
    sourceId: expect.stringMatching(/^run of \[GITHUB_TOKEN_1\]~[0-9a-f]{12}$/),
    model: '[EMAIL_2]',
    parentTraceId: expect.stringMatching(/^\[EMAIL_1\]~[0-9a-f]{12}$/),
    scrub: { version: VERSION, redactions: { token: 2, email: 4 } },
    messages: [makeMessage('use [GITHUB_TOKEN_1] now'), makeMessage('said [EMAIL_1]')],
  })
  expect(JSON.parse(dataset)).toEqual({
    ...download.json,
    contentHash: expect.not.stringContaining(download.json.contentHash),
  })
  expect(exported).toMatchObject(download.json)
  for (const text of [download.text, dataset, JSON.stringify(exported)]) {
    expect(text).not.toContain(token)
    expect(text).not.toContain('jane@acme.io')
  }
})

test('download, dataset and export omit a trace that the current scrubber refuses, and its names', async () => {
  const { download, dataset, exported } = await read({}, createScrubber({ reject: ['token'] }))
  expect([download.status, download.json]).toEqual([502, { ok: false, error: 'blob_unavailable' }])
  expect(dataset).toBe('')
  expect(exported).toMatchObject({
    sourceId: '[REFUSED]',
    model: null,
    parentTraceId: null,
    messages: null,
    skipped: 'refused',
  })
})

test('work does not read traces of the current version, and stores only the version of an unchanged trace', async () => {
  // The machine's label at a sign-in is one text for the scrubber. A trace is four texts.
  let calls = 0
  const counting: Scrubber = {
    version: 'now',
    scrub: (texts) => ((calls += texts.length > 1 ? 1 : 0), createScrubber().scrub(texts)),
  }
  const { download } = await read({ scrubVersion: 'now' }, counting)
  expect([download.status, calls]).toEqual([200, 0])
  const clean = await read(
    {
      sourceId: 'run',
      model: null,
      parentTraceId: null,
      redactions: '{}',
      messages: JSON.stringify([makeMessage('hello')]),
    },
    counting,
  )
  expect(clean.download.json).toMatchObject({
    sourceId: 'run',
    scrub: { version: 'now', redactions: {} },
    messages: [makeMessage('hello')],
  })
  expect(calls).toBe(3)
})
