import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '@tributary/core/libsql'
import { afterEach, expect, test, vi } from 'vitest'
import { openStore } from '../../server-config.ts'
import { runCommand } from '../program.fixture.ts'
import { workerCommand } from './worker.ts'

const warmUps = vi.hoisted((): (AbortSignal | undefined)[] => [])
vi.mock('@tributary/core/worker', async (actual) => {
  const { createWorker } = await actual<typeof import('@tributary/core/worker')>()
  return {
    createWorker: (...given: Parameters<typeof createWorker>) => ({
      ...createWorker(...given),
      async warmUp(signal?: AbortSignal) {
        warmUps.push(signal)
        setImmediate(() => process.emit('SIGTERM'))
      },
    }),
  }
})

const folder = mkdtempSync(join(tmpdir(), 'tributary-worker-'))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('tributary worker warms up when it starts, and stops the warm-up when it stops', async () => {
  const database = join(folder, 'tributary.db')
  const { client } = await openStore({ url: database })
  await migrate(client!)
  client!.close()
  const { code } = await runCommand(workerCommand, [
    '--database',
    database,
    '--secret',
    'secret-of-this-test-only',
    '--log-level',
    'error',
  ])
  expect(code).toBe(0)
  expect(warmUps.map((signal) => signal?.aborted)).toEqual([true])
})
