import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createService } from '@tributary/core'
import { libsqlStores } from '@tributary/core/libsql'
import { bundle, createMigratedFile } from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { queueTimes } from '../../../core/src/queue/times.ts'
import { openLocal } from './local.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-events-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('onEvent', () => {
  test('receives the event of every acknowledged effect although its process was killed by SIGKILL', async () => {
    const path = join(folder, 'a.db')
    await createMigratedFile(path)
    const program = await bundle(new URL('./event-sender.fixture.ts', import.meta.url))
    const [acknowledged, delivered] = [new Set<string>(), new Set<string>()]
    for (const enough of [60, 130, 200]) {
      const child = spawn(process.execPath, [program, path], { stdio: ['ignore', 'pipe', 'inherit'] })
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
    }
    const beforeTheLast = delivered.size
    const client = openLocal(path)
    const service = createService({
      baseUrl: 'http://127.0.0.1:8787',
      stores: libsqlStores(client),
      // A killed process's deliveries are due when its lease has expired.
      clock: () => Date.now() + queueTimes.outbox.leaseMs + 1000,
      onEvent: ({ type, data }) => void (type === 'report.received' && delivered.add(data.feedbackId)),
    })
    await service.work()
    client.close()
    expect([...acknowledged].filter((id) => !delivered.has(id))).toEqual([])
    expect([acknowledged.size >= 200, delivered.size - beforeTheLast > 0]).toEqual([true, true])
  })
})
