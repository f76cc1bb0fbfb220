import type * as z from 'zod'
import type { AdminSection } from './contract.ts'
import { createFinders } from './finders.ts'
import { mountAdmin, type AdminDeps } from './handlers.ts'
import { auditSection } from '../audit/operator-pages.ts'
import { applicationsSection } from '../contributors/applications-page.ts'
import { buyersSection } from '../traces/buyers/operator-pages.ts'
import { campaignsSection } from '../ads/operator-pages.ts'
import { feedbackSection } from '../telemetry/operator-pages.ts'
import { jobsSection, type JobsDeps } from '../ingest/operator-pages.ts'
import { outboxSection } from '../outbox/operator-pages.ts'
import { keysSection } from '../auth/passkeys/operator-pages.ts'
import { overviewSection } from './overview/operator-pages.ts'
import { contributorsSection } from '../contributors/operator-pages.ts'
import { reportsSection } from '../reports/operator-pages.ts'
import { payoutsSection } from '../ledger/operator-pages.ts'
import type { Review } from '../ui/operator/review-form.ts'
import { salesSection } from '../traces/dataset/operator-pages.ts'
import type { FindSoldTrace } from '../traces/dataset/sale-page.ts'
import { webhooksSection } from '../events/webhooks/operator-pages.ts'
import { waitlistSection } from '../contributors/policy/operator-pages.ts'
import { campaignsHandlers, type CampaignsDeps } from '../ads/campaigns.ts'
import { auditView, type AuditDeps } from '../audit/handlers.ts'
import type { ContributorDeps } from './contributor/handlers.ts'
import { overviewHandlers, type OverviewDeps } from './overview/handlers.ts'
import type { AuditContext } from '../audit/store.ts'
import type { Copier } from '../contributors/contract.ts'
import { contributorsHandlers, type ContributorsDeps } from '../contributors/handlers.ts'
import { buyerActor } from '../http/audit-context.ts'
import { fail, type Failure } from '../http/failures.ts'
import { listParams, type ListPage, type ListParams } from '../http/list.ts'
import { dayMs, timestamp } from '../ids.ts'
import { ingestHandlers, type IngestDeps } from '../ingest/handlers.ts'
import { failedKeptMs } from '../ingest/rules.ts'
import { ledgerHandlers, payoutView, type LedgerDeps } from '../ledger/handlers.ts'
import { entryView } from '../ledger/rules.ts'
import { Reply, type Mounted } from '../http/route.ts'
import { toDollars } from '../money.ts'
import type { PolicyDeps } from '../contributors/policy/gate.ts'
import { listWaitlistPage, policyHandlers } from '../contributors/policy/handlers.ts'
import {
  findObstacle,
  operatorSignInPage,
  registerPasskey,
  removePasskey,
  type PasskeysDeps,
} from '../auth/passkeys/handlers.ts'
import { webhooksHandlers, type WebhooksDeps } from '../events/webhooks/handlers.ts'
import { outboxHandlers, type OutboxRoutesDeps } from '../outbox/handlers.ts'
import { reportsHandlers, type ReportsDeps } from '../reports/handlers.ts'
import { telemetryHandlers, type TelemetryDeps } from '../telemetry/handlers.ts'
import {
  datasetHandlers,
  findSoldTrace as findSold,
  readOwnTrace,
  sampleTraces,
  type DatasetDeps,
} from '../traces/dataset/handlers.ts'
import { buildReminder, buyersHandlers, type BuyersDeps } from '../traces/buyers/handlers.ts'
import { countSale, sellReviewedTraces } from '../traces/dataset/sales.ts'

interface Capabilities {
  readonly contributors: ContributorsDeps
  readonly policy: PolicyDeps
  readonly ingest: IngestDeps
  readonly countRescrub: JobsDeps['countRescrub']
  readonly dataset: DatasetDeps
  readonly buyers: BuyersDeps
  readonly campaigns: CampaignsDeps
  readonly reports: ReportsDeps
  readonly telemetry: TelemetryDeps
  readonly outbox: OutboxRoutesDeps
  readonly webhooks: WebhooksDeps
  readonly audit: AuditDeps
  readonly ledger: LedgerDeps
  /** Returns a page of the contributors who send mostly copies. */
  readonly listCopiers: (params: ListParams<'signedUpAt'>) => Promise<ListPage<z.output<typeof Copier>>>
  readonly overview: OverviewDeps
  readonly passkeys: PasskeysDeps
  readonly summarize: ContributorDeps['summarize']
  readonly signOut: ContributorDeps['signOut']
}

/** Builds the operator's page from the sections of the capabilities and binds its routes. */
export function mountOperatorPage(
  frame: Pick<AdminDeps, 'prefix' | 'random' | 'signedIn' | 'idempotency'> & {
    readonly capabilities: { readonly ads: boolean; readonly reports: boolean; readonly telemetry: boolean }
    /** Milliseconds after which entries of the audit log are deleted. */
    readonly auditMs: number
    /** Links that exist only in development. */
    readonly developmentLinks: readonly unknown[]
  },
  deps: Capabilities,
): Mounted[] {
  return mountAdmin({
    ...frame,
    signInPage: (view) => operatorSignInPage(view, deps.passkeys),
    recordDownload: (target, by) => deps.audit.store.recordRead({ action: 'list.download', target, audit: by }),
    async countWaiting(now) {
      const waiting = await deps.overview.store.countWaiting({ failedSince: now - failedKeptMs })
      const { failedJobs: jobs, payoutRequests: payouts, removals: buyers, ...counts } = waiting
      return { ...counts, jobs, payouts, buyers }
    },
    sections: operatorSections(deps, frame).filter(({ id }) => {
      const capability = capabilityOf[id]
      return capability === undefined || frame.capabilities[capability]
    }),
  })
}

/** For each section that belongs to an optional capability, the name of that capability. */
const capabilityOf: Readonly<Record<string, 'ads' | 'reports' | 'telemetry'>> = {
  campaigns: 'ads',
  reports: 'reports',
  feedback: 'telemetry',
}

/** The body that a handler returns, without the status and headers of a reply. */
type BodyOf<Answer> = Answer extends Reply<infer Body> ? Exclude<Body, null> : Answer

/** The parts of a handler's input that its route declares. The caller of the handler must pass them. */
type Declared<In, Name = keyof In & ('params' | 'query' | 'body' | 'effectId')> = Name extends keyof In
  ? undefined extends In[Name]
    ? never
    : Name
  : never

/** Calls the handler of a JSON route, so that a form of the page does the same as the route. */
async function callHandler<In, Deps, Answer>(
  handler: (input: In, deps: Deps) => Promise<Answer> | Answer,
  deps: Deps,
  input: Partial<In> & Pick<In, Declared<In>>,
): Promise<BodyOf<Answer> | Failure> {
  const answer: unknown = await handler({ user: null, address: null, report: () => undefined, ...input } as In, deps)
  return (answer instanceof Reply ? answer.body : answer) as BodyOf<Answer> | Failure
}

/** Returns the part of a handler's input that comes from the operator's request. */
const selectRequest = (audit: AuditContext) => ({
  audit,
  requestId: audit.requestId,
  address: audit.address,
  now: audit.at,
})

/** Returns the sections of `/admin` in their order. */
function operatorSections(
  deps: Capabilities,
  {
    prefix,
    capabilities,
    auditMs,
    developmentLinks,
  }: Pick<Parameters<typeof mountOperatorPage>[0], 'prefix' | 'capabilities' | 'auditMs' | 'developmentLinks'>,
): AdminSection[] {
  const {
    contributors,
    policy,
    ingest,
    dataset,
    buyers,
    campaigns,
    reports,
    telemetry,
    outbox,
    webhooks,
    audit,
    ledger,
    overview,
    passkeys,
    summarize,
  } = deps
  const { findAddresses, findNames, findByAddress, findTargets, findName } = createFinders(deps)
  const findSoldTrace: FindSoldTrace = (params) => findSold(params, dataset)
  const review: Review = ({ id, ...body }, by) =>
    callHandler(contributorsHandlers.adminReview, contributors, { params: { id }, body, ...selectRequest(by) })
  return [
    overviewSection({
      capabilities,
      overview: (query, now) => callHandler(overviewHandlers.getOverview, overview, { query, now }),
    }),
    applicationsSection({
      list: (query) => callHandler(contributorsHandlers.adminApplications, contributors, { query }),
      review,
      findName,
      findApplicants: (applicationIds) => contributors.store.listApplicants({ applicationIds }),
      sendsMail: contributors.mailer !== null,
    }),
    contributorsSection({
      prefix,
      review,
      findName,
      list: (query) => callHandler(contributorsHandlers.adminContributors, contributors, { query }),
      find: async ({ userId }, now) => (await summarize(userId, now)) ?? fail('not_found'),
      async listCopiers(query) {
        const { items, next } = await deps.listCopiers(listParams(query))
        return { items, nextCursor: next }
      },
      async listEntries({ userId: ownerId, limit }, now) {
        const { items } = await ledger.store.listEntries({ ownerId, now, cursor: null, limit })
        return { items: items.map(entryView), nextCursor: null }
      },
      findNames,
      async findPause(userId) {
        const pauses = { action: 'contributor.pause', targets: [userId], cursor: null, limit: 1 } as const
        const { items } = await audit.store.listEntries(pauses)
        return items[0] ? auditView(items[0]) : null
      },
      async findPayoutRequest(userId) {
        const request = await ledger.store.findPayoutRequest({ ownerId: userId })
        if (request?.status !== 'open') return null
        return { usd: toDollars(request.micros), requestedAt: timestamp(request.requestedAt) }
      },
      signOut: deps.signOut,
      pause: ({ userId, paused }, by) =>
        callHandler(contributorsHandlers.adminPause, contributors, {
          params: { userId },
          body: { paused },
          ...selectRequest(by),
        }),
    }),
    waitlistSection({
      count: () => policy.store.countWaitlist(),
      openCountries: policy.allowedCountries,
      sendsMail: policy.mailer !== null,
      findAddresses,
      remove: (params, by) => callHandler(policyHandlers.removeFromWaitlist, policy, { params, ...selectRequest(by) }),
      list: (query) => listWaitlistPage(query, policy.store),
      notify: (body, by) => callHandler(policyHandlers.notifyWaitlist, policy, { body, ...selectRequest(by) }),
    }),
    jobsSection({
      list: (query) => callHandler(ingestHandlers.adminJobs, ingest, { query }),
      retry: (jobId, by) =>
        callHandler(ingestHandlers.adminRetryJob, ingest, { params: { jobId }, ...selectRequest(by) }),
      async find(jobId) {
        const job = await ingest.store.findAnyJob({ jobId })
        return job && { job, outcomes: (await ingest.store.listOutcomes({ ownerId: job.ownerId, jobId })) ?? [] }
      },
      countRescrub: deps.countRescrub,
    }),
    salesSection({
      address: contributors.link(''),
      hostCommand: developmentLinks.length > 0 ? 'npm run tributary --' : 'tributary',
      list: (query) => callHandler(datasetHandlers.listSales, dataset, { query }),
      findSimilarSale: (params) => dataset.dataset.findSimilarSale(params),
      async count(filter, buyer) {
        const until = await dataset.dataset.findLastPlace()
        return { until, ...(await countSale({ offer: { filter, until }, buyer }, dataset)) }
      },
      async listBuyerNames() {
        return (await buyers.store.listBuyers({ cursor: null, limit: 200 })).items.map(({ name }) => name)
      },
      countOpenRemovals: async (saleId) => (await buyers.store.countRemovals({ saleId })).open,
      isBuyer: async (name) => (await buyers.store.findBuyerByName({ name })) !== null,
      async findDelivery({ id, buyer: name, soldAt }, now) {
        const buyer = await buyers.store.findBuyerByName({ name })
        if (!buyer) return null
        const downloads = { action: 'dataset.download', targets: [id], actor: buyerActor(buyer) } as const
        const [last] = (await audit.store.listEntries({ ...downloads, cursor: null, limit: 1 })).items
        // Older entries of the audit log are deleted.
        const isKnown = last !== undefined || Date.parse(soldAt) > now - auditMs
        return { hasToken: buyer.isActive, downloadedAt: isKnown ? (last?.at ?? null) : undefined }
      },
      find: (id) => callHandler(datasetHandlers.readSale, dataset, { params: { id } }),
      findAddresses,
      listTraces: (id, query) => callHandler(datasetHandlers.listSoldTraces, dataset, { params: { id }, query }),
      findShare: (saleId) => ledger.store.findSaleShare({ saleId }),
      sample: (filter) => sampleTraces(filter, dataset),
      findSoldTrace,
      readTrace: (params) => readOwnTrace(params, dataset),
      recordTraceRead: (target, by) => audit.store.recordRead({ action: 'sample.read', target, audit: by }),
      shareOf: async (usd, now) => toDollars((await dataset.computeShares({ usd, soldAt: now })).micros),
      async sell({ buyer, usd, filter, reviewed }, audit, id) {
        const sale = { id, buyer, usd, soldAt: audit.at }
        const sold = await sellReviewedTraces({ sale, filter, reviewed, audit }, dataset)
        return sold.isChanged ? null : sold
      },
    }),
    buyersSection({
      prefix,
      link: buyers.link,
      list: (query) => callHandler(buyersHandlers.listBuyers, buyers, { query }),
      listRemovals: (query) => callHandler(buyersHandlers.listAllRemovals, buyers, { query }),
      buildReminder: (buyer) => buildReminder(buyer, buyers),
      create: (body, by) => callHandler(buyersHandlers.createBuyer, buyers, { body, ...selectRequest(by) }),
      setEmail: ({ id, email = null }, by) =>
        callHandler(buyersHandlers.changeBuyer, buyers, { params: { id }, body: { email }, ...selectRequest(by) }),
      rotate: (id, by) =>
        callHandler(buyersHandlers.rotateBuyerToken, buyers, { params: { id }, ...selectRequest(by) }),
      revoke: (id, by) =>
        callHandler(buyersHandlers.revokeBuyerToken, buyers, { params: { id }, ...selectRequest(by) }),
      findWithdrawal: (id) => buyers.store.findWithdrawal({ id }),
      findSoldTrace,
      findAddresses,
      withdraw: ({ id, reason }, by) =>
        callHandler(buyersHandlers.withdrawTrace, buyers, { params: { id }, body: { reason }, ...selectRequest(by) }),
    }),
    payoutsSection({
      prefix,
      list: (query, now) => callHandler(ledgerHandlers.listBalances, ledger, { query, now }),
      sendsMail: ledger.mailer !== null,
      settleDays: ledger.settleMs / dayMs,
      listPayouts: (query) => callHandler(ledgerHandlers.listPayouts, ledger, { query }),
      listRequests: (query) => callHandler(ledgerHandlers.listPayoutRequests, ledger, { query }),
      async findRequest(ownerId) {
        const request = await ledger.store.findPayoutRequest({ ownerId })
        if (request?.status !== 'open') return null
        return { usd: toDollars(request.micros), requestedAt: timestamp(request.requestedAt) }
      },
      reject: ({ id, reason }, by) =>
        callHandler(ledgerHandlers.rejectPayoutRequest, ledger, {
          params: { id },
          body: { decision: 'reject', reason },
          ...selectRequest(by),
        }),
      find: async ({ userId }, now) => (await summarize(userId, now)) ?? fail('not_found'),
      findByAddress,
      async findLastPayout(ownerId) {
        const payout = await ledger.store.findLastPayout({ ownerId })
        return payout && payoutView(payout)
      },
      pay: (body, by, effectId) =>
        callHandler(ledgerHandlers.recordPayout, ledger, { body, effectId, ...selectRequest(by) }),
      correct: (body, by, effectId) =>
        callHandler(ledgerHandlers.recordCorrection, ledger, { body, effectId, ...selectRequest(by) }),
    }),
    campaignsSection({
      prefix,
      list: (query, now) => callHandler(campaignsHandlers.listCampaigns, campaigns, { query, now }),
      find: (id, now) => callHandler(campaignsHandlers.getCampaign, campaigns, { params: { id }, now }),
      create: (body, by, effectId) =>
        callHandler(campaignsHandlers.createCampaign, campaigns, { body, effectId, ...selectRequest(by) }),
      edit: ({ id, body }, by) =>
        callHandler(campaignsHandlers.replaceCampaign, campaigns, { params: { id }, body, ...selectRequest(by) }),
      setStatus: ({ id, status }, by) =>
        callHandler(campaignsHandlers.updateCampaign, campaigns, {
          params: { id },
          body: { status },
          ...selectRequest(by),
        }),
      end: (id, by) => callHandler(campaignsHandlers.endCampaign, campaigns, { params: { id }, ...selectRequest(by) }),
      correct: ({ id, ...body }, by, effectId) =>
        callHandler(campaignsHandlers.correctCampaign, campaigns, {
          params: { id },
          body,
          effectId,
          ...selectRequest(by),
        }),
      rotateLink: (id, by) =>
        callHandler(campaignsHandlers.rotateSponsorLink, campaigns, { params: { id }, ...selectRequest(by) }),
      revokeLink: (id, by) =>
        callHandler(campaignsHandlers.revokeSponsorLink, campaigns, { params: { id }, ...selectRequest(by) }),
    }),
    reportsSection({
      list: (query) => callHandler(reportsHandlers.adminReports, reports, { query }),
      count: (query) => callHandler(reportsHandlers.getReportStats, reports, { query }),
      find: (id) => callHandler(reportsHandlers.getReport, reports, { params: { id } }),
      merge: ({ id, into }, by) =>
        callHandler(reportsHandlers.mergeReport, reports, { params: { id }, body: { into }, ...selectRequest(by) }),
      separate: (id, by) =>
        callHandler(reportsHandlers.separateReport, reports, { params: { id }, ...selectRequest(by) }),
      setStatus: ({ id, status }, by) =>
        callHandler(reportsHandlers.triageReport, reports, { params: { id }, body: { status }, ...selectRequest(by) }),
    }),
    feedbackSection({
      list: (query) => callHandler(telemetryHandlers.adminFeedback, telemetry, { query }),
      findAddresses,
      handle: ({ id, ...body }, by) =>
        callHandler(telemetryHandlers.handleFeedback, telemetry, { params: { id }, body, ...selectRequest(by) }),
    }),
    auditSection({
      async list({ subject, actor, action, ...query }) {
        const targets = subject === undefined ? undefined : await findTargets(subject)
        const { items, next } = await audit.store.listEntries({ ...listParams(query), actor, action, targets })
        return { items: items.map(auditView), nextCursor: next }
      },
      findNames,
      keptDays: Math.round(auditMs / dayMs),
    }),
    webhooksSection({
      list: () => callHandler(webhooksHandlers.listWebhooks, webhooks, { query: {} }),
      deliveries: ({ id, ...query }) =>
        callHandler(webhooksHandlers.listWebhookDeliveries, webhooks, { params: { id }, query }),
      async findDisabling(id) {
        const last = await audit.store.findStatusChange({ action: 'webhook.update', target: id, status: 'disabled' })
        return last ? { actor: last.actor, at: timestamp(last.at) } : null
      },
      create: (body, by) => callHandler(webhooksHandlers.createWebhook, webhooks, { body, ...selectRequest(by) }),
      edit: ({ id, ...body }, by) =>
        callHandler(webhooksHandlers.updateWebhook, webhooks, { params: { id }, body, ...selectRequest(by) }),
      rotate: (id, by) =>
        callHandler(webhooksHandlers.rotateWebhookSecret, webhooks, { params: { id }, ...selectRequest(by) }),
      setStatus: ({ id, status }, by) =>
        callHandler(webhooksHandlers.updateWebhook, webhooks, {
          params: { id },
          body: { status },
          ...selectRequest(by),
        }),
      test: (id, by) => callHandler(webhooksHandlers.testWebhook, webhooks, { params: { id }, ...selectRequest(by) }),
      remove: (id, by) =>
        callHandler(webhooksHandlers.deleteWebhook, webhooks, { params: { id }, ...selectRequest(by) }),
      redeliver: (params, by) =>
        callHandler(webhooksHandlers.redeliverWebhook, webhooks, { params, ...selectRequest(by) }),
    }),
    outboxSection({
      list: (query) => callHandler(outboxHandlers.adminOutbox, outbox, { query }),
      async listWebhooks() {
        const all = await webhooks.store.listWebhooks()
        return new Map(all.map(({ id, url, status }) => [id, { url, isEnabled: status === 'enabled' }]))
      },
      count: () => outbox.outbox.countUnsent(),
      resend: (body, by) => callHandler(outboxHandlers.resendOutbox, outbox, { body, ...selectRequest(by) }),
      remove: (body, by) => callHandler(outboxHandlers.deleteOutbox, outbox, { body, ...selectRequest(by) }),
    }),
    keysSection({
      prefix,
      obstacle: findObstacle(passkeys),
      list: (operator) => passkeys.store.listPasskeys({ operator }),
      register: (asked, operator, by) => registerPasskey(asked, operator, by, passkeys),
      remove: (id, operator, by) => removePasskey(id, operator, by, passkeys),
    }),
  ]
}
