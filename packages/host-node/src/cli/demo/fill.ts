import type { OpenDatabase } from '../../server-config.ts'
import { createSeededRandom } from './seeded-random.ts'
import { enrollUsers, leaveUnfinishedJobs, sellTraces } from './contribute.ts'
import { campaigns, people, waitlist } from './people.ts'
import { createCampaigns, recordImpressions, sendMessages } from './sponsor.ts'
import { createDemoService } from './demo-service.ts'

const hour = 60 * 60 * 1000
/** The period that the demo data covers. */
const periodMs = 14 * 24 * hour

export interface FillResult {
  readonly people: number
  readonly campaigns: number
  readonly waitlist: number
  /** An e-mail address to sign in with. */
  readonly signIn: string
}

export interface FillOptions {
  readonly seed: number
  /** The end of the period, in ms. */
  readonly now: number
  /** The secrets of the server that will use the database; they encrypt the upload that is left waiting. */
  readonly secret: readonly string[]
}

/** Returns whether the database has users. */
export async function hasUsers({ client }: OpenDatabase): Promise<boolean> {
  return (await client.execute({ sql: 'select 1 from users limit 1', args: [] })).rows.length > 0
}

/**
 * Fills a migrated database with two weeks of users, traces, jobs, sales, campaigns and messages, through the service itself. The
 * same seed and end give the same data; ids, tokens and secrets are always random. Sends no mail, and runs only its own jobs.
 */
export async function fillDatabase(
  opened: OpenDatabase,
  { seed, now: until, secret }: FillOptions,
): Promise<FillResult> {
  const service = createDemoService(opened, { from: until - periodMs, until, secret })
  const random = createSeededRandom(seed)
  const users = await enrollUsers(service, random)
  await createCampaigns(service, until)
  await sendMessages(service, users, random)
  await sellTraces(service, users, random)
  await recordImpressions(service, users, 6, random)
  // The rest of the two weeks except the last hour.
  service.advance(Math.max(0, until - service.now() - hour - 30_000))
  // Sends the mails to the demo's own mailer, and adds what sponsor lines earned to the ledger.
  await service.service.work()
  await leaveUnfinishedJobs(service, users, random)
  return {
    people: people.length,
    campaigns: campaigns.length,
    waitlist: waitlist.length,
    signIn: `${people[0]!.at}@example.com`,
  }
}
