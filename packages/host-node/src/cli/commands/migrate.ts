import { existsSync } from 'node:fs'
import { localPath, openStore } from '../../server-config.ts'
import { databaseFlags, parsePersistentDatabase } from '../flags/database.ts'
import { defineFlags } from '../flags/flag.ts'
import { jsonFlags } from '../flags/service.ts'
import { inspectDatabase } from '../inspect-database.ts'
import { defineCommand } from '../program.ts'

/** `tributary migrate`: applies pending migrations. */
export const migrateCommand = defineCommand({
  description: 'Several hosts may run it at the same time: one host applies the migrations, and the others wait.',
  example: 'tributary migrate --database ./tributary.db --dry-run',
  flags: {
    ...databaseFlags,
    ...jsonFlags,
    ...defineFlags({ 'dry-run': { kind: 'switch', help: 'print the SQL and change nothing' } }),
  },
  async run(flags, { out }) {
    const dryRun = flags['dry-run']
    const named = parsePersistentDatabase(flags)
    const path = localPath(named)
    await inspectDatabase(named)
    // A dry run creates no file. A database that does not exist needs the same migrations as an empty database.
    const database = dryRun && path !== null && !existsSync(path) ? { url: ':memory:' } : named
    const opened = await openStore(database)
    try {
      const { ids, sql } = await opened.migrate({ dryRun })
      if (flags.json) out(`${JSON.stringify({ ok: true, dryRun, migrations: ids, ...(dryRun ? { sql } : {}) })}\n`)
      else if (ids.length === 0) out(dryRun ? '-- up to date\n' : 'The database is up to date.\n')
      else if (dryRun) out(`-- ${ids.join(', ')}\n${sql.map((statement) => `${statement};`).join('\n')}\n`)
      else out(`Applied ${ids.join(', ')}.\n`)
      return 0
    } finally {
      await opened.close()
    }
  },
})
