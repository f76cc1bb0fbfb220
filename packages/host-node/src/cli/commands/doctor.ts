import { existsSync } from 'node:fs'
import { within } from '@tributary/core/adapter'
import { migrate, type SqlClient } from '@tributary/core/libsql'
import type { createTransport } from 'nodemailer'
import semver from 'semver'
import packageJson from '../../../package.json' with { type: 'json' }
import { smtpError, smtpServer } from '../../mail.ts'
import { isPostgres } from '../../postgres.ts'
import { localPath, openStore, type DatabaseConfig } from '../../server-config.ts'
import { checkIntegrity } from '../../sqlite/backup.ts'
import { parseBaseUrl, parseSmtp } from '../flags/addresses.ts'
import { parsePersistentDatabase } from '../flags/database.ts'
import { defineFlags, type FlagValues } from '../flags/flag.ts'
import { parseMailFlags, parseStart, startFlags } from '../flags/start.ts'
import { inspectDatabase, requireWritable } from '../inspect-database.ts'
import { defineCommand } from '../program.ts'
import { attempt, readMessage, type Finding } from './doctor-finding.ts'
import { checkPasskeys } from './doctor-passkeys.ts'
import { checkPostgres } from './doctor-postgres.ts'

/** `tributary doctor`: checks everything that `start` needs, or only a database. */
export const doctorCommand = defineCommand({
  description: `Without --base-url and --smtp-url, it checks only the database, such as a copy, or the database of an app that
embeds the service.`,
  example: 'tributary doctor --database ./tributary.db --base-url https://api.example.com --json',
  flags: {
    ...startFlags,
    ...defineFlags({
      integrity: { kind: 'switch', help: 'also check every page of the database file (seconds per gigabyte)' },
    }),
  },
  async run(flags, { out }) {
    const [baseUrl, smtpUrl] = [flags['base-url'], flags['smtp-url']]
    const isDatabaseAlone = baseUrl === undefined && smtpUrl === undefined
    const findings = [
      checkNode(),
      await checkClock(),
      ...(isDatabaseAlone ? [] : [checkBaseUrl(baseUrl), await checkMail(smtpUrl), await checkFlags(flags)]),
      ...checkCountryHeader(flags['country-header'], flags['trusted-proxies']),
      ...(await checkDatabase(parsePersistentDatabase(flags), baseUrl, flags.integrity)),
    ]
    const isHealthy = findings.every(({ ok }) => ok)
    const width = Math.max(...findings.map(({ check }) => check.length))
    out(
      flags.json
        ? `${JSON.stringify({ ok: isHealthy, checks: findings })}\n`
        : `${findings
            .map(({ check, found, ...rest }) => `${chooseLabel(rest)}  ${check.padEnd(width)}  ${found}`)
            .join('\n')}\n`,
    )
    return isHealthy ? 0 : 1
  },
})

const chooseLabel = ({ ok, warning }: Pick<Finding, 'ok' | 'warning'>): string =>
  warning ? 'WARN' : ok ? 'ok  ' : 'FAIL'

function checkNode(): Finding {
  const { node: required } = packageJson.engines
  const ok = semver.satisfies(process.version, required)
  return {
    check: 'node',
    ok,
    found: ok ? process.version : `${process.version}; expected ${required}: https://nodejs.org`,
  }
}

/** Checks the flags of `start` that need no server. */
async function checkFlags(flags: FlagValues<typeof startFlags>): Promise<Finding> {
  const check = 'flags'
  try {
    if (flags['smtp-url']) parseMailFlags(flags)
    await parseStart(flags, 'http://127.0.0.1')
    return { check, ok: true, found: 'as `start` takes them' }
  } catch (error) {
    return { check, ok: false, found: readMessage(error) }
  }
}

/** Checks the clock: if the time is wrong or jumps, tokens expire at the wrong time. */
async function checkClock(): Promise<Finding> {
  const [wallMs, monotonicMs] = [Date.now(), performance.now()]
  await new Promise((resolve) => setTimeout(resolve, 100))
  const drift = Math.abs(Date.now() - wallMs - (performance.now() - monotonicMs))
  const ok = wallMs > Date.UTC(2025, 0) && drift < 50
  return {
    check: 'clock',
    ok,
    found: `${new Date(wallMs).toISOString()}${ok ? '' : `; the clock is wrong or jumps (${drift.toFixed(0)} ms in 100 ms): set up NTP`}`,
  }
}

function checkBaseUrl(url: string | undefined): Finding {
  try {
    const { protocol } = new URL(parseBaseUrl(url, 'not set: --base-url https://api.example.com'))
    return {
      check: 'base URL',
      ok: true,
      found: protocol === 'http:' ? `${url}, reachable from this machine only` : url!,
    }
  } catch (error) {
    return { check: 'base URL', ok: false, found: readMessage(error) }
  }
}

/** Checks the header of the country: without a trusted proxy, the caller could set this header. */
function checkCountryHeader(name: string | undefined, trustedProxies: number): Finding[] {
  if (name === undefined) return []
  const check = 'country header'
  if (trustedProxies > 0)
    return [
      {
        check,
        ok: true,
        found: `${name}, sent by a trusted proxy, which must replace a header of the caller: see docs/proxies.md`,
      },
    ]
  return [
    {
      check,
      ok: true,
      warning: true,
      found:
        `${name} is used although no proxy is trusted, so any caller can claim any country. ` +
        'Set --trusted-proxies, allow connections from the proxy only, and let it replace the header (docs/proxies.md)',
    },
  ]
}

const encryptionTexts = {
  'required': 'TLS is required',
  'if offered': 'TLS is not required on this machine',
  'no': 'NO TLS (smtp+insecure://): whoever reads the network traffic sees sign-in codes and the password',
} as const

async function checkMail(url: string | undefined): Promise<Finding> {
  if (!url)
    return {
      check: 'mail',
      ok: false,
      found: 'not set: --smtp-url smtps://user:password@host; without it nobody can sign in by e-mail',
    }
  try {
    parseSmtp(url, 'doctor@example.com')
  } catch (error) {
    return { check: 'mail', ok: false, found: readMessage(error) }
  }
  const server = smtpServer(url)
  const options = {
    url: server.url,
    requireTLS: server.tls === 'required',
    connectionTimeout: 5_000,
    greetingTimeout: 5_000,
  }
  const nodemailer = await import('nodemailer')
  const transport = nodemailer.createTransport(options as Parameters<typeof createTransport>[0])
  try {
    await within(8_000, () => transport.verify())
    return {
      check: 'mail',
      ok: true,
      found: `the server answers and accepts the login; ${encryptionTexts[server.tls]}`,
    }
  } catch (error) {
    return {
      check: 'mail',
      ok: false,
      found: `${smtpError(error).message}; check host, port, user and password`,
    }
  } finally {
    transport.close()
  }
}

async function checkDatabase(
  database: DatabaseConfig,
  baseUrl: string | undefined,
  withIntegrity: boolean,
): Promise<Finding[]> {
  if (isPostgres(database.url)) return checkPostgres(database.url, baseUrl)
  const path = localPath(database)
  if (path !== null && !existsSync(path)) {
    return [{ check: 'database', ok: false, found: `file not found: ${path}; \`tributary migrate\` creates it` }]
  }
  const integrity = withIntegrity ? [await checkFileIntegrity(path)] : []
  // The file is inspected before it is opened for writing, because opening it would set its journal mode.
  const usable = await attempt('database', async () => {
    await inspectDatabase(database)
    return path ?? ''
  })
  if (!usable.ok) return [usable, ...integrity]
  const { client: opened, stores, local, close } = await openStore(database)
  const client = opened!
  try {
    const reached = await attempt('database', async () => {
      await queryValue(client, 'select 1')
      return path ?? new URL(database.url).host
    })
    if (!reached.ok) return [reached, ...integrity]
    const schema = await attempt('migrated', () => requireNoPending(client))
    return [
      reached,
      ...integrity,
      schema,
      await attempt('writable', () => tryWriting(client, path)),
      ...(local ? [await attempt('WAL', () => requireWal(client))] : []),
      ...(schema.ok
        ? [
            await attempt('jobs', () => requireNothingOverdue(client, 'jobs')),
            await attempt('outbox', () => requireNothingOverdue(client, 'outbox')),
            ...(await checkPasskeys(stores, baseUrl)),
          ]
        : []),
    ]
  } finally {
    await close()
  }
}

/** Checks every page. There is no deadline, because SQLite works synchronously. */
async function checkFileIntegrity(path: string | null): Promise<Finding> {
  const check = 'integrity'
  if (path === null) return { check, ok: true, found: 'not checked: the provider of a remote database checks it' }
  const startedAt = performance.now()
  try {
    await checkIntegrity(path)
    return { check, ok: true, found: `no damage found (${((performance.now() - startedAt) / 1000).toFixed(1)} s)` }
  } catch (error) {
    return { check, ok: false, found: readMessage(error) }
  }
}

const queryValue = async (client: SqlClient, sql: string): Promise<unknown> =>
  (await client.execute({ sql, args: [] })).rows[0]?.[0]

/** Returns `up to date`. Throws when migrations are pending. */
async function requireNoPending(client: SqlClient): Promise<string> {
  const { ids } = await migrate(client, { dryRun: true })
  if (ids.length > 0) throw new Error(`${ids.length} pending (${ids.join(', ')}); run \`tributary migrate\``)
  return 'up to date'
}

/** Acquires the write lock and changes nothing. */
async function tryWriting(client: SqlClient, path: string | null): Promise<string> {
  requireWritable(path)
  await client.batch([{ sql: 'delete from tributary_migrations where 0', args: [] }], 'write')
  return 'yes'
}

/** The longest time for which an entry waits while a worker runs. Mails are collected for 15 minutes. */
const overdueMs = 30 * 60 * 1000

const overdueConditions = {
  jobs: "status in ('queued', 'parsing', 'ingesting') and next_at < ?1 and (lease is null or lease_until < ?1)",
  outbox: "finished_at is null and ((status = 'waiting' and due_at < ?1) or (status = 'sending' and lease_until < ?1))",
}

/** Throws when a job or an outbox entry is overdue. */
async function requireNothingOverdue(client: SqlClient, table: keyof typeof overdueConditions): Promise<string> {
  const { rows } = await client.execute({
    sql: `select count(*) from ${table} where ${overdueConditions[table]}`,
    args: [Date.now() - overdueMs],
  })
  const count = Number(rows[0]?.[0])
  if (count > 0)
    throw new Error(
      `${count} due for more than 30 minutes; no worker runs, or it has no mail server: run \`tributary worker\``,
    )
  return 'nothing is overdue'
}

async function requireWal(client: SqlClient): Promise<string> {
  const mode = String(await queryValue(client, 'pragma journal_mode'))
  if (mode !== 'wal')
    throw new Error(`the journal mode is ${mode}; the file system may not support WAL: use a local disk`)
  return 'on'
}
