import type { AuditContext } from '../audit/store.ts'
import { lazyAds, wireAds } from '../ads/wire.ts'
import { wireAdmin, wireOverview } from '../admin/wire.ts'
import { wireAudit } from '../audit/wire.ts'
import { passkeysDeps, wirePasskeys } from '../auth/passkeys/wire.ts'
import { authDeps, wireAuth } from '../auth/wire.ts'
import { wireBrowserScripts } from '../browser/wire.ts'
import { createPeople } from '../contributors/people.ts'
import { contributorsDeps, wireContributors } from '../contributors/wire.ts'
import { wireDocuments } from '../documents/wire.ts'
import { webhooksDeps, wireWebhooks } from '../events/webhooks/wire.ts'
import { wireHome } from '../home/wire.ts'
import type { Capability } from '../http/match.ts'
import { ingestDeps, wireIngest, wireJobPages } from '../ingest/wire.ts'
import { ledgerDeps, wireLedger } from '../ledger/wire.ts'
import { wireMcp } from '../mcp/wire.ts'
import { wireOutbox } from '../outbox/wire.ts'
import { reportsDeps, wireReports } from '../reports/wire.ts'
import { telemetryDeps, wireTelemetry } from '../telemetry/wire.ts'
import { remainingRescrub } from '../traces/rules.ts'
import { buyersDeps, datasetDeps, wireBuyers, wireDataset, wireTracePages, wireTraces } from '../traces/wire.ts'
import type { ResolvedOptions } from './resolve-options.ts'
import type { Wiring } from './wiring.ts'

/**
 * Returns the table of capabilities: the name of each, the paths that it serves, and one `import()` that loads its
 * routes with their schemas, handlers and pages when a request first asks for one of these paths. A path belongs to the
 * capability with the longest prefix that fits. The `wire.ts` of a capability imports only types from the modules that
 * it loads.
 */
export function createCapabilities(options: ResolvedOptions, shared: Omit<Wiring, 'options' | 'people'>): Capability[] {
  const wiring: Wiring = { ...shared, options, people: createPeople(options, shared.operator) }
  const ads = lazyAds(wiring)
  const table = [
    wireDocuments(wiring),
    wireHome(wiring),
    ...wireAuth(wiring),
    wirePasskeys(wiring),
    wireContributors(() => mountContributors(wiring)),
    wireIngest(wiring),
    wireTraces(wiring),
    wireTracePages(wiring),
    wireJobPages(wiring),
    wireDataset(wiring),
    wireBuyers(wiring),
    wireAds(ads),
    wireLedger(wiring),
    wireTelemetry(wiring),
    wireReports(wiring),
    wireMcp(wiring),
    wireOutbox(wiring),
    wireWebhooks(wiring),
    wireAudit(wiring),
    wireOverview(wiring),
    wireBrowserScripts(wiring),
    wireAdmin(wiring, () => loadAdminDeps(wiring, ads)),
  ]
  const isLeftOut = (name: string): boolean =>
    Object.hasOwn(options.capabilities, name) && !options.capabilities[name as keyof typeof options.capabilities]
  return table.filter(({ name }) => !isLeftOut(name))
}

const loadParts = (options: ResolvedOptions) => async () => (await import('./account-parts.ts')).accountParts(options)

/** Mounts the routes of contributors. */
async function mountContributors(wiring: Wiring): ReturnType<Capability['load']> {
  const { options, people } = wiring
  const { mountContributorRoutes } = await import('./contributors.ts')
  const contributors = contributorsDeps(wiring, loadParts(options))
  return mountContributorRoutes({ options, auth: authDeps(wiring), policy: people.policy, contributors })
}

/** Returns the dependencies of the operator's pages. */
async function loadAdminDeps(wiring: Wiring, ads: ReturnType<typeof lazyAds>) {
  const { options, people } = wiring
  const { stores } = options
  return {
    contributors: contributorsDeps(wiring, loadParts(options)),
    policy: people.policy,
    ingest: ingestDeps(wiring),
    countRescrub: async () => remainingRescrub(await stores.rescrub.getProgress(), options.scrubVersion),
    dataset: datasetDeps(wiring),
    buyers: buyersDeps(wiring),
    campaigns: (await ads()).campaigns,
    reports: reportsDeps(wiring),
    telemetry: telemetryDeps(wiring),
    outbox: { outbox: stores.outbox },
    webhooks: webhooksDeps(wiring),
    audit: { store: stores.audit },
    ledger: ledgerDeps(wiring),
    listCopiers: (params: Parameters<typeof stores.copies.listCopiers>[0]) => stores.copies.listCopiers(params),
    overview: { store: stores.overview },
    passkeys: passkeysDeps(wiring),
    summarize: (await import('./contributor-summary.ts')).createSummarize(stores),
    signOut: async (userId: string, by: AuditContext) =>
      (await import('../auth/handlers.ts')).signOutUser(userId, by, authDeps(wiring)),
  }
}
