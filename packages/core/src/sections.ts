import { applicationsSection } from './admin/applications.ts'
import { campaignsSection } from './admin/campaigns.ts'
import type { AdminSection } from './admin/contract.ts'
import { feedbackSection } from './admin/feedback.ts'
import { jobsSection } from './admin/jobs.ts'
import { outboxSection } from './admin/outbox.ts'
import { peopleSection } from './admin/people.ts'
import { reportsSection } from './admin/reports.ts'
import { salesSection } from './admin/sales.ts'
import { campaignsHandlers, type CampaignsDeps } from './ads/campaigns.ts'
import { campaignsContract } from './ads/contract.ts'
import { contributorsHandlers, type ContributorsDeps } from './contributors/handlers.ts'
import { fail, type Failure } from './http/failures.ts'
import { Reply } from './http/route.ts'
import { timestamp } from './ids.ts'
import { ingestHandlers, type IngestDeps } from './ingest/handlers.ts'
import { outboxHandlers, type OutboxRoutesDeps } from './outbox/handlers.ts'
import { reportsHandlers, type ReportsDeps } from './reports/handlers.ts'
import { telemetryHandlers, type TelemetryDeps } from './telemetry/handlers.ts'
import { tracesHandlers, type TracesDeps } from './traces/handlers.ts'

/** What a handler answered, without the clothes of a reply. */
type Bare<Answer> = Answer extends Reply<infer Body> ? Exclude<Body, null> : Answer

/** Calls the handler of a JSON route from a page: the page does what the route does, in the same words. */
export async function call<In, Deps, Answer>(
  handler: (input: In, deps: Deps) => Promise<Answer> | Answer, deps: Deps, input: Partial<In>,
): Promise<Bare<Answer> | Failure> {
  const answer: unknown = await handler({ user: null, address: null, ...input } as In, deps)
  return (answer instanceof Reply ? answer.body : answer) as Bare<Answer> | Failure
}

/** The sections of `/admin`, each made of what its capability does. A further one is one more entry. */
export function operatorSections(deps: {
  contributors: ContributorsDeps; ingest: IngestDeps; traces: TracesDeps; campaigns: CampaignsDeps; reports: ReportsDeps; telemetry: TelemetryDeps
  outbox: OutboxRoutesDeps
}): AdminSection[] {
  const { contributors, ingest, traces, campaigns, reports, telemetry, outbox } = deps
  return [
    applicationsSection({
      list: (query) => call(contributorsHandlers.adminApplications, contributors, { query }),
      review: ({ id, ...body }, now) => call(contributorsHandlers.adminReview, contributors, { params: { id }, body, now }),
    }),
    peopleSection({
      list: (query) => call(contributorsHandlers.adminContributors, contributors, { query }),
      pause: ({ userId, paused }, now) => call(contributorsHandlers.adminPause, contributors, { params: { userId }, body: { paused }, now }),
    }),
    jobsSection({
      list: (query) => call(ingestHandlers.adminJobs, ingest, { query }),
      retry: (jobId, now) => call(ingestHandlers.adminRetryJob, ingest, { params: { jobId }, now }),
    }),
    salesSection({
      async list({ cursor, limit }) {
        const { items, next } = await traces.traces.sales({ cursor: /^\d{1,15}$/.test(cursor ?? '') ? Number(cursor) : null, limit })
        return { items: items.map((sale) => ({ ...sale, soldAt: timestamp(sale.soldAt) })), nextCursor: next === null ? null : String(next) }
      },
      sell: (body, now) => call(tracesHandlers.recordSale, traces, { body, now }),
    }),
    campaignsSection({
      list: (query) => call(campaignsHandlers.listCampaigns, campaigns, { query }),
      async create(given, now) {
        const body = campaignsContract.createCampaign.body.safeParse(given)
        return body.success ? call(campaignsHandlers.createCampaign, campaigns, { body: body.data, now }) : fail('invalid_body')
      },
      setStatus: ({ id, status }, now) => call(campaignsHandlers.updateCampaign, campaigns, { params: { id }, body: { status }, now }),
    }),
    reportsSection({
      list: (query) => call(reportsHandlers.adminReports, reports, { query }),
      setStatus: ({ id, status }, now) => call(reportsHandlers.triageReport, reports, { params: { id }, body: { status }, now }),
    }),
    feedbackSection({ list: (query) => call(telemetryHandlers.adminFeedback, telemetry, { query }) }),
    outboxSection({ list: (query) => call(outboxHandlers.adminOutbox, outbox, { query }) }),
  ]
}
