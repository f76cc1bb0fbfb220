// `npm run attacks [-- ADDRESS] [flags]`: attacks a running Tributary; without an address it starts services of its own.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from './build.mjs'
import { install } from './install.mjs'
import { checkNode, giveUp, root } from './root.mjs'

const adminToken = 'attacks-operator-Zk3vQ8w1Xr5t'

/** Starts `tributary dev` on a fresh database and a free port. */
async function startService(hasRates) {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-attacks-'))
  const flags = [
    'dev',
    '--port',
    '0',
    '--database',
    join(folder, 'attacks.db'),
    '--admin-token',
    adminToken,
    ...(hasRates ? [] : ['--rate-limits', 'off']),
  ]
  const child = spawn(process.execPath, [join(root, 'packages/host-node/dist/cli.js'), ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  let text = ''
  const address = await new Promise((resolve, reject) => {
    const read = (part) => {
      text += part
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(text)
      if (found) resolve(found[0])
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('exit', () => reject(new Error(`the service ended at its start:\n${text}`)))
  })
  return { address, adminToken, hasRates, stop }
}

try {
  checkNode()
  await install()
  await build({ types: false })
  const { attacksCommand } = await import(pathToFileURL(join(root, 'packages/test-kit/dist/attacks.js')).href)
  process.exitCode = await attacksCommand(process.argv.slice(2), {
    out: (text) => process.stdout.write(text),
    error: (text) => process.stderr.write(text),
    env: process.env,
    start: async () => [await startService(false), await startService(true)],
  })
} catch (error) {
  giveUp(error)
}
