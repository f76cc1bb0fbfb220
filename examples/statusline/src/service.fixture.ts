import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { main } from './main.ts'
import {
  fakeRuntime,
  startScriptedServer,
  serveReply,
  type ReceivedRequest,
  type Reply,
} from './scripted-server.fixture.ts'

/** Gives each test of a file a new home folder, and closes the services after the test. */
export function useService() {
  const place = { home: '' }
  const closers: (() => Promise<void>)[] = []
  beforeEach(() => void (place.home = mkdtempSync(join(tmpdir(), 'statusline-'))))
  afterEach(async () => {
    for (const close of closers.splice(0)) await close()
    rmSync(place.home, { recursive: true, force: true })
  })

  /** Creates a service with one sponsor, and a machine that uses it. */
  async function startService(
    more: Record<string, (request: ReceivedRequest) => Reply> = {},
    served: () => unknown = () => serveReply('http://127.0.0.1:1'),
  ) {
    const server = await startScriptedServer(
      {
        'GET /api/ad': () => [200, served()],
        'POST /api/ad/imp/one': () => [204, null],
        ...more,
      },
      (base, body) => body.replaceAll('http://127.0.0.1:1/', `${base}/`),
    )
    closers.push(() => server.close())
    const { runtime, ...rest } = fakeRuntime(place.home)
    const run = (...argv: string[]) => main([...argv, '--url', server.url], runtime)
    return { server, runtime, run, lines: () => server.received.map(({ line }) => line), ...rest }
  }
  return { place, stage: startService }
}
