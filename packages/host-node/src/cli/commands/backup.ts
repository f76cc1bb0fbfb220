import { existsSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { MigrationError } from '@tributary/core/libsql'
import { replaceDatabase, type DatabaseCopy } from '../../sqlite/backup.ts'
import { CommandError } from '../errors.ts'
import { databaseFlags, parsePersistentDatabase, requireLocalFile } from '../flags/database.ts'
import { defineFlags, UsageError } from '../flags/flag.ts'
import { jsonFlags } from '../flags/service.ts'
import { inspectPath } from '../inspect-database.ts'
import { defineCommand, type Output } from '../program.ts'

/** `tributary backup`: copies a database while servers write to it. */
export const backupCommand = defineCommand({
  description: `The copy contains everything that was acknowledged when it began. It is written to FILE.partial, checked
(integrity_check), synced and renamed, so that FILE is always a complete database. Its mode is 0600.`,
  example: 'tributary backup --database ./tributary.db --out /backup/tributary.db',
  flags: {
    ...databaseFlags,
    ...jsonFlags,
    ...defineFlags({
      out: { kind: 'text', placeholder: 'FILE', help: 'the file to write, preferably on another disk' },
      overwrite: { kind: 'switch', help: 'replace FILE when it exists' },
    }),
  },
  async run(flags, output) {
    const path = requireLocalFile(
      parsePersistentDatabase(flags),
      'Back up a remote database with its provider: for Turso `turso db export NAME`, or its point-in-time recovery.',
    )
    if (!flags.out) throw new UsageError('--out is required, such as --out /backup/tributary.db')
    const out = resolve(flags.out)
    const startedAt = performance.now()
    if (!existsSync(path)) throw new CommandError(`--database: file not found: ${path}`)
    if (!existsSync(dirname(out))) throw new CommandError(`--out: folder not found: ${dirname(out)}`)
    if (isSameFile(path, out)) throw new UsageError(`--out: ${flags.out} is the database itself; use another file`)
    if (existsSync(out)) {
      if (statSync(out).isDirectory()) throw new CommandError(`--out: ${out} is a folder; use a file in it`)
      if (!flags.overwrite) throw new CommandError(`--out: ${out} already exists; use another file, or --overwrite`)
    }
    // A database with an inconsistent schema may still be backed up; other files may not.
    await inspectPath(path).catch((error: unknown) => {
      if (!(error instanceof CommandError && error.cause instanceof MigrationError)) throw error
    })
    printProgress(
      flags.json,
      output,
      `Copying ${path} (${formatMegabytes(statSync(path).size)}) and checking the copy…`,
    )
    const copy = await replaceDatabase(path, out)
    const ms = Math.round(performance.now() - startedAt)
    output.out(
      flags.json
        ? `${JSON.stringify({ ok: true, out, bytes: copy.bytes, pages: copy.pages, integrity: 'ok', ...toSchemaReport(copy), ms })}\n`
        : `Backed up ${path} to ${out}: ${formatMegabytes(copy.bytes)} in ${(ms / 1000).toFixed(1)} s, ` +
            `integrity ok.\n${formatWarning(copy)}`,
    )
    return 0
  },
})

/** Returns whether `other` is the database file or one of the files that SQLite keeps next to it. */
export function isSameFile(database: string, other: string): boolean {
  const real = (path: string): string =>
    existsSync(path) ? realpathSync(path) : join(realpathSync(dirname(path)), basename(path))
  return ['', '-wal', '-shm', '-journal'].some((suffix) => real(other) === real(database) + suffix)
}

/** Prints the progress of a long command if stderr is a terminal. */
export function printProgress(json: boolean, { err }: Output, text: string): void {
  if (!json && process.stderr.isTTY) err(`${text}\n`)
}

export const formatMegabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`

/** Returns the migrations of a copy, for the JSON output. */
export function toSchemaReport({ schema }: DatabaseCopy): object {
  return schema instanceof MigrationError
    ? { warning: schema.message }
    : { migrations: schema.applied.length, pending: schema.pending }
}

const formatWarning = ({ schema }: DatabaseCopy): string =>
  schema instanceof MigrationError ? `Warning: ${schema.message}\n` : ''
