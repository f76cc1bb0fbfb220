import type { Fixture, Signed } from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { contentHash } from '../index.ts'
import type { AsyncDetector } from '../scrubber/index.ts'
import type { ServiceOptions } from '../service/options.ts'
import {
  admin,
  makeTraceInput,
  openAutoApprovingService,
  places,
  signInContributor,
  type Place,
} from './contributor.fixture.ts'

const secret = 'a secret of this service'

/**
 * Names that the scrubber keeps or replaces depending on the text of the trace. `first` is the text of the first
 * upload, and `longer` is the text of the longer version.
 */
const pairs: Record<string, { sourceId: string; first: string; longer: string }> = {
  'a home folder and an author learned later': {
    sourceId: '-home-zebulonk-shop',
    first: 'How do I sort a list?',
    longer: 'cd /home/zebulonk/shop && git log: Author: Zebulon Krantz <zebulonk@krantz.dev>',
  },
  'a user name': { sourceId: 'zebulonk-42', first: 'How do I sort a list?', longer: 'ls /Users/zebulonk/code' },
  'a session id that the text repeats as a password': {
    sourceId: 'f3Zk91qLw8Xv2Bn6',
    first: 'How do I sort a list?',
    longer: 'password=f3Zk91qLw8Xv2Bn6',
  },
  'a company that is a folder': {
    sourceId: 'quorvexa-billing',
    first: 'How do I sort a list?',
    longer:
      'git config user.email dev@quorvexa.io; git remote add origin git@github.com:quorvexa/billing.git; git push',
  },
}

describe.each(Object.keys(places))('conversations over %s', (kind) => {
  let place: Place
  let made: Fixture
  let ann: Signed
  const openService = (options: Partial<ServiceOptions> = {}): Fixture =>
    openAutoApprovingService(place.stores, { secret, ...options })
  beforeEach(async () => {
    place = await places[kind]!()
    made = openService()
    ann = await signInContributor(made)
  })
  afterEach(() => place.close())

  /** Uploads one trace. Returns its outcome. */
  async function upload(
    sourceId: string,
    content: string,
    service = made,
    more: object = {},
  ): Promise<{ outcome: string; traceId: string | null }> {
    const trace = makeTraceInput(sourceId, { messages: [{ role: 'user', content }], ...more })
    const { json } = await service.ask('POST', '/api/ingest', { headers: ann.bearer, json: { traces: [trace] } })
    await service.service.work()
    const { outcomes } = (await service.ask('GET', `/api/ingest/jobs/${json.jobId}/outcomes`, { headers: ann.bearer }))
      .json
    return { outcome: outcomes[0].outcome, traceId: outcomes[0].traceId }
  }
  const hashOf = (content: string): string => contentHash([{ role: 'user', content }])
  const listKnown = async (...contents: string[]) =>
    (await made.ask('POST', '/api/traces/known', { headers: ann.bearer, json: { hashes: contents.map(hashOf) } })).json
  const block = (...terms: string[]) =>
    made.ask('PUT', '/api/account/blocked-terms', { headers: ann.bearer, json: { terms } })
  const deleteTrace = (id: string | null) =>
    made.ask('DELETE', '/api/traces/bulk', { headers: ann.bearer, json: { ids: [id] } })
  const sell = async (id: string | null): Promise<void> => {
    const json = { buyer: 'b', traceIds: [id], usd: 1 }
    expect((await made.ask('POST', '/api/admin/sales', { headers: admin, json })).json.soldIds).toEqual([id])
  }

  describe.each(Object.entries(pairs))('%s', (_, { sourceId, first, longer }) => {
    test('POST /api/ingest updates the conversation with its longer version, and forgets the old hash', async () => {
      const { traceId } = await upload(sourceId, first)
      await made.ask('PATCH', `/api/traces/${traceId}`, { headers: ann.bearer, json: { sellExcluded: true } })
      expect(await upload(sourceId, longer)).toEqual({ outcome: 'updated', traceId })
      expect(await listKnown(first, longer)).toEqual({ ok: true, known: [hashOf(longer)] })
      const { traces } = (await made.ask('GET', '/api/traces', { headers: ann.bearer })).json
      expect(traces).toMatchObject([{ id: traceId, sellExcluded: true }])
    })

    test(
      'POST /api/ingest returns deleted_before for the longer version of a deleted conversation',
      { tags: 'long' },
      async () => {
        await deleteTrace((await upload(sourceId, first)).traceId)
        expect(await upload(sourceId, longer)).toEqual({ outcome: 'deleted_before', traceId: null })
      },
    )
  })

  test('POST /api/ingest recognizes a conversation after a term in its name was blocked, re-scrubbed and unblocked', async () => {
    const [sold, kept, deleted] = [
      await upload('kumquat-sold', 'one'),
      await upload('kumquat-kept', 'two'),
      await upload('kumquat-deleted', 'three'),
    ]
    await sell(sold.traceId)
    await deleteTrace(deleted.traceId)
    const expectRecognized = async (version: string): Promise<void> => {
      expect([
        await upload('kumquat-sold', `one ${version}`),
        await upload('kumquat-kept', `two ${version}`),
        await upload('kumquat-deleted', `three ${version}`),
      ]).toEqual([
        { outcome: 'already_sold', traceId: sold.traceId },
        { outcome: 'updated', traceId: kept.traceId },
        { outcome: 'deleted_before', traceId: null },
      ])
    }
    await block('kumquat')
    await expectRecognized('blocked')
    await made.service.work()
    await expectRecognized('scrubbed again')
    await block()
    await expectRecognized('no longer blocked')
  })

  test('POST /api/ingest recognizes a conversation after a detector was added to the service', async () => {
    const { traceId } = await upload('session-1', 'one')
    const detector: AsyncDetector = {
      id: 'sessions',
      version: '1',
      detect: async (texts) =>
        texts.map((text) =>
          [...text.matchAll(/session/g)].map(({ index }) => ({ start: index, end: index + 7, category: 'person' })),
        ),
    }
    const others = openService({ detectors: [detector] })
    expect(await upload('session-1', 'two', others)).toEqual({ outcome: 'updated', traceId })
    await deleteTrace(traceId)
    expect(await upload('session-1', 'three')).toEqual({ outcome: 'deleted_before', traceId: null })
  })

  test('POST /api/ingest recognizes a conversation after a secret was set, after rotation, and without the oldest secret', async () => {
    const withoutSecret = openService({ secret: [] })
    const [kept, deleted] = [await upload('kept', '1', withoutSecret), await upload('gone', '2', withoutSecret)]
    await deleteTrace(deleted.traceId)
    const steps = [
      [secret],
      ['the second secret', secret],
      ['the second secret'],
      ['the third secret', 'the second secret'],
    ]
    for (const [n, secrets] of steps.entries()) {
      const service = openService({ secret: secrets })
      expect(await upload('kept', `1 again ${n}`, service)).toEqual({ outcome: 'updated', traceId: kept.traceId })
      expect(await upload('gone', `2 again ${n}`, service)).toEqual({ outcome: 'deleted_before', traceId: null })
    }
  })

  test('POST /api/ingest finds a trace without a conversation by a former name, and otherwise computes no former names', async () => {
    const { ingest } = place.stores
    const hasFormerNames: boolean[][] = []
    const writeBatch: typeof ingest.writeBatch = (params) => {
      for (const trace of params.traces)
        if (trace.kind === 'scrubbed')
          hasFormerNames.push([trace.conversation.formerNames.length > 0, trace.formerNameHashes.length > 0])
      return ingest.writeBatch(params)
    }
    const service = openAutoApprovingService({ ...place.stores, ingest: { ...ingest, writeBatch } }, { secret })
    const { traceId } = await upload('talk', 'first', service)
    await place.client.execute({ sql: 'update traces set conversation = null', args: [] })
    await place.client.execute({ sql: 'delete from conversations', args: [] })
    expect(await upload('talk', 'second', service)).toEqual({ outcome: 'updated', traceId })
    expect(await upload('talk', 'third', service)).toEqual({ outcome: 'updated', traceId })
    expect(hasFormerNames).toEqual([
      [false, false],
      [true, true],
      [false, false],
    ])
  })

  test('POST /api/ingest stores two traces separately if their names are alike after scrubbing, and accepts a missing source', async () => {
    expect(await upload('a\u0000b', 'one')).toMatchObject({ outcome: 'stored' })
    expect(await upload('a\ufffdb', 'two')).toMatchObject({ outcome: 'stored' })
    expect(await upload('a\u0000b', 'three', made, { source: 'unknown' })).toMatchObject({ outcome: 'updated' })
  })

  test('an upload that is processed after a later upload does not replace the later version or its known hash', async () => {
    const send = async (content: string): Promise<string> => {
      const trace = makeTraceInput('grows', { messages: [{ role: 'user', content }] })
      return (await made.ask('POST', '/api/ingest', { headers: ann.bearer, json: { traces: [trace] } })).json.jobId
    }
    const [earlier, later] = [await send('short'), await send('short and longer')]
    await made.service.work({ jobId: later })
    await made.service.work({ jobId: earlier })
    expect(await listKnown('short', 'short and longer')).toEqual({ ok: true, known: [hashOf('short and longer')] })
    const outcomesOf = async (jobId: string) =>
      (await made.ask('GET', `/api/ingest/jobs/${jobId}/outcomes`, { headers: ann.bearer })).json.outcomes
    const [{ traceId }] = await outcomesOf(later)
    expect(await outcomesOf(earlier)).toEqual([
      { index: 0, sourceId: 'grows', outcome: 'duplicate', traceId, redactions: 0 },
    ])
  })
})
