import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createScrubber, DetectorError } from '@tributary/core/scrub'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { UsageError } from '../cli/flags/flag.ts'
import { parseDetectorModel } from '../cli/flags/service.ts'
import { transformersDetector, type TransformersDetector } from './model-detector.ts'

/**
 * The script of a thread whose model labels each word with a capital letter. With each special text, the thread exits,
 * fails or hangs.
 */
const script = `
import { parentPort, workerData } from 'node:worker_threads'
if (workerData.model === 'unknown/model') parentPort.postMessage({ kind: 'load-failed', message: 'no such model' })
else parentPort.postMessage({ kind: 'loaded' })
parentPort.on('message', ({ id, texts }) => {
  if (texts.includes('die')) process.exit(3)
  if (texts.includes('hang')) for (;;);
  if (texts.includes('fail')) return parentPort.postMessage({ kind: 'failed', id, message: 'out of memory' })
  const tokens = texts.map((text) =>
    (text.match(/\\w+/g) ?? []).map((word) => ({ word, entity: /^[A-Z]/.test(word) ? 'B-private_person' : 'O', score: 0.8 })))
  parentPort.postMessage({ kind: 'classified', id, tokens })
})
`
const pause = async (): Promise<void> => undefined
let folder: string
let detector: TransformersDetector
const create = (options: object = {}): TransformersDetector =>
  transformersDetector({ file: pathToFileURL(join(folder, 'thread.mjs')), ...options })
const scrub = (text: string) => createScrubber({ detectors: [detector] }).scrubAsync([text], pause)

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-model-'))
  writeFileSync(join(folder, 'thread.mjs'), script)
  detector = create()
})
afterEach(async () => {
  await detector.stop()
  rmSync(folder, { recursive: true, force: true })
})

describe('transformersDetector', () => {
  test('finds the names that the model labels, in a worker thread', async () => {
    expect(await scrub('so Zelda said')).toMatchObject({ texts: ['so [PERSON_1] said'], counts: { person: 1 } })
    expect(await scrub('to Ida')).toMatchObject({ texts: ['to [PERSON_1]'] })
  })

  test.each(['die', 'fail'])('rejects when the thread does this: %s, and works again afterwards', async (text) => {
    await expect(scrub(text)).rejects.toBeInstanceOf(DetectorError)
    expect(await scrub('so Zelda said')).toMatchObject({ texts: ['so [PERSON_1] said'] })
  })

  test('ends a thread that does not answer in time, and works again afterwards', async () => {
    const limited = { ...detector, limitMs: 200 }
    const slow = createScrubber({ detectors: [limited] }).scrubAsync(['hang'], pause)
    await expect(slow).rejects.toBeInstanceOf(DetectorError)
    expect(await scrub('so Zelda said')).toMatchObject({ texts: ['so [PERSON_1] said'] })
  })

  test('rejects when the model does not load', async () => {
    detector = create({ model: 'unknown/model' })
    await expect(scrub('Zelda')).rejects.toMatchObject({ cause: { message: 'the model did not load: no such model' } })
  })

  test('throws for a folder without a model, and names a missing optional package', () => {
    expect(() => create({ model: folder })).toThrow(`No model in ${folder}: its config.json is missing`)
    expect(() => transformersDetector()).toThrow('npm install @huggingface/transformers')
  })

  test('has the same version for a model on the hub and for the same model in a folder', () => {
    writeFileSync(join(folder, 'config.json'), '{}')
    const name = folder.split('/').slice(-2).join('/')
    expect(create({ model: folder }).version).toBe(create({ model: name }).version)
  })
})

describe('parseDetectorModel', () => {
  const threshold = { 'detector-threshold': 0.7 }

  test('returns the model and its threshold, and nothing without a model', () => {
    expect(parseDetectorModel(threshold)).toEqual({})
    expect(parseDetectorModel({ ...threshold, 'detector-model': 'a/b' })).toEqual({
      detectorModel: { model: 'a/b', threshold: 0.7 },
    })
  })

  test('throws UsageError for a folder without a model', () => {
    expect(() => parseDetectorModel({ ...threshold, 'detector-model': folder })).toThrow(UsageError)
  })
})
