import { accountContract } from '../contributors/account/contract.ts'
import { adminContract } from '../admin/contract.ts'
import { adsContract, campaignsContract } from '../ads/contract.ts'
import { auditContract } from '../admin/audit/contract.ts'
import type { Kit } from './options.ts'
import { contributorsContract } from '../contributors/contract.ts'
import type { ContributorsDeps } from '../contributors/handlers.ts'
import { addressKey } from '../http/address.ts'
import { later, mountLater, type Later } from '../http/lazy.ts'
import type { PlainRequest } from '../http/message.ts'
import { rateOf, type Rates } from '../http/rate.ts'
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
import type { Keyed } from '../auth/hmac.ts'
import type { OperatorSession } from '../auth/operator.ts'
import { requireRecentSignIn } from '../auth/recent.ts'
import type { Identification } from '../auth/identify.ts'
import { telemetryContract } from '../telemetry/contract.ts'
import { tracesContract } from '../traces/contract.ts'
import type { TracesDeps } from '../traces/handlers.ts'

/** What the routes need beside the options. */
interface Given {
  readonly keyed: Keyed
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
export function mountAll(
  kit: Kit,
  { keyed, who, operator, rates, path }: Given,
): { mounted: Mounted[]; parts: Later<unknown>[] } {
  const { stores } = kit
  const parts: Later<unknown>[] = []
  const part = <T>(load: () => Promise<T>): Later<T> => {
    const one = later(load)
    parts.push(one)
    return one
  }
  const sessions: SessionsDeps = {
    ...kit,
    operator,
    store: stores.sessions,
    forget: who.forget,
    keyed,
    mailer: kit.identity ? null : kit.mailer, // an app's own sign-in stands in for ours
    async scrub(text) {
      const done = (await kit.scrubber()).scrub([text])
      return done.ok ? done.texts[0]! : 'unnamed machine'
    },
  }
  const policy: PolicyDeps = { ...kit, store: stores.policy }
  const policyPart = part(() => import('../contributors/policy/handlers.ts'))
  const journey: ReturnType<typeof contributorJourney> = async (...at) =>
    (await policyPart()).contributorJourney(policy)(...at)
  const contributors: ContributorsDeps = {
    ...kit,
    store: stores.contributors,
    journey,
    afterStep: afterStep(policy),
    parts: part(async () => (await import('../contributors/account/parts.ts')).accountParts(kit)),
    async startErasure(ownerId, now) {
      await stores.account.startErasure({ ownerId, id: uuid7(now, kit.random), now })
      who.forgetPerson(ownerId)
    },
  }
  const ingest: IngestDeps = { ...kit, store: stores.ingest }
  const mayUpload = uploadGate(policy)
  const ingestGate = ({ user, request, address }: { user: User; request: PlainRequest; address: string | null }) =>
    mayUpload(user, { request, address })
  const traces: TracesDeps = {
    ...kit,
    traces: stores.traces,
    keyed: sessions.keyed,
    journey: (ownerId) => journey(ownerId, 'upload', undefined),
    jobs: async (ownerId) =>
      (await stores.ingest.list(ownerId, 20)).filter(({ status }) => status !== 'done' && status !== 'failed'),
  }
  const ads = part(async () =>
    (await import('../ads/create.ts')).adsOf(kit, {
      ownership: (ownerId, device) => stores.program.ownership(ownerId, device),
      consent: (ownerId) => stores.contributors.consent(ownerId),
      hashAddress: async (address) => (await sessions.keyed(`impression address\n${addressKey(address)}`))[0],
    }),
  )
  const telemetry = { ...kit, store: stores.telemetry, sink: kit.telemetrySink !== null }
  const reports: ReportsDeps = { ...kit, store: stores.reports, rate: rateOf(rates, 'reports'), path }
  const outbox = { outbox: stores.outbox }
  const audit = { store: stores.audit }
  const mounted = [
    ...mountLater(
      sessionsContract,
      part(async () => (await import('../auth/handlers.ts')).sessionsHandlers),
      sessions,
    ),
    ...mountLater(
      deviceContract,
      part(async () => (await import('../auth/device.ts')).deviceHandlers),
      sessions,
    ),
    ...mountLater(
      policyContract,
      part(async () => (await policyPart()).policyHandlers),
      policy,
    ),
    ...mountLater(
      contributorsContract,
      part(async () => (await import('../contributors/handlers.ts')).contributorsHandlers),
      contributors,
      {
        eraseAccount: async (asked) => requireRecentSignIn(asked),
      },
    ),
    ...mountLater(
      accountContract,
      part(async () =>
        (await import('../contributors/account/mount.ts')).personalHandlers({ kit, sessions, policy, contributors }),
      ),
      null,
    ),
    ...mountLater(
      ingestContract,
      part(async () => (await import('../ingest/handlers.ts')).ingestHandlers),
      ingest,
      { ingest: ingestGate, startUpload: ingestGate },
    ),
    ...mountLater(
      tracesContract,
      part(async () => (await import('../traces/handlers.ts')).tracesHandlers),
      traces,
    ),
    ...mountLater(
      programContract,
      part(async () => (await import('../ads/program/handlers.ts')).programHandlers),
      { store: stores.program, maxDevices: kit.ads.maxDevices },
    ),
    ...mountLater(
      adsContract,
      part(async () => (await ads()).ads),
      null,
    ),
    ...mountLater(
      campaignsContract,
      part(async () => (await ads()).operator),
      null,
    ),
    ...mountLater(
      telemetryContract,
      part(async () => (await import('../telemetry/handlers.ts')).telemetryHandlers),
      telemetry,
    ),
    ...mountLater(
      reportsContract,
      part(async () => (await import('../reports/handlers.ts')).reportsHandlers),
      reports,
    ),
    ...mountLater(
      outboxContract,
      part(async () => (await import('../outbox/handlers.ts')).outboxHandlers),
      outbox,
    ),
    ...mountLater(
      auditContract,
      part(async () => (await import('../admin/audit/handlers.ts')).auditHandlers),
      audit,
    ),
    ...mountLater(
      adminContract,
      part(async () =>
        (await import('../admin/sections/index.ts')).operatorHandlers(
          { ...kit, signedIn: operator.signedIn },
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
