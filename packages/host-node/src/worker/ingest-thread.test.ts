import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Unavailable, type Batch, type Intake, type Logger } from '@tributary/core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sharedIntake, startIngestThread, type IngestThread } from './ingest-thread.ts'

/** A thread whose reaction depends on the key: it answers with its input, dies, fails, or does not answer. */
const script = `
import { parentPort } from 'node:worker_threads'
let woken = 0
parentPort.on('message', ({ kind, id, batch, key, trace }) => {
  if (kind === 'stop') return parentPort.close()
  if (kind === 'wake') return woken++
  if (kind === 'read') {
    const chunks = [new Uint8Array([1, 2]), new Uint8Array([trace.id.length])]
    const download = { kind: 'document', chunks }
    return parentPort.postMessage({ kind: 'download', id, download }, chunks.map(({ buffer }) => buffer))
  }
  if (key === 'die') process.exit(3)
  if (key === 'still') return
  if (key === 'fail') return parentPort.postMessage({ kind: 'failed', id, message: 'words', unavailable: batch.blob === 'gone' })
  const [total, parts] = [batch.bytes?.length ?? woken, batch.bytes?.[0] ?? 0]
  parentPort.postMessage({ kind: 'receipt', id, receipt: { kind: 'kept', total, parts, bytes: 0, source: key } })
})
`

let folder: string
let ingester: IngestThread
const logged: string[] = []
const logger: Logger = { info: () => {}, warn: (_, message) => logged.push(message), error: () => {} }
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-ingester-'))
  writeFileSync(join(folder, 'thread.mjs'), script)
  logged.length = 0
  ingester = startIngestThread({
    config: { database: { url: ':memory:' }, service: { baseUrl: 'http://x' } },
    local: null,
    logger,
    file: pathToFileURL(join(folder, 'thread.mjs')),
  })
})
afterEach(async () => {
  await ingester.stop()
  rmSync(folder, { recursive: true, force: true })
})

const makeBatch = (size: number, packed: 'plain' | 'gzip' = 'plain'): Batch => ({
  bytes: new Uint8Array(size).fill(7),
  packed,
})

test('receive transfers a batch without a copy and returns its receipt', async () => {
  const batch = makeBatch(1_000_000) as { bytes: Uint8Array }
  expect(await ingester.intake.receive(batch as Batch, 1, 'k')).toEqual({
    kind: 'kept',
    total: 1_000_000,
    parts: 7,
    bytes: 0,
    source: 'k',
  })
  expect(batch.bytes.byteLength).toBe(0)
})

test('downloads.read returns a document that is read in the thread', async () => {
  expect(await ingester.downloads.read({ ownerId: 'ann', id: 'four' })).toEqual({
    kind: 'document',
    chunks: [new Uint8Array([1, 2]), new Uint8Array([4])],
  })
})

test('receive copies a slice of a larger buffer', async () => {
  const pool = new Uint8Array(100).fill(9)
  const batch: Batch = { bytes: pool.subarray(10, 20), packed: 'plain' }
  expect(await ingester.intake.receive(batch, 1, 'k')).toMatchObject({ total: 10, parts: 9 })
  expect(pool.byteLength).toBe(100)
})

test('receive rejects with Unavailable when the thread dies, and a new thread starts', async () => {
  const still = ingester.intake.receive({ blob: 'b' }, 1, 'still')
  const died = ingester.intake.receive({ blob: 'b' }, 1, 'die')
  await expect(died).rejects.toSatisfy(Unavailable.is)
  await expect(still).rejects.toSatisfy(Unavailable.is)
  await expect(ingester.intake.receive({ blob: 'b' }, 1, 'k')).rejects.toSatisfy(Unavailable.is)
  for (;;) {
    const receipt = await ingester.intake.receive({ blob: 'b' }, 1, 'k').catch(() => null)
    if (receipt) break
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  expect(logged).toEqual(['ingest.thread.restarting'])
})

test('receive rejects with Unavailable for an outage in the thread and with Error for a bug', async () => {
  await expect(ingester.intake.receive({ blob: 'gone' }, 1, 'fail')).rejects.toSatisfy(Unavailable.is)
  await expect(ingester.intake.receive({ blob: 'b' }, 1, 'fail')).rejects.not.toSatisfy(Unavailable.is)
})

test('wake reaches the thread, and stop prevents a restart', async () => {
  ingester.wake()
  expect(await ingester.intake.receive({ blob: 'b' }, 1, 'k')).toMatchObject({ total: 1 })
  await ingester.stop()
  await expect(ingester.intake.receive({ blob: 'b' }, 1, 'k')).rejects.toSatisfy(Unavailable.is)
  expect(logged).toEqual([])
})

test('sharedIntake processes small batches in the calling thread and large batches in the worker thread', async () => {
  const createNamedIntake = (name: string): Intake => ({
    receive: async () => ({ kind: 'kept', total: 0, parts: 0, bytes: 0, source: name }),
  })
  const { receive } = sharedIntake(createNamedIntake('here'), createNamedIntake('there'))
  const readReceiver = async (batch: Batch) => ((await receive(batch, 1, 'k')) as { source: string }).source
  expect(await readReceiver(makeBatch(65_535))).toBe('here')
  expect(await readReceiver(makeBatch(65_536))).toBe('there')
  expect(await readReceiver(makeBatch(4_095, 'gzip'))).toBe('here')
  expect(await readReceiver(makeBatch(4_096, 'gzip'))).toBe('there')
  expect(await readReceiver({ blob: 'b' })).toBe('there')
})
