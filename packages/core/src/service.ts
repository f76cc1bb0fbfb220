import { accountContract } from './account/contract.ts'
import { accountHandlers } from './account/handlers.ts'
import { mountAdmin } from './admin/handlers.ts'
import { mountAds } from './ads/mount.ts'
import { prepare, type ServiceOptions } from './config.ts'
import { contributorsContract } from './contributors/contract.ts'
import { contributorsHandlers, type ContributorsDeps } from './contributors/handlers.ts'
import type { AccountPart } from './contributors/store.ts'
import { always, failed, type Headers } from './http/answer.ts'
import { dispatcher, sentId } from './http/dispatch.ts'
import { fail } from './http/failures.ts'
import type { PlainReply, PlainRequest } from './http/message.ts'
import { rateOf } from './http/rate.ts'
import { mount, type Mounted, type RouteShape, type User } from './http/route.ts'
import { fromWeb, toWeb } from './http/web.ts'
import { uuid7 } from './ids.ts'
import { ingestAccount } from './ingest/account.ts'
import { ingestContract } from './ingest/contract.ts'
import { ingestHandlers, type IngestDeps } from './ingest/handlers.ts'
import { ingestWorker, type Worked, type WorkOptions } from './ingest/worker.ts'
import { outboxContract } from './outbox/contract.ts'
import { outboxHandlers } from './outbox/handlers.ts'
import { outboxWorker } from './outbox/worker.ts'
import { policyContract } from './policy/contract.ts'
import { afterStep, contributorJourney, policyHandlers, uploadGate, type PolicyDeps } from './policy/handlers.ts'
import { programContract } from './program/contract.ts'
import { programHandlers } from './program/handlers.ts'
import { accountDeps } from './personal.ts'
import { operatorSections } from './sections.ts'
import { reportsContract } from './reports/contract.ts'
import { reportsHandlers, type ReportsDeps } from './reports/handlers.ts'
import { dayMs, keyMs } from './reports/rules.ts'
import { sessionAccount } from './sessions/account.ts'
import { deviceContract, sessionsContract } from './sessions/contract.ts'
import { deviceHandlers } from './sessions/device.ts'
import { sessionsHandlers, type SessionsDeps } from './sessions/handlers.ts'
import { keyed } from './sessions/keyed.ts'
import { operatorSession } from './sessions/operator.ts'
import { operatorPage } from './sessions/pages.ts'
import { identification } from './sessions/who.ts'
import { telemetryContract } from './telemetry/contract.ts'
import { telemetryHandlers } from './telemetry/handlers.ts'
import { sinkDelivery } from './telemetry/sink.ts'
import { tracesContract } from './traces/contract.ts'
import { exportDocuments, tracesHandlers, type TracesDeps } from './traces/handlers.ts'
import { contentHash } from './traces/hash.ts'

/** The whole server as a value. It starts nothing by itself. */
export interface Service {
  /** Answers a request, or null when the path is not one of ours: the embedding app goes on to its own routes. */
  handle(request: PlainRequest): Promise<PlainReply | null>
  /** The same for web-standard requests. `address` is the peer's, where the platform tells it. */
  fetch(request: Request, address?: string | null): Promise<Response | null>
  /** The 404 of a host that has no routes of its own; its front door leads to the traces. */
  missing(request: PlainRequest): PlainReply
  /**
   * Works on ingest jobs, and sends what must go out (mails, telemetry, network impressions), until nothing is due; with
   * `wait`, until the signal is aborted; each of the two then waits by itself. Any number of workers may run, anywhere.
   */
  work(options?: WorkOptions): Promise<Worked>
  /** Resolves when the stores answer; throws `Unavailable`. */
  ready(): Promise<void>
  /** The path before every address of the service, `` or `/tributary`. */
  readonly prefix: string
  /** Every route as data, by name. */
  readonly routes: readonly { readonly name: string; readonly route: RouteShape }[]
}

/**
 * Makes the service. Throws on options that cannot work.
 *
 * ```ts
 * const service = createService({ baseUrl: 'http://127.0.0.1:8787', stores: memoryStores() })
 * const response = await service.fetch(new Request('http://127.0.0.1:8787/api/cli/session'))
 * ```
 */
export function createService(options: ServiceOptions): Service {
  const kit = prepare(options)
  const operator = operatorSession(kit.adminToken, kit.secure)
  const who = identification({ ...kit, store: kit.stores.sessions, operator: operator.check })
  const sessions: SessionsDeps = {
    ...kit, operator, store: kit.stores.sessions, forget: who.forget,
    keyed: keyed({ ...kit, configured: kit.secrets, stored: kit.stores.sessions.secret }),
    mailer: kit.identity ? null : kit.mailer, // an app's own sign-in stands in for ours
    scrub(text) {
      const done = kit.scrubber.scrub([text])
      return done.ok ? done.texts[0]! : 'unnamed machine'
    },
  }
  const policy: PolicyDeps = { ...kit, store: kit.stores.policy }
  const { program } = kit.stores
  const ads = mountAds(kit, {
    ownership: (ownerId, device) => program.ownership(ownerId, device),
    consent: (ownerId) => kit.stores.contributors.consent(ownerId),
  })
  // In the order of erasure: sessions last, since every record hangs on the person's row and their token must last until then.
  const parts: AccountPart[] = [
    // First, so that no worker stores anything after the traces went.
    { name: 'jobs', ...ingestAccount({ store: kit.stores.ingest, blobs: kit.blobs }) },
    { name: 'traces', export: (id) => parsed(exportDocuments(kit.stores.traces, id)), erase: (id) => kit.stores.traces.erase(id) },
    { name: 'contributor', export: (id) => kit.stores.contributors.export(id), erase: (id) => kit.stores.contributors.erase(id) },
    { name: 'policy', export: (id) => kit.stores.policy.export(id), erase: (id) => kit.stores.policy.erase(id) },
    ads.account,
    { name: 'telemetry', export: (id) => kit.stores.telemetry.export(id), erase: (id) => kit.stores.telemetry.erase(id) },
    { name: 'program', export: (id) => program.export(id), erase: (id) => program.erase(id) },
    { name: 'sessions', ...sessionAccount(kit.stores.sessions, who) },
  ]
  const mayUpload = uploadGate(policy)
  const ingestGate = ({ user, request, address }: { user: User; request: PlainRequest; address: string | null }) => mayUpload(user, { request, address })
  const contributors: ContributorsDeps = {
    ...kit, store: kit.stores.contributors, parts, journey: contributorJourney(policy), afterStep: afterStep(policy),
  }
  const ingest: IngestDeps = { ...kit, store: kit.stores.ingest }
  const traces: TracesDeps = {
    ...kit, traces: kit.stores.traces, journey: (ownerId) => contributorJourney(policy)(ownerId, 'upload', undefined),
    jobs: async (ownerId) => (await kit.stores.ingest.list(ownerId, 20)).filter(({ status }) => status !== 'done' && status !== 'failed'),
  }
  const path = (own: string): string => new URL(kit.link(own)).pathname
  const reports: ReportsDeps = { ...kit, store: kit.stores.reports, rate: rateOf(options.rates, 'reports'), path: (own) => decodeURI(path(own)) }
  // Whoever meets a failure learns where to report it (decisions section 10).
  const failureHeaders: Headers = [['link', `<${path('/.well-known/agent-feedback.json')}>; rel="agent-feedback"`]]
  const outbox = { outbox: kit.stores.outbox }
  const telemetryDeps = { ...kit, store: kit.stores.telemetry, sink: kit.telemetrySink !== null }
  const mounted: Mounted[] = [
    // each capability is mounted here, one line each: ...mount(sessionsContract, sessionsHandlers, {...}, gates)
    ...mount(sessionsContract, sessionsHandlers, sessions),
    ...mount(deviceContract, deviceHandlers, sessions),
    ...mount(policyContract, policyHandlers, policy),
    ...mount(contributorsContract, contributorsHandlers, contributors),
    ...mount(accountContract, accountHandlers, accountDeps({ sessions, policy, contributors })),
    ...mount(ingestContract, ingestHandlers, ingest, { ingest: ingestGate, startUpload: ingestGate }),
    ...mount(tracesContract, tracesHandlers, traces),
    ...mount(programContract, programHandlers, { store: program }),
    ...ads.routes,
    ...mount(telemetryContract, telemetryHandlers, telemetryDeps),
    ...mount(reportsContract, reportsHandlers, reports),
    ...mount(outboxContract, outboxHandlers, outbox),
    ...mountAdmin({
      ...kit, signedIn: operator.signedIn, signInPage: () => operatorPage({ prefix: kit.prefix }),
      sections: operatorSections({ contributors, ingest, traces, campaigns: ads.campaigns, reports, telemetry: telemetryDeps, outbox }),
    }),
  ]
  const ingests = ingestWorker({
    ...kit, store: kit.stores.ingest, hash: contentHash, known: (ownerId, hashes) => kit.stores.traces.known(ownerId, hashes),
  })
  const { telemetry } = kit.stores
  const sends = outboxWorker({
    ...kit, ...outbox,
    deliveries: {
      ...(ads.reports ? { impression: ads.reports } : {}),
      ...(kit.telemetrySink ? { telemetry: sinkDelivery(telemetry, kit.telemetrySink, kit.logger) } : {}),
    },
    forgets: [(now) => telemetry.forget(now - kit.telemetryMs), (now) => reports.store.forgetKeys(now - keyMs), (now) => reports.store.forget(now - kit.reportDays * dayMs)],
  })
  const handle = dispatcher(mounted, { ...kit, who, failureHeaders })
  return {
    handle,
    async fetch(request, address = null) {
      const reply = await handle(fromWeb(request, address))
      return reply ? toWeb(reply) : null
    },
    missing(request) {
      const base = always(sentId(request.headers['x-request-id']) ?? uuid7(kit.clock(), kit.random))
      const front = request.path === kit.prefix || request.path === `${kit.prefix}/`
      if (front && (request.method === 'GET' || request.method === 'HEAD')) {
        return { status: 303, headers: [...base, ['cache-control', 'no-store'], ['location', `${kit.prefix}/traces`]], body: null }
      }
      return failed({ envelope: 'ok', failures: {} }, fail('not_found'), base, failureHeaders)
    },
    async work(given = {}) {
      // Side by side: a mail server that is slow holds up no job.
      const [worked] = await Promise.all([ingests(given), given.jobId === undefined ? sends(given) : null])
      return worked
    },
    ready: () => kit.stores.ready(),
    prefix: kit.prefix,
    routes: mounted,
  }
}

async function* parsed(documents: AsyncIterable<string>): AsyncGenerator<unknown> {
  for await (const document of documents) yield JSON.parse(document)
}
