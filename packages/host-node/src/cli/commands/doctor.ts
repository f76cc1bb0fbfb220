import { accessSync, constants, existsSync } from 'node:fs'
import { within } from '@tributary/core'
import { migrate, type SqlClient } from '@tributary/core/libsql'
import { createTransport } from 'nodemailer'
import { checkIntegrity } from '../../sqlite/backup.ts'
import { flags } from '../flags.ts'
import { smtpError, smtpServer } from '../../mail.ts'
import { localPath, openStore, type DatabaseConfig } from '../../server-config.ts'
import { baseOf, smtpOf } from './address.ts'
import { command } from './command.ts'
import { inspectDatabase } from './database.ts'
import { databaseFlags, jsonFlag } from './options.ts'
import { explain, lastingOf } from './trouble.ts'

interface Finding {
  readonly check: string
  readonly ok: boolean
  /** It works, and should be looked at: does not make the exit code 1. */
  readonly warning?: true
  /** What was found, and what to do when it is not well. */
  readonly found: string
}

/** `tributary doctor`: looks at everything that `start` needs. */
export const doctorCommand = command({
  name: 'doctor',
  summary: 'checks what a production start needs, and says what to mend',
  example: 'tributary doctor --database ./tributary.db --base-url https://api.example.com --json',
  flags: {
    ...databaseFlags,
    ...jsonFlag,
    ...flags({
      'base-url': { kind: 'text', value: 'URL', help: 'the address that people and clients reach' },
      'smtp-url': { kind: 'text', value: 'URL', help: 'the mail server, over TLS (smtps:// or STARTTLS)' },
      'country-header': {
        kind: 'text',
        value: 'NAME',
        help: 'the header that the country is read from, as `start` has it',
      },
      'trusted-proxies': {
        kind: 'number',
        preset: 0,
        most: 10,
        help: 'how many proxies before the server write x-forwarded-for, as `start` has it',
      },
      'integrity': { kind: 'switch', help: 'check every page of the database file too: seconds a gigabyte' },
    }),
  },
  async run(given, { out }) {
    const findings = [
      node(),
      await clock(),
      base(given['base-url']),
      await mail(given['smtp-url']),
      ...countryHeader(given['country-header'], given['trusted-proxies']),
      ...(await database(lastingOf(given), given.integrity)),
    ]
    const well = findings.every(({ ok }) => ok)
    const width = Math.max(...findings.map(({ check }) => check.length))
    out(
      given.json
        ? `${JSON.stringify({ ok: well, checks: findings })}\n`
        : `${findings.map(({ check, ok, warning, found }) => `${warning ? 'WARN' : ok ? 'ok  ' : 'FAIL'}  ${check.padEnd(width)}  ${found}`).join('\n')}\n`,
    )
    return well ? 0 : 1
  },
})

const said = (error: unknown): string =>
  explain(error)?.message ?? (error instanceof Error ? error.message : String(error))

function node(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const ok = major > 20 || (major === 20 && minor >= 19)
  return {
    check: 'node',
    ok,
    found: ok ? process.version : `${process.version}; 20.19 or newer is needed: https://nodejs.org`,
  }
}

/** A clock of before this was written, or one that steps, makes tokens expire at the wrong time. */
async function clock(): Promise<Finding> {
  const [wall, steady] = [Date.now(), performance.now()]
  await new Promise((resolve) => setTimeout(resolve, 100))
  const drift = Math.abs(Date.now() - wall - (performance.now() - steady))
  const ok = wall > Date.UTC(2025, 0) && drift < 50
  return {
    check: 'clock',
    ok,
    found: `${new Date(wall).toISOString()}${ok ? '' : `; it jumps or is wrong (${drift.toFixed(0)} ms in 100): set up NTP`}`,
  }
}

function base(url: string | undefined): Finding {
  try {
    const { protocol } = new URL(baseOf(url, 'not set: --base-url https://api.example.com'))
    return {
      check: 'base URL',
      ok: true,
      found: protocol === 'http:' ? `${url}, which only this machine reaches` : url!,
    }
  } catch (error) {
    return { check: 'base URL', ok: false, found: said(error) }
  }
}

/** Where no proxy is trusted, the header may come from the caller. */
function countryHeader(name: string | undefined, trustedProxies: number): Finding[] {
  if (name === undefined) return []
  const check = 'country header'
  if (trustedProxies > 0)
    return [
      {
        check,
        ok: true,
        found: `${name}, set by a trusted proxy; it must replace what callers send: see docs/proxies.md`,
      },
    ]
  return [
    {
      check,
      ok: true,
      warning: true,
      found:
        `${name} is believed although no proxy is trusted: whoever reaches the server can claim any country. ` +
        'Say --trusted-proxies, let nobody reach the server around the proxy, and let the proxy replace the header (docs/proxies.md)',
    },
  ]
}

const encryption = {
  'required': 'TLS is required',
  'if offered': 'TLS is not required, since it is on this machine',
  'no': 'WITHOUT TLS, as smtp+insecure:// says: whoever sees the network reads sign-in codes and the password',
} as const

async function mail(url: string | undefined): Promise<Finding> {
  if (!url)
    return {
      check: 'mail',
      ok: false,
      found: 'not set: --smtp-url smtps://user:password@host; without it nobody can sign in by e-mail',
    }
  try {
    smtpOf(url, 'doctor@example.com')
  } catch (error) {
    return { check: 'mail', ok: false, found: said(error) }
  }
  const server = smtpServer(url)
  const options = {
    url: server.url,
    requireTLS: server.tls === 'required',
    connectionTimeout: 5_000,
    greetingTimeout: 5_000,
  }
  const transport = createTransport(options as Parameters<typeof createTransport>[0])
  try {
    await within(8_000, () => transport.verify())
    return { check: 'mail', ok: true, found: `the server answers and takes our name; ${encryption[server.tls]}` }
  } catch (error) {
    return {
      check: 'mail',
      ok: false,
      found: `${smtpError(error).message}; see that host, port, user and password are right`,
    }
  } finally {
    transport.close()
  }
}

async function database(plan: DatabaseConfig, checksIntegrity: boolean): Promise<Finding[]> {
  const path = localPath(plan)
  if (path !== null && !existsSync(path)) {
    return [{ check: 'database', ok: false, found: `${path} is not there; \`tributary migrate\` makes it` }]
  }
  const look = async (check: string, find: () => Promise<string>): Promise<Finding> => {
    try {
      return { check, ok: true, found: await within(8_000, find) }
    } catch (error) {
      return { check, ok: false, found: said(error) }
    }
  }
  const integrity = checksIntegrity ? [await integrityOf(path)] : []
  // Before it is opened for writing, which would set its journal mode.
  const usable = await look('database', async () => {
    await inspectDatabase(plan)
    return path ?? ''
  })
  if (!usable.ok) return [usable, ...integrity]
  const { client, local } = openStore(plan)
  try {
    const reached = await look('database', async () => {
      await ask(client, 'select 1')
      return path ?? new URL(plan.url).host
    })
    if (!reached.ok) return [reached, ...integrity]
    const schema = await look('migrated', () => migrated(client))
    return [
      reached,
      ...integrity,
      schema,
      await look('writable', () => writable(client, path)),
      ...(local ? [await look('WAL', () => wal(client))] : []),
      ...(schema.ok
        ? [await look('jobs', () => overdue(client, 'jobs')), await look('outbox', () => overdue(client, 'outbox'))]
        : []),
    ]
  } finally {
    client.close()
  }
}

/** Takes as long as it takes: SQLite works synchronously. */
async function integrityOf(path: string | null): Promise<Finding> {
  const check = 'integrity'
  if (path === null) return { check, ok: true, found: 'not checked: the provider of a remote database does that' }
  const started = performance.now()
  try {
    await checkIntegrity(path)
    return { check, ok: true, found: `no damage found (${((performance.now() - started) / 1000).toFixed(1)} s)` }
  } catch (error) {
    return { check, ok: false, found: said(error) }
  }
}

const ask = async (client: SqlClient, sql: string): Promise<unknown> =>
  (await client.execute({ sql, args: [] })).rows[0]?.[0]

async function migrated(client: SqlClient): Promise<string> {
  const { ids } = await migrate(client, { dryRun: true })
  if (ids.length > 0) throw new Error(`${ids.length} to go (${ids.join(', ')}); run \`tributary migrate\``)
  return 'up to date'
}

/** Takes the write lock and changes nothing. */
async function writable(client: SqlClient, path: string | null): Promise<string> {
  if (path !== null) accessSync(path, constants.W_OK)
  await client.batch([{ sql: 'delete from tributary_migrations where 0', args: [] }], 'write')
  return 'yes'
}

/** Longer than anything waits while a worker runs: mails gather for a quarter of an hour. */
const patienceMs = 30 * 60 * 1000

const waiting = {
  jobs: "status in ('queued', 'parsing', 'ingesting') and next_at < ?1 and (lease is null or lease_until < ?1)",
  outbox: "finished_at is null and ((status = 'waiting' and due_at < ?1) or (status = 'sending' and lease_until < ?1))",
}

/** Whether somebody works on what waits. */
async function overdue(client: SqlClient, table: keyof typeof waiting): Promise<string> {
  const { rows } = await client.execute({
    sql: `select count(*) from ${table} where ${waiting[table]}`,
    args: [Date.now() - patienceMs],
  })
  const count = Number(rows[0]?.[0])
  if (count > 0)
    throw new Error(
      `${count} due for more than half an hour; no worker runs, or it has no mail server: \`tributary worker\``,
    )
  return 'nothing is overdue'
}

async function wal(client: SqlClient): Promise<string> {
  const mode = String(await ask(client, 'pragma journal_mode'))
  if (mode !== 'wal') throw new Error(`journal mode is ${mode}; the file system may not support WAL: use a local disk`)
  return 'on'
}
