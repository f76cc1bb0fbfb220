import * as z from 'zod'
import { Count, True, Whole } from '../../http/fields.ts'
import { route } from '../../http/route.ts'

const Usd = z.number().min(0).describe('US dollars')

export const OverviewDay = z
  .object({
    day: z.iso.date().describe('UTC day'),
    uploads: Whole,
    tracesStored: Whole,
    tracesRejected: Whole,
    tokens: Whole.describe('of the stored traces'),
    redactions: z.record(z.string(), Whole).describe('redactions in the stored traces by category'),
    wrongReplacements: z
      .record(z.string(), Whole)
      .describe('replacements that contributors reported as not personal, by rule of the scrubber'),
    salesUsd: Usd,
    impressions: Whole.describe('counted impressions'),
    spendUsd: Usd.describe('spend of campaigns'),
    reports: Whole,
  })
  .meta({ id: 'OverviewDay' })

/** The counts of each day, and the number of items that wait for an operator. */
export const overviewContract = {
  getOverview: route({
    method: 'GET',
    path: '/api/admin/overview',
    auth: 'admin',
    envelope: 'ok',
    tool: 'admin_get_overview',
    summary: 'Get the overview',
    description:
      'Returns the counts of each of the last UTC days, oldest first and today last, and the numbers of items that wait for the operator.',
    query: z.object({ days: Count(1, 90, 30) }),
    reply: z.object({
      ok: True,
      days: z.array(OverviewDay),
      waiting: z.object({
        applications: Whole.describe('applications to review'),
        failedJobs: Whole.describe('failed jobs that can be retried'),
        reports: Whole.describe('open reports'),
        outbox: Whole.describe('outbox entries that were not delivered, or whose delivery is unknown'),
        payoutRequests: Whole.describe('open payout requests'),
        removals: Whole.describe('sold traces whose deletion their buyers did not acknowledge'),
        feedback: Whole.describe('open feedback from the command line'),
      }),
    }),
    failures: {},
  }),
}
