import { isPostgres } from '../../postgres.ts'
import { localPath, type DatabaseConfig } from '../../server-config.ts'
import { defineFlags, UsageError, type FlagValues } from './flag.ts'

export const databaseFlags = defineFlags({
  'database': {
    kind: 'text',
    placeholder: 'PATH|URL',
    help: 'the database: a file, or the URL (libsql://, https:// or postgres://) of a remote one',
  },
  'database-token': {
    kind: 'text',
    help: 'the token of a remote database; use the variable to keep it out of the shell',
  },
})

type DatabaseValues = FlagValues<typeof databaseFlags>

const remoteSchemes = ['libsql', 'https', 'http', 'wss', 'ws', 'postgres', 'postgresql']

/** Returns the database that the flags name. Throws `UsageError`. */
export function parseDatabase(flags: DatabaseValues): DatabaseConfig {
  const { 'database': url, 'database-token': authToken } = flags
  if (!url)
    throw new UsageError(
      '--database is required: a file such as ./tributary.db, or libsql://... with TRIBUTARY_DATABASE_TOKEN',
    )
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(url)?.[1]?.toLowerCase()
  const isLocal = scheme === undefined || scheme === 'file' || url === ':memory:'
  if (
    !isLocal &&
    !(remoteSchemes.includes(scheme) && URL.canParse(url) && (isPostgres(url) || new URL(url).hostname !== ''))
  )
    throw new UsageError(`--database: expected a path or a URL such as libsql://db.example.com, not "${url}"`)
  return { url, authToken }
}

/** Returns the database that the flags name, which must outlive the process. Throws `UsageError`. */
export function parsePersistentDatabase(flags: DatabaseValues): DatabaseConfig {
  const database = parseDatabase(flags)
  if (database.url === ':memory:')
    throw new UsageError(
      '--database: :memory: ends with this process and is only for `tributary dev`; use a file such as ./tributary.db',
    )
  return database
}

/** Returns the path of a local database. Throws `UsageError` with `advice` for a remote database. */
export function requireLocalFile(database: DatabaseConfig, advice: string): string {
  const path = localPath(database)
  if (isPostgres(database.url))
    throw new UsageError(
      '--database: this command needs a file. Use `pg_dump` and `pg_restore`, or ' +
        'the point-in-time recovery of the provider, for PostgreSQL.',
    )
  if (path === null) throw new UsageError(`--database: ${database.url} is remote; this command needs a file. ${advice}`)
  return path
}
