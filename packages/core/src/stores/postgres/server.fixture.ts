import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'pg'

/** A PostgreSQL server of one test. */
export interface Server {
  /** The URL of the server's first database, for a user with all privileges. */
  readonly url: string
  /** Opens a pool of connections to the first database. */
  openPool(): Pool
  /** Creates an empty database. Returns its URL. */
  createDatabase(name: string): Promise<string>
  /** Ends all connections abruptly, like a crash. */
  crash(): Promise<void>
  /** Starts the server again, as a replica or as a primary. Resolves when the server answers. */
  restart(options?: { isReplica?: boolean }): Promise<void>
  close(): Promise<void>
}

/** A PgBouncer in front of a server, in transaction mode. */
export interface Bouncer {
  /** Returns the URL of a database through this PgBouncer. */
  urlOf(database: string): string
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

const bouncer = '/usr/sbin/pgbouncer'
export const isBouncerInstalled = existsSync(bouncer)

/** PostgreSQL refuses to run as root. If the test runs as root, the user `nobody` runs the server. */
const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

/** Waits until a server answers. Throws when its process has ended. */
async function waitUntilReady(url: string, server: ChildProcess): Promise<void> {
  const pool = new Pool({ connectionString: url, max: 1 })
  pool.on('error', () => undefined)
  for (;;) {
    try {
      await pool.query('select 1')
      return await pool.end()
    } catch (error) {
      if (server.exitCode !== null) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-postgres-'))
  if (nobody.uid !== undefined) chownSync(folder, nobody.uid, nobody.gid)
  return folder
}

/** Starts a program of Postgres. Returns the process, and a promise that resolves when the process ends. */
function startProgram(file: string, args: readonly string[], cwd: string) {
  const child = spawn(file, args, { ...nobody, cwd, stdio: 'ignore' })
  return { child, exit: new Promise((resolve) => child.once('exit', resolve)) }
}

/** Starts a server with an empty cluster in a temporary folder. It is reached by a socket in this folder. */
export async function startServer({ isDurable = false } = {}): Promise<Server> {
  const folder = createFolder()
  const data = join(folder, 'data')
  const options = ['-D', data, '-U', 'tributary', '-A', 'trust', '-N', '-E', 'UTF8']
  // Text is compared by bytes although this locale sorts `a` before `B`.
  options.push('--locale-provider=icu', '--icu-locale=en-US')
  const made = spawnSync(join(binaries!, 'initdb'), options, { ...nobody, cwd: folder, encoding: 'utf8' })
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`)
  // Durability is not needed: the cluster is deleted with the test. A crash of the server alone loses nothing.
  const quick = isDurable ? [] : ['fsync=off', 'full_page_writes=off']
  const settings = [...quick, 'listen_addresses=', `unix_socket_directories=${folder}`]
  const urlOf = (database: string): string => `postgres:///${database}?host=${folder}&user=tributary`
  const url = urlOf('postgres')
  const start = () =>
    startProgram(join(binaries!, 'postgres'), ['-D', data, ...settings.flatMap((one) => ['-c', one])], folder)
  let running = start()
  const openPool = (): Pool => new Pool({ connectionString: url, max: 10, pipeline: true })
  await waitUntilReady(url, running.child)
  return {
    url,
    openPool,
    async createDatabase(name) {
      const pool = openPool()
      await pool.query(`create database "${name}"`)
      await pool.end()
      return urlOf(name)
    },
    async crash() {
      running.child.kill('SIGQUIT')
      await running.exit
    },
    async restart({ isReplica = false } = {}) {
      if (isReplica) writeFileSync(join(data, 'standby.signal'), '')
      running = start()
      await waitUntilReady(url, running.child)
    },
    async close() {
      // The server first waits until the last connection is closed, and after the timeout it ends the remaining
      // connections.
      running.child.kill('SIGTERM')
      const timer = setTimeout(() => running.child.kill('SIGINT'), 2_000)
      await running.exit
      clearTimeout(timer)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Starts a PgBouncer in front of a server. */
export async function startBouncer({ url }: Server): Promise<Bouncer> {
  const folder = createFolder()
  const host = new URL(url).searchParams.get('host')!
  writeFileSync(
    join(folder, 'bouncer.ini'),
    `[databases]
* = host=${host} user=tributary
[pgbouncer]
listen_addr =
unix_socket_dir = ${folder}
auth_type = any
pool_mode = transaction
default_pool_size = 5
ignore_startup_parameters = extra_float_digits
`,
  )
  const { child, exit } = startProgram(bouncer, [join(folder, 'bouncer.ini')], folder)
  const urlOf = (database: string): string => `postgres:///${database}?host=${folder}&port=6432&user=tributary`
  await waitUntilReady(urlOf('postgres'), child)
  return {
    urlOf,
    async close() {
      child.kill('SIGINT')
      await exit
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
