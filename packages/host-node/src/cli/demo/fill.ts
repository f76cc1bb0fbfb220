import type { OpenDatabase } from '../../open-database.ts'
import { createSeededRandom } from './seeded-random.ts'
import {
  acceptNewTerms,
  createBuyer,
  enrollUsers,
  leaveFailedJob,
  leaveQueuedJob,
  pauseUsers,
  payOut,
  requestPayout,
  sell,
  sellFirstTraces,
  uploadBatches,
  withdrawSoldTrace,
  type DemoUser,
} from './contribute.ts'
import { campaigns, people, reports, waitlist } from './people.ts'
import {
  claimDevices,
  createCampaigns,
  createWebhooks,
  disableWebhooks,
  editCampaign,
  recordImpressions,
  sendMessages,
  sendReport,
  triageReports,
} from './sponsor.ts'
import { createDemoService } from './demo-service.ts'

const hour = 60 * 60 * 1000
const dayMs = 24 * hour
/** The period that the demo data covers. */
const periodDays = 30
const periodMs = periodDays * dayMs

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

/**
 * Fills a migrated database with 30 days of users, traces, jobs, sales, payouts, campaigns, reports and webhooks,
 * through the service itself. The same seed and end create the same data, but ids, tokens and secrets are always
 * random. Sends nothing, and runs only its own jobs.
 */
export async function fillDatabase(
  opened: OpenDatabase,
  { seed, now: until, secret }: FillOptions,
): Promise<FillResult> {
  const from = until - periodMs
  // Terms cannot be accepted before they are written, so this service has earlier terms. At the end everybody accepts
  // the current terms.
  const service = createDemoService(opened, { from, until, secret, termsVersion: '2026-06-01' })
  const random = createSeededRandom(seed)
  // The reports capability may be off.
  const hasReports = (await service.service.routes()).some(({ route }) => route.id === 'E20')
  const reportIds: string[] = []
  const campaignIds = await createCampaigns(service, until)
  await createWebhooks(service)
  const everybody = await enrollUsers(service)
  const users = everybody.filter(({ by }) => by.firstBatch > 0)
  await claimDevices(service, users)
  const firstDay = Math.ceil((service.now() - from) / dayMs)
  /** The events that happen once, by the number of days after the first upload. */
  const once: Readonly<Record<number, () => Promise<unknown>>> = {
    3: () => sendMessages(service, users, random),
    4: () => disableWebhooks(service, 'failing'),
    5: () => sellFirstTraces(service, users),
    6: () => createBuyer(service),
    9: () => editCampaign(service, campaignIds, until),
    12: () => sell(service, 'Open Dialogue Institute', { filter: { source: 'claude_code_jsonl', minTokens: 500 } }),
    17: () => pauseUsers(service, users),
    20: () => payOut(service, users),
    22: () => sell(service, 'Meridian Research', { filter: {} }),
    23: () => withdrawSoldTrace(service, users),
    25: () => requestPayout(service, users),
  }
  for (let day = 0; firstDay + day < periodDays; day++) {
    const isPaused = ({ by }: DemoUser): boolean => day >= 17 && by.state !== 'approved'
    service.advance(from + (firstDay + day) * dayMs - service.now())
    await uploadBatches(
      service,
      users.filter((user) => !isPaused(user)),
      day,
      random,
    )
    await recordImpressions(service, users, random)
    await once[day]?.()
    if (hasReports && day % 3 === 1 && day < 3 * reports.length) {
      reportIds.push(await sendReport(service, (day - 1) / 3, random))
      if (reportIds.length === reports.length) await triageReports(service, reportIds)
    }
    // Sends mails and events to the demo's own receivers, and adds the earnings of the days before to the ledger.
    if (day % 3 === 0) await service.service.work()
  }
  // The clock advances over the rest of the period except the last hour.
  service.advance(until - service.now() - hour - 30_000)
  await leaveFailedJob(service, users, random)
  // The worker delivers the event of the failed job. After that, a server that uses the database has nothing to send, and
  // runs the last job.
  await service.service.work()
  await disableWebhooks(service, 'all')
  await leaveQueuedJob(service, users, random)
  await acceptNewTerms(createDemoService(opened, { from: until, until, secret }), everybody)
  return {
    people: people.length,
    campaigns: campaigns.length,
    waitlist: waitlist.length,
    signIn: `${people[0]!.at}@example.com`,
  }
}
