import { accountContract } from '../contributors/account/contract.ts'
import { adminContract } from '../admin/contract.ts'
import { adsContract, campaignsContract } from '../ads/contract.ts'
import { auditContract } from '../admin/audit/contract.ts'
import type { ResolvedOptions } from './options.ts'
import { contributorsContract } from '../contributors/contract.ts'
import type { ContributorsDeps } from '../contributors/handlers.ts'
import { addressKey } from '../http/address.ts'
import { lazy, mountLazy, type Lazy } from '../http/lazy.ts'
import type { PlainRequest } from '../http/message.ts'
import { rateOf, type Rates } from '../http/rate-limit.ts'
import type { Mounted, User } from '../http/route.ts'
import { uuid7 } from '../ids.ts'
import { ingestContract } from '../ingest/contract.ts'
import type { IngestDeps } from '../ingest/handlers.ts'
import { outboxContract } from '../outbox/contract.ts'
import { policyContract } from '../contributors/policy/contract.ts'
import { afterStep, uploadGate, type PolicyDeps } from '../contributors/policy/gate.ts'
import type { contributorJourney } from '../contributors/policy/handlers.ts'
import { programContract } from '../ads/program/contract.ts'
import { reportsContract } from '../reports/contract.ts'
import type { ReportsDeps } from '../reports/handlers.ts'
import { deviceContract, sessionsContract } from '../auth/contract.ts'
import type { SessionsDeps } from '../auth/handlers.ts'
import type { HmacCode } from '../auth/hmac.ts'
import type { OperatorSession } from '../auth/operator.ts'
import { requireRecentSignIn } from '../auth/recent.ts'
import type { Identification } from '../auth/identify.ts'
import { telemetryContract } from '../telemetry/contract.ts'
import { tracesContract } from '../traces/contract.ts'
import type { TracesDeps } from '../traces/handlers.ts'

/** What the routes need beside the options. */
interface Given {
  readonly keyed: HmacCode
  readonly who: Identification
  readonly operator: OperatorSession
  readonly rates: Rates | undefined
  /** Where a path of ours is reached, below the mount. */
  readonly path: (own: string) => string
}

/**
 * Every route with what serves it. Contracts are here, since a request is matched against all of them; what serves a contract,
 * its pages and all that these stand on is imported with `await import(...)` when the first of its routes is asked for, and so
 * must not be imported in any other way from here, but for its types.
 */
export function mountCapabilities(
  resolved: ResolvedOptions,
  { keyed, who, operator, rates, path }: Given,
): { mounted: Mounted[]; parts: Lazy<unknown>[] } {
  const { stores } = resolved
  const parts: Lazy<unknown>[] = []
  const part = <T>(load: () => Promise<T>): Lazy<T> => {
    const one = lazy(load)
    parts.push(one)
    return one
  }
  const sessions: SessionsDeps = {
    ...resolved,
    operator,
    store: stores.sessions,
    forget: who.forget,
    keyed,
    mailer: resolved.identity ? null : resolved.mailer, // an app's own sign-in stands in for ours
    async scrub(text) {
      const done = (await resolved.scrubber()).scrub([text])
      return done.ok ? done.texts[0]! : 'unnamed machine'
    },
  }
  const policy: PolicyDeps = { ...resolved, store: stores.policy }
  const policyPart = part(() => import('../contributors/policy/handlers.ts'))
  const journey: ReturnType<typeof contributorJourney> = async (...at) =>
    (await policyPart()).contributorJourney(policy)(...at)
  const contributors: ContributorsDeps = {
    ...resolved,
    store: stores.contributors,
    journey,
    afterStep: afterStep(policy),
    parts: part(async () => (await import('../contributors/account/parts.ts')).accountParts(resolved)),
    async startErasure(ownerId, now) {
      await stores.account.startErasure({ ownerId, id: uuid7(now, resolved.random), now })
      who.forgetPerson(ownerId)
    },
  }
  const ingest: IngestDeps = { ...resolved, store: stores.ingest }
  const mayUpload = uploadGate(policy)
  const ingestGate = ({ user, request, address }: { user: User; request: PlainRequest; address: string | null }) =>
    mayUpload(user, { request, address })
  const traces: TracesDeps = {
    ...resolved,
    traces: stores.traces,
    keyed: sessions.keyed,
    journey: (ownerId) => journey(ownerId, 'upload', undefined),
    jobs: async (ownerId) =>
      (await stores.ingest.listJobs(ownerId, 20)).filter(({ status }) => status !== 'done' && status !== 'failed'),
  }
  const ads = part(async () =>
    (await import('../ads/create.ts')).createAds(resolved, {
      ownership: (ownerId, device) => stores.program.ownership(ownerId, device),
      consent: (ownerId) => stores.contributors.consent(ownerId),
      hashAddress: async (address) => (await sessions.keyed(`impression address\n${addressKey(address)}`))[0],
    }),
  )
  const telemetry = { ...resolved, store: stores.telemetry, sink: resolved.telemetrySink !== null }
  const reports: ReportsDeps = { ...resolved, store: stores.reports, rate: rateOf(rates, 'reports'), path }
  const outbox = { outbox: stores.outbox }
  const audit = { store: stores.audit }
  const mounted = [
    ...mountLazy(
      sessionsContract,
      part(async () => (await import('../auth/handlers.ts')).sessionsHandlers),
      sessions,
    ),
    ...mountLazy(
      deviceContract,
      part(async () => (await import('../auth/device.ts')).deviceHandlers),
      sessions,
    ),
    ...mountLazy(
      policyContract,
      part(async () => (await policyPart()).policyHandlers),
      policy,
    ),
    ...mountLazy(
      contributorsContract,
      part(async () => (await import('../contributors/handlers.ts')).contributorsHandlers),
      contributors,
      {
        eraseAccount: async (asked) => requireRecentSignIn(asked),
      },
    ),
    ...mountLazy(
      accountContract,
      part(async () =>
        (await import('../contributors/account/mount.ts')).accountPageHandlers({
          resolved,
          sessions,
          policy,
          contributors,
        }),
      ),
      null,
    ),
    ...mountLazy(
      ingestContract,
      part(async () => (await import('../ingest/handlers.ts')).ingestHandlers),
      ingest,
      { ingest: ingestGate, startUpload: ingestGate },
    ),
    ...mountLazy(
      tracesContract,
      part(async () => (await import('../traces/handlers.ts')).tracesHandlers),
      traces,
    ),
    ...mountLazy(
      programContract,
      part(async () => (await import('../ads/program/handlers.ts')).programHandlers),
      { store: stores.program, maxDevices: resolved.ads.maxDevices },
    ),
    ...mountLazy(
      adsContract,
      part(async () => (await ads()).ads),
      null,
    ),
    ...mountLazy(
      campaignsContract,
      part(async () => (await ads()).operator),
      null,
    ),
    ...mountLazy(
      telemetryContract,
      part(async () => (await import('../telemetry/handlers.ts')).telemetryHandlers),
      telemetry,
    ),
    ...mountLazy(
      reportsContract,
      part(async () => (await import('../reports/handlers.ts')).reportsHandlers),
      reports,
    ),
    ...mountLazy(
      outboxContract,
      part(async () => (await import('../outbox/handlers.ts')).outboxHandlers),
      outbox,
    ),
    ...mountLazy(
      auditContract,
      part(async () => (await import('../admin/audit/handlers.ts')).auditHandlers),
      audit,
    ),
    ...mountLazy(
      adminContract,
      part(async () =>
        (await import('../admin/sections/index.ts')).operatorHandlers(
          { ...resolved, signedIn: operator.signedIn },
          {
            contributors,
            policy,
            ingest,
            traces,
            campaigns: (await ads()).campaigns,
            reports,
            telemetry,
            outbox,
            audit,
          },
        ),
      ),
      null,
    ),
  ]
  return { mounted, parts }
}
