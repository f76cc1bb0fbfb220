import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { replaceDatabase, type Copied } from '../../sqlite/backup.ts'
import { flags, UsageError } from '../flags.ts'
import { fileOf, megabytes, progress, sameFile, schemaOf } from './backup.ts'
import { command, Problem } from './command.ts'
import { inspectPath } from './database.ts'
import { databaseFlags, jsonFlag } from './options.ts'
import { describeDamage, explain, lastingOf } from './trouble.ts'

/** `tributary restore`: puts a backup in the place of the database. */
export const restoreCommand = command({
  name: 'restore',
  summary: 'puts a backup in the place of the database, while no server runs',
  about: `FILE is checked before anything changes; a write-ahead log beside it (FILE-wal) belongs to it and is brought into it.
The current database is kept as NAME.before-restore-TIME. Run this as the user of the server, with every server and worker stopped.`,
  example: 'tributary restore --database ./tributary.db --from /backup/tributary.db',
  flags: {
    ...databaseFlags,
    ...jsonFlag,
    ...flags({
      'from': { kind: 'text', value: 'FILE', help: 'the backup' },
      'discard-current': { kind: 'switch', help: 'delete the current database instead of keeping it' },
    }),
  },
  async run(given, io) {
    const path = fileOf(
      lastingOf(given),
      'Restore a remote database with its provider: for Turso `turso db create NEW --from-db NAME --timestamp TIME`.',
    )
    if (!given.from) throw new UsageError('Say which backup: --from /backup/tributary.db')
    const from = resolve(given.from)
    const started = performance.now()
    if (!existsSync(from)) throw new Problem(`--from: ${from} does not exist.`)
    if (existsSync(path) && statSync(path).isDirectory())
      throw new Problem(`${path} is a folder. Name a file in it with --database.`)
    mkdirSync(dirname(path), { recursive: true })
    if (sameFile(path, from)) throw new UsageError(`--from ${given.from} is the database itself. Name the backup.`)
    const keepAs = given['discard-current'] || !existsSync(path) ? undefined : `${path}.before-restore-${timestamp()}`
    progress(given.json, io, `Copying ${from} (${megabytes(statSync(from).size)}) and checking the copy…`)
    const copy = await restoreFrom(from, path, keepAs)
    const ms = Math.round(performance.now() - started)
    io.out(
      given.json
        ? `${JSON.stringify({ ok: true, database: path, from, bytes: copy.bytes, pages: copy.pages, integrity: 'ok', ...schemaOf(copy), keptAs: keepAs ?? null, ms })}\n`
        : `Restored ${path} from ${from}: ${megabytes(copy.bytes)} in ${(ms / 1000).toFixed(1)} s, integrity ok.\n${keepAs === undefined ? '' : `The database that was there is kept as ${keepAs}.\n`}`,
    )
    return 0
  },
})

/** Throws `Problem` when the backup is not good or the database is in use; the database is then as it was. */
async function restoreFrom(from: string, path: string, keepAs: string | undefined): Promise<Copied> {
  try {
    const { applied } = await inspectPath(from)
    if (applied.length === 0) throw new Problem(`${from} is an empty database, not a backup of Tributary's.`)
    return await replaceDatabase(from, path, keepAs)
  } catch (error) {
    const damage = describeDamage(error)
    const message =
      damage === null ? explain(error, from)?.message : `${from} cannot be restored: ${damage}. Use another backup.`
    throw message === undefined ? error : new Problem(`${message} ${path} was not changed.`, { cause: error })
  }
}

/** 20261122T033151Z. */
const timestamp = (): string => new Date().toISOString().replace(/[-:]|\.\d+/g, '')
