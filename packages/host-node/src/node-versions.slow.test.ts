import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { conformanceCommand } from '@tributary/test-kit/conformance'
import { describe, expect, test } from 'vitest'
import { built, run } from './cli/cli.fixture.ts'

/** The groups of checks that are run: sign-in, devices, uploads and jobs in less than a minute. */
const groups = ['upload', 'ingest', 'session', 'device', 'account', 'telemetry']

/** Returns the path of the newest Node of a major version. npm downloads it with the first call. */
function findNode(major: number): string {
  const command = ['-y', '-p', `node@${major}`, 'node', '-p', 'process.execPath']
  return execFileSync('npx', command, { encoding: 'utf8' }).trim()
}

describe.skipIf(!built)('tributary dev', () => {
  test.each([20, 22, 24])('passes the conformance checks on Node %i', async (major) => {
    const node = findNode(major)
    expect(execFileSync(node, ['--version'], { encoding: 'utf8' })).toMatch(new RegExp(`^v${major}\\.`))
    const folder = mkdtempSync(join(tmpdir(), 'tributary-node-'))
    const args = ['dev', '--json', '--port', '0', '--database', join(folder, 'a.db'), '--rate-limits', 'off']
    const { child, ended, out } = run(args, {}, folder, node)
    try {
      await expect.poll(out).toContain('\n')
      const { url, adminToken } = JSON.parse(out()) as { url: string; adminToken: string }
      let printed = ''
      const print = (text: string) => void (printed += text)
      const only = groups.flatMap((group) => ['--only', group])
      const env = { TRIBUTARY_ADMIN_TOKEN: adminToken }
      const code = await conformanceCommand([url, ...only], { out: print, error: print, env })
      expect([code, printed]).toEqual([0, expect.stringMatching(/\n[1-9]\d* passed, 0 failed/)])
    } finally {
      child.kill('SIGTERM')
      expect((await ended).code).toBe(0)
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
