import { resolveAdsOptions, type ResolvedAdsOptions } from '../ads/options.ts'
import { lazyStoredSecret, resolveSecrets, type Secrets } from '../auth/hmac.ts'
import { operatorTokens, type OperatorToken } from '../auth/operator.ts'
import type { PersonalContext } from '../contributors/identity.ts'
import { resolveTermsVersion } from '../contributors/policy/rules.ts'
import type { MakeEvent } from '../events/event.ts'
import type { BodyLimits } from '../http/body.ts'
import {
  defaultRates,
  createRefundRate,
  createConsumeRate,
  type RefundRate,
  type ConsumeRate,
} from '../http/rate-limit.ts'
import type { VersionGate } from '../http/version.ts'
import { dayMs, toHex, uuid7 } from '../ids.ts'
import type { EncryptionDeps } from '../ingest/encryption.ts'
import type { Intake, IntakeDeps } from '../ingest/intake.ts'
import { lazy, lazyIterables, lazyMethods, type Lazy } from '../lazy.ts'
import { createMeasurements, ignoredTimer, type Measurements } from '../measurements.ts'
import { toMicros } from '../money.ts'
import { checkOptionNames } from '../option-names.ts'
import { resolveTable, type OptionsOf, type ResolvedOptionsOf } from '../option.ts'
import type { Blobs, Clock, Verifier } from '../ports.ts'
import type { Scrubber, AsyncDetector, Detector } from '../scrubber/index.ts'
import { versionOf } from '../scrubber/version.ts'
import type { Stores } from '../stores.ts'
import { checkOneDatabase } from '../stores/backend.ts'
import { checkStores, wrapStores } from '../stores/ports.ts'
import { monotonicClock } from '../system.ts'
import { checkSigningKeys, type SigningKey } from '../traces/dataset/rules.ts'
import { traceFetch, traceMailer, traceQueue } from '../tracing.ts'
import { resolveBrand, type ResolvedBrand } from '../ui/brand.ts'
import { loadLanguages } from '../ui/languages.ts'
import type { Languages } from '../ui/messages.ts'
import type { BlobContents, BlobContentsDeps } from './blob-contents.ts'
import { serviceOptions, type ServiceOptions } from './options.ts'

/** Options that are derived from several options, or from one option by converting its unit. */
interface DerivedOptions extends Secrets {
  readonly measurements: Measurements
  /** The versions of scrubber and verifier, known without loading the scrubber's table. */
  readonly scrubVersion: string
  /** The scrubber, which is loaded with its table when the first text must be scrubbed. */
  readonly scrubber: Lazy<Scrubber>
  /** Reads the texts that must be replaced in every trace of a person. */
  readonly readScrubContext: (ownerId: string) => Promise<PersonalContext>
  readonly consumeRate: ConsumeRate
  readonly refundRate: RefundRate
  /** The path of `baseUrl`, `` or `/tributary`. Pages put this prefix before every path of the service. */
  readonly prefix: string
  /** The path prefix of incoming requests. It differs from `prefix` if an outer router or proxy strips the path. */
  readonly requestPrefix: string
  /** Returns the public URL of a path of the service. */
  readonly link: (path: string) => string
  /** Whether `baseUrl` is https: cookies are then `Secure` and `__Host-`. */
  readonly secure: boolean
  readonly signingKeys: readonly SigningKey[]
  readonly origins: readonly string[]
  readonly corsOrigins: readonly string[]
  readonly version: VersionGate
  readonly operators: readonly OperatorToken[]
  readonly termsVersion: string
  readonly termsText: string | null
  readonly brand: ResolvedBrand
  readonly languages: Lazy<Languages>
  readonly minPayoutMicros: number
  /** Milliseconds until a share of a sale is available. */
  readonly settleMs: number
  readonly telemetryMs: number
  readonly feedbackMs: number
  readonly jobMs: number
  readonly auditMs: number
  readonly ads: ResolvedAdsOptions
  readonly plainIngestLimit: number
  readonly bodyLimits: BodyLimits
  /** The limit of one person's waiting uploads in bytes. Null means no limit. */
  readonly waitingUploadBytes: number | null
  readonly blobs: Blobs
  readonly deleteReleasedBlobs: BlobContents['deleteReleasedBlobs']
  /**
   * The blobs of prepared exports. A store that publishes exports stores the blobs unencrypted, because the readers
   * have no key.
   */
  readonly exportBlobs: Blobs
  readonly intake: Intake
  readonly makeEvent: MakeEvent
}

/** The options with every default filled in, from which capabilities get their dependencies. */
export interface ResolvedOptions
  extends Omit<ResolvedOptionsOf<typeof serviceOptions>, keyof DerivedOptions>, DerivedOptions {}

/** Fills in the defaults. Throws on an option that cannot work, and names the option. */
export function resolveOptions(options: ServiceOptions): ResolvedOptions {
  const filled = resolveTable(serviceOptions, options)
  const { stores, clock, random, digest, logger, origins, rates, ingestLimit, yieldToEventLoop } = filled
  if (rates !== null && rates !== 'off') checkOptionNames<object>(rates, defaultRates, 'rates.')
  checkStores(stores)
  checkOneDatabase(stores)
  const brand = resolveBrand(options.brand, options.contactEmail)
  const termsText = filled.termsText ?? brand.termsText ?? null
  const base = new URL(filled.baseUrl)
  const prefix = base.pathname.replace(/\/+$/, '')
  const secrets = resolveSecrets(options)
  const limiter = filled.limiter ?? stores.limiter
  const plainBlobs = filled.blobs ?? stores.blobs
  const storedSecret = lazyStoredSecret({ store: stores.auth, clock, random })
  const blobs = encryptUploads({ blobs: plainBlobs, secrets, storedSecret, random, logger })
  const measurements = createMeasurements()
  const minBytes = contentLimit(filled)
  const contents = lazyBlobContents({
    stores: measureStores(stores, measurements),
    blobs,
    clock,
    random,
    logger,
    minBytes,
  })
  return {
    ...filled,
    measurements,
    stores: contents.stores,
    deleteReleasedBlobs: contents.deleteReleasedBlobs,
    mailer: filled.mailer && traceMailer(filled.mailer),
    queue: filled.queue && traceQueue(filled.queue),
    ...resolveScrubber(options, clock),
    readScrubContext: async (ownerId) =>
      (await import('../contributors/identity.ts')).readScrubContext(stores, ownerId),
    consumeRate: createConsumeRate(limiter, options.rates, logger),
    refundRate: createRefundRate(limiter, options.rates, logger),
    prefix,
    requestPrefix: filled.prefix?.replace(/\/+$/, '') ?? prefix,
    link: (to) => base.origin + prefix + to,
    secure: base.protocol === 'https:',
    signingKeys: checkSigningKeys(options.signingKeys),
    origins: [base.origin, ...origins],
    corsOrigins: origins,
    version: {
      minVersion: filled.minVersion,
      upgradeCommand: filled.upgradeCommand ?? `upgrade this client to ${filled.minVersion} or later`,
      requireClientVersion: filled.requireClientVersion,
    },
    operators: operatorTokens(options),
    secrets,
    storedSecret,
    termsVersion: resolveTermsVersion(options.termsVersion, termsText ?? undefined, (text) => toHex(digest(text))),
    termsText,
    brand,
    languages: loadLanguages(filled.messages ?? {}, brand.name),
    settleMs: filled.settleDays * dayMs,
    minPayoutMicros: toMicros(filled.minPayoutUsd),
    telemetryMs: filled.telemetryDays * dayMs,
    feedbackMs: filled.feedbackDays * dayMs,
    jobMs: filled.jobDays * dayMs,
    auditMs: filled.auditDays * dayMs,
    ads: resolveAdsOptions(options.ads, options.rates),
    ...resolveQuotas(filled),
    plainIngestLimit: Math.min(filled.plainIngestLimit ?? Infinity, ingestLimit),
    blobs,
    exportBlobs: plainBlobs.publish ? plainBlobs : blobs,
    intake: filled.intake ?? lazyIntake({ blobs, yieldToEventLoop }),
    webhooks: { ...filled.webhooks, fetch: traceFetch(filled.webhooks.fetch, 'webhook') },
    makeEvent: (type, now) => ({ id: uuid7(now, random), type, createdAt: now, isHeard: filled.onEvent !== null }),
  }
}

const contentOptions = { contents: serviceOptions.contents, contentBytes: serviceOptions.contentBytes }

/**
 * Returns the minimum number of bytes of contents that are stored in blobs. Null: no contents are stored in blobs.
 * Throws on an option that cannot work.
 */
export function resolveContentBytes({ contents, contentBytes }: OptionsOf<typeof contentOptions>): number | null {
  const given = {
    ...(contents === undefined ? {} : { contents }),
    ...(contentBytes === undefined ? {} : { contentBytes }),
  }
  return contentLimit(resolveTable(contentOptions, given))
}

const contentLimit = ({ contents, contentBytes }: ResolvedOptionsOf<typeof contentOptions>): number | null =>
  contents === 'blobs' ? contentBytes : null

const megabyte = 1024 * 1024

function resolveQuotas({
  quotas,
  rates,
  ingestLimit,
}: Pick<ResolvedOptionsOf<typeof serviceOptions>, 'quotas' | 'rates' | 'ingestLimit'>): Pick<
  ResolvedOptions,
  'bodyLimits' | 'waitingUploadBytes'
> {
  if (rates === 'off')
    return { bodyLimits: { personBodyBytes: null, processBodyBytes: null }, waitingUploadBytes: null }
  const least = ingestLimit + megabyte
  const personBodyBytes = quotas.personBodyBytes ?? least
  const waitingUploadBytes = quotas.waitingUploadBytes ?? Math.max(256 * megabyte, ingestLimit)
  const processBodyBytes = quotas.processBodyBytes ?? 3.5 * personBodyBytes
  const refuse = (name: string, bytes: number): never => {
    throw new Error(
      `quotas.${name} must be ${bytes} or more, so that a batch of ingestLimit (${ingestLimit} bytes) can be sent`,
    )
  }
  if (!(personBodyBytes >= least)) refuse('personBodyBytes', least)
  if (!((processBodyBytes * 7) / 8 >= personBodyBytes)) refuse('processBodyBytes', Math.ceil((personBodyBytes * 8) / 7))
  if (!(waitingUploadBytes >= ingestLimit)) refuse('waitingUploadBytes', ingestLimit)
  return { bodyLimits: { personBodyBytes, processBodyBytes }, waitingUploadBytes }
}

/** The time limit of one call of the default scrubber, in milliseconds. A trace of 64 MB takes 3 s. */
const scrubLimitMs = 20_000

interface ScrubberOptions {
  readonly scrubber?: Scrubber
  readonly detectors?: readonly (Detector | AsyncDetector)[]
  readonly verifier?: Verifier
}

/**
 * Returns the scrubber of the options, or the default scrubber with the given detectors. The default scrubber is loaded
 * when the first text is scrubbed; the call rejects if it does not load. `scrubVersion` includes the version of the
 * verifier and does not require loading. Throws if the verifier's version cannot be stored. Throws if both a scrubber
 * and detectors are given, because that scrubber would not use the detectors.
 */
function resolveScrubber(
  { scrubber: given, detectors = [], verifier }: ScrubberOptions,
  clock: Clock,
): { scrubVersion: string; scrubber: Lazy<Scrubber> } {
  if (verifier && !/^[a-z0-9.-]{1,64}$/.test(verifier.version))
    throw new Error(`verifier.version must be 1 to 64 of a-z, 0-9, "." and "-", not ${verifier.version}`)
  if (given && detectors.length > 0)
    throw new Error('detectors: pass them to the createScrubber call that makes your `scrubber`')
  const scrubVersion = (given?.version ?? versionOf([], detectors)) + (verifier ? `+${verifier.version}` : '')
  if (given) return { scrubVersion, scrubber: () => given }
  const load = async (): Promise<Scrubber> =>
    (await import('../scrubber/index.ts')).createScrubber({
      now: monotonicClock(clock, scrubLimitMs / 2),
      limitMs: scrubLimitMs,
      detectors,
    })
  return { scrubVersion, scrubber: lazy(load) }
}

/** Returns blobs that encrypt their content at rest. The encryption is loaded with the first upload. */
export function encryptUploads(deps: EncryptionDeps): Blobs {
  const { blobs } = deps
  const encrypted = lazy(async () => (await import('../ingest/encryption.ts')).encryptedBlobs(deps))
  return {
    put: async (key, bytes) => (await encrypted()).put(key, bytes),
    get: async (key) => (await encrypted()).get(key),
    delete: (key) => blobs.delete(key),
    stale: (before, limit, after) => blobs.stale(before, limit, after),
    ...(blobs.presign ? { presign: blobs.presign.bind(blobs) } : {}),
  }
}

/** Returns the intake of this thread, which is loaded with the first batch. */
function lazyIntake(deps: IntakeDeps): Intake {
  const intake = lazy(async () => (await import('../ingest/intake.ts')).inlineIntake(deps))
  return { receive: async (...batch) => (await intake()).receive(...batch) }
}

/** Returns the stores with their calls measured, including an app's own stores. A call that rejects counts too. */
const measureStores = (stores: Stores, measurements: Measurements): Stores =>
  wrapStores(stores, (store, run) => {
    const stop = measurements.startTimer()
    const result = run()
    if (stop !== ignoredTimer && result instanceof Promise) {
      const record = (): void => stop('tributary_store_seconds', { store })
      result.then(record, record)
    }
    return result
  })

/**
 * Works like `createBlobContents`, which is loaded with the first content that is read, stored or deleted. This
 * function is needed for every value of the option `contents`, because the content in a blob must be readable and
 * deletable even after the option was set back to `database`.
 */
export function lazyBlobContents(deps: BlobContentsDeps): Pick<BlobContents, 'stores' | 'deleteReleasedBlobs'> {
  const load = lazy(async () => (await import('./blob-contents.ts')).createBlobContents(deps))
  const loadStores = async () => (await load()).stores
  const loadTraces = async () => (await loadStores()).traces
  const { stores } = deps
  return {
    deleteReleasedBlobs: async (now) => (await load()).deleteReleasedBlobs(now),
    stores: {
      ...stores,
      traces: {
        ...stores.traces,
        ...lazyMethods(loadTraces, ['readTrace', 'deleteUnsoldTraces', 'eraseTraces']),
        ...lazyIterables(loadTraces, ['exportTraces']),
      },
      dataset: {
        ...stores.dataset,
        ...lazyMethods(async () => (await loadStores()).dataset, ['readSellableTraces', 'readSoldTraces']),
      },
      copies: {
        ...stores.copies,
        ...lazyMethods(async () => (await loadStores()).copies, ['readMessages']),
      },
      ingest: {
        ...stores.ingest,
        ...lazyMethods(async () => (await loadStores()).ingest, ['writeBatch']),
      },
      rescrub: {
        ...stores.rescrub,
        ...lazyMethods(async () => (await loadStores()).rescrub, ['storeRescrubbed']),
      },
    },
  }
}
