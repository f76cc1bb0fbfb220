import {
  createMemoryBlobs,
  makeAuditContext,
  makeSaleItems,
  makeSaleShares,
  readDatabaseBytes,
  fixedClock,
  makeId,
  makeTrace,
  makeTraces,
  runContentStoreContract,
  runIngestStoreContract,
  runTraceStoreContract,
  seededRandom,
  seedTraces,
  makeNames,
  makeRemovalNotice,
} from '@tributary/test-kit'
import { describe, expect, test, vi } from 'vitest'
import type { Blobs } from '../ports.ts'
import { libsqlStores } from '../stores/libsql/index.ts'
import { createStores } from '../stores/libsql/stores.ts'
import { databaseKinds, openLocalFile, openTwoClients } from '../stores/libsql/two-clients.fixture.ts'
import type { Stores } from '../stores.ts'
import { isReference, keyOfReference, makeReference } from '../traces/contents/store.ts'
import { createBlobContents, type BlobContents } from './blob-contents.ts'
import { resolveContentBytes, lazyBlobContents } from './resolve-options.ts'
import { silentLogger } from '../system.ts'

const combinePorts = ({ traces, dataset }: Pick<Stores, 'traces' | 'dataset'>) => ({ ...traces, ...dataset })

for (const kind of databaseKinds) {
  runContentStoreContract(kind, async () => {
    const { clients, databases, close } = await openTwoClients(kind)
    const [one, other] = [createStores(databases[0]), createStores(databases[1])]
    return {
      stores: [combinePorts(one), combinePorts(other)],
      contents: [one.contents, other.contents],
      put: (ownerId, given) => seedTraces(clients[0], ownerId, given),
      loseContent: async () => {},
      close,
    }
  })
}

/** Opens two hosts on one database and one folder of blobs, which keep every content in blobs. */
async function openPlace() {
  const { clients, addUser, close, path } = await openLocalFile()
  const [clock, blobs] = [fixedClock(), createMemoryBlobs()]
  const random = seededRandom(1)
  const open = (client: (typeof clients)[number]): BlobContents =>
    createBlobContents({ stores: libsqlStores(client), blobs, clock, random, logger: silentLogger, minBytes: 0 })
  const hosts: [BlobContents, BlobContents] = [open(clients[0]), open(clients[1])]
  const plain = libsqlStores(clients[0])
  async function put(ownerId: string, given: Iterable<ReturnType<typeof makeTrace>>): Promise<void> {
    const traces = [...given]
    await seedTraces(clients[0], ownerId, traces)
    // Only 500 contents are moved, because moving more one by one takes too long. The contracts count thousands of
    // traces without reading them.
    for (const { id } of traces.slice(0, 500)) await hosts[0].moveContent({ traceId: id, to: 'blobs' })
  }
  const readKey = async (traceId: string): Promise<string> =>
    keyOfReference((await plain.contents.readContent({ traceId }))!)
  const listKeys = async (): Promise<string[]> => blobs.stale(Infinity, 10_000, '')
  const checkpointWal = () => clients[0].checkpoint()
  return {
    hosts,
    plain,
    blobs,
    clock,
    random,
    put,
    keyOf: readKey,
    keys: listKeys,
    addUser,
    checkpoint: checkpointWal,
    close,
    path,
  }
}

// The contract tests of contents above are a shorter version of these tests.
describe('contents in a blob store: contracts', { tags: 'slow' }, () => {
  runIngestStoreContract('libSQL with contents in blobs', async () => {
    const { hosts, addUser, close } = await openPlace()
    return {
      stores: [hosts[0].stores.ingest, hosts[1].stores.ingest],
      traces: combinePorts(hosts[0].stores),
      person: addUser,
      close,
    }
  })

  runTraceStoreContract('libSQL with contents in blobs', async () => {
    const { hosts, blobs, keyOf, put, close } = await openPlace()
    return {
      stores: [combinePorts(hosts[0].stores), combinePorts(hosts[1].stores)],
      put,
      loseContent: async (id) => blobs.delete(await keyOf(id)),
      close,
    }
  })
})

const secret = 'kumquat '.repeat(100)
const makeSecretTrace = (number: number) =>
  makeTrace('ann', number, { messages: JSON.stringify([{ content: secret }]) })
const read = ({ stores }: BlobContents, number: number) =>
  stores.traces.readTrace({ ownerId: 'ann', id: makeId('ann', number) })

test('deleteUnsoldTraces and eraseTraces delete the blobs before they return, and leave no byte of them in the database', async () => {
  const { hosts, put, keys, path, checkpoint, close } = await openPlace()
  await put('ann', [0, 1, 2].map(makeSecretTrace))
  expect((await keys()).length).toBe(3)
  await checkpoint()
  expect((await readDatabaseBytes(path)).includes('kumquat kumquat')).toBe(false)
  await hosts[1].stores.traces.deleteUnsoldTraces({ ownerId: 'ann', ids: [makeId('ann', 1)] })
  expect((await keys()).length).toBe(2)
  expect([await read(hosts[0], 1), (await read(hosts[0], 2))?.messages]).toEqual([null, makeSecretTrace(2).messages])
  while (await hosts[1].stores.traces.eraseTraces({ ownerId: 'ann', notice: makeRemovalNotice() }));
  expect(await keys()).toEqual([])
  await close()
})

test('storeRescrubbed stores the new content in another blob and deletes the old blob', async () => {
  const { hosts, put, keyOf, keys, close } = await openPlace()
  const trace = makeSecretTrace(0)
  await put('ann', [trace])
  const before = await keyOf(trace.id)
  const rescrubbed = { ...trace, scrubVersion: 'next', messages: '[{"content":"scrubbed"}]' }
  const params = {
    ownerId: 'ann',
    id: trace.id,
    expected: trace,
    result: { kind: 'scrubbed', trace: rescrubbed },
  } as const
  expect(await hosts[0].stores.rescrub.storeRescrubbed(params)).toBe(true)
  expect(await hosts[0].stores.rescrub.storeRescrubbed(params)).toBe(false)
  expect((await read(hosts[1], 0))?.messages).toBe(rescrubbed.messages)
  expect(await keys()).toEqual([await keyOf(trace.id)])
  expect(await keyOf(trace.id)).not.toBe(before)
  await close()
})

test('work deletes a blob without a trace two hours after a crash', async () => {
  const { plain, blobs, clock, random, keys, close, addUser } = await openPlace()
  await addUser('ann')
  const job = { ownerId: 'ann', id: makeId('job', 1), source: 'mixed', total: 1, parts: 1, bytes: 1, enqueuedAt: 0 }
  await plain.ingest.enqueueJob(job)
  const claim = (await plain.ingest.claimJob({ lease: 'a', now: 1, leaseUntil: 30_000 }))!
  const crashing = { ...plain, ingest: { ...plain.ingest, writeBatch: () => Promise.reject(new Error('crash')) } }
  const deps = { blobs, clock, random, logger: silentLogger, minBytes: 0 }
  const trace = makeSecretTrace(0)
  const prepared = { kind: 'scrubbed', index: 0, isRepeated: false, trace, redactions: 0 } as const
  const { sourceId, contentHash } = trace
  const batch = {
    claim,
    traces: [{ ...prepared, ...makeNames(trace), sourceId, contentHash }],
    now: 1,
    leaseUntil: 30_000,
  }
  await expect(createBlobContents({ ...deps, stores: crashing }).stores.ingest.writeBatch(batch)).rejects.toThrow(
    'crash',
  )
  const next = createBlobContents({ ...deps, stores: plain })
  await next.deleteReleasedBlobs(clock() + 2 * 60 * 60_000 - 1)
  expect((await keys()).length).toBe(1)
  await next.deleteReleasedBlobs(clock() + 2 * 60 * 60_000)
  expect(await keys()).toEqual([])
  await close()
})

test('deleteUnsoldTraces takes effect although the blob cannot be deleted, and work deletes the blob later', async () => {
  const { hosts, plain, blobs, clock, random, put, keys, close } = await openPlace()
  await put('ann', [makeSecretTrace(0)])
  const broken: Blobs = { ...blobs, delete: () => Promise.reject(new Error('out of order')) }
  const host = createBlobContents({ stores: plain, blobs: broken, clock, random, logger: silentLogger, minBytes: 0 })
  const ids = [makeId('ann', 0)]
  expect(await host.stores.traces.deleteUnsoldTraces({ ownerId: 'ann', ids })).toEqual({ deleted: ids, sold: [] })
  expect([await read(hosts[0], 0), (await keys()).length]).toEqual([null, 1])
  await hosts[1].deleteReleasedBlobs(clock())
  expect(await keys()).toEqual([])
  await close()
})

test('a trace whose blob is lost is logged and has no messages', async () => {
  const { plain, blobs, clock, random, put, keys, close } = await openPlace()
  await put('ann', [makeSecretTrace(0)])
  for (const key of await keys()) await blobs.delete(key)
  const error = vi.fn()
  const logger = { ...silentLogger, error }
  const host = createBlobContents({ stores: plain, blobs, clock, random, logger, minBytes: 0 })
  expect((await read(host, 0))?.messages).toBeNull()
  expect(error).toHaveBeenCalledWith(
    {
      err: expect.objectContaining({ message: expect.stringContaining('there is no blob content/') }),
      traceId: makeId('ann', 0),
    },
    'trace.content.damaged',
  )
  await close()
})

test('a trace that is moved while it is read is returned completely, and a deleted trace is not found', async () => {
  const { hosts, plain, blobs, clock, random, put, close } = await openPlace()
  await put('ann', [0, 1].map(makeSecretTrace))
  let move = async (): Promise<unknown> => undefined
  const slow: Blobs = {
    ...blobs,
    async get(key) {
      await move()
      return blobs.get(key)
    },
  }
  const host = createBlobContents({ stores: plain, blobs: slow, clock, random, logger: silentLogger, minBytes: 0 })
  move = () => hosts[0].moveContent({ traceId: makeId('ann', 0), to: 'database' })
  expect((await read(host, 0))?.messages).toBe(makeSecretTrace(0).messages)
  move = () => hosts[0].stores.traces.deleteUnsoldTraces({ ownerId: 'ann', ids: [makeId('ann', 1)] })
  expect(await read(host, 1)).toBeNull()
  await close()
})

test('a sold trace that an upload updated is returned completely when it is moved during the read, but not when it is erased', async () => {
  const { hosts, plain, blobs, clock, random, put, keyOf, close } = await openPlace()
  const traces = [0, 1].map(makeSecretTrace)
  const ids = traces.map(({ id }) => id)
  await put('ann', traces)
  // When an upload updates a trace, the blob's name contains a new id and not the id of the trace.
  for (const [number, id] of ids.entries()) {
    const [old, key] = [await keyOf(id), `content/${makeId('updated', number)}/0`]
    await plain.contents.reserveBlobs({ keys: [key], until: 1_000 })
    await blobs.put(key, (await blobs.get(old))!)
    const [expected, content] = [old, key].map(makeReference) as [string, string]
    expect(await plain.contents.replaceContent({ traceId: id, expected, content })).toBe(true)
  }
  const sale = { id: makeId('sale', 1), buyer: 'buyer', usd: 1, soldAt: 0 }
  const recorded = { sale, items: makeSaleItems(ids), shares: makeSaleShares(), audit: makeAuditContext() }
  expect(await plain.dataset.recordSale(recorded)).toEqual(ids)
  let change = async (): Promise<unknown> => undefined
  const slow: Blobs = {
    ...blobs,
    async get(key) {
      await change()
      return blobs.get(key)
    },
  }
  const host = createBlobContents({ stores: plain, blobs: slow, clock, random, logger: silentLogger, minBytes: 0 })
  const readSold = async (): Promise<(string | null)[]> => {
    const sold: (string | null)[] = []
    const page = await host.stores.dataset.readSoldTraces({ saleId: sale.id, cursor: null, limit: 10 })
    for await (const { messages } of page!.documents) sold.push(messages)
    return sold
  }
  change = () => Promise.all(ids.map((traceId) => hosts[0].moveContent({ traceId, to: 'database' })))
  expect(await readSold()).toEqual(traces.map(({ messages }) => messages))
  for (const traceId of ids) await hosts[0].moveContent({ traceId, to: 'blobs' })
  change = () => hosts[0].stores.traces.eraseTraces({ ownerId: 'ann', notice: makeRemovalNotice() })
  expect(await readSold()).toEqual([])
  await close()
})

test('copies.readMessages returns a content that is in a blob', async () => {
  const { plain, blobs, clock, random, put, close } = await openPlace()
  const trace = makeSecretTrace(0)
  await put('ann', [trace])
  const { stores } = lazyBlobContents({ stores: plain, blobs, clock, random, logger: silentLogger, minBytes: 0 })
  expect(await stores.copies.readMessages({ id: trace.id })).toBe(trace.messages)
  await close()
})

test('moveContent moves contents in both directions any number of times and leaves no blob', async () => {
  const { hosts, plain, put, keys, close } = await openPlace()
  const traces = [...makeTraces(5, 'ann')]
  await put('ann', traces)
  expect((await keys()).length).toBe(5)
  for (const { id } of traces) expect(await hosts[0].moveContent({ traceId: id, to: 'blobs' })).toBe('unchanged')
  const moves = traces.flatMap(({ id }) => hosts.map((host) => host.moveContent({ traceId: id, to: 'database' })))
  expect((await Promise.all(moves)).filter((outcome) => outcome === 'moved')).toHaveLength(5)
  expect(await keys()).toEqual([])
  for (const { id, messages } of traces) {
    const content = await plain.contents.readContent({ traceId: id })
    expect([content, isReference(content!)]).toEqual([messages, false])
  }
  await close()
})

test('resolveContentBytes throws for an invalid option and names it', () => {
  expect([resolveContentBytes({}), resolveContentBytes({ contents: 'blobs', contentBytes: 0 })]).toEqual([null, 0])
  expect(() => resolveContentBytes({ contents: 'files' as never })).toThrow('contents must be database or blobs')
  expect(() => resolveContentBytes({ contents: 'blobs', contentBytes: -1 })).toThrow('contentBytes must be')
})
