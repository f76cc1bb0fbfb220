import { Unavailable } from '@tributary/core'
import { MigrationError } from '@tributary/core/libsql'
import { DatabaseDamaged, DatabaseInUse } from '../../sqlite/backup.ts'
import { UsageError } from '../flags.ts'
import type { DatabaseConfig } from '../../server-config.ts'
import { Problem } from './command.ts'

/** The database that the flags name. Throws `UsageError` when they name none. */
export function databaseOf(given: {
  readonly 'database'?: string | undefined
  readonly 'database-token'?: string | undefined
}): DatabaseConfig {
  if (!given.database)
    throw new UsageError(
      'Say which database: --database ./tributary.db, or libsql://... with TRIBUTARY_DATABASE_TOKEN.',
    )
  const { database: url } = given
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(url)?.[1]?.toLowerCase()
  const known = scheme === undefined || scheme === 'file' || url === ':memory:'
  if (
    !known &&
    !(['libsql', 'https', 'http', 'wss', 'ws'].includes(scheme) && URL.canParse(url) && new URL(url).hostname !== '')
  ) {
    throw new UsageError(`--database is a path, or an address like libsql://db.example.com; not "${url}".`)
  }
  return { url, authToken: given['database-token'] }
}

/** The same where one in memory makes no sense, since it goes with the process. Throws `UsageError`. */
export function lastingOf(given: Parameters<typeof databaseOf>[0]): DatabaseConfig {
  const plan = databaseOf(given)
  if (plan.url === ':memory:')
    throw new UsageError(
      'A database in memory is gone with this process: name a file, as in --database ./tributary.db. Only `tributary dev` takes :memory:.',
    )
  return plan
}

/** What to say and which exit code for what a command threw, about which file; null for a bug, whose stack says more. */
export function explain(error: unknown, file = 'The database'): { code: number; message: string } | null {
  if (error instanceof UsageError) return { code: 2, message: error.message }
  if (error instanceof Problem || error instanceof MigrationError) return { code: 1, message: error.message }
  const { code, port, address, syscall, path, hostname } = (error ?? {}) as Readonly<Record<string, unknown>>
  if (code === 'EADDRINUSE')
    return {
      code: 1,
      message: `Port ${String(port)} of ${String(address)} is taken. Stop what listens there, or take another with --port (0: any free one).`,
    }
  if (code === 'EACCES' && port !== undefined)
    return { code: 1, message: `This user may not listen on port ${String(port)}. Take one above 1023 with --port.` }
  if (code === 'EADDRNOTAVAIL' || (syscall === 'getaddrinfo' && hostname !== undefined))
    return {
      code: 1,
      message: `${String(address ?? hostname)} is no address of this machine. Name one with --host, such as 127.0.0.1 or 0.0.0.0.`,
    }
  if (syscall === 'mkdir')
    return {
      code: 1,
      message: `The folder ${String(path)} cannot be made (${String(code)}). See that the path is right and that this user may write there.`,
    }
  if (syscall === 'link')
    return {
      code: 1,
      message: `The current database cannot be kept beside itself (${String(code)}): the file system has no hard links. Copy it elsewhere while nothing uses it, then add --discard-current.`,
    }
  if (syscall === 'open' && path !== undefined)
    return {
      code: 1,
      message: `${String(path)} cannot be written (${String(code)}). See that the folder exists, that this user may write there and that the disk has space.`,
    }
  if (error instanceof DatabaseInUse)
    return {
      code: 1,
      message: `${error.message}. Stop every server, worker and other program that uses it, then try again.`,
    }
  if (error instanceof DatabaseDamaged)
    return {
      code: 1,
      message: `${error.message}. Stop the servers and restore a backup: \`tributary restore --from FILE\`.`,
    }
  const sqlite = sqliteCode(error)
  if (sqlite === 'SQLITE_NOTADB')
    return {
      code: 1,
      message: `${file} is not an SQLite database. Name another file with --database; \`tributary migrate\` creates a new one.`,
    }
  if (sqlite === 'SQLITE_CORRUPT')
    return {
      code: 1,
      message: `${file} is damaged (${messageOf(error)}). \`tributary doctor --integrity\` says where; stop the servers and restore a backup: \`tributary restore --from FILE\`.`,
    }
  if (sqlite === 'SQLITE_FULL') return { code: 1, message: 'The disk is full. Make space, then try again.' }
  if (error instanceof Error && /no such table/.test(error.message))
    return { code: 1, message: `The database is not up to date (${error.message}). Run \`tributary migrate\` first.` }
  if (Unavailable.is(error))
    return {
      code: 1,
      message: `${error.message}. See that the path or address is right, that this user may write there, and that no other process holds the file; \`tributary doctor\` looks closer.`,
    }
  if (sqlite && unreadable.has(sqlite))
    return {
      code: 1,
      message: `${file}: ${messageOf(error)} (${sqlite}). See that the disk works and has space, that this user may read and write there, and that no other process holds the file.`,
    }
  return null
}

/** What SQLite says of a file or its disk, rather than of a statement. */
const unreadable = new Set([
  'SQLITE_IOERR',
  'SQLITE_CANTOPEN',
  'SQLITE_READONLY',
  'SQLITE_PERM',
  'SQLITE_BUSY',
  'SQLITE_LOCKED',
  'SQLITE_PROTOCOL',
])

const causes = function* (error: unknown): Generator<Error> {
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++) yield at
}

/** SQLite's primary result code, of the error or of what caused it. */
function sqliteCode(error: unknown): string | undefined {
  for (const { code } of causes(error) as Iterable<{ code?: unknown }>) {
    const primary = /^SQLITE_[A-Z]+/.exec(String(code))?.[0]
    if (primary) return primary
  }
  return undefined
}

/** Says of a file that SQLite could not read what is wrong with it; null for every other error. */
export function describeDamage(error: unknown): string | null {
  const damage = [...causes(error)].find((cause) => cause instanceof DatabaseDamaged)
  if (damage) return damage.message
  const code = sqliteCode(error)
  if (code === 'SQLITE_NOTADB') return 'it is not an SQLite database'
  return code === 'SQLITE_CORRUPT' ? `it is damaged: ${messageOf(error)}` : null
}

const messageOf = (error: unknown): string => [...causes(error)].at(-1)?.message ?? String(error)
