import { dayMs, toHex } from '../ids.ts'
import { toMicros } from '../money.ts'
import { resolveTable, type OptionsOf, type ResolvedOptionsOf } from '../option.ts'
import { serviceOptions, type ServiceOptions } from './options.ts'
import { resolveAdsOptions, type ResolvedAdsOptions } from '../ads/options.ts'
import {
  defaultRates,
  createRefundRate,
  createConsumeRate,
  type RefundRate,
  type ConsumeRate,
} from '../http/rate-limit.ts'
import type { VersionGate } from '../http/version.ts'

import type { Lazy } from '../lazy.ts'
import type { BodyLimits } from '../http/body.ts'
import { resolveBrand, type ResolvedBrand } from '../ui/brand.ts'
import { loadLanguages } from '../ui/languages.ts'
import type { Languages } from '../ui/messages.ts'
import { createEventMaker, type MakeEvent } from '../events/event.ts'
import type { Intake } from '../ingest/intake.ts'
import type { BlobContents } from './blob-contents.ts'
import { lazyIntake, resolveScrubber, encryptUploads } from './defaults.ts'
import { checkOptionNames } from '../option-names.ts'
import { lazyBlobContents } from './lazy-blob-contents.ts'
import { measureStores } from './measure-stores.ts'
import { createMeasurements, type Measurements } from '../measurements.ts'
import { termsVersionOf } from '../contributors/policy/rules.ts'
import type { PersonalContext } from '../contributors/identity.ts'
import type { Blobs } from '../ports.ts'
import type { Scrubber } from '../scrubber/index.ts'
import { lazyStoredSecret, resolveSecrets, type Secrets } from '../auth/hmac.ts'
import { operatorTokens, type OperatorToken } from '../auth/operator.ts'
import { checkSigningKeys, type SigningKey } from '../traces/dataset/rules.ts'
import { checkOneDatabase } from '../stores/backend.ts'
import { checkStores } from '../stores/ports.ts'
import { traceFetch, traceMailer, traceQueue } from '../tracing.ts'

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
    readScrubContext: async (ownerId) => (await import('./scrub-context.ts')).readScrubContext(stores, ownerId),
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
    termsVersion: termsVersionOf(options.termsVersion, termsText ?? undefined, (text) => toHex(digest(text))),
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
    makeEvent: createEventMaker({ random, isHeard: filled.onEvent !== null }),
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
