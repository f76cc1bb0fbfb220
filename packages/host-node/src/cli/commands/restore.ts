import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { replaceDatabase, type DatabaseCopy } from '../../sqlite/backup.ts'
import { CommandError, describeDamage, describeError } from '../errors.ts'
import { databaseFlags, parsePersistentDatabase, requireLocalFile } from '../flags/database.ts'
import { defineFlags, UsageError } from '../flags/flag.ts'
import { jsonFlags } from '../flags/service.ts'
import { inspectPath, requireWritable } from '../inspect-database.ts'
import { defineCommand } from '../program.ts'
import { formatMegabytes, isSameFile, printProgress, toSchemaReport } from './backup.ts'

/** `tributary restore`: replaces the database with a backup. */
export const restoreCommand = defineCommand({
  description: `FILE is checked before anything changes; a write-ahead log beside it (FILE-wal) is included.
The current database is kept as NAME.before-restore-TIME. Run this as the server's user, with every server and worker stopped.`,
  example: 'tributary restore --database ./tributary.db --from /backup/tributary.db',
  flags: {
    ...databaseFlags,
    ...jsonFlags,
    ...defineFlags({
      'from': { kind: 'text', placeholder: 'FILE', help: 'the backup to restore' },
      'discard-current': { kind: 'switch', help: 'delete the current database instead of keeping it' },
    }),
  },
  async run(flags, output) {
    const path = requireLocalFile(
      parsePersistentDatabase(flags),
      'Restore a remote database with its provider: for Turso `turso db create NEW --from-db NAME --timestamp TIME`.',
    )
    if (!flags.from) throw new UsageError('--from is required, such as --from /backup/tributary.db')
    const from = resolve(flags.from)
    const startedAt = performance.now()
    if (!existsSync(from)) throw new CommandError(`--from: file not found: ${from}`)
    if (existsSync(path) && statSync(path).isDirectory())
      throw new CommandError(`--database: ${path} is a folder; use a file in it`)
    mkdirSync(dirname(path), { recursive: true })
    if (isSameFile(path, from)) throw new UsageError(`--from: ${flags.from} is the database itself; use the backup`)
    const keepAs =
      flags['discard-current'] || !existsSync(path) ? undefined : `${path}.before-restore-${formatTimestamp()}`
    printProgress(
      flags.json,
      output,
      `Copying ${from} (${formatMegabytes(statSync(from).size)}) and checking the copy…`,
    )
    const copy = await restoreFrom(from, path, keepAs)
    const ms = Math.round(performance.now() - startedAt)
    output.out(
      flags.json
        ? `${JSON.stringify({
            ok: true,
            database: path,
            from,
            bytes: copy.bytes,
            pages: copy.pages,
            integrity: 'ok',
            ...toSchemaReport(copy),
            keptAs: keepAs ?? null,
            ms,
          })}\n`
        : `Restored ${path} from ${from}: ${formatMegabytes(copy.bytes)} in ${(ms / 1000).toFixed(1)} s, ` +
            `integrity ok.\n${keepAs === undefined ? '' : `The previous database is kept as ${keepAs}.\n`}`,
    )
    return 0
  },
})

/** Throws `CommandError`, with the database unchanged, when the backup is damaged or the database is in use. */
async function restoreFrom(from: string, path: string, keepAs: string | undefined): Promise<DatabaseCopy> {
  try {
    requireWritable(path)
    const { applied } = await inspectPath(from)
    if (applied.length === 0) throw new CommandError(`${from} is an empty database, not a backup of Tributary`)
    return await replaceDatabase(from, path, keepAs)
  } catch (error) {
    const damage = describeDamage(error)
    // `inspectPath` names the backup in its errors, so all other errors concern the file that is written.
    const message =
      damage === null ? describeError(error, path)?.message : `Cannot restore ${from}: ${damage}. Use another backup`
    throw message === undefined ? error : new CommandError(`${message}. ${path} was not changed`, { cause: error })
  }
}

/** Formats the current time like 20261122T033151Z. */
const formatTimestamp = (): string => new Date().toISOString().replace(/[-:]|\.\d+/g, '')
