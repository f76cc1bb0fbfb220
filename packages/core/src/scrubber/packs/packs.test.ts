import { expect, test } from 'vitest'
import { packIds, type PackId } from '../engine/scrubber-types.ts'
import { createScrubber } from '../index.ts'
import { scrubberFactory } from '../scrubber.ts'
import { allPacks } from './all.ts'
import { packsOnDemand } from './on-demand.ts'
import type { PackSource, RulePack } from './pack.ts'

/** Returns a source of packs as in a browser that has not loaded any pack. */
function unloadedPacks(): PackSource & { readonly asked: PackId[] } {
  const loaded = new Map<PackId, RulePack>()
  const asked: PackId[] = []
  const load = async (id: PackId): Promise<void> => {
    asked.push(id)
    loaded.set(id, allPacks.loaded.get(id)!)
  }
  return { loaded, asked, load }
}

const pause = async (): Promise<void> => {}
const texts = ['AKIA3EXAMPL7QWERTZ2K', '$ git config user.name\nJane Roe', 'PESEL: 44051401359', 'mail jane@corp.io']

test('scrub and steps refuse every text until the packs are loaded', async () => {
  const scrubber = scrubberFactory(unloadedPacks())()
  expect(scrubber.missing).toEqual(packIds)
  const refusal = { ok: false, reason: 'rule packs are not loaded: services, identity, countries' }
  expect(scrubber.scrub(['nothing'])).toEqual(refusal)
  expect(scrubber.steps(['nothing']).next()).toEqual({ done: true, value: refusal })
  await scrubber.load()
  expect(scrubber.missing).toEqual([])
  expect(scrubber.scrub(texts)).toEqual(createScrubber().scrub(texts))
})

test('scrubAsync loads the packs before it reads the texts', async () => {
  const source = unloadedPacks()
  const scrubber = scrubberFactory(source)()
  expect(await scrubber.scrubAsync(texts, pause)).toEqual(createScrubber().scrub(texts))
  expect(source.asked).toEqual(packIds)
  await scrubber.scrubAsync(texts, pause)
  expect(source.asked).toEqual(packIds)
})

test('scrubAsync and load reject while packs cannot be loaded, and scrub refuses every text', async () => {
  const source = unloadedPacks()
  let isOffline = true
  const load = (id: PackId): Promise<void> => (isOffline ? Promise.reject(new Error('offline')) : source.load(id))
  const scrubber = scrubberFactory({ ...source, load })()
  await expect(scrubber.scrubAsync(texts, pause)).rejects.toThrow('offline')
  await expect(scrubber.load()).rejects.toThrow('offline')
  expect(scrubber.scrub(texts)).toMatchObject({ ok: false })
  isOffline = false
  expect(await scrubber.scrubAsync(texts, pause)).toMatchObject({ ok: true })
})

test('createScrubber with packs uses only the base and these packs', async () => {
  const source = unloadedPacks()
  const scrubber = scrubberFactory(source)({ packs: ['services'] })
  const done = await scrubber.scrubAsync(texts, pause)
  expect(source.asked).toEqual(['services'])
  expect(done).toEqual(createScrubber({ packs: ['services'] }).scrub(texts))
  expect(done).toMatchObject({ counts: { token: 1, email: 1 }, total: 2 })
  expect(scrubberFactory(source)({ packs: [] }).scrub(texts)).toMatchObject({ counts: { email: 1 }, total: 1 })
})

test("load and createScrubber refuse an app's rule with the id of a rule in a pack", async () => {
  const rule = { id: 'git-config-name', category: 'x', placeholder: 'X', keywords: ['x-'], pattern: /x-\d/y }
  const scrubber = scrubberFactory(unloadedPacks())({ rules: [rule] })
  await expect(scrubber.load()).rejects.toThrow('rules: the id git-config-name is taken')
  expect(() => createScrubber({ rules: [rule] })).toThrow('rules: the id git-config-name is taken')
})

test('packsOnDemand loads every pack unchanged', async () => {
  await Promise.all(packIds.map(packsOnDemand.load))
  expect(new Map(packsOnDemand.loaded)).toEqual(new Map(allPacks.loaded))
})
