import { check, type Check } from './check.ts'
import {
  amount,
  matchItems,
  matchIssues,
  listOf,
  madeId,
  matchOrNull,
  makeMatcher,
  time,
  wholeNumber,
} from './matchers.ts'
import type { StoredTrace } from './stored-traces.ts'

const known = '/api/traces/known'
const bulk = '/api/traces/bulk'
const invalid = { ok: false, error: 'invalid_body' }
const lost = { ok: false, error: 'not_found' }
const strange = '018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71'
const makeState = (id: string, sellExcluded = false) => ({ id, sellExcluded, saleCount: 0, locked: false })
const listIds = (ids: readonly StoredTrace[]): string[] => ids.map(({ id }) => id)
const someText = makeMatcher('text', (value) => typeof value === 'string')

/** The checks of the paths below `/api/traces`, except the policy and the contributor. */
export const traces: readonly Check[] = [
  check(
    'E7',
    'the stored hashes are returned, once each, in the order sent',
    ['contributor'],
    async ({ ask, contributor, stored }) => {
      const [a, b] = (await stored(2)).map(({ hash }) => hash) as [string, string]
      const hashes = ['f'.repeat(64), b, 'no hash', a, b, a]
      await ask('POST', known, { as: (await contributor()).bearer, json: { hashes } }).is(200, {
        ok: true,
        known: [b, a],
      })
    },
  ),
  check('E7', 'an empty list returns an empty list', ['person'], async ({ ask, person }) => {
    await ask('POST', known, { as: (await person()).bearer, json: { hashes: [] } }).is(200, { ok: true, known: [] })
  }),
  check('E7', '5,000 hashes are accepted, and one more hash returns 400', ['person'], async ({ ask, person }) => {
    const { bearer } = await person()
    const hashes = Array.from({ length: 5000 }, (_, i) => i.toString(16).padStart(64, '0'))
    await ask('POST', known, { as: bearer, json: { hashes } }).is(200, { ok: true, known: [] })
    await ask('POST', known, { as: bearer, json: { hashes: [...hashes, 'a'] } }).is(400, {
      ...invalid,
      issues: matchIssues('hashes'),
    })
  }),
  check(
    'E7',
    'a hash has 1 to 128 characters, and every invalid one is an issue',
    ['person'],
    async ({ ask, person }) => {
      const { bearer } = await person()
      await ask('POST', known, { as: bearer, json: { hashes: ['x', 'x'.repeat(128)] } }).is(200, {
        ok: true,
        known: [],
      })
      await ask('POST', known, { as: bearer, json: { hashes: ['', 'x', 'x'.repeat(129), 7] } }).is(400, {
        ...invalid,
        issues: matchIssues('hashes.0', 'hashes.2', 'hashes.3'),
      })
      await ask('POST', known, { as: bearer, json: {} }).is(400, { ...invalid, issues: matchIssues('hashes') })
    },
  ),
  check('E7', 'a body of 1 MiB is accepted, and one byte more returns 413', ['person'], async ({ ask, person }) => {
    const { bearer } = await person()
    const limit = 1024 * 1024
    const makeBodyOfSize = (bytes: number): string => '{"hashes":[]}'.padEnd(bytes, ' ')
    await ask('POST', known, { as: bearer, body: makeBodyOfSize(limit), gzip: true }).is(200, { ok: true, known: [] })
    ;(
      await ask('POST', known, { as: bearer, body: makeBodyOfSize(limit + 1), gzip: true }).is(413, {
        ok: false,
        error: 'body_too_large',
      })
    ).has('x-body-limit', String(limit))
  }),
  check(
    'E8',
    'a trace returns its sale state, with the id in upper or lower case',
    ['contributor'],
    async ({ ask, contributor, stored }) => {
      const [trace] = await stored(1)
      const { bearer } = await contributor()
      for (const id of [trace!.id, trace!.id.toUpperCase()])
        (await ask('GET', `/api/traces/${id}`, { as: bearer }).is(200, { ok: true, trace: makeState(trace!.id) })).has(
          'cache-control',
          /no-store/,
        )
    },
  ),
  check('E8', 'UUIDs of every version are valid ids; other texts are not', ['person'], async ({ ask, person }) => {
    const { bearer } = await person()
    const base = '018f3c5e-7b1a-Xc3d-Ya52-0f4e6d8b2a71'
    const formatVersion = (version: string, variant: string): string => base.replace('X', version).replace('Y', variant)
    const good = [...'12345678']
      .map((version) => formatVersion(version, 'a'))
      .concat(
        [...'89bAB'].map((variant) => formatVersion('4', variant)),
        '0'.repeat(8) + '-0000-0000-0000-' + '0'.repeat(12),
        'f'.repeat(8) + '-ffff-ffff-ffff-' + 'f'.repeat(12),
        'F'.repeat(8) + '-FFFF-FFFF-FFFF-' + 'F'.repeat(12),
      )
    for (const id of good) await ask('GET', `/api/traces/${id}`, { as: bearer }).is(404, lost)
    for (const id of [
      formatVersion('0', 'a'),
      formatVersion('9', 'a'),
      formatVersion('4', 'c'),
      formatVersion('4', '7'),
      base,
      `${strange}0`,
      strange.replaceAll('-', ''),
    ])
      await ask('GET', `/api/traces/${id}`, { as: bearer }).is(400, { ok: false, error: 'invalid_id' })
  }),
  check(
    'E8',
    'a trace of another user returns 404 for every method',
    ['contributor', 'mailbox'],
    async ({ ask, own, contributor, stored }) => {
      const [trace] = await stored(1)
      const as = (await own('stranger')).bearer
      await ask('GET', `/api/traces/${trace!.id}`, { as }).is(404, lost)
      await ask('PATCH', `/api/traces/${trace!.id}`, { as, json: { sellExcluded: true } }).is(404, lost)
      await ask('GET', `/api/traces/${trace!.id}/download`, { as }).is(404, lost)
      await ask('POST', bulk, { as, json: { ids: [trace!.id], action: 'exclude' } }).is(200, {
        ok: true,
        updatedIds: [],
        updatedCount: 0,
        skippedCount: 1,
      })
      await ask('DELETE', bulk, { as, json: { ids: [trace!.id] } }).is(200, {
        ok: true,
        deletedIds: [],
        skippedSoldIds: [],
      })
      await ask('GET', `/api/traces/${trace!.id}`, { as: (await contributor()).bearer }).is(200, {
        ok: true,
        trace: makeState(trace!.id),
      })
    },
  ),
  check(
    'E9',
    'a trace can be excluded and included, and keeps the last state',
    ['contributor'],
    async ({ ask, contributor, stored }) => {
      const [trace] = await stored(1)
      const { bearer } = await contributor()
      for (const sellExcluded of [true, true, false]) {
        await ask('PATCH', `/api/traces/${trace!.id}`, { as: bearer, json: { sellExcluded } }).is(200, {
          ok: true,
          trace: makeState(trace!.id, sellExcluded),
        })
        await ask('GET', `/api/traces/${trace!.id}`, { as: bearer }).is(200, {
          ok: true,
          trace: makeState(trace!.id, sellExcluded),
        })
      }
    },
  ),
  check('E9', 'sellExcluded must be a boolean', ['contributor'], async ({ ask, contributor, stored }) => {
    const [trace] = await stored(1)
    for (const json of [{}, { sellExcluded: 'true' }, { sellExcluded: null }, { sellExcluded: 1 }])
      await ask('PATCH', `/api/traces/${trace!.id}`, { as: (await contributor()).bearer, json }).is(400, invalid)
  }),
  check('E9', 'an unknown trace returns 404', ['person'], async ({ ask, person }) => {
    await ask('PATCH', `/api/traces/${strange}`, { as: (await person()).bearer, json: { sellExcluded: true } }).is(
      404,
      lost,
    )
  }),
  check(
    'E10',
    'the document is complete, is a download, and cannot be cached',
    ['contributor'],
    async ({ ask, contributor, stored }) => {
      const [trace] = await stored(1)
      const makeMessageShape = (position: number, role: string) => ({
        position,
        role,
        content: someText,
        tokenCount: wholeNumber,
        createdAt: null,
        truncated: false,
      })
      const reply = await ask('GET', `/api/traces/${trace!.id}/download`, { as: (await contributor()).bearer })
      reply.is(200, {
        id: trace!.id,
        source: 'claude_code_jsonl',
        sourceId: trace!.sourceId,
        title: someText,
        model: 'model-1',
        createdAt: '2026-11-01T00:00:00.000Z',
        parentTraceId: null,
        segmentIndex: null,
        contentHash: trace!.hash,
        scrub: { version: someText, redactions: {} },
        messages: [makeMessageShape(0, 'user'), makeMessageShape(1, 'assistant')],
      })
      reply
        .has('content-disposition', `attachment; filename="trace-${trace!.id}.json"`)
        .has('cache-control', 'private, no-store')
    },
  ),
  check('E10', 'an unknown trace returns 404', ['person'], async ({ ask, person }) => {
    await ask('GET', `/api/traces/${strange}/download`, { as: (await person()).bearer }).is(404, lost)
  }),
  check(
    'E3',
    'listed traces are excluded and included, each id counted once',
    ['contributor'],
    async ({ ask, contributor, stored }) => {
      const { bearer } = await contributor()
      const ids = listIds(await stored(2))
      for (const action of ['exclude', 'exclude', 'include'] as const) {
        const sent = [ids[0], ids[1]!.toUpperCase(), ids[0], strange]
        await ask('POST', bulk, { as: bearer, json: { ids: sent, action } }).is(200, {
          ok: true,
          updatedIds: matchItems(ids),
          updatedCount: 2,
          skippedCount: 1,
        })
        for (const id of ids)
          await ask('GET', `/api/traces/${id}`, { as: bearer }).is(200, {
            ok: true,
            trace: makeState(id, action === 'exclude'),
          })
      }
    },
  ),
  check('E3', '1 to 500 ids and one of two actions are accepted', ['person'], async ({ ask, person }) => {
    const { bearer } = await person()
    const ids = Array.from({ length: 500 }, (_, i) => `018f3c5e-7b1a-7c3d-9a52-${String(i).padStart(12, '0')}`)
    await ask('POST', bulk, { as: bearer, json: { ids, action: 'exclude' } }).is(200, {
      ok: true,
      updatedIds: [],
      updatedCount: 0,
      skippedCount: 500,
    })
    for (const json of [
      { ids: [...ids, strange], action: 'exclude' },
      { ids: [], action: 'exclude' },
      { ids: ['no'], action: 'exclude' },
      { ids: [strange] },
      { ids: [strange], action: 'delete' },
      { action: 'include' },
      { ids: strange, action: 'include' },
    ]) {
      await ask('POST', bulk, { as: bearer, json }).is(400, invalid)
    }
  }),
  check(
    'E4',
    'a deleted trace returns 404 on every route, and its hash stays known',
    ['contributor'],
    async ({ ask, contributor, stored }) => {
      const { bearer } = await contributor()
      const gone = await stored(2)
      const ids = listIds(gone)
      await ask('DELETE', bulk, { as: bearer, json: { ids: [...ids, ids[0]!.toUpperCase(), strange] } }).is(200, {
        ok: true,
        deletedIds: matchItems(ids),
        skippedSoldIds: [],
      })
      for (const id of ids) {
        await ask('GET', `/api/traces/${id}`, { as: bearer }).is(404, lost)
        await ask('GET', `/api/traces/${id}/download`, { as: bearer }).is(404, lost)
        await ask('PATCH', `/api/traces/${id}`, { as: bearer, json: { sellExcluded: true } }).is(404, lost)
      }
      await ask('POST', bulk, { as: bearer, json: { ids, action: 'include' } }).is(200, {
        ok: true,
        updatedIds: [],
        updatedCount: 0,
        skippedCount: 2,
      })
      await ask('DELETE', bulk, { as: bearer, json: { ids } }).is(200, { ok: true, deletedIds: [], skippedSoldIds: [] })
      const hashes = gone.map(({ hash }) => hash)
      await ask('POST', known, { as: bearer, json: { hashes } }).is(200, { ok: true, known: hashes })
    },
  ),
  check('E4', '1 to 500 ids are accepted', ['person'], async ({ ask, person }) => {
    const { bearer } = await person()
    const ids = Array.from({ length: 500 }, (_, i) => `018f3c5e-7b1a-7c3d-9a52-${String(i).padStart(12, '0')}`)
    await ask('DELETE', bulk, { as: bearer, json: { ids } }).is(200, { ok: true, deletedIds: [], skippedSoldIds: [] })
    for (const json of [{ ids: [...ids, strange] }, { ids: [] }, {}, { ids: ['no'] }])
      await ask('DELETE', bulk, { as: bearer, json }).is(400, invalid)
  }),
  check(
    'traces',
    'the list is paginated from the newest trace to the oldest',
    ['contributor', 'mailbox'],
    async ({ ask, contributor, stored, target, skip }) => {
      if (target.token !== undefined) skip("the given person's list may be long")
      const { bearer } = await contributor()
      const newest = listIds(await stored(3))
      const item = {
        id: madeId,
        sellExcluded: makeMatcher('a boolean', (value) => typeof value === 'boolean'),
        saleCount: wholeNumber,
        locked: makeMatcher('a boolean', (value) => typeof value === 'boolean'),
        source: someText,
        model: matchOrNull(someText),
        createdAt: time,
        tokenCount: wholeNumber,
        estimatedUsd: amount,
        title: matchOrNull(someText),
        uploadedAt: time,
        redactions: wholeNumber,
      }
      const seen: string[] = []
      let cursor = ''
      do {
        const reply = await ask('GET', `/api/traces?limit=7${cursor}`, { as: bearer })
        const { json } = reply.is(200, { ok: true, traces: listOf(item), nextCursor: matchOrNull(someText) })
        reply.must(
          json.traces.length === 7 || (json.nextCursor === null && json.traces.length < 7),
          'full pages before the last',
        )
        seen.push(...json.traces.map(({ id }: { id: string }) => id))
        cursor = json.nextCursor === null ? '' : `&cursor=${encodeURIComponent(json.nextCursor)}`
      } while (cursor !== '')
      const whole200 = await ask('GET', '/api/traces?limit=200', { as: bearer }).is(200)
      whole200.must(
        new Set(seen).size === seen.length && newest.every((id) => seen.includes(id)),
        'every trace once over the pages',
      )
    },
  ),
  check('traces', 'the limit of the list is 1 to 200', ['person'], async ({ ask, person }) => {
    const { bearer } = await person()
    for (const limit of [1, 200]) await ask('GET', `/api/traces?limit=${limit}`, { as: bearer }).is(200)
    for (const query of ['limit=0', 'limit=201', 'limit=x', 'limit=1.5', 'cursor=%21', 'cursor=zzz'])
      await ask('GET', `/api/traces?${query}`, { as: bearer }).is(400, { ok: false, error: 'invalid_query' })
  }),
  check(
    'traces',
    'the list and its totals are filtered by state, source, dates and words of the title',
    ['contributor', 'mailbox'],
    async ({ ask, contributor, stored, target, skip }) => {
      if (target.token !== undefined) skip("the given person's list may be long")
      const { bearer } = await contributor()
      const [excluded, kept] = listIds(await stored(2)) as [string, string]
      await ask('PATCH', `/api/traces/${excluded}`, { as: bearer, json: { sellExcluded: true } }).is(200)
      const listTraceIds = async (query: string): Promise<string[]> => {
        const { json } = await ask('GET', `/api/traces?limit=200&${query}`, { as: bearer }).is(200)
        return json.traces.map(({ id }: { id: string }) => id)
      }
      const expected: readonly [query: string, hasExcluded: boolean, hasKept: boolean][] = [
        ['state=excluded', true, false],
        ['state=for_sale', false, true],
        ['state=sold', false, false],
        ['source=claude_code_jsonl', true, true],
        ['source=codex_jsonl', false, false],
        ['from=2026-11-01&to=2026-11-01', true, true],
        ['from=2026-11-02', false, false],
        ['to=2026-10-31', false, false],
        ['q=FUNCTION%20run', true, true],
        ['q=elephant', false, false],
      ]
      for (const [query, hasExcluded, hasKept] of expected) {
        // Other checks store traces of the same person at the same time, so the traces are listed until two lists are
        // equal.
        let [listed, counted, listedAfter]: [string[] | null, number, string[]] = [null, 0, await listTraceIds(query)]
        while (listed?.join() !== listedAfter.join()) {
          listed = listedAfter
          counted = (await ask('GET', `/api/traces/stats?${query}`, { as: bearer }).is(200)).json.traces
          listedAfter = await listTraceIds(query)
        }
        if (listed.includes(excluded) !== hasExcluded || listed.includes(kept) !== hasKept)
          throw new Error(`GET /api/traces?${query} lists the wrong traces`)
        if (counted !== listed.length) throw new Error(`GET /api/traces/stats?${query} counts ${counted}`)
      }
    },
  ),
  check('traces', 'the totals of traces have a count for each state', ['contributor'], async (context) => {
    const { ask, contributor, stored } = context
    await stored(1)
    const reply = await ask('GET', '/api/traces/stats', { as: (await contributor()).bearer })
    const { json } = reply.is(200, {
      ok: true,
      traces: wholeNumber,
      forSale: wholeNumber,
      excluded: wholeNumber,
      sold: wholeNumber,
      tokens: wholeNumber,
      estimatedUsd: amount,
      redactions: makeMatcher('counts by category', (value) => Object.values(value as object).every(Number.isInteger)),
    })
    reply.must(json.forSale + json.excluded + json.sold === json.traces && json.traces > 0, 'states that add up')
  }),
  check('traces', 'an invalid filter returns 400 invalid_query', ['person'], async ({ ask, person }) => {
    const { bearer } = await person()
    for (const query of ['state=new', 'source=nobody', 'from=yesterday', 'to=2026-13-01', 'q=', `q=${'x'.repeat(101)}`])
      for (const path of ['/api/traces', '/api/traces/stats'])
        await ask('GET', `${path}?${query}`, { as: bearer }).is(400, { ok: false, error: 'invalid_query' })
  }),
]
