import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundle } from '@tributary/test-kit'
import Database from 'libsql'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-signals-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const [main, thread] = await Promise.all(
  ['../worker/stopping.fixture.ts', '../sqlite/busy.fixture.ts'].map((name) => bundle(new URL(name, import.meta.url))),
)

/**
 * Sends the signals, some milliseconds apart, to a process whose thread is inside the driver. Resolves with the exit
 * code, the signal and the integrity of the database.
 */
async function stopWithSignal(
  stopMs: number,
  signal: NodeJS.Signals,
  ...pauses: number[]
): Promise<{ code: number; signal: NodeJS.Signals; integrity: unknown }> {
  const path = join(folder, `${pauses.join('-')}.db`)
  const child = spawn(process.execPath, [main!, thread!, path, String(stopMs)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const closed = once(child, 'close')
  await Promise.race([once(child.stdout, 'data'), closed])
  for (const pause of pauses) {
    await new Promise((resolve) => setTimeout(resolve, pause))
    child.kill(signal)
  }
  // Two signals count as one if the process has not handled the first, so the second is sent until the process ends.
  const repeat = pauses.length > 1 ? setInterval(() => child.kill(signal), 1_000) : undefined
  const [code, killed] = (await closed) as [number, NodeJS.Signals]
  clearInterval(repeat)
  const database = new Database(path)
  const [{ integrity_check: integrity }] = database.prepare('pragma integrity_check').all([]) as [
    { integrity_check: string },
  ]
  database.close()
  return { code, signal: killed, integrity }
}

describe('waitForSignal with an ingest thread inside the driver', () => {
  test('exits with 1 and does not abort when the thread does not end in time', async () => {
    expect(await stopWithSignal(100, 'SIGTERM', 50)).toEqual({ code: 1, signal: null, integrity: 'ok' })
  })

  test.each<[NodeJS.Signals, number]>([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ])('after a second %s, exits with %i and does not abort', { tags: 'slow' }, async (signal, code) => {
    for (const pause of [5, 60, 120])
      expect(await stopWithSignal(60_000, signal, 50, pause)).toEqual({ code, signal: null, integrity: 'ok' })
  })
})
