import { existsSync } from 'node:fs'
import { isMoving, moveDatabase, MoveError, type MoveSide } from '../../move.ts'
import { isPostgres, openPostgres } from '../../postgres.ts'
import { localPath, openStore, type DatabaseConfig } from '../../server-config.ts'
import { DatabaseInUse, inspectUnused, requireUnused } from '../../sqlite/backup.ts'
import { CommandError } from '../errors.ts'
import { parsePersistentDatabase } from '../flags/database.ts'
import { defineFlags, UsageError } from '../flags/flag.ts'
import { jsonFlags } from '../flags/service.ts'
import { inspectPath } from '../inspect-database.ts'
import { defineCommand } from '../program.ts'
import { listCauses } from '../system-errors.ts'
import { printProgress } from './backup.ts'

/** `tributary move`: copies a service from one database to another. */
export const moveCommand = defineCommand({
  description: `Between a file, a remote libSQL and PostgreSQL, in any direction. Stop every server and worker first: a move does not
begin while one has the file open or is connected to PostgreSQL, and what changes meanwhile elsewhere ends it with an error. Rows
are compared by count and SHA-256 at the end. After an interruption the same command continues; until it is done no server starts
on --to. --from stays as it is. Contents and uploads in --blobs stay where they are.`,
  example: 'tributary move --from ./tributary.db --to postgres://tributary@db.example.com/tributary',
  flags: {
    ...jsonFlags,
    ...defineFlags({
      'from': { kind: 'text', placeholder: 'PATH|URL', help: 'the database to copy' },
      'from-token': {
        kind: 'text',
        help: 'the token of a remote libSQL; use the variable to keep it out of the shell',
      },
      'to': { kind: 'text', placeholder: 'PATH|URL', help: 'a new database' },
      'to-token': { kind: 'text', help: 'the token of a remote libSQL; use the variable to keep it out of the shell' },
    }),
  },
  async run(flags, output) {
    const from = parseSide('--from', flags.from, flags['from-token'])
    const to = parseSide('--to', flags.to, flags['to-token'])
    if (from.url === to.url) throw new UsageError('--from and --to are the same database')
    const path = localPath(from)
    if (path !== null && !existsSync(path)) throw new CommandError(`--from: file not found: ${path}`)
    const startedAt = performance.now()
    const source = await openSide('--from', from, (file) => inspectPath(file, inspectUnused))
    try {
      const target = await openSide('--to', to, requireUnused)
      try {
        const { ids } = await source.migrate({ dryRun: true })
        if (ids.length > 0)
          throw new CommandError(`--from has ${ids.length} pending migrations: run \`tributary migrate\` on it first`)
        if (!(await isMoving(target))) await target.migrate()
        let [moved, shown] = [0, 0]
        const tables = await moveDatabase({
          from: source,
          to: target,
          onRows(table, rows) {
            moved += rows
            if (moved - shown < 10_000) return
            shown = moved
            printProgress(flags.json, output, `${moved} rows copied (${table})`)
          },
        })
        const rows = tables.reduce((sum, table) => sum + table.rows, 0)
        const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
        output.out(
          flags.json
            ? `${JSON.stringify({ ok: true, rows, tables })}\n`
            : `Moved ${rows} rows of ${tables.length} tables in ${seconds} s; both databases are equal.\n` +
                'Start servers and workers with the new --database and the same --secret.\n',
        )
        return 0
      } finally {
        await target.close()
      }
    } catch (error) {
      throw error instanceof MoveError ? new CommandError(error.message, { cause: error }) : error
    } finally {
      await source.close()
    }
  },
})

function parseSide(flag: string, url: string | undefined, token: string | undefined): DatabaseConfig {
  if (!url) throw new UsageError(`${flag} is required: a file, or the URL of a database`)
  try {
    return parsePersistentDatabase({ 'database': url, 'database-token': token })
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(error.message.replace('--database', flag)) : error
  }
}

/**
 * Opens a database that no other process uses. Throws `CommandError` when another process uses it; for a file,
 * `checkFile` throws `DatabaseInUse`.
 */
async function openSide(
  flag: string,
  config: DatabaseConfig,
  checkFile: (path: string) => unknown,
): Promise<MoveSide & Pick<Opened, 'migrate' | 'close'>> {
  const inUse = `${flag}: a server or a worker uses this database; stop it first`
  if (isPostgres(config.url)) {
    const opened = await openPostgres(config.url)
    if (!(await opened.hasOthers())) return { ...opened, dialect: 'postgres' }
    await opened.close()
    throw new CommandError(`${inUse}. A pooler may keep its connection for some minutes`)
  }
  const path = localPath(config)
  if (path !== null && existsSync(path)) {
    try {
      await checkFile(path)
    } catch (error) {
      const isInUse = listCauses(error).some((cause) => cause instanceof DatabaseInUse)
      throw isInUse ? new CommandError(inUse, { cause: error }) : error
    }
  }
  return { ...(await openStore(config)), dialect: 'libsql' }
}

type Opened = Awaited<ReturnType<typeof openStore>>
