import type { Signed } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import type { ServiceOptions } from '../config.ts'
import { memoryStores } from '../memory/index.ts'
import { admin, contributor, open, sent } from './contributor.fixture.ts'

const day = 24 * 3600 * 1000

describe('what stands before both ways to upload', () => {
  const refused: [reason: string, options: Partial<ServiceOptions>, undo: (who: Signed, ask: ReturnType<typeof open>['ask']) => Promise<unknown>][] = [
    ['contributor_approval_required', { approval: 'manual' }, async () => undefined],
    ['country_unknown', { country: () => null }, async () => undefined],
    ['us_upload_required', { country: () => 'DE' }, async () => undefined],
    ['residency_required', {}, (who, ask) => ask('POST', '/api/account/terms', { headers: who.bearer, json: { termsVersion: '2026-11-01', residencyConfirmed: false } })],
    ['contributor_paused', {}, (who, ask) => ask('PATCH', '/api/account', { headers: who.bearer, json: { paused: true } })],
  ]

  test.each(refused)('%s', async (reason, options, undo) => {
    const made = open(memoryStores(), options)
    const who = await contributor(made)
    await undo(who, made.ask)
    for (const [path, json] of [['/api/ingest', { traces: [sent('a')] }], ['/api/ingest/uploads', { bytes: 10 }]] as const) {
      const answer = await made.ask('POST', path, { headers: who.bearer, json })
      expect([answer.status, answer.json]).toEqual([403, expect.objectContaining({ ok: false, error: reason })])
    }
  })
})

test('a failed job can be tried again for a week, and then its upload is gone', async () => {
  const stores = memoryStores()
  const made = open(stores)
  const who = await contributor(made)
  const { jobId } = (await made.ask('POST', '/api/ingest', { headers: who.bearer, json: { traces: [sent('a')] } })).json
  const bytes = (await stores.blobs.get(`upload/${jobId}/0`))!
  await stores.blobs.delete(`upload/${jobId}/0`)
  for (let attempt = 0; attempt < 5; attempt++) {
    await made.service.work()
    made.clock.advance(3_600_000)
  }
  await stores.blobs.put(`upload/${jobId}/0`, bytes)
  made.clock.advance(8 * day)
  await made.service.work()
  expect(await made.ask('POST', `/api/admin/jobs/${jobId}/retry`, { headers: admin })).toMatchObject({ status: 410, json: { ok: false, error: 'upload_gone' } })
})
