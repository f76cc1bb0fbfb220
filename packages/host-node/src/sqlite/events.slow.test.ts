import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createService, type Stores } from '@tributary/core'
import { libsqlStores } from '@tributary/core/libsql'
import { bundle, createMigratedFile } from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { queueTimes } from '../../../core/src/queue/times.ts'
import { isServerInstalled, startServer } from '../../../core/src/stores/postgres/server.fixture.ts'
import { openPostgres } from '../postgres.ts'
import { openLocal } from './local.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-events-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('onEvent', () => {
  /** Kills a process on a database several times, and lists the events that are not received. */
  async function listLost(database: string, stores: Stores, crash = async () => {}) {
    const program = await bundle(new URL('./event-sender.fixture.ts', import.meta.url))
    const [acknowledged, delivered] = [new Set<string>(), new Set<string>()]
    /** How many effects were acknowledged and not yet delivered when a process was killed, at most. */
    let pending = 0
    for (const enough of [60, 130, 200]) {
      const child = spawn(process.execPath, [program, database], { stdio: ['ignore', 'pipe', 'inherit'] })
      let rest = ''
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        const lines = (rest + text).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) {
          const [what, id = ''] = line.split(' ')
          ;(what === 'delivered' ? delivered : acknowledged).add(id)
        }
        if (acknowledged.size >= enough) child.kill('SIGKILL')
      })
      await once(child, 'close')
      pending = Math.max(pending, [...acknowledged].filter((id) => !delivered.has(id)).length)
      await crash()
    }
    const service = createService({
      baseUrl: 'http://127.0.0.1:8787',
      stores,
      // The deliveries of a killed process are due after its lease has expired.
      clock: () => Date.now() + queueTimes.outbox.leaseMs + 1000,
      onEvent: ({ type, data }) => void (type === 'report.received' && delivered.add(data.feedbackId)),
    })
    await service.work()
    expect([acknowledged.size >= 200, pending > 0]).toEqual([true, true])
    return [...acknowledged].filter((id) => !delivered.has(id))
  }

  test('receives the event of every acknowledged effect although its process was killed by SIGKILL', async () => {
    const path = join(folder, 'a.db')
    await createMigratedFile(path)
    const client = openLocal(path)
    expect(await listLost(path, libsqlStores(client))).toEqual([])
    client.close()
  })

  test.skipIf(!isServerInstalled)(
    'receives the event of every acknowledged effect although its process and PostgreSQL were killed',
    async () => {
      const server = await startServer()
      const opened = await openPostgres(server.url)
      await opened.migrate()
      const crash = async () => {
        await server.crash()
        await server.restart()
      }
      expect(await listLost(server.url, opened.stores, crash)).toEqual([])
      await opened.close()
      await server.close()
    },
  )
})
