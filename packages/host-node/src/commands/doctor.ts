import { accessSync, constants, existsSync } from 'node:fs'
import { migrate, type SqlClient } from '@tributary/core/libsql'
import { createTransport } from 'nodemailer'
import { flags } from '../flags.ts'
import { within } from '../own.ts'
import { localPath, openStore, type DatabasePlan } from '../plan.ts'
import { command } from './command.ts'
import { databaseFlags, jsonFlag } from './options.ts'
import { databaseOf } from './trouble.ts'

interface Finding {
  readonly check: string
  readonly ok: boolean
  /** What was found, and what to do when it is not well. */
  readonly found: string
}

/** `tributary doctor`: looks at everything that `start` needs. */
export const doctorCommand = command({
  name: 'doctor',
  summary: 'checks what a production start needs, and says what to mend',
  example: 'tributary doctor --database ./tributary.db --base-url https://api.example.com --json',
  flags: {
    ...databaseFlags, ...jsonFlag,
    ...flags({
      'base-url': { kind: 'text', value: 'URL', help: 'the address that people and clients reach' },
      'smtp-url': { kind: 'text', value: 'URL', help: 'the mail server' },
    }),
  },
  async run(given, { out }) {
    const findings = [
      node(), await clock(), base(given['base-url']), await mail(given['smtp-url']), ...(await database(databaseOf(given))),
    ]
    const well = findings.every(({ ok }) => ok)
    const width = Math.max(...findings.map(({ check }) => check.length))
    out(given.json
      ? `${JSON.stringify({ ok: well, checks: findings })}\n`
      : `${findings.map(({ check, ok, found }) => `${ok ? 'ok  ' : 'FAIL'}  ${check.padEnd(width)}  ${found}`).join('\n')}\n`)
    return well ? 0 : 1
  },
})

const said = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function node(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const ok = major > 20 || (major === 20 && minor >= 19)
  return { check: 'node', ok, found: ok ? process.version : `${process.version}; 20.19 or newer is needed: https://nodejs.org` }
}

/** A clock of before this was written, or one that steps, makes tokens expire at the wrong time. */
async function clock(): Promise<Finding> {
  const [wall, steady] = [Date.now(), performance.now()]
  await new Promise((resolve) => setTimeout(resolve, 100))
  const drift = Math.abs(Date.now() - wall - (performance.now() - steady))
  const ok = wall > Date.UTC(2025, 0) && drift < 50
  return { check: 'clock', ok, found: `${new Date(wall).toISOString()}${ok ? '' : `; it jumps or is wrong (${drift.toFixed(0)} ms in 100): set up NTP`}` }
}

function base(url: string | undefined): Finding {
  const fail = (found: string): Finding => ({ check: 'base URL', ok: false, found })
  if (!url) return fail('not set: --base-url https://api.example.com')
  if (!URL.canParse(url)) return fail(`${url} is no address`)
  const { protocol, hostname, search, hash } = new URL(url)
  const near = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  if (protocol !== 'https:' && !(protocol === 'http:' && near)) return fail(`${url} is not https; put a proxy with a certificate before the service`)
  if (search || hash) return fail(`${url} has a query or fragment; give scheme, host and path alone`)
  return { check: 'base URL', ok: true, found: near ? `${url}, which only this machine reaches` : url }
}

async function mail(url: string | undefined): Promise<Finding> {
  if (!url) return { check: 'mail', ok: false, found: 'not set: --smtp-url smtps://user:password@host; without it nobody can sign in by e-mail' }
  const transport = createTransport(url, { connectionTimeout: 5_000, greetingTimeout: 5_000 } as object)
  try {
    await within(8_000, transport.verify())
    return { check: 'mail', ok: true, found: 'the server answers and takes our name' }
  } catch (error) {
    return { check: 'mail', ok: false, found: `${said(error)}; see that host, port, user and password are right` }
  } finally {
    transport.close()
  }
}

async function database(plan: DatabasePlan): Promise<Finding[]> {
  const path = localPath(plan)
  if (path !== null && path !== ':memory:' && !existsSync(path)) {
    return [{ check: 'database', ok: false, found: `${path} is not there; \`tributary migrate\` makes it` }]
  }
  const { client, local } = openStore(plan)
  const look = async (check: string, find: () => Promise<string>): Promise<Finding> => {
    try {
      return { check, ok: true, found: await within(8_000, find()) }
    } catch (error) {
      return { check, ok: false, found: said(error) }
    }
  }
  try {
    const reached = await look('database', async () => {
      await ask(client, 'select 1')
      return path ?? new URL(plan.url).host
    })
    if (!reached.ok) return [reached]
    return [reached, await look('migrated', () => migrated(client)), await look('writable', () => writable(client, path)), ...(local ? [await look('WAL', () => wal(client))] : [])]
  } finally {
    client.close()
  }
}

const ask = async (client: SqlClient, sql: string): Promise<unknown> => (await client.execute({ sql, args: [] })).rows[0]?.[0]

async function migrated(client: SqlClient): Promise<string> {
  const { ids } = await migrate(client, { dryRun: true })
  if (ids.length > 0) throw new Error(`${ids.length} to go (${ids.join(', ')}); run \`tributary migrate\``)
  return 'up to date'
}

/** Takes the write lock and changes nothing. */
async function writable(client: SqlClient, path: string | null): Promise<string> {
  if (path !== null && path !== ':memory:') accessSync(path, constants.W_OK)
  await client.batch([{ sql: 'delete from tributary_migrations where 0', args: [] }], 'write')
  return 'yes'
}

async function wal(client: SqlClient): Promise<string> {
  const mode = String(await ask(client, 'pragma journal_mode'))
  if (mode !== 'wal') throw new Error(`journal mode is ${mode}; the file system may not support WAL: use a local disk`)
  return 'on'
}
