import { join } from 'node:path'
import { migrate } from '@tributary/core/libsql'
import { fill, inhabited } from '../demo/fill.ts'
import { flags, UsageError } from '../flags.ts'
import { openStore, type OpenDatabase } from '../../server-config.ts'
import { secretsOf } from './ads.ts'
import { command, Problem } from './command.ts'
import { inspectDatabase } from './database.ts'
import { folderBeside, keptToken } from './kept.ts'
import { databaseFlags, jsonFlag, secretFlag } from './options.ts'
import { lastingOf } from './trouble.ts'

/** `tributary seed --demo`: believable data, so that every page has something to look at. */
export const seedCommand = command({
  name: 'seed',
  summary: 'fills a database with people and traces to look at',
  about: `Two weeks of contributors in every state, traces, jobs, sales, campaigns, impressions and messages, made through the
service itself; nobody is mailed. Everyone is at example.com: with \`npm start\` sign in as ada@example.com.`,
  example: 'tributary seed --demo --database .tributary/dev.db',
  flags: {
    ...databaseFlags,
    ...secretFlag,
    ...jsonFlag,
    ...flags({
      database: { ...databaseFlags['database'], preset: '.tributary/dev.db' },
      demo: { kind: 'switch', help: 'the data of a demonstration; there is no other' },
      seed: { kind: 'number', preset: 1, help: 'another number tells another story' },
      force: { kind: 'switch', help: 'fill a database that has people in it too' },
    }),
  },
  async run(given, { out }) {
    if (!given.demo) throw new UsageError('Say what to fill it with: tributary seed --demo')
    const plan = lastingOf(given)
    await inspectDatabase(plan)
    const secret = given.secret ?? keptToken(join(folderBeside(plan), 'secret'))
    const opened = openStore(plan)
    try {
      await migrate(opened.client)
      if (!given.force && (await inhabited(opened))) {
        throw new Problem(
          `There are people in ${given.database} already; a demonstration would mix with them. Name another --database, or say --force.`,
        )
      }
      const filled = await fill(opened, { seed: given.seed, now: Date.now(), secret: secretsOf('secret', secret) })
      out(
        given.json
          ? `${JSON.stringify({ ok: true, database: given.database, ...filled })}\n`
          : `${given.database} has ${filled.people} people in it now, ${filled.campaigns} campaigns, and ${filled.waitlist} waiting. Sign in as ${filled.signIn}.\n`,
      )
      return 0
    } finally {
      opened.client.close()
    }
  },
})

/** Fills a migrated database for `dev --demo`; one with people in it is left as it is. */
export async function demonstrate(opened: OpenDatabase, secret: readonly string[]): Promise<void> {
  if (!(await inhabited(opened))) await fill(opened, { seed: 1, now: Date.now(), secret })
}
