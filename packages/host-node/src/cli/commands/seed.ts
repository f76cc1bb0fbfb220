import { join } from 'node:path'
import type { OpenDatabase } from '../../open-database.ts'
import { openStore } from '../../server-config.ts'
import { fillDatabase } from '../demo/fill.ts'
import { developmentFolder, readOrCreateSecret } from '../dev-secrets.ts'
import { CommandError } from '../errors.ts'
import { parseSecrets } from '../flags/ads.ts'
import { databaseFlags, parsePersistentDatabase } from '../flags/database.ts'
import { defineFlags, UsageError } from '../flags/flag.ts'
import { jsonFlags, secretFlags } from '../flags/service.ts'
import { inspectDatabase } from '../inspect-database.ts'
import { defineCommand } from '../program.ts'

/** `tributary seed --demo`: fills a database with demo data for every page. */
export const seedCommand = defineCommand({
  description: `30 days of contributors in every state, traces, jobs, sales, payouts, campaigns, reports and webhooks, created through the
service itself; nothing is mailed. Everyone is at example.com: with \`npm start\` sign in as ada@example.com.`,
  example: 'tributary seed --demo --database .tributary/dev.db',
  flags: {
    ...databaseFlags,
    ...secretFlags,
    ...jsonFlags,
    ...defineFlags({
      database: { ...databaseFlags['database'], default: '.tributary/dev.db' },
      demo: { kind: 'switch', help: 'fill it with the demo data; required' },
      seed: { kind: 'number', default: 1, help: 'the seed of the random data' },
      force: { kind: 'switch', help: 'also fill a database that has users' },
    }),
  },
  async run(flags, { out }) {
    if (!flags.demo) throw new UsageError('--demo is required: tributary seed --demo')
    const database = parsePersistentDatabase(flags)
    await inspectDatabase(database)
    const secret = flags.secret ?? readOrCreateSecret(join(developmentFolder(database), 'secret'))
    const opened = await openStore(database)
    try {
      await opened.migrate()
      if (!flags.force && (await opened.hasUsers()))
        throw new CommandError(`--database: ${flags.database} is not empty; use another file, or --force to add to it`)
      const filled = await fillDatabase(opened, {
        seed: flags.seed,
        now: Date.now(),
        secret: parseSecrets('secret', secret),
      })
      out(
        flags.json
          ? `${JSON.stringify({ ok: true, database: flags.database, ...filled })}\n`
          : `Filled ${flags.database} with ${filled.people} users, ${filled.campaigns} campaigns and ` +
              `${filled.waitlist} waitlist entries. Sign in as ${filled.signIn}.\n`,
      )
      return 0
    } finally {
      await opened.close()
    }
  },
})

/**
 * Fills a migrated database with demo data, unless the database has users. Returns whether it was filled. Calls `begin`
 * before it writes.
 */
export async function fillDemo(opened: OpenDatabase, secret: readonly string[], begin: () => void): Promise<boolean> {
  if (await opened.hasUsers()) return false
  begin()
  await fillDatabase(opened, { seed: 1, now: Date.now(), secret })
  return true
}
