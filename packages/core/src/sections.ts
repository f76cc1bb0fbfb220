import type { adminContract, AdminSection } from './admin/contract.ts'
import { adminHandlers, type AdminDeps } from './admin/handlers.ts'
import { applicationsSection } from './admin/applications.ts'
import { campaignsSection } from './admin/campaigns.ts'
import { feedbackSection } from './admin/feedback.ts'
import { jobsSection } from './admin/jobs.ts'
import { outboxSection } from './admin/outbox.ts'
import { peopleSection } from './admin/people.ts'
import { reportsSection } from './admin/reports.ts'
import { salesSection } from './admin/sales.ts'
import { waitlistSection } from './admin/waitlist.ts'
import { campaignsHandlers, type CampaignsDeps } from './ads/campaigns.ts'
import { campaignsContract } from './ads/contract.ts'
import { call } from './call.ts'
import { contributorsHandlers, type ContributorsDeps } from './contributors/handlers.ts'
import { fail } from './http/failures.ts'
import { timestamp, uuid7 } from './ids.ts'
import { ingestHandlers, type IngestDeps } from './ingest/handlers.ts'
import type { Handlers } from './http/route.ts'
import type { PolicyDeps } from './policy/gate.ts'
import { policyHandlers } from './policy/handlers.ts'
import { operatorPage } from './sessions/pages.ts'
import { outboxHandlers, type OutboxRoutesDeps } from './outbox/handlers.ts'
import type { Random } from './ports.ts'
import { reportsHandlers, type ReportsDeps } from './reports/handlers.ts'
import { telemetryHandlers, type TelemetryDeps } from './telemetry/handlers.ts'
import { tracesHandlers, type TracesDeps } from './traces/handlers.ts'

interface Capabilities {
  readonly contributors: ContributorsDeps
  readonly policy: PolicyDeps
  readonly ingest: IngestDeps
  readonly traces: TracesDeps
  readonly campaigns: CampaignsDeps
  readonly reports: ReportsDeps
  readonly telemetry: TelemetryDeps
  readonly outbox: OutboxRoutesDeps
}

/** What serves `/admin`. */
export function operatorHandlers(
  { random, ...frame }: Pick<AdminDeps, 'prefix' | 'signedIn'> & { readonly random: Random }, deps: Capabilities,
): Handlers<typeof adminContract, null> {
  return adminHandlers({ ...frame, signInPage: () => operatorPage(frame), sections: operatorSections(deps, random) })
}

/** The sections of `/admin`, each made of what its capability does. A further one is one more entry. */
function operatorSections(deps: Capabilities, random: Random): AdminSection[] {
  const { contributors, policy, ingest, traces, campaigns, reports, telemetry, outbox } = deps
  return [
    applicationsSection({
      list: (query) => call(contributorsHandlers.adminApplications, contributors, { query }),
      review: ({ id, ...body }, now) => call(contributorsHandlers.adminReview, contributors, { params: { id }, body, now }),
    }),
    peopleSection({
      list: (query) => call(contributorsHandlers.adminContributors, contributors, { query }),
      pause: ({ userId, paused }, now) => call(contributorsHandlers.adminPause, contributors, { params: { userId }, body: { paused }, now }),
    }),
    waitlistSection({
      allowedCountries: policy.allowedCountries,
      list: (query) => call(policyHandlers.listWaitlist, policy, { query: { ...query, country: undefined } }),
      notify: (body, now) => call(policyHandlers.notifyWaitlist, policy, { body, now }),
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
      sell: (body, now) => call(tracesHandlers.recordSale, traces, { body, effectId: uuid7(now, random), now }),
    }),
    campaignsSection({
      list: (query, now) => call(campaignsHandlers.listCampaigns, campaigns, { query, now }),
      async create(given, now) {
        const body = campaignsContract.createCampaign.body.safeParse(given)
        return body.success ? call(campaignsHandlers.createCampaign, campaigns, { body: body.data, effectId: uuid7(now, random), now }) : fail('invalid_body')
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
