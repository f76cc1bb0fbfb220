import type { Fixture, Signed } from '@tributary/test-kit'
import type { ServiceEvent } from '../../events/schema.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  admin,
  makeTraceInput,
  openAutoApprovingService,
  places,
  signInContributor,
  type Place,
} from '../../ingest/contributor.fixture.ts'
import type { Stores } from '../../stores.ts'
import { buyerKey } from '../dataset/rules.ts'
import { contentHash } from '../hash.ts'
import { compareTraces, type ComparedTrace } from './compare.ts'
import { chooseFingerprints, hashShingles, ShingleSet } from './fingerprints.ts'
import { createCopyRecognizer } from './recognize.ts'
import { countTokens, toTokenRanges } from './rules.ts'
import type { CopyStore } from './store.ts'
import { readWords, type ComparedMessage } from './words.ts'

type Sent = { role: string; content: string }

/** Returns prose with the given number of sentences. Each seed gives different prose. */
function makeProse(seed: number, sentences: number): string {
  let state = seed * 2_654_435_761 + 1
  const next = (most: number): number => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0
    return (state >>> 8) % most
  }
  const word = (): string =>
    Array.from({ length: 2 + next(3) }, () => String.fromCharCode(98 + next(24)) + 'aeiou'[next(5)]!).join('')
  const sentence = (): string => `${Array.from({ length: 8 + next(8) }, word).join(' ')}.`
  return Array.from({ length: sentences }, sentence).join(' ')
}
const makeConversation = (seed: number, messages = 6): Sent[] =>
  Array.from({ length: messages }, (_, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: makeProse(seed * 100 + at, 12),
  }))

let sessions = 0

/** Returns stores that record the names of the methods that are called. */
const recordCalls = (stores: Stores, calls: string[]): Stores =>
  Object.fromEntries(
    Object.entries(stores).map(([name, port]) => [
      name,
      new Proxy(port as Record<string, unknown>, {
        get(methods, key: string) {
          const method = methods[key]
          if (typeof method !== 'function') return method
          return (...given: unknown[]) => {
            calls.push(`${name}.${key}`)
            return Reflect.apply(method, methods, given)
          }
        },
      }),
    ]),
  ) as unknown as Stores

describe.each(Object.keys(places))('copies over %s', (kind) => {
  let place: Place
  let made: Fixture
  let author: Signed
  let copier: Signed
  beforeEach(async () => {
    place = await places[kind]!()
    made = openAutoApprovingService(place.stores, {})
    author = await signInContributor(made)
    copier = await signInContributor(made)
  })
  afterEach(() => place.close())

  async function upload(person: Signed, ...conversations: Sent[][]): Promise<{ outcome: string; traceId: string }[]> {
    const traces = conversations.map((messages) => makeTraceInput(`session-${++sessions}`, { messages }))
    const { json } = await made.ask('POST', '/api/ingest', { headers: person.bearer, json: { traces } })
    await made.service.work()
    return (await made.ask('GET', `/api/ingest/jobs/${json.jobId}/outcomes`, { headers: person.bearer })).json.outcomes
  }
  const sell = async (json: object) => (await made.ask('POST', '/api/admin/sales', { headers: admin, json })).json
  const earned = async (person: Signed) =>
    (await made.ask('GET', '/api/account/earnings', { headers: person.bearer })).json

  test(
    'POST /api/admin/sales pays the author for a conversation that others copied, and leaves the copies out',
    { tags: 'long' },
    async () => {
      const talk = makeConversation(1)
      await upload(author, talk)
      await upload(
        copier,
        talk.map(({ role, content }) => ({ role, content: `${content} ` })),
      )
      await upload(copier, [...talk, { role: 'user', content: 'Thank you.' }])
      await upload(
        copier,
        talk.map((one, at) => (at === 0 ? { ...one, content: `${one.content}.` } : one)),
      )
      const dryRun = await sell({ buyer: 'Lab', usd: 100, filter: {}, dryRun: true })
      expect(dryRun).toMatchObject({ traces: 1, copies: { traces: 3 } })
      const sold = await sell({ buyer: 'Lab', usd: 100, filter: {} })
      expect(sold).toMatchObject({ traces: 1, copies: dryRun.copies })
      const { sale } = (await made.ask('GET', `/api/admin/sales/${sold.saleId}`, { headers: admin })).json
      expect(sale.skippedIds.map(({ reason }: { reason: string }) => reason)).toEqual(['copy', 'copy', 'copy'])
      const { items, pendingUsd } = await earned(author)
      expect([pendingUsd, items.length, items[0].newTokens === items[0].tokens]).toEqual([80, 1, true])
      expect((await earned(copier)).items).toEqual([])
      await upload(copier, makeConversation(2))
      const toSame = { buyer: ' LAB', usd: 1, filter: {} }
      const [again, known] = [{ traces: 1, soldBefore: 0, copies: { traces: 4 } }, ['copy', 'copy', 'copy', 'copy']]
      expect(await sell({ ...toSame, dryRun: true })).toMatchObject(again)
      const { saleId } = await sell(toSame)
      const { sale: second } = (await made.ask('GET', `/api/admin/sales/${saleId}`, { headers: admin })).json
      expect([second.traces, second.skippedIds.map(({ reason }: { reason: string }) => reason)]).toEqual([1, known])
    },
  )

  test('POST /api/admin/sales pays each contributor of a continued conversation for their own words', async () => {
    const talk = makeConversation(2)
    await upload(author, talk)
    await upload(copier, [...talk, ...makeConversation(3)])
    await sell({ buyer: 'Lab', usd: 100, filter: {} })
    const [first, second] = [await earned(author), await earned(copier)]
    expect(first.pendingUsd + second.pendingUsd).toBeCloseTo(80, 5)
    expect(second.items[0].newTokens).toBeLessThan(second.items[0].tokens * 0.6)
    expect(Math.abs(first.pendingUsd - 40)).toBeLessThan(4)
  })

  test("POST /api/admin/sales sells only the longest version of a contributor's conversation, from one or several batches", async () => {
    const talk = makeConversation(4, 8)
    await upload(author, talk.slice(0, 4), talk.slice(0, 6))
    const [whole] = await upload(author, talk)
    const sold = await sell({ buyer: 'Lab', usd: 10, filter: {} })
    expect(sold).toMatchObject({ traces: 1, copies: { traces: 2 } })
    expect(
      (await made.ask('GET', `/api/traces/${whole!.traceId}`, { headers: author.bearer })).json.trace,
    ).toMatchObject({
      saleCount: 1,
    })
  })

  test('POST /api/admin/sales sells one version of a conversation if two concurrent sales to a buyer choose two versions', async () => {
    const talk = makeConversation(8)
    const [short] = await upload(author, talk)
    const [long] = await upload(author, [...talk, { role: 'user', content: 'Thank you.' }])
    const versions = [short!, long!].map(({ traceId }) => ({ traceIds: [traceId] }))
    const listed = await Promise.all(versions.map((version) => sell({ buyer: 'Lab', usd: 1, ...version })))
    expect(listed.flatMap(({ soldIds }) => soldIds)).toHaveLength(1)
    const [byFilter, byId] = await Promise.all(
      [{ filter: {} }, versions[0]!].map((offer) => sell({ buyer: 'Firm', usd: 1, ...offer })),
    )
    expect(byFilter.traces + byId.soldIds.length).toBe(1)
    expect((await earned(author)).pendingUsd).toBe(1.6)
  })

  test('POST /api/admin/sales sells a trace whose longer version is left out as a copy of other traces', async () => {
    const [own, talk] = [makeConversation(7), makeConversation(8, 40)]
    const [original] = await upload(author, talk)
    const [short] = await upload(copier, own)
    const [long] = await upload(copier, [...own, ...talk])
    expect(await sell({ buyer: 'Lab', usd: 1, filter: {} })).toMatchObject({ traces: 2, copies: { traces: 1 } })
    const traceIds = [long!, short!, original!].map(({ traceId }) => traceId)
    expect(await sell({ buyer: 'Org', usd: 1, traceIds })).toMatchObject({
      soldIds: traceIds.slice(1),
      skippedIds: traceIds.slice(0, 1),
    })
  })

  test('POST /api/admin/sales sells a copy when its original is deleted, but not while its owner excludes it', async () => {
    const talk = makeConversation(5)
    const [original] = await upload(author, talk)
    await upload(
      copier,
      talk.map(({ role, content }) => ({ role, content: `${content} ` })),
    )
    const body = { ids: [original!.traceId] }
    await made.ask('POST', '/api/traces/bulk', { headers: author.bearer, json: { ...body, action: 'exclude' } })
    expect(await sell({ buyer: 'Lab', usd: 1, filter: {}, dryRun: true })).toMatchObject({
      traces: 0,
      copies: { traces: 1 },
    })
    await made.ask('DELETE', '/api/traces/bulk', { headers: author.bearer, json: body })
    expect(await sell({ buyer: 'Lab', usd: 1, filter: {} })).toMatchObject({ traces: 1, copies: { traces: 0 } })
  })

  /** Returns the data that an operator sees about a contributor. */
  const copiedOf = async ({ userId }: Signed): Promise<{ copiedTraces: number; copiedTokens: number }> => {
    const { json } = await made.ask('GET', `/api/admin/contributors/${userId}`, { headers: admin })
    return { copiedTraces: json.copiedTraces, copiedTokens: json.copiedTokens }
  }
  const tokensOf = async (person: Signed): Promise<number> =>
    (await made.ask('GET', `/api/admin/contributors/${person.userId}`, { headers: admin })).json.traces.tokens

  test('POST /api/ingest recognizes pieces and prefixes of one of 11 conversations, and its text joined into one message', async () => {
    const talk = makeConversation(20, 20)
    await upload(author, ...Array.from({ length: 10 }, (_, n) => makeConversation(30 + n, 20)), talk)
    expect(await copiedOf(author)).toEqual({ copiedTraces: 0, copiedTokens: 0 })
    const pieces = [0, 1, 2, 3, 4].map((n) => talk.slice(n * 4, n * 4 + 4))
    await upload(copier, ...pieces)
    await upload(copier, ...[4, 8, 12, 16, 20].map((end) => talk.slice(0, end)))
    await upload(copier, [{ role: 'user', content: talk.map(({ content }) => content).join(' ') }])
    const { copiedTraces, copiedTokens } = await copiedOf(copier)
    // The shortest prefix is also a piece, so it is a duplicate.
    expect(copiedTraces).toBe(10)
    expect(copiedTokens / (await tokensOf(copier))).toBeGreaterThan(0.95)
  })

  test('POST /api/ingest recognizes a copy of a text that 3 contributors have copied 20 times', async () => {
    const talk = makeConversation(70)
    await upload(author, talk)
    for (const n of [0, 1, 2]) {
      const thanks = Array.from({ length: 7 }, (_, at): Sent => ({ role: 'user', content: makeProse(n * 10 + at, 2) }))
      await upload(await signInContributor(made), ...thanks.map((one) => [...talk, one]))
    }
    await upload(copier, [...talk, { role: 'user', content: 'Thank you.' }])
    expect((await copiedOf(copier)).copiedTraces).toBe(1)
  })

  test(
    'POST /api/admin/sales pays nothing for copies with a system prompt that 20 traces of 3 contributors have',
    { tags: 'long' },
    async () => {
      const system = { role: 'system', content: makeProse(904, 120) }
      const people = [author, await signInContributor(made), await signInContributor(made)]
      const talks = Array.from({ length: 24 }, (_, n) => [system, ...makeConversation(200 + n, 4)])
      for (const [at, person] of people.entries()) await upload(person, ...talks.filter((_, n) => n % 3 === at))
      const joined = talks.map((talk) => [{ role: 'user', content: talk.map(({ content }) => content).join('\n\n') }])
      await upload(copier, [...talks[0]!, { role: 'user', content: 'Thank you.' }], ...joined)
      expect(await copiedOf(copier)).toMatchObject({ copiedTraces: 25 })
      expect(await sell({ buyer: 'Lab', usd: 100, filter: {} })).toMatchObject({ traces: 24, copies: { traces: 25 } })
      expect((await earned(copier)).pendingUsd).toBe(0)
      for (const person of people) expect((await copiedOf(person)).copiedTokens).toBe(0)
    },
  )

  test('GET /admin/contributors lists the contributors who send mostly copies; contributor.copies_found is sent once a day', async () => {
    const events: ServiceEvent[] = []
    made = openAutoApprovingService(place.stores, { onEvent: (event) => void events.push(event) })
    const readPage = async (query = '') => {
      const { cookies } = await made.ask('POST', '/admin/sign-in', { form: { token: admin.authorization.slice(7) } })
      const cookie = Object.entries(cookies)
        .map((pair) => pair.join('='))
        .join('; ')
      return (await made.ask('GET', `/admin/contributors?filter=copies${query}`, { headers: { cookie } })).text
    }
    expect(await readPage()).toContain('Nobody sends mostly near-duplicates.')
    const talk = makeConversation(40, 10)
    await upload(author, talk)
    const versions = Array.from({ length: 5 }, (_, n) => talk.slice(0, n + 6))
    await upload(copier, ...versions, ...Array.from({ length: 5 }, (_, n) => makeConversation(50 + n)))
    await upload(copier, [...talk, { role: 'user', content: 'Thank you.' }])
    const found = async () => {
      await made.service.work()
      return events.filter(({ type }) => type === 'contributor.copies_found').map(({ data }) => data)
    }
    expect(await found()).toEqual([{ userId: copier.userId, traceCount: 5 }])
    made.clock.advance(86_400_000)
    await upload(copier, [...talk, { role: 'user', content: 'Thanks!' }])
    expect(await copiedOf(copier)).toMatchObject({ copiedTraces: 7 })
    expect(await found()).toEqual([5, 1].map((traceCount) => ({ userId: copier.userId, traceCount })))
    expect(await place.others.copies.listCopiers({ cursor: null, limit: 9 })).toEqual({
      items: [
        {
          userId: copier.userId,
          email: expect.stringMatching(/^contributor-\d+@example\.com$/),
          traces: 12,
          copiedTraces: 7,
        },
      ],
      next: null,
    })
    const listed = await readPage()
    expect(listed).toMatch(new RegExp(`/admin/contributors/${copier.userId}[\\s\\S]*>12<[\\s\\S]*>7<`))
    expect(listed).not.toContain(author.userId)
    expect(await readPage(`&q=${copier.userId}&cursor=none`)).toContain(`/admin/contributors/${copier.userId}`)
    expect(await readPage('&cursor=signedUpAt.desc~0~n0')).not.toContain(`/admin/contributors/${copier.userId}`)
  })

  test("POST /api/ingest, /api/traces/known and a contributor's pages reveal nothing about the texts of other contributors", async () => {
    const calls: string[] = []
    made = openAutoApprovingService(recordCalls(place.stores, calls), {})
    const talk = makeConversation(60)
    await upload(author, talk)
    const answers = async (person: Signed, conversation: Sent[], name: string) => {
      const json = { traces: [makeTraceInput(name, { messages: conversation })] }
      calls.length = 0
      const hashes = [contentHash(conversation)]
      const known = await made.ask('POST', '/api/traces/known', { headers: person.bearer, json: { hashes } })
      const { jobId } = (await made.ask('POST', '/api/ingest', { headers: person.bearer, json })).json
      const before = calls.splice(0)
      await made.service.work()
      calls.length = 0
      const get = async (path: string) => {
        const { status, text } = await made.ask('GET', path, { headers: person.bearer })
        return [status, text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{64}|"title":"[^"]*"/g, '')]
      }
      const read: unknown[] = [known.text]
      for (const path of ['', '/outcomes'].map((end) => `/api/ingest/jobs/${jobId}${end}`)) read.push(await get(path))
      for (const path of ['/api/traces', '/api/account/earnings']) read.push(await get(path))
      // The requests take equally long in both cases, because they make the same calls to the stores.
      return { read, before, after: calls.splice(0) }
    }
    // The messages have the same length, so that they also have the same number of tokens.
    const own = talk.map((one) => ({ ...one, content: one.content.replaceAll(/[aeiou]/g, 'y') }))
    const other = await signInContributor(made)
    expect(await answers(copier, talk, 'same')).toEqual(await answers(other, own, 'same'))
    expect([(await copiedOf(copier)).copiedTraces, (await copiedOf(other)).copiedTraces]).toEqual([1, 0])
  })

  test('POST /api/ingest attributes words to the contributor who sent them first, even if the original becomes longer later', async () => {
    const talk = makeConversation(6, 8)
    const name = { sourceId: 'growing' }
    const send = async (person: Signed, messages: Sent[], sourceId: string) => {
      const json = { traces: [makeTraceInput(sourceId, { messages })] }
      await made.ask('POST', '/api/ingest', { headers: person.bearer, json })
      await made.service.work()
    }
    await send(author, talk.slice(0, 6), name.sourceId)
    await send(
      copier,
      talk.slice(0, 6).map((one) => ({ ...one, content: `${one.content} ` })),
      'taken',
    )
    await send(author, talk, name.sourceId)
    await sell({ buyer: 'Lab', usd: 100, filter: {} })
    expect([(await earned(author)).pendingUsd, (await earned(copier)).pendingUsd]).toEqual([80, 0])
  })
})

const yieldToEventLoop = async (): Promise<void> => {}
async function read(messages: readonly ComparedMessage[]): Promise<ComparedTrace> {
  const words = await readWords(messages, yieldToEventLoop)
  const shingles = await hashShingles(words, yieldToEventLoop)
  const shingleSet = await ShingleSet.create(shingles, yieldToEventLoop)
  return {
    words,
    shingles: () => shingles,
    shingleSet: () => shingleSet,
    fingerprints: new Set(chooseFingerprints(words, shingles).stored),
  }
}

describe('compareTraces', () => {
  const talk = makeConversation(7)
  const compare = async (
    one: readonly Sent[],
    other: readonly Sent[],
    isCommon: (shingle: number) => boolean = () => false,
  ) => compareTraces(await read(one), await read(other), { isCommon, yieldToEventLoop })
  /** Returns the share of a changed conversation's words that is recognized as copied. */
  const foundShare = async (changed: readonly Sent[]): Promise<number> => {
    const found = (await compare(changed, talk)).one.reduce((sum, [from, to]) => sum + to - from, 0)
    return found / (await read(changed)).words.hashes.length
  }
  let words = 0
  const edits: [string, (messages: readonly Sent[]) => Sent[]][] = [
    ['of an exact copy', (messages) => [...messages]],
    ['in capital letters', (messages) => messages.map((one) => ({ ...one, content: one.content.toUpperCase() }))],
    [
      'with other white space',
      (messages) => messages.map((one) => ({ ...one, content: one.content.replace(/[ .]+/g, ' \n ') })),
    ],
    [
      'split',
      (messages) =>
        messages.flatMap((one) =>
          [0, 1].map((half) => ({ ...one, content: one.content.slice(half * 300, half === 0 ? 300 : undefined) })),
        ),
    ],
    ['joined', (messages) => [{ role: 'user', content: messages.map(({ content }) => content).join('\n\n') }]],
    [
      'with every 20th word replaced',
      (messages) =>
        messages.map((one) => ({
          ...one,
          content: one.content.replace(/\w+/g, (word) => (++words % 20 === 0 ? 'other' : word)),
        })),
    ],
    [
      'with sentences in reverse order',
      (messages) => messages.map((one) => ({ ...one, content: one.content.split('. ').reverse().join('. ') })),
    ],
    ['of a piece', (messages) => messages.slice(2, 4)],
    [
      'with other numbers of placeholders',
      (messages) => messages.map((one) => ({ ...one, content: `[PERSON_1] ${one.content}` })),
    ],
  ]

  test.each(edits)('finds at least 95 % of the words %s', async (_, edit) => {
    expect(await foundShare(edit(talk))).toBeGreaterThanOrEqual(0.95)
  })

  test('finds nothing in an unrelated conversation, or in a conversation that shows the same file', async () => {
    const file = `\`\`\`\n${makeProse(900, 40)}\n\`\`\``
    const show = (seed: number): Sent[] => [
      ...makeConversation(seed),
      { role: 'assistant', content: `Here it is.\n${file}` },
    ]
    expect(await foundShare(makeConversation(8))).toBe(0)
    expect((await compare(show(9), show(10))).one).toEqual([])
  })

  test('leaves out text that many traces share', async () => {
    expect((await compare(talk, talk, () => true)).one).toEqual([])
  })

  test('finds a conversation that both traces continue, but not instructions with which both begin', async () => {
    const continued = (shared: readonly Sent[], seed: number): Sent[] => [...shared, ...makeConversation(seed, 20)]
    const [first] = makeConversation(11)
    const [rules] = [{ role: 'user', content: makeProse(901, 40) }]
    const wordsFound = async (shared: readonly Sent[]): Promise<number> =>
      (await compare(continued(shared, 12), continued(shared, 13))).one.reduce((sum, [from, to]) => sum + to - from, 0)
    expect(await wordsFound([rules!])).toBe(0)
    expect(await wordsFound([rules!, first!])).toBe((await read([rules!, first!])).words.hashes.length)
  })

  test('keeps everything that is far from text that many traces share', async () => {
    const [text, long] = [makeProse(902, 10), [{ role: 'user', content: makeProse(903, 400) }]]
    const { shingles } = await read([{ role: 'user', content: text }])
    const shared = new Set(await shingles())
    const one = [{ role: 'user', content: `${text} ${long[0]!.content}` }]
    const found = (await compare(one, one, (shingle) => shared.has(shingle))).one
    const whole = (await read(one)).words.hashes.length
    expect(found.reduce((sum, [from, to]) => sum + to - from, 0)).toBeGreaterThan(whole - 1_000)
  })
})

test.each([
  ['ß', 'SS'],
  ['ς', 'Σ'],
  ['é', 'É'],
])('readWords and buyerKey compare %s and %s without regard to case', async (one, other) => {
  const read = (content: string) => readWords([{ role: 'user', content }], async () => {})
  expect((await read(one)).hashes).toEqual((await read(other)).hashes)
  expect(buyerKey(one)).toBe(buyerKey(other))
})

describe('createCopyRecognizer', () => {
  const messages = makeConversation(15).map((one) => ({ ...one, tokenCount: 100 }))

  /** Returns how often the recognition of a batch yields (once per step), and how many overlaps it finds. */
  async function recognizeIn(isStored: boolean, traces: number): Promise<{ yields: number; overlaps: number }> {
    let yields = 0
    const stored = { num: 1, id: 'stored', hits: 9, weight: 9, fingerprints: 9, tokenCount: 600 }
    const copies: Pick<CopyStore, 'findSimilarTraces' | 'readMessages'> = {
      findSimilarTraces: async ({ lists }) => ({
        version: 1,
        common: [],
        similar: lists.map((_, at) => (isStored && at === 0 ? [stored] : [])),
      }),
      readMessages: async () => JSON.stringify(messages),
    }
    const batch = Array.from({ length: traces }, (_, index) => ({
      index,
      messages: index === 0 ? messages : makeConversation(300 + index).map((one) => ({ ...one, tokenCount: 100 })),
    }))
    const deps = { copies: copies as CopyStore, yieldToEventLoop: async () => void yields++ }
    const recognized = await (await createCopyRecognizer(batch, deps)).recognize()
    return { yields, overlaps: [...recognized.copies.values()].flatMap(({ overlaps }) => overlaps).length }
  }

  test('does the same work for a batch of one trace whether somebody else has its text or not', async () => {
    const [copy, other] = [await recognizeIn(true, 1), await recognizeIn(false, 1)]
    expect([copy.overlaps, other.overlaps]).toEqual([1, 0])
    expect(copy.yields).toBe(other.yields)
    expect((await recognizeIn(true, 2)).yields).toBeGreaterThan((await recognizeIn(false, 2)).yields)
  })
})

test('toTokenRanges spreads the tokens of a message over its words', async () => {
  const messages = [
    { role: 'user', content: 'one two three four' },
    { role: 'assistant', content: '…' },
    { role: 'user', content: 'five six' },
  ]
  const words = await readWords(messages, yieldToEventLoop)
  expect(toTokenRanges([[0, 6]], words, [8, 1, 4])).toEqual([[0, 13]])
  expect(
    toTokenRanges(
      [
        [1, 4],
        [5, 6],
      ],
      words,
      [8, 1, 4],
    ),
  ).toEqual([
    [2, 9],
    [11, 13],
  ])
})

test('countTokens counts a token that is in several ranges once', () => {
  expect(
    countTokens([
      [
        [0, 10],
        [20, 30],
      ],
      [[5, 25]],
    ]),
  ).toBe(30)
})
