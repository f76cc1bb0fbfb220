import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'pg'

/** A PostgreSQL server of one test. */
export interface Server {
  /** Opens a pool of connections to its database. */
  openPool(): Pool
  close(): Promise<void>
}

const debianRoot = '/usr/lib/postgresql'
/** The folder with the newest `initdb` and `postgres` that Debian's `postgresql` installed, or null. */
const binaries =
  (existsSync(debianRoot) ? readdirSync(debianRoot) : [])
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(debianRoot, version, 'bin'))
    .find((folder) => existsSync(join(folder, 'initdb'))) ?? null

export const isServerInstalled = binaries !== null

/** The user that runs it where the test runs as root, which PostgreSQL refuses: `nobody`. */
const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

async function waitUntilReady(pool: Pool, server: ChildProcess): Promise<void> {
  for (;;) {
    try {
      await pool.query('select 1')
      return
    } catch (error) {
      if (server.exitCode !== null) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

/** Starts a server with an empty cluster in a temporary folder, which it reaches by a socket there. */
export async function startServer(): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-postgres-'))
  if (nobody.uid !== undefined) chownSync(folder, nobody.uid, nobody.gid)
  const data = join(folder, 'data')
  const made = spawnSync(
    join(binaries!, 'initdb'),
    ['-D', data, '-U', 'tributary', '-A', 'trust', '-N', '-E', 'UTF8'],
    {
      ...nobody,
      cwd: folder,
      encoding: 'utf8',
    },
  )
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`)
  // Durability is not needed: the cluster is deleted with the test.
  const settings = ['fsync=off', 'full_page_writes=off', 'listen_addresses=', `unix_socket_directories=${folder}`]
  const server = spawn(join(binaries!, 'postgres'), ['-D', data, ...settings.flatMap((one) => ['-c', one])], {
    ...nobody,
    cwd: folder,
    stdio: 'ignore',
  })
  const exit = new Promise((resolve) => server.once('exit', resolve))
  const openPool = (): Pool => new Pool({ host: folder, user: 'tributary', database: 'postgres', max: 10 })
  const pool = openPool()
  await waitUntilReady(pool, server)
  await pool.end()
  return {
    openPool,
    async close() {
      // It waits until the last connection is closed, and breaks the rest off.
      server.kill('SIGTERM')
      const timer = setTimeout(() => server.kill('SIGINT'), 2_000)
      await exit
      clearTimeout(timer)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
