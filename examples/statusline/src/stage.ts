import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { main } from './main.ts'
import { machine, played, sponsor, type Asked, type Reply } from './played.ts'

/** Creates a folder for each test of a file, and services that end with it. */
export function staged() {
  const place = { home: '' }
  const closers: (() => Promise<void>)[] = []
  beforeEach(() => void (place.home = mkdtempSync(join(tmpdir(), 'statusline-'))))
  afterEach(async () => {
    for (const close of closers.splice(0)) await close()
    rmSync(place.home, { recursive: true, force: true })
  })

  /** Creates a service with one sponsor, and a machine that uses it. */
  async function stage(
    more: Record<string, (asked: Asked) => Reply> = {},
    served: () => unknown = () => sponsor('http://127.0.0.1:1'),
  ) {
    const server = await played(
      {
        'GET /api/ad': () => [200, served()],
        'POST /api/ad/imp/one': () => [204, null],
        ...more,
      },
      (base, body) => body.replaceAll('http://127.0.0.1:1/', `${base}/`),
    )
    closers.push(() => server.close())
    const { surroundings, ...rest } = machine(place.home)
    const run = (...argv: string[]) => main([...argv, '--url', server.url], surroundings)
    return { server, surroundings, run, lines: () => server.asked.map(({ line }) => line), ...rest }
  }
  return { place, stage }
}
