import { Unavailable } from '@tributary/core'
import { MigrationError } from '@tributary/core/libsql'
import { CommanderError } from 'commander'
import { MissingPackagesError } from '../aws.ts'
import { DatabaseDamaged, DatabaseInUse } from '../sqlite/backup.ts'
import { UsageError } from './flags/flag.ts'
import {
  listCauses,
  describeFileError,
  describeSystemError,
  readPath,
  sqliteCode,
  systemProblems,
} from './system-errors.ts'

/** A failure that the person who runs the command can solve; the message says how. Exit code 1. */
export class CommandError extends Error {}

/**
 * Returns the exit code and the message of an error; an error of SQLite is about `file`. Returns null for a bug,
 * because the stack of a bug is more useful.
 */
export function describeError(
  error: unknown,
  file = 'The database',
): { readonly exitCode: number; readonly message: string } | null {
  if (error instanceof CommanderError) return { exitCode: 2, message: describeCommanderError(error) }
  if (error instanceof UsageError) return { exitCode: 2, message: error.message }
  const message = describeFailure(error) ?? describePostgresError(error) ?? describeSqliteError(error, file)
  return message === null ? null : { exitCode: 1, message }
}

/** Returns commander's message on one line. Commander puts its suggestion on a separate line. */
function describeCommanderError({ message }: CommanderError): string {
  return message.replace(/^error: /, '').replace(/\n\(Did you mean (.*)\?\)$/s, '; did you mean $1?')
}

function describeFailure(error: unknown): string | null {
  if (error instanceof CommandError || error instanceof MigrationError || error instanceof MissingPackagesError)
    return error.message
  if (error instanceof DatabaseInUse)
    return `${error.message}. Stop every server, worker and other program that uses it and try again`
  if (error instanceof DatabaseDamaged)
    return `${error.message}. Stop the servers and restore a backup: \`tributary restore --from FILE\``
  if (error instanceof Error && error.name === 'UploadUnreadable') return error.message
  const { code, port, address, syscall, hostname } = (error ?? {}) as Readonly<Record<string, unknown>>
  const path = readPath(error)
  if (code === 'EADDRINUSE')
    return `Port ${String(port)} of ${String(address)} is already in use; use another --port (0 takes a free one)`
  if (code === 'EACCES' && port !== undefined)
    return `No permission to listen on port ${String(port)}; use a --port above 1023`
  if (code === 'EADDRNOTAVAIL' || (syscall === 'getaddrinfo' && hostname !== undefined))
    return `--host: ${String(address ?? hostname)} is not an address of this machine; use one such as 127.0.0.1 or 0.0.0.0`
  if (syscall === 'link' && !systemProblems.has(String(code)))
    return (
      `Cannot keep the current database beside itself (${String(code)}): the file system has no hard links. ` +
      'Copy it while nothing uses it, then add --discard-current'
    )
  // Errors of SQLite are skipped here: `describeSqliteError` describes them with the path of the database.
  const problem = sqliteCode(error) === undefined ? describeFileError(error) : null
  if (syscall === 'mkdir' && problem === null)
    return `Cannot create the folder ${path} (${String(code)}); check the path and that its disk can be written`
  if (syscall === 'open' && path !== undefined && problem === null)
    return `Cannot open ${path} (${String(code)}); check that it and its folder exist`
  return problem
}

const wrongRole = 'Check the role and the password in --database'
/**
 * The solution of an error of PostgreSQL, by its SQLSTATE:
 * https://www.postgresql.org/docs/current/errcodes-appendix.html.
 */
const postgresSolutions: ReadonlyMap<unknown, string> = new Map([
  ['28000', wrongRole],
  ['28P01', wrongRole],
  ['3D000', 'Create it first, such as by `createdb`'],
  ['42501', 'Use a role that has this privilege: `tributary migrate` creates tables, a server only changes rows'],
  ['42P01', 'Run `tributary migrate`'],
])

function describePostgresError(error: unknown): string | null {
  for (const { message, code } of listCauses(error) as (Error & { code?: unknown })[]) {
    const solution = postgresSolutions.get(code)
    if (solution !== undefined) return `PostgreSQL: ${message}. ${solution}`
  }
  return null
}

function describeSqliteError(error: unknown, file: string): string | null {
  const code = sqliteCode(error)
  if (code === 'SQLITE_NOTADB')
    return `${file} is not an SQLite database. Use another --database; \`tributary migrate\` creates a new one`
  if (code === 'SQLITE_CORRUPT')
    return (
      `${file} is damaged (${rootMessage(error)}). \`tributary doctor --integrity\` shows where; ` +
      'stop the servers and restore a backup: `tributary restore --from FILE`'
    )
  if (error instanceof Error && /no such table/.test(error.message))
    return `The database is not migrated (${error.message}); run \`tributary migrate\``
  const problem = code === undefined ? null : describeSystemError(error)
  if (problem !== null) return `${file}: ${problem}`
  if (Unavailable.is(error)) return `${error.message}. Check the path or URL; \`tributary doctor\` checks more`
  return null
}

/** Returns the problem of a file that SQLite could not read, or null for every other error. */
export function describeDamage(error: unknown): string | null {
  const damage = listCauses(error).find((cause) => cause instanceof DatabaseDamaged)
  if (damage) return damage.message
  const code = sqliteCode(error)
  if (code === 'SQLITE_NOTADB') return 'it is not an SQLite database'
  return code === 'SQLITE_CORRUPT' ? `it is damaged: ${rootMessage(error)}` : null
}

const rootMessage = (error: unknown): string => listCauses(error).at(-1)?.message ?? String(error)
