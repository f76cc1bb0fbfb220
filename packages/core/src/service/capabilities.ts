import type { HmacCode } from '../auth/hmac.ts'
import type { AuthDeps } from '../auth/handlers.ts'
import type { CachingAuthenticator } from '../auth/authenticator.ts'
import type { OperatorSession } from '../auth/operator.ts'
import type { ContributorsDeps } from '../contributors/handlers.ts'
import { pausedBy, termsAccepted } from '../contributors/policy/rules.ts'
import { afterStep, countryOf, uploadGate, type PolicyDeps } from '../contributors/policy/gate.ts'
import { addressKey } from '../http/address.ts'
import { createIdempotency } from '../http/idempotency.ts'
import { lazy } from '../lazy.ts'
import type { PlainReply, PlainRequest } from '../http/message.ts'
import type { Capability } from '../http/match.ts'
import { resolveRate, type Rates } from '../http/rate-limit.ts'
import { uuid7 } from '../ids.ts'
import type { DocumentsDeps } from '../documents/handlers.ts'
import type { IngestDeps } from '../ingest/handlers.ts'
import type { HomeDeps } from '../home/handlers.ts'
import type { LedgerDeps } from '../ledger/handlers.ts'
import { createWaitingWarning } from '../ingest/waiting.ts'
import type { ReportsDeps } from '../reports/handlers.ts'
import type { BuyersDeps } from '../traces/buyers/handlers.ts'
import type { DatasetDeps } from '../traces/dataset/handlers.ts'
import { remainingRescrub } from '../traces/rules.ts'
import type { TracesDeps } from '../traces/handlers.ts'
import type { TracePagesDeps } from '../traces/pages/handlers.ts'
import type { ResolvedOptions } from './resolve-options.ts'

/** The values that capabilities share, besides the options. */
interface Shared {
  readonly hmacCode: HmacCode
  readonly authenticator: CachingAuthenticator
  readonly operator: OperatorSession
  readonly rates: Rates | undefined
  /** Returns the public path of a path of the service, below the mount. */
  readonly publicPath: (path: string) => string
  /** The parts of the whole service that the documents and probes need. */
  readonly documents: Pick<DocumentsDeps, 'routes' | 'isDraining' | 'interactiveReference'>
  /** Answers a request to the service itself. */
  readonly handle: (request: PlainRequest) => Promise<PlainReply | null>
}

/** The categories of redactions that the label of a device may have: only its owner and the operator see it. */
const namesOfDevices: ReadonlySet<string> = new Set(['host_name', 'person', 'user_name', 'account_name'])

/**
 * Returns the table of capabilities: the name of each, the paths that it serves, and one `import()` that loads its
 * routes with their schemas, handlers and pages when a request first asks for one of these paths. Everything below a
 * path belongs to the capability with the longest path that fits. This file imports only types of what it loads.
 */
export function createCapabilities(options: ResolvedOptions, shared: Shared): Capability[] {
  const { stores } = options
  const { hmacCode, authenticator, operator } = shared

  const hasDevice = async (ownerId: string): Promise<boolean> => {
    const credentials = await stores.auth.listCredentials({ ownerId, now: options.clock(), currentHash: '' })
    return credentials.some(({ kind, status }) => kind === 'machine' && status === 'signed_in')
  }
  const policy: PolicyDeps = {
    ...options,
    store: stores.policy,
    signedIn: operator.signedIn,
    recordRead: (read) => stores.audit.recordRead(read),
    hasDevice,
    hasUploads: async (ownerId) => (await stores.ingest.listJobs({ ownerId, limit: 1 })).length > 0,
    findReviewReason: async (ownerId) => (await stores.contributors.findApplication({ ownerId }))?.reviewReason ?? null,
  }
  const journey = lazy(async () => (await import('../contributors/policy/handlers.ts')).contributorJourney(policy))
  const contributors: ContributorsDeps = {
    ...options,
    store: stores.contributors,
    journey: async (ownerId, page, done) => (await journey())(ownerId, page, done),
    afterStep: afterStep(policy),
    hasAcceptedTerms: async (ownerId) => termsAccepted(await stores.policy.getStanding({ ownerId }), options),
    parts: lazy(async () => (await import('./account-parts.ts')).accountParts(options)),
    async startErasure(ownerId, now) {
      const id = uuid7(now, options.random)
      await stores.account.startErasure({ ownerId, id, now })
      authenticator.forgetUser(ownerId)
      return id
    },
  }
  const ingest: IngestDeps = {
    ...options,
    store: stores.ingest,
    checkUpload: uploadGate(policy),
    countryOf: (asking) => countryOf(asking, policy),
    warnOfWaiting: createWaitingWarning(options.logger),
  }
  const traces: Omit<TracesDeps, 'downloads' | 'downloadQueue'> = {
    ...options,
    traces: stores.traces,
    keyed: hmacCode,
  }
  const progress = async (ownerId: string) => {
    const hasTraces = async () => (await stores.traces.listTraces({ ownerId, cursor: null, limit: 1 })).items.length > 0
    return (await import('../contributors/policy/handlers.ts')).contributorProgress(ownerId, hasTraces, policy)
  }
  const auth: AuthDeps = {
    ...options,
    operator,
    progress,
    store: stores.auth,
    forgetCredential: authenticator.forgetCredential,
    hmacCode,
    mailer: options.identity ? null : options.mailer, // An app's own sign-in replaces sign-in by e-mail.
    async scrub(text) {
      const result = (await options.scrubber()).scrub([text], { skipAsyncDetectors: true })
      if (!result.ok) return 'unnamed machine'
      // Names are how people tell their devices apart: "Ann's laptop", a host name.
      const hasNamesOnly = Object.keys(result.counts).every((category) => namesOfDevices.has(category))
      return hasNamesOnly ? text : result.texts[0]!
    },
  }
  const waiting = async (ownerId: string) =>
    (await import('../contributors/policy/handlers.ts')).contributorWaiting(ownerId, policy)
  const readOverview: HomeDeps['overview'] = async (ownerId, now) => {
    const [step, waitingText, standing, earnings, traceStats, jobs, deviceIsSignedIn] = await Promise.all([
      progress(ownerId),
      waiting(ownerId),
      stores.policy.getStanding({ ownerId }),
      stores.ledger.listEntries({ ownerId, now, cursor: null, limit: 1 }),
      stores.traces.getTraceStats({ ownerId }),
      stores.ingest.listJobs({ ownerId, limit: 20 }),
      hasDevice(ownerId),
    ])
    return {
      waiting: waitingText,
      openSteps: step === null ? null : await (await journey())(ownerId, 'upload', undefined),
      pausedBy: pausedBy(standing),
      isPending: standing.status === 'pending',
      residencyConfirmed: standing.residencyConfirmed,
      hasDevice: deviceIsSignedIn,
      balance: earnings.balance.balance,
      pending: earnings.balance.pending,
      traces: traceStats.traces,
      jobs,
    }
  }
  const tracePages: TracePagesDeps = {
    ...traces,
    prefix: options.prefix,
    brand: options.brand,
    progress,
    waiting,
    hasDevice,
    link: options.link,
    blockTerm: async (ownerId, term, now) =>
      (await import('../contributors/blocked-terms/handlers.ts')).addBlockedTerm(
        { ownerId, term, now },
        stores.blockedTerms,
      ),
    journey: async (ownerId) => (await journey())(ownerId, 'upload', undefined),
    jobs: async (ownerId) =>
      (await stores.ingest.listJobs({ ownerId, limit: 20 })).filter(
        ({ status }) => status !== 'done' && status !== 'failed',
      ),
  }
  const dataset: DatasetDeps = {
    ...options,
    dataset: stores.dataset,
    signedIn: operator.signedIn,
    recordRead: (read) => stores.audit.recordRead(read),
    sharesOf: async (sale) => (await import('../ledger/sale.ts')).sharesOfSale(sale, options),
  }
  const buyers: BuyersDeps = { ...dataset, ...options, store: stores.buyers }
  const ads = lazy(async () =>
    (await import('../ads/create.ts')).createAds({
      ...options,
      store: stores.ads,
      ownership: (ownerId, device) => stores.program.findOwnership({ ownerId, deviceId: device }),
      consent: (ownerId) => stores.contributors.getConsent({ ownerId }),
      hashAddress: async (address) => (await hmacCode(`impression address\n${addressKey(address)}`))[0],
      program: { store: stores.program, maxDevices: options.ads.maxDevices },
    }),
  )
  const ledger: LedgerDeps = {
    ...options,
    store: stores.ledger,
    progress,
    listDevices: async (ownerId) => (await stores.program.export({ ownerId })).map(({ id }) => id),
  }
  const telemetry = { ...options, store: stores.telemetry, sink: options.telemetrySink !== null }
  const reports: ReportsDeps = {
    ...options,
    store: stores.reports,
    rate: resolveRate(shared.rates, 'reports'),
    path: shared.publicPath,
  }
  const outbox = { outbox: stores.outbox }
  const webhooks = { ...options, ...options.webhooks, store: stores.webhooks }
  const audit = { store: stores.audit }
  const overview = { store: stores.overview }

  const table: Capability[] = [
    {
      name: 'documents',
      paths: ['/healthz', '/readyz', '/openapi.json', '/docs', '/llms.txt', '/privacy'],
      load: async () =>
        (await import('../documents/handlers.ts')).mountDocuments({
          ...options,
          ...shared.documents,
          signedIn: operator.signedIn,
          ready: () => stores.ready(),
        }),
    },
    {
      name: 'home',
      paths: ['/'],
      load: async () =>
        (await import('../home/handlers.ts')).mountHome({
          ...options,
          overview: readOverview,
          signedIn: operator.signedIn,
        }),
    },
    {
      name: 'session',
      paths: ['/api/cli/session'],
      load: async () => (await import('../auth/session/handlers.ts')).mountSession(),
    },
    {
      name: 'auth',
      paths: [
        '/api/auth',
        '/api/account/machines',
        '/sign-in',
        '/sign-out',
        '/admin/sign-in',
        '/admin/sign-out',
        '/assets',
      ],
      load: async () => (await import('../auth/handlers.ts')).mountAuth(auth),
    },
    {
      name: 'device authorization',
      paths: ['/api/cli/device', '/device'],
      load: async () => (await import('../auth/device.ts')).mountDeviceAuthorization(auth),
    },
    {
      name: 'oauth',
      paths: ['/oauth', '/.well-known/oauth-authorization-server', '/.well-known/oauth-protected-resource'],
      load: async () => (await import('../auth/oauth/handlers.ts')).mountOAuth(auth),
    },
    {
      name: 'contributors',
      paths: [
        '/api/account',
        '/api/traces/upload-policy',
        '/api/traces/access',
        '/api/traces/contact',
        '/api/waitlist',
        '/api/admin/applications',
        '/api/admin/contributors',
        '/api/admin/waitlist',
        '/admin/download/waitlist',
        '/account',
        '/blocked-terms',
        '/terms',
        '/apply',
        '/contact',
        '/waitlist',
      ],
      load: async () =>
        (await import('./contributors.ts')).mountContributorRoutes({ options, auth, policy, contributors }),
    },
    {
      name: 'ingest',
      paths: ['/api/ingest', '/api/admin/jobs'],
      load: async () => (await import('../ingest/handlers.ts')).mountIngest(ingest),
    },
    {
      name: 'traces',
      paths: ['/api/traces'],
      load: async () => {
        const [{ mountTraces }, { createDownloadQueue, inlineDownloads }] = await Promise.all([
          import('../traces/handlers.ts'),
          import('../traces/download.ts'),
        ])
        const downloads = options.downloads ?? inlineDownloads(traces)
        return mountTraces({ ...traces, downloads, downloadQueue: createDownloadQueue(options) })
      },
    },
    {
      name: 'trace pages',
      paths: ['/traces'],
      load: async () => (await import('../traces/pages/handlers.ts')).mountTracePages(tracePages),
    },
    {
      name: 'job pages',
      paths: ['/jobs'],
      load: async () =>
        (await import('../ingest/pages/handlers.ts')).mountJobPages({
          ...options,
          store: stores.ingest,
          listTitles: async (params) => {
            const { readableTitles } = await import('../traces/readable-titles.ts')
            return readableTitles(params.ownerId, await stores.traces.listTitles(params), options)
          },
          progress,
        }),
    },
    {
      name: 'dataset',
      paths: ['/api/admin/sales', '/api/admin/dataset', '/admin/download', '/.well-known/tributary-keys.json'],
      load: async () => (await import('../traces/dataset/handlers.ts')).mountDataset(dataset),
    },
    {
      name: 'buyers',
      paths: ['/api/admin/buyers', '/api/admin/removals', '/api/admin/traces', '/api/buyer', '/buyer'],
      load: async () => (await import('../traces/buyers/handlers.ts')).mountBuyers(buyers),
    },
    {
      name: 'ads',
      paths: ['/api/ad', '/api/program', '/api/admin/campaigns', '/go', '/earn', '/sponsor'],
      load: async () => (await ads()).routes,
    },
    {
      name: 'ledger',
      paths: [
        '/api/account/earnings',
        '/api/account/payout-requests',
        '/api/admin/payout-requests',
        '/api/admin/payouts',
        '/api/admin/corrections',
        '/api/admin/balances',
        '/earnings',
      ],
      load: async () => (await import('../ledger/handlers.ts')).mountLedger(ledger),
    },
    {
      name: 'telemetry',
      paths: ['/api/cli/telemetry', '/api/cli/feedback', '/api/admin/feedback'],
      load: async () => (await import('../telemetry/handlers.ts')).mountTelemetry(telemetry),
    },
    {
      name: 'reports',
      paths: ['/api/v1', '/.well-known/agent-feedback.json', '/api/admin/reports'],
      load: async () => (await import('../reports/handlers.ts')).mountReports(reports),
    },
    {
      name: 'mcp',
      paths: ['/mcp', '/api/docs'],
      load: async () =>
        (await import('../mcp/handlers.ts')).mountMcp({
          ...options,
          handle: shared.handle,
          routes: shared.documents.routes,
        }),
    },
    {
      name: 'outbox',
      paths: ['/api/admin/outbox'],
      load: async () => (await import('../outbox/handlers.ts')).mountOutbox(outbox),
    },
    {
      name: 'webhooks',
      paths: ['/api/admin/webhooks'],
      load: async () => (await import('../events/webhooks/handlers.ts')).mountWebhooks(webhooks),
    },
    {
      name: 'audit log',
      paths: ['/api/admin/audit'],
      load: async () => (await import('../audit/handlers.ts')).mountAudit(audit),
    },
    {
      name: 'overview',
      paths: ['/api/admin/overview'],
      load: async () => (await import('../admin/overview/handlers.ts')).mountOverview(overview),
    },
    {
      name: 'scripts',
      paths: ['/assets/charts.js', '/assets/campaign-preview.js', '/assets/page.js'],
      load: async () => (await import('../browser/handlers.ts')).mountBrowserScripts(),
    },
    {
      name: 'admin',
      paths: ['/admin'],
      load: async () =>
        (await import('../admin/sections/index.ts')).mountOperatorPage(
          {
            ...options,
            signedIn: operator.signedIn,
            idempotency: createIdempotency({ ...options, store: stores.idempotency }),
          },
          {
            contributors,
            policy,
            ingest,
            countRescrub: async () => remainingRescrub(await stores.rescrub.getProgress(), options.scrubVersion),
            dataset,
            buyers,
            campaigns: (await ads()).campaigns,
            reports,
            telemetry,
            outbox,
            webhooks,
            audit,
            ledger,
            listCopiers: (page) => stores.copies.listCopiers(page),
            overview,
            summarize: (await import('./contributor-summary.ts')).createSummarize(stores),
          },
        ),
    },
  ]
  const isLeftOut = (name: string): boolean =>
    Object.hasOwn(options.capabilities, name) && !options.capabilities[name as keyof typeof options.capabilities]
  return table.filter(({ name }) => !isLeftOut(name))
}
