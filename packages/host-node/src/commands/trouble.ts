import { Unavailable } from '@tributary/core'
import { MigrationError } from '@tributary/core/libsql'
import { UsageError } from '../flags.ts'
import type { DatabasePlan } from '../plan.ts'
import { Problem } from './command.ts'

/** The database that the flags name. Throws `UsageError` when they name none. */
export function databaseOf(given: { readonly database?: string | undefined; readonly 'database-token'?: string | undefined }): DatabasePlan {
  if (!given.database) throw new UsageError('Say which database: --database ./tributary.db, or libsql://... with TRIBUTARY_DATABASE_TOKEN.')
  const { database: url } = given
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(url)?.[1]?.toLowerCase()
  const known = scheme === undefined || scheme === 'file' || url === ':memory:'
  if (!known && !(['libsql', 'https', 'http', 'wss', 'ws'].includes(scheme) && URL.canParse(url) && new URL(url).hostname !== '')) {
    throw new UsageError(`--database is a path, or an address like libsql://db.example.com; not "${url}".`)
  }
  return { url, authToken: given['database-token'] }
}

/** The same where one in memory makes no sense, since it goes with the process. Throws `UsageError`. */
export function lastingOf(given: Parameters<typeof databaseOf>[0]): DatabasePlan {
  const plan = databaseOf(given)
  if (plan.url === ':memory:') throw new UsageError('A database in memory is gone with this process: name a file, as in --database ./tributary.db. Only `tributary dev` takes :memory:.')
  return plan
}

/** What to say and which exit code for what a command threw; null for a bug, whose stack says more. */
export function explain(error: unknown): { code: number; message: string } | null {
  if (error instanceof UsageError) return { code: 2, message: error.message }
  if (error instanceof Problem || error instanceof MigrationError) return { code: 1, message: error.message }
  const { code, port, address, syscall, path, hostname } = (error ?? {}) as Readonly<Record<string, unknown>>
  if (code === 'EADDRINUSE') return { code: 1, message: `Port ${String(port)} of ${String(address)} is taken. Stop what listens there, or take another with --port (0: any free one).` }
  if (code === 'EACCES' && port !== undefined) return { code: 1, message: `This user may not listen on port ${String(port)}. Take one above 1023 with --port.` }
  if (code === 'EADDRNOTAVAIL' || (syscall === 'getaddrinfo' && hostname !== undefined)) return { code: 1, message: `${String(address ?? hostname)} is no address of this machine. Name one with --host, such as 127.0.0.1 or 0.0.0.0.` }
  if (syscall === 'mkdir') return { code: 1, message: `The folder ${String(path)} cannot be made (${String(code)}). See that the path is right and that this user may write there.` }
  if (code === 'SQLITE_NOTADB') return { code: 1, message: 'That file is no database of SQLite. Name another with --database; `tributary migrate` makes a new one.' }
  if (error instanceof Error && /no such table/.test(error.message)) return { code: 1, message: `The database is not up to date (${error.message}). Run \`tributary migrate\` first.` }
  if (Unavailable.is(error)) return { code: 1, message: `${error.message}. See that the path or address is right, that this user may write there, and that no other process holds the file; \`tributary doctor\` looks closer.` }
  return null
}
