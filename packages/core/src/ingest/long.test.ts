import type { Fixture, Signed } from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ServiceOptions } from '../service/options.ts'
import type { Stores } from '../stores.ts'
import {
  signInContributor,
  openAutoApprovingService,
  listOutcomes,
  places,
  makeTraceInput,
  type Place,
} from './contributor.fixture.ts'

const plain = {
  version: '1',
  scrub: (texts: readonly string[]) => ({ ok: true as const, texts: texts as never[], counts: {}, total: 0 }),
}

describe.each(Object.keys(places))('work with a long trace over %s', (name) => {
  let place: Place
  let made: Fixture
  let ann: Signed
  beforeEach(async () => {
    place = await places[name]!()
    made = openAutoApprovingService(place.stores)
    ann = await signInContributor(made)
  })
  afterEach(() => place.close())

  const submit = async (traces: unknown): Promise<string> =>
    (await made.ask('POST', '/api/ingest', { headers: ann.bearer, json: { traces } })).json.jobId
  const openHost = (stores: Stores, options: Partial<ServiceOptions> = {}) =>
    openAutoApprovingService(stores, { clock: made.clock, ...options }).service

  test('stores nothing when the lease expired during the trace and another worker holds the job', async () => {
    const id = await submit([makeTraceInput('long', { messages: [{ content: 'lorem ipsum '.repeat(10_000) }] })])
    let taken = false
    const slow = {
      ...plain,
      async scrubAsync(texts: readonly string[], yieldToEventLoop: () => Promise<void>) {
        taken = true
        made.clock.advance(31_000)
        await openHost(place.others).work()
        await yieldToEventLoop()
        return plain.scrub(texts)
      },
    }
    expect(await openHost(place.stores, { scrubber: slow }).work()).toMatchObject({ done: 0, later: 1 })
    expect(taken).toBe(true)
    expect(await listOutcomes(made, ann, id)).toEqual(['stored'])
  })

  test('yields to the event loop while it scrubs a long trace, but not while it scrubs a short trace', async () => {
    let turns = 0
    const yieldToEventLoop = async (): Promise<void> => void turns++
    const run = async (name: string, length: number): Promise<number> => {
      const id = await submit([
        makeTraceInput(name, { messages: [{ content: `${'lorem ipsum '.repeat(length / 12)} jane@acme.io` }] }),
      ])
      const before = turns
      // Each reading advances the clock by a few milliseconds.
      let time = made.clock()
      await openHost(place.stores, {
        yieldToEventLoop: yieldToEventLoop,
        clock: Object.assign(() => (time += 3), made.clock),
      }).work()
      expect(await listOutcomes(made, ann, id)).toEqual(['stored'])
      return turns - before
    }
    const short = await run('short', 24_000)
    expect(await run('long', 600_000)).toBeGreaterThan(short + 20)
    const { traces } = (await made.ask('GET', '/api/traces', { headers: ann.bearer })).json
    const kept = (await made.ask('GET', `/api/traces/${traces[0].id}/download`, { headers: ann.bearer })).json
    expect(kept.messages[0].content.slice(-10)).toBe(' [EMAIL_1]')
  })
})
