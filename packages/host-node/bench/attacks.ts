// `npm run check -- attacks [ADDRESS] [flags]`: attacks a running Tributary. Without an address it starts its own
// services; with `--database postgres` these use Debian's PostgreSQL.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { attacksCommand, type Attacked } from '@tributary/test-kit/attacks'
import { startServer } from '../../core/src/stores/postgres/server.fixture.ts'

const [adminToken, passkeyToken] = ['attacks-operator-Zk3vQ8w1Xr5t', 'attacks-passkeys-Yb7mR2k9Lw4s']
// The path is relative to dist/bench, where this file runs.
const cli = fileURLToPath(new URL('../cli.js', import.meta.url))

const args = process.argv.slice(2)
const flagAt = args.indexOf('--database')
const kind = flagAt === -1 ? 'file' : args.splice(flagAt, 2)[1]
if (kind !== 'file' && kind !== 'postgres') throw new Error(`--database: expected file or postgres, not "${kind}"`)

/** Returns the flags that start a service at `localhost` on a free port. */
async function listStartFlags(): Promise<string[]> {
  const probe = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => probe.once('listening', resolve))
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  const mail = ['--smtp-url', 'smtp://127.0.0.1:9', '--mail-from', 'attacks@example.com']
  const own = ['--secret', 'attacks-secret-Tq8nL3xV5c', '--admin-tokens', `passkeys=${passkeyToken}`]
  return ['start', '--base-url', `http://localhost:${port}`, '--port', String(port), ...mail, ...own]
}

/** Starts a service on a fresh database and a free port. */
async function startService({ hasRates = false, isDatacenter = false, hasPasskeys = false }): Promise<Attacked> {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-attacks-'))
  const server = kind === 'postgres' ? await startServer() : null
  const database = server?.url ?? join(folder, 'attacks.db')
  // `dev` is reached at an IP address, for which browsers do not allow passkeys.
  const flags = hasPasskeys ? await listStartFlags() : ['dev', '--port', '0']
  flags.push('--database', database, '--admin-token', adminToken)
  if (!hasRates) flags.push('--rate-limits', 'off')
  if (isDatacenter) {
    const file = join(folder, 'datacenters.txt')
    writeFileSync(file, '127.0.0.0/8\n')
    flags.push('--datacenter-file', file)
  }
  const child = spawn(process.execPath, [cli, ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  let output = ''
  const address = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part) => {
        output += String(part)
        const found = /http:\/\/127\.0\.0\.1:\d+/.exec(output)
        if (found) resolve(found[0])
      })
    child.once('exit', () => reject(new Error(`the service did not start:\n${output}`)))
  })
  return {
    address,
    adminToken,
    ...(hasPasskeys ? { passkeyToken } : {}),
    hasRates,
    isDatacenter,
    async stop() {
      child.kill('SIGTERM')
      await ended
      await server?.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

process.exitCode = await attacksCommand(args, {
  out: (text) => process.stdout.write(text),
  error: (text) => process.stderr.write(text),
  env: process.env,
  start: async () =>
    Promise.all([{}, { hasRates: true }, { isDatacenter: true }, { hasPasskeys: true }].map(startService)),
})
