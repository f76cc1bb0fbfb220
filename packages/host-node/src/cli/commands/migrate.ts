import { existsSync } from 'node:fs'
import { flags } from '../flags.ts'
import { localPath, migrateStore, openStore } from '../../server-config.ts'
import { command } from './command.ts'
import { inspectDatabase } from './database.ts'
import { databaseFlags, jsonFlag } from './options.ts'
import { lastingOf } from './trouble.ts'

/** `tributary migrate`: brings the database to this version's schema. */
export const migrateCommand = command({
  name: 'migrate',
  summary: "brings the database to this version's schema",
  about: 'Safe to run from several hosts at once: one does the work, the others see it done.',
  example: 'tributary migrate --database ./tributary.db --dry-run',
  flags: {
    ...databaseFlags,
    ...jsonFlag,
    ...flags({ 'dry-run': { kind: 'switch', help: 'print the SQL and change nothing' } }),
  },
  async run(given, { out }) {
    const named = lastingOf(given)
    const path = localPath(named)
    await inspectDatabase(named)
    // A dry run creates no file: the migrations of a database that does not exist are those of an empty one.
    const database = given['dry-run'] && path !== null && !existsSync(path) ? { url: ':memory:' } : named
    const opened = openStore(database)
    try {
      const { ids, sql } = await migrateStore(database, opened, { dryRun: given['dry-run'] })
      if (given.json)
        out(
          `${JSON.stringify({ ok: true, dryRun: given['dry-run'], migrations: ids, ...(given['dry-run'] ? { sql } : {}) })}\n`,
        )
      else if (given['dry-run'])
        out(
          ids.length === 0 ? '-- nothing to do\n' : `-- ${ids.join(', ')}\n${sql.map((one) => `${one};`).join('\n')}\n`,
        )
      else out(ids.length === 0 ? 'Nothing to do: the database is up to date.\n' : `Applied ${ids.join(', ')}.\n`)
      return 0
    } finally {
      opened.client.close()
    }
  },
})
