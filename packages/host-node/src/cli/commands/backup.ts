import { existsSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { MigrationError } from '@tributary/core/libsql'
import { replaceDatabase, type Copied } from '../../sqlite/backup.ts'
import { flags, UsageError } from '../flags.ts'
import { localPath, type DatabaseConfig } from '../../server-config.ts'
import { command, Problem, type Io } from './command.ts'
import { inspectPath } from './database.ts'
import { databaseFlags, jsonFlag } from './options.ts'
import { lastingOf } from './trouble.ts'

/** `tributary backup`: copies a database while servers write to it. */
export const backupCommand = command({
  name: 'backup',
  summary: 'copies the database while servers write to it, and checks the copy',
  about: `The copy holds everything that was acknowledged when it began. It is written beside FILE as FILE.partial, checked
(integrity_check), synced and renamed, so FILE is always a whole database. Its mode is 0600.`,
  example: 'tributary backup --database ./tributary.db --out /backup/tributary.db',
  flags: {
    ...databaseFlags,
    ...jsonFlag,
    ...flags({
      out: { kind: 'text', value: 'FILE', help: 'where the copy goes; another disk is better' },
      overwrite: { kind: 'switch', help: 'replace FILE when it exists' },
    }),
  },
  async run(given, io) {
    const path = fileOf(
      lastingOf(given),
      'Back up a remote database with its provider: for Turso `turso db export NAME`, or its point-in-time recovery.',
    )
    if (!given.out) throw new UsageError('Say where the copy goes: --out /backup/tributary.db')
    const out = resolve(given.out)
    const started = performance.now()
    if (!existsSync(path)) throw new Problem(`${path} does not exist. Name the database with --database.`)
    if (!existsSync(dirname(out))) throw new Problem(`--out: the folder ${dirname(out)} does not exist.`)
    if (sameFile(path, out)) throw new UsageError(`--out ${given.out} is the database itself. Name another file.`)
    if (existsSync(out)) {
      if (statSync(out).isDirectory()) throw new Problem(`--out: ${out} is a folder. Name a file in it.`)
      if (!given.overwrite) throw new Problem(`--out: ${out} exists already. Name another file, or add --overwrite.`)
    }
    // A contradiction in the schema is a reason to make a backup, so only what is no database of ours is refused.
    await inspectPath(path).catch((error: unknown) => {
      if (!(error instanceof Problem && error.cause instanceof MigrationError)) throw error
    })
    progress(given.json, io, `Copying ${path} (${megabytes(statSync(path).size)}) and checking the copy…`)
    const copy = await replaceDatabase(path, out)
    const ms = Math.round(performance.now() - started)
    io.out(
      given.json
        ? `${JSON.stringify({ ok: true, out, bytes: copy.bytes, pages: copy.pages, integrity: 'ok', ...schemaOf(copy), ms })}\n`
        : `Backed up ${path} to ${out}: ${megabytes(copy.bytes)} in ${(ms / 1000).toFixed(1)} s, integrity ok.\n${warningOf(copy)}`,
    )
    return 0
  },
})

/** The path of a local database. Throws `UsageError` with the advice for a remote one. */
export function fileOf(plan: DatabaseConfig, advice: string): string {
  const path = localPath(plan)
  if (path === null) throw new UsageError(`${plan.url} is a remote database, and this works on files. ${advice}`)
  return path
}

/** Whether two paths name one file, or one of the files that SQLite keeps beside the first. */
export function sameFile(database: string, other: string): boolean {
  const real = (path: string): string =>
    existsSync(path) ? realpathSync(path) : join(realpathSync(dirname(path)), basename(path))
  return ['', '-wal', '-shm', '-journal'].some((end) => real(other) === real(database) + end)
}

/** Tells a person at a terminal what takes its time. */
export function progress(json: boolean, { err }: Io, text: string): void {
  if (!json && process.stderr.isTTY) err(`${text}\n`)
}

export const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`

/** The part of a JSON reply that says which migrations a copy has. */
export function schemaOf({ schema }: Copied): object {
  return schema instanceof MigrationError
    ? { warning: schema.message }
    : { migrations: schema.applied.length, pending: schema.pending }
}

const warningOf = ({ schema }: Copied): string =>
  schema instanceof MigrationError ? `Warning: ${schema.message}\n` : ''
