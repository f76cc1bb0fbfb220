import { generateKeyPairSync } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createTestStores,
  fixture,
  makeId,
  makeTraces,
  seedTraces,
  type Fixture,
  type TestStores,
} from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { exportDataset, type ExportOptions } from './export.ts'
import type { Manifest } from './manifest.ts'
import { readSigner } from './signing.ts'
import type { Ask } from './source.ts'
import { readTraceIds } from './trace-ids.ts'
import { verifyPackage } from './verify.ts'

const adminToken = 'operator-of-the-rerun-test'
const operator = { authorization: `Bearer ${adminToken}` }
const makeSigner = () =>
  readSigner(generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(), {
    from: null,
    until: null,
  })
const [signer, otherSigner] = [makeSigner(), makeSigner()]
/** The traces of two contributors. The service returns them in three pages. */
const [ofAnn, ofBob] = [205, 20]
const count = ofAnn + ofBob

let out: string
let stores: TestStores
let service: Fixture
let bob: Awaited<ReturnType<Fixture['signIn']>>
let saleId: string
/** The paths that an export requested. */
let asked: string[]
const askWith =
  (headers: Record<string, string>): Ask =>
  async (path) => {
    asked.push(path)
    return (await service.service.fetch(new Request(`http://127.0.0.1:8787${path}`, { headers })))!
  }
const ask = askWith(operator)

beforeEach(async () => {
  out = join(mkdtempSync(join(tmpdir(), 'tributary-rerun-')), 'package')
  stores = createTestStores()
  service = fixture({ stores, adminToken })
  const ann = await service.signIn('ann@example.com')
  bob = await service.signIn('bob@example.com')
  await seedTraces(stores.client, ann.userId, makeTraces(ofAnn, 'ann'))
  await seedTraces(stores.client, bob.userId, makeTraces(ofBob, 'bob'))
  saleId = (await post('/api/admin/sales', { buyer: 'Acme', usd: 1, filter: {} })).saleId
  asked = []
})
afterEach(() => rmSync(join(out, '..'), { recursive: true, force: true }))

const post = async (path: string, json: object) => (await service.ask('POST', path, { headers: operator, json })).json
const withdraw = (id: string) => post(`/api/admin/traces/${id}/withdraw`, { reason: 'A wrong redaction' })
const eraseBob = () => service.ask('DELETE', '/api/account', { headers: bob.cookie })
/** Returns the traces of the sale in the order of the export: the id, and the id for the buyer. */
async function listSold(): Promise<readonly (readonly [id: string, buyerId: string])[]> {
  const sold: [string, string][] = []
  for (let cursor = ''; ;) {
    const path = `/api/admin/sales/${saleId}/traces?limit=200${cursor}`
    const { items, nextCursor } = (await service.ask('GET', path, { headers: operator })).json
    for (const { id, buyerTraceId } of items) sold.push([id, buyerTraceId])
    if (nextCursor === null) return sold.toSorted(([, one], [, other]) => (one < other ? -1 : 1))
    cursor = `&cursor=${nextCursor}`
  }
}

const run = (options: Partial<ExportOptions> = {}) => {
  asked = []
  return exportDataset({
    ask,
    selection: { saleId },
    format: 'documents',
    out,
    license: 'other',
    shardTraces: 100,
    ...options,
  })
}
/** Runs an export that the service interrupts at the page with this number, starting at 0. */
async function interrupt(page: number, options: Partial<ExportOptions> = {}): Promise<void> {
  let pages = 0
  const breakAtPage: Ask = (path) =>
    path.includes('limit=100') && pages++ === page ? Promise.reject(new Error('gone')) : ask(path)
  await expect(run({ ask: breakAtPage, ...options })).rejects.toThrow('same command again')
}
/** Returns the number of pages with contents that the last run requested. */
const countPages = (): number => asked.filter((path) => path.includes('limit=100')).length
const readManifest = (): Manifest => JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8')) as Manifest
const keysOf = (...signers: (typeof signer)[]) => signers.map(({ published }) => published)
/** Verifies the package with the keys, and returns the ids of its traces. */
async function readVerified(keys: Parameters<typeof verifyPackage>[1] = null): Promise<string[]> {
  const { manifest } = await verifyPackage(out, keys)
  const ids: string[] = []
  for await (const id of readTraceIds(out, manifest)) ids.push(id)
  expect(ids).toHaveLength(manifest.traces)
  expect(existsSync(join(out, '.progress.json'))).toBe(false)
  return ids
}

describe('exportDataset again after an interruption', () => {
  test('does not download finished shards again, and does not ask for more ids than the folder has', async () => {
    await interrupt(1)
    expect(await run()).toMatchObject({ status: 'exported', removed: 0, manifest: { traces: count } })
    expect([countPages(), asked.filter((path) => path.includes('format=ids')).length]).toEqual([2, 1])
    expect(await readVerified()).toHaveLength(count)
  })

  test.each(['documents', 'messages', 'sts', 'atif', 'parquet'] as const)(
    'writes %s again if a trace of a finished shard was withdrawn',
    async (format) => {
      await interrupt(2, { format })
      const [id, buyerId] = (await listSold())[150]!
      await withdraw(id)
      const restarts: number[] = []
      const { removed, manifest } = await run({ format, signer, onRestart: (traces) => restarts.push(traces) })
      expect([removed, restarts, manifest.traces]).toEqual([1, [1], count - 1])
      expect(await readVerified(keysOf(signer))).not.toContain(buyerId)
    },
  )

  test('continues if only a trace of a later shard was withdrawn, and leaves it out', async () => {
    const [id, buyerId] = (await listSold()).at(-1)!
    await interrupt(1)
    await withdraw(id)
    expect(await run()).toMatchObject({ removed: 0, manifest: { traces: count - 1 } })
    expect(await readVerified()).not.toContain(buyerId)
  })

  test('starts again if a trace of a filter was withdrawn', async () => {
    const selection = { filter: '' }
    await interrupt(1, { selection })
    await withdraw(makeId('ann', 3))
    expect(await run({ selection })).toMatchObject({ removed: 1, manifest: { traces: count - 1 } })
    expect(await readVerified()).not.toContain(makeId('ann', 3))
  })

  test('deletes shards that a killed process did not record', async () => {
    await interrupt(2)
    writeFileSync(join(out, 'data/00002.jsonl.partial'), 'half a sh')
    writeFileSync(join(out, 'data/00009.jsonl'), 'a shard of an export with more traces')
    await eraseBob()
    expect(await run()).toMatchObject({ removed: expect.any(Number), manifest: { traces: ofAnn } })
    expect(await readVerified()).toHaveLength(ofAnn)
  })
})

describe('exportDataset again in a finished folder', () => {
  test('asks the service, downloads no traces and changes no file if nothing changed', async () => {
    await run({ signer })
    const files = () => [...readManifest().files.map(({ path }) => path), 'manifest.json', 'manifest.json.sig']
    const stats = () => files().map((path) => [path, statSync(join(out, path)).mtimeMs])
    const before = stats()
    for (const options of [{ signer }, {}]) {
      expect(await run(options)).toEqual({ status: 'unchanged', removed: 0, manifest: readManifest() })
      expect([countPages(), asked.length > 1]).toEqual([0, true])
    }
    expect(stats()).toEqual(before)
    expect(await readVerified(keysOf(signer))).toHaveLength(count)
  })

  test('writes the package again if a trace was withdrawn, and removes the former signature', async () => {
    await run({ signer })
    const [id, buyerId] = (await listSold())[7]!
    await withdraw(id)
    expect(await run()).toMatchObject({
      status: 'exported',
      removed: 1,
      manifest: { traces: count - 1, signature: null },
    })
    expect(existsSync(join(out, 'manifest.json.sig'))).toBe(false)
    expect(await readVerified()).not.toContain(buyerId)
  })

  test.each([{ isBuyer: false }, { isBuyer: true }])(
    'writes the package again after an erasure (%o)',
    async ({ isBuyer }) => {
      const { token } = await post('/api/admin/buyers', { name: 'Acme' })
      const options = isBuyer
        ? { ask: askWith({ authorization: `Bearer ${token}` }), selection: { saleId, isBuyer } }
        : { signer }
      await run(options)
      await eraseBob()
      expect(await run(options)).toMatchObject({ removed: ofBob, manifest: { traces: ofAnn } })
      expect(await readVerified(isBuyer ? null : keysOf(signer))).toHaveLength(ofAnn)
    },
  )

  test('an interruption while the package is written again leaves no finished package', async () => {
    await run({ signer })
    await withdraw(makeId('ann', 7))
    await interrupt(0, { signer })
    expect(existsSync(join(out, 'manifest.json'))).toBe(false)
    expect(readdirSync(join(out, 'data'))).toEqual(['00000.jsonl.partial'])
    expect(await run({ signer })).toMatchObject({ manifest: { traces: count - 1 } })
    expect(await readVerified(keysOf(signer))).toHaveLength(count - 1)
  })

  test('fails as a first export does if the token is wrong or the service does not answer', async () => {
    for (const selection of [{ saleId }, { filter: 'minTokens=999999' }]) {
      rmSync(out, { recursive: true, force: true })
      await run({ selection })
      const refused = run({ selection, ask: askWith({ authorization: 'Bearer wrong' }) })
      await expect(refused).rejects.toThrow('--admin-token: the service does not accept it')
      const away: Ask = () => Promise.reject(new Error('ECONNREFUSED'))
      await expect(run({ selection, ask: away })).rejects.toThrow('does not answer (ECONNREFUSED)')
    }
  })

  test('writes the traces of a filter again if one is no longer for sale, but adds no new traces', async () => {
    const selection = { filter: 'neverSold=true' }
    const sent = (await service.signIn('carl@example.com')).userId
    await seedTraces(stores.client, sent, makeTraces(2, 'carl'))
    expect(await run({ selection })).toMatchObject({ manifest: { traces: 2 } })
    await seedTraces(stores.client, sent, makeTraces(1, 'carl', 2))
    expect(await run({ selection })).toMatchObject({ status: 'unchanged', manifest: { traces: 2 } })
    await withdraw(makeId('carl', 0))
    expect(await run({ selection })).toMatchObject({ status: 'exported', removed: 1, manifest: { traces: 2 } })
    expect(await readVerified()).toEqual([makeId('carl', 1), makeId('carl', 2)])
  })
})

describe('exportDataset with a signer in a finished folder', () => {
  test.each(['documents', 'parquet'] as const)(
    'signs an unsigned package of %s without downloading it',
    async (format) => {
      await run({ format })
      const { manifest, status, removed } = await run({ format, signer })
      expect([status, removed, countPages(), manifest.signature?.kid]).toEqual(['signed', 0, 0, signer.published.kid])
      expect(readFileSync(join(out, 'README.md'), 'utf8')).toContain(signer.published.kid)
      expect(await readVerified(keysOf(signer))).toHaveLength(count)
    },
  )

  test('signs with another key if this key is given', async () => {
    await run({ signer })
    expect(await run({ signer: otherSigner })).toMatchObject({ status: 'signed' })
    expect(await readVerified(keysOf(otherSigner))).toHaveLength(count)
  })

  test('continues after an interruption while it signs', async () => {
    const { manifest } = await run()
    const { files, ...rest } = manifest
    const data = files.filter(({ path }) => path.startsWith('data/'))
    const progress = { ...rest, totals: rest, files: data, shards: 3, cursor: null, isRead: true }
    writeFileSync(join(out, '.progress.json'), JSON.stringify(progress))
    rmSync(join(out, 'manifest.json'))
    expect(await run({ signer })).toMatchObject({ status: 'exported', removed: 0 })
    expect(countPages()).toBe(0)
    expect(await readVerified(keysOf(signer))).toHaveLength(count)
  })

  test('refuses a package that was changed, or whose signature is missing', async () => {
    await run()
    const unsigned = readFileSync(join(out, 'manifest.json'), 'utf8')
    writeFileSync(join(out, 'manifest.json'), unsigned.replace(`"tokens": ${readManifest().tokens}`, '"tokens": 1'))
    await expect(run({ signer })).rejects.toThrow(/tokens/)
    writeFileSync(join(out, 'manifest.json'), unsigned)
    await run({ signer })
    const signed = readFileSync(join(out, 'manifest.json'), 'utf8')
    writeFileSync(join(out, 'manifest.json'), `${signed}\n`)
    await expect(run({ signer })).rejects.toThrow(/manifest.json was changed since it was signed.*start again/)
    writeFileSync(join(out, 'manifest.json'), signed)
    rmSync(join(out, 'manifest.json.sig'))
    await expect(run()).rejects.toThrow(/manifest.json.sig is missing.*start again/)
  })
})
