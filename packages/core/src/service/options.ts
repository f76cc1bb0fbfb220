import { resolveAdsOptions, type ResolvedAdsOptions, type AdsOptions } from '../ads/options.ts'
import {
  type Rates,
  createRefundRate,
  createConsumeRate,
  type RefundRate,
  type ConsumeRate,
} from '../http/rate-limit.ts'
import { auditMs } from '../audit/rules.ts'
import type { VersionGate } from '../http/version.ts'
import { defaultIngestLimit, jobMs } from '../ingest/rules.ts'
import type { DevelopmentLink } from '../home/pages.ts'
import type { Lazy } from '../lazy.ts'
import type { BodyLimits } from '../http/body.ts'
import { resolveBrand, type Brand, type ResolvedBrand } from '../ui/brand.ts'
import { loadLanguages } from '../ui/languages.ts'
import type { Languages } from '../ui/messages.ts'
import type { Messages } from '../messages/index.ts'
import { createEventMaker, type MakeEvent } from '../events/event.ts'
import type { OnEvent } from '../events/delivery.ts'
import type { Intake } from '../ingest/intake.ts'
import type { Downloads } from '../traces/download.ts'
import type { BlobContents } from './blob-contents.ts'
import { lazyIntake, resolveScrubber, encryptUploads } from './defaults.ts'
import { checkOptions } from './check-options.ts'
import { checkOptionNames } from '../option-names.ts'
import { lazyBlobContents } from './lazy-blob-contents.ts'
import { measureStores } from './measure-stores.ts'
import { toHex } from '../ids.ts'
import { createMeasurements, type Measurements } from '../measurements.ts'
import { termsVersionOf } from '../contributors/policy/rules.ts'
import type { PersonalContext } from '../contributors/identity.ts'
import type {
  Blobs,
  Clock,
  Country,
  Digest,
  Fetch,
  Identity,
  Logger,
  Mailer,
  Queue,
  Random,
  RateLimiter,
  TelemetrySink,
  Tokenizer,
  Verifier,
} from '../ports.ts'
import { resolveReportLimits } from '../reports/rules.ts'
import type { AsyncDetector, Detector, Scrubber } from '../scrubber/index.ts'
import { lazyStoredSecret, resolveSecrets, type Secrets } from '../auth/hmac.ts'
import { operatorTokens, type OperatorToken } from '../auth/operator.ts'
import { resolveLedgerOptions, type LedgerOptions } from '../ledger/rules.ts'
import type { Stores } from '../stores.ts'
import { checkSigningKeys, type SigningKey } from '../traces/dataset/rules.ts'
import { checkOneDatabase } from '../stores/backend.ts'
import { checkStores } from '../stores/ports.ts'
import { traceFetch, traceMailer, traceQueue } from '../tracing.ts'
import { defaultRetentionDays, resolveFeedbackMs } from '../telemetry/rules.ts'
import {
  estimateTokenizer,
  defaultDigest,
  consoleLogger,
  systemFetch,
  systemClock,
  systemYield,
  systemRandom,
} from '../system.ts'

/** The options of a service. Only `baseUrl` and `stores` are required; every other port has a default. */
export interface ServiceOptions extends LedgerOptions {
  /**
   * The address that people and clients reach: `https://api.example.com` or, mounted below a path,
   * `https://example.com/tributary`. Links are built from it alone.
   */
  readonly baseUrl: string
  /** Where everything is kept: `memoryStores()`, `libsqlStores(client)`, or an app's own. */
  readonly stores: Stores
  /**
   * The path prefix of requests as they arrive; default: the path of `baseUrl`. Set `''` when an outer router or proxy
   * strips it; links keep the path of `baseUrl`. Not needed below Express: the Node listener reads the path that
   * Express saw.
   */
  readonly prefix?: string
  /** Default: the system's clock. */
  readonly clock?: Clock
  /** Default: the platform's `crypto`. */
  readonly random?: Random
  /** SHA-256. Default: one in JavaScript; a host gives the platform's, which is faster. */
  readonly digest?: Digest
  /** Default: warnings and errors go to the console. */
  readonly logger?: Logger
  /** Default: mail is refused and sign-in by e-mail answers 503. */
  readonly mailer?: Mailer
  /**
   * Where uploads, exports and, with `contents`, messages lie: `fileBlobs(folder)` of `@tributary/host-node`, `s3Blobs`
   * of `@tributary/host-lambda/aws`. Default: the stores' own.
   */
  readonly blobs?: Blobs
  /**
   * Where the messages of traces are kept: `blobs` puts those of `contentBytes` and more into `blobs`, encrypted as
   * uploads are, and the others into the database. Contents are read wherever they lie, so that it may change;
   * `tributary contents move` moves what is stored. Default: `database`.
   */
  readonly contents?: 'database' | 'blobs'
  /** From how many bytes of messages on a trace is kept in `blobs`, if `contents` says so; default 16,384. */
  readonly contentBytes?: number
  /** Default: none; workers poll. */
  readonly queue?: Queue
  /** Default: unknown for everyone, so nobody may upload until a source is configured. */
  readonly country?: Country
  /** Counts the tokens of a trace. Default: an estimate. */
  readonly tokenizer?: Tokenizer
  /** The app's own sign-in; without it people sign in by e-mail code. */
  readonly identity?: Identity
  /**
   * Where people sign in when `identity` is handed over: the sign-in page leads there, with `next`, the whole address
   * to come back to.
   */
  readonly signInUrl?: string
  /** Default: the stores' own. */
  readonly limiter?: RateLimiter
  /** Default: the whole table, with 20 s for one trace; a trace that takes longer is refused. */
  readonly scrubber?: Scrubber
  /**
   * What the default scrubber finds beyond its table, such as names of people in prose. Synchronous ones read every
   * free text, asynchronous ones every trace. While one of these fails nothing is stored: the job is tried five times
   * with growing waits and then failed; a trace that alone fails one is rejected at the second attempt. A stored trace
   * is not shown meanwhile. Hand them to every service and worker of the same database, as with `verifier`. Default:
   * none.
   */
  readonly detectors?: readonly (Detector | AsyncDetector)[]
  /**
   * Reads every trace after the scrubber. One in which it still finds something is rejected with the reason
   * `verification_failed`, when it is uploaded as when an older one is scrubbed again. When it throws or takes longer
   * than 20 s nothing is stored: the job is tried five times with growing waits and then failed; a trace that alone
   * fails it is rejected at the second attempt. A stored trace is not shown meanwhile. Hand it to every service and
   * worker of the same database: for one without it all traces would be stale. Default: none.
   */
  readonly verifier?: Verifier
  /**
   * The bearer token of the operator named `operator`; long and random in production. Without any operator `/api/admin`
   * and `/admin` do not exist.
   */
  readonly adminToken?: string
  /**
   * Further operators, each with a token of their own and the name under which the audit lists what they do. Removing
   * one ends their sessions.
   */
  readonly adminTokens?: readonly OperatorToken[]
  /**
   * What mailed codes and device codes are hashed under and waiting uploads are encrypted under, 16 characters or more;
   * of several the newest first, and an earlier admin token may be one of the others. Whoever reads the database
   * without it cannot guess a running code or read an upload. Default: one made of the admin token. With neither, the
   * database holds a secret of its own, and so does every copy of it.
   */
  readonly secret?: string | readonly string[]
  /**
   * The public keys of those with which packages of the dataset are signed (`tributary dataset export --signing-key`),
   * newest first, and earlier ones for as long as buyers verify what they signed. `GET /.well-known/tributary-keys.json`
   * lists them. Default: none.
   */
  readonly signingKeys?: readonly SigningKey[]
  /** Further origins whose pages may change things by cookie and, for these alone, call across origins. */
  readonly origins?: readonly string[]
  /** The number of proxies in front whose entries at the end of `x-forwarded-for` are believed; default 0. */
  readonly trustedProxies?: number
  /** Rate limits by name, or `off` for none; default: `defaultRates`. */
  readonly rates?: Rates
  /** The oldest client version that is accepted; default: any. */
  readonly minVersion?: string
  /**
   * The command that upgrades your client, for the reply to one that is too old. Default: words that name the version.
   */
  readonly upgradeCommand?: string
  /** Whether clients that send no version are refused; default false. */
  readonly requireClientVersion?: boolean
  /** Countries that may upload; default `['US']`. */
  readonly allowedCountries?: readonly string[]
  /**
   * 1 to 50 characters; default: that of the default terms. A new value asks everyone again, and so does a change of
   * `termsText`: with a text of your own its hash follows the version.
   */
  readonly termsVersion?: string
  /** Default `2026-11-01`. */
  readonly policyVersion?: string
  /**
   * The text of the page `/terms`: paragraphs divided by empty lines, one that starts with `## ` is a heading. Default:
   * plain terms that say what this software does.
   */
  readonly termsText?: string
  /** Name, logo, colour, support address and legal texts, in pages and mails. */
  readonly brand?: Brand
  /**
   * Texts by language, such as `{ en: { 'nav.traces': 'Conversations' }, de: { … } }`; each request gets the language
   * of its `accept-language` among these and English. The keys are those of `englishMessages` in
   * `@tributary/core/messages`.
   */
  readonly messages?: Readonly<Record<string, Messages>>
  /**
   * Pages of the host that exist only in development, such as its mailbox; the home page links to them. Default: none.
   */
  readonly developmentLinks?: readonly DevelopmentLink[]
  /** Capabilities that are left out, with their routes, pages, links and documents; default: none. */
  readonly capabilities?: {
    readonly ads?: boolean
    readonly reports?: boolean
    readonly telemetry?: boolean
    readonly mcp?: boolean
  }
  /** Whether an application waits for the operator; default `manual`. */
  readonly approval?: 'manual' | 'automatic'
  /** Dollars for a million stored tokens; default 1. */
  readonly usdPerMillionTokens?: number
  /**
   * The people behind the service: feedback and agents' reports are mailed there, and pages and mails show it as the
   * address to write to unless the brand has a `supportEmail`. Default: nobody; the operator's page shows reports all
   * the same.
   */
  readonly contactEmail?: string
  /** Receives telemetry; see `otlpSink`. Default: none. */
  readonly telemetrySink?: TelemetrySink
  /** Days after which telemetry is deleted; default 90. */
  readonly telemetryDays?: number
  /** Days after which feedback of the command line is deleted; default 365. */
  readonly feedbackDays?: number
  /** Days after which finished jobs and their outcomes are deleted; 30 or more, default 365. */
  readonly jobDays?: number
  /**
   * Days after the last change (a duplicate, evidence, a status) when an agent report is deleted; 30 or more, default
   * 365.
   */
  readonly reportDays?: number
  /** Days after which audit entries are deleted; 90 or more, default 730. */
  readonly auditDays?: number
  /** Pieces of evidence that one report keeps, including those of its duplicates; default 100. */
  readonly reportEvidence?: number
  /** Sponsors' lines: signing secret, network, promotion, caps on impressions and claimed devices. */
  readonly ads?: AdsOptions
  /** Limits of bytes of one person and of all together. */
  readonly quotas?: Quotas
  /** Decoded bytes of one E5 body; default 64 MiB. */
  readonly ingestLimit?: number
  /** Bytes of one uncompressed E5 body, where the host accepts fewer; default: `ingestLimit`. */
  readonly plainIngestLimit?: number
  /** Decodes, validates and stores E5's batches; default: in this thread, which yields every half megabyte. */
  readonly intake?: Intake
  /** Reads, checks and encodes E10's documents; default: in this thread, which the read of a large trace stops. */
  readonly downloads?: Downloads
  /**
   * Bytes of an account export that a reply may hold, for a host that cannot stream one; a larger one has to be
   * prepared. Default: any.
   */
  readonly exportLimit?: number
  /**
   * Receives what happened, such as `job.completed`: after the commit, at least once, in order for each contributor,
   * sale, report or campaign. `work` calls it. Hand it to every service and worker of the same database: one without it
   * records nothing for it.
   */
  readonly onEvent?: OnEvent
  /** How events are sent to webhooks, whose endpoints the operator manages at `/api/admin/webhooks`. */
  readonly webhooks?: WebhookOptions
  /**
   * Yields to the event loop between two steps of long work; default: a timer of 0 ms. Node's `setImmediate` is faster.
   */
  readonly yieldToEventLoop?: () => Promise<void>
}

export interface WebhookOptions {
  /**
   * Sends events. Default: the platform's `fetch`, which connects to any address that a name leads to; on Node give
   * `outsideFetch()` of `@tributary/host-node`, as `tributary start` does, which refuses private ones.
   */
  readonly fetch?: Fetch
  /** Whether endpoints may be http and have private addresses, for development; default false. */
  readonly allowPrivateAddresses?: boolean
}

/** Limits of a person and of all people together on a process or store. With `rates: 'off'` there are none. */
export interface Quotas {
  /**
   * Bytes of one person's uploads that wait: batches whose job is not done, decoded, and upload addresses that are
   * open; default 256 MiB, and at least `ingestLimit`.
   */
  readonly waitingUploadBytes?: number
  /**
   * Bytes of request bodies of one person that are under way in this process, without a credential of one address;
   * default and least `ingestLimit` and 1 MiB.
   */
  readonly personBodyBytes?: number
  /**
   * The same of all together: seven eighths for bodies above 1 MiB; default three and a half times `personBodyBytes`.
   */
  readonly processBodyBytes?: number
}

/** The options with every default filled in, from which capabilities get their dependencies. */
export interface ResolvedOptions extends Secrets {
  readonly measurements: Measurements
  readonly stores: Stores
  readonly clock: Clock
  readonly random: Random
  readonly digest: Digest
  readonly logger: Logger
  readonly mailer: Mailer | null
  readonly queue: Queue | null
  readonly country: Country
  readonly tokenizer: Tokenizer
  readonly identity: Identity | null
  readonly signInUrl: string | null
  /** The versions of scrubber and verifier, known without loading the scrubber's table. */
  readonly scrubVersion: string
  readonly verifier: Verifier | null
  /** Loaded with its table when the first text is to be scrubbed. */
  readonly scrubber: Lazy<Scrubber>
  /** Reads what is replaced in every trace of a person. */
  readonly readScrubContext: (ownerId: string) => Promise<PersonalContext>
  readonly consumeRate: ConsumeRate
  readonly refundRate: RefundRate
  /** The path of `baseUrl`, `` or `/tributary`. Pages put it before every address of ours. */
  readonly prefix: string
  /** The path prefix of requests as they arrive; differs from `prefix` where an outer router or proxy strips it. */
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
  readonly trustedProxies: number
  readonly allowedCountries: readonly string[]
  readonly termsVersion: string
  readonly policyVersion: string
  readonly termsText: string | null
  readonly brand: ResolvedBrand
  readonly languages: Lazy<Languages>
  readonly developmentLinks: readonly DevelopmentLink[]
  readonly capabilities: {
    readonly ads: boolean
    readonly reports: boolean
    readonly telemetry: boolean
    readonly mcp: boolean
  }
  readonly approval: 'manual' | 'automatic'
  readonly usdPerMillionTokens: number
  readonly revenueShare: number
  readonly adShare: number
  readonly minPayoutMicros: number
  /** Milliseconds until a share of a sale is available. */
  readonly settleMs: number
  readonly contactEmail: string | null
  readonly telemetrySink: TelemetrySink | null
  readonly telemetryMs: number
  readonly feedbackMs: number
  readonly jobMs: number
  readonly reportDays: number
  readonly reportEvidence: number
  readonly auditMs: number
  readonly ads: ResolvedAdsOptions
  readonly ingestLimit: number
  readonly plainIngestLimit: number
  readonly bodyLimits: BodyLimits
  /** Null: any number. */
  readonly waitingUploadBytes: number | null
  readonly blobs: Blobs
  readonly deleteReleasedBlobs: BlobContents['deleteReleasedBlobs']
  /** Prepared exports. A store that publishes them holds them unencrypted by us, since readers have no key. */
  readonly exportBlobs: Blobs
  readonly intake: Intake
  readonly downloads: Downloads | null
  /** Null: a reply may hold any. */
  readonly exportLimit: number | null
  readonly onEvent: OnEvent | null
  readonly makeEvent: MakeEvent
  readonly webhooks: Required<WebhookOptions>
  readonly yieldToEventLoop: () => Promise<void>
}

/** Every option by name, for the check of names. */
const optionNames: Readonly<Record<keyof ServiceOptions, true>> = {
  revenueShare: true,
  adShare: true,
  settleDays: true,
  minPayoutUsd: true,
  baseUrl: true,
  stores: true,
  prefix: true,
  clock: true,
  random: true,
  digest: true,
  logger: true,
  mailer: true,
  blobs: true,
  contents: true,
  contentBytes: true,
  queue: true,
  country: true,
  tokenizer: true,
  identity: true,
  signInUrl: true,
  limiter: true,
  scrubber: true,
  detectors: true,
  verifier: true,
  adminToken: true,
  adminTokens: true,
  secret: true,
  signingKeys: true,
  origins: true,
  trustedProxies: true,
  rates: true,
  minVersion: true,
  upgradeCommand: true,
  requireClientVersion: true,
  allowedCountries: true,
  termsVersion: true,
  policyVersion: true,
  termsText: true,
  brand: true,
  messages: true,
  developmentLinks: true,
  capabilities: true,
  approval: true,
  usdPerMillionTokens: true,
  contactEmail: true,
  telemetrySink: true,
  telemetryDays: true,
  feedbackDays: true,
  jobDays: true,
  reportDays: true,
  auditDays: true,
  reportEvidence: true,
  ads: true,
  quotas: true,
  ingestLimit: true,
  plainIngestLimit: true,
  intake: true,
  downloads: true,
  exportLimit: true,
  onEvent: true,
  webhooks: true,
  yieldToEventLoop: true,
}

/** Fills in the defaults. Throws on an option that cannot work and names it. */
export function resolveOptions(options: ServiceOptions): ResolvedOptions {
  checkOptionNames(options, optionNames)
  checkOptionNames(options.webhooks, { fetch: true, allowPrivateAddresses: true }, 'webhooks.')
  checkOptions(options)
  checkStores(options.stores)
  checkOneDatabase(options.stores)
  const brand = resolveBrand(options.brand, options.contactEmail)
  const termsText = options.termsText ?? brand.termsText ?? null
  const base = new URL(options.baseUrl)
  const path = base.pathname.replace(/\/+$/, '')
  const logger = options.logger ?? consoleLogger
  const secrets = resolveSecrets(options)
  const random = options.random ?? systemRandom
  const plainBlobs = options.blobs ?? options.stores.blobs
  const clock = options.clock ?? systemClock
  const storedSecret = lazyStoredSecret({ store: options.stores.auth, clock, random })
  const blobs = encryptUploads({ blobs: plainBlobs, secrets, storedSecret, random, logger })
  const yieldToEventLoop = options.yieldToEventLoop ?? systemYield
  const measurements = createMeasurements()
  const stores = measureStores(options.stores, measurements)
  const minBytes = resolveContentBytes(options)
  const contents = lazyBlobContents({ stores, blobs, clock, random, logger, minBytes })
  return {
    measurements,
    stores: contents.stores,
    deleteReleasedBlobs: contents.deleteReleasedBlobs,
    clock,
    random,
    digest: options.digest ?? defaultDigest,
    logger,
    mailer: options.mailer ? traceMailer(options.mailer) : null,
    queue: options.queue ? traceQueue(options.queue) : null,
    country: options.country ?? (() => null),
    tokenizer: options.tokenizer ?? estimateTokenizer,
    identity: options.identity ?? null,
    signInUrl: options.signInUrl ?? null,
    ...resolveScrubber(options, clock),
    verifier: options.verifier ?? null,
    readScrubContext: async (ownerId) => (await import('./scrub-context.ts')).readScrubContext(options.stores, ownerId),
    consumeRate: createConsumeRate(options.limiter ?? options.stores.limiter, options.rates, logger),
    refundRate: createRefundRate(options.limiter ?? options.stores.limiter, options.rates, logger),
    prefix: path,
    requestPrefix: resolvePrefix(options.prefix) ?? path,
    link: (to) => base.origin + path + to,
    secure: base.protocol === 'https:',
    signingKeys: checkSigningKeys(options.signingKeys),
    origins: [base.origin, ...(options.origins ?? [])],
    corsOrigins: options.origins ?? [],
    version: {
      minVersion: options.minVersion ?? null,
      upgradeCommand: options.upgradeCommand ?? `upgrade this client to ${options.minVersion} or later`,
      requireClientVersion: options.requireClientVersion ?? false,
    },
    operators: operatorTokens(options),
    secrets,
    storedSecret,
    trustedProxies: options.trustedProxies ?? 0,
    allowedCountries: options.allowedCountries ?? ['US'],
    termsVersion: termsVersionOf(options.termsVersion, termsText ?? undefined, (text) =>
      toHex((options.digest ?? defaultDigest)(text)),
    ),
    policyVersion: options.policyVersion ?? '2026-11-01',
    termsText,
    brand,
    languages: loadLanguages(options.messages ?? {}, brand.name),
    developmentLinks: options.developmentLinks ?? [],
    capabilities: { ads: true, reports: true, telemetry: true, mcp: true, ...options.capabilities },
    approval: options.approval ?? 'manual',
    usdPerMillionTokens: options.usdPerMillionTokens ?? 1,
    ...resolveLedgerOptions(options),
    contactEmail: options.contactEmail ?? null,
    telemetrySink: options.telemetrySink ?? null,
    telemetryMs: (options.telemetryDays ?? defaultRetentionDays) * 24 * 60 * 60 * 1000,
    feedbackMs: resolveFeedbackMs(options.feedbackDays),
    jobMs: jobMs(options.jobDays),
    ...resolveReportLimits(options),
    auditMs: auditMs(options.auditDays),
    ads: resolveAdsOptions(options.ads, options.rates),
    ingestLimit: options.ingestLimit ?? defaultIngestLimit,
    ...resolveQuotas(options),
    plainIngestLimit: Math.min(options.plainIngestLimit ?? Infinity, options.ingestLimit ?? defaultIngestLimit),
    blobs,
    exportBlobs: plainBlobs.publish ? plainBlobs : blobs,
    intake: options.intake ?? lazyIntake({ blobs, yieldToEventLoop }),
    downloads: options.downloads ?? null,
    exportLimit: options.exportLimit ?? null,
    onEvent: options.onEvent ?? null,
    webhooks: {
      fetch: traceFetch(options.webhooks?.fetch ?? systemFetch, 'webhook'),
      allowPrivateAddresses: options.webhooks?.allowPrivateAddresses ?? false,
    },
    makeEvent: createEventMaker({ random, isHeard: options.onEvent !== undefined }),
    yieldToEventLoop: yieldToEventLoop,
  }
}

/** From how many bytes of messages on a content lies in the blobs, unless the option says another number. */
const defaultContentBytes = 16 * 1024

/** Returns from how many bytes on contents are stored in blobs; null: never. Throws on an option that cannot work. */
export function resolveContentBytes({
  contents = 'database',
  contentBytes = defaultContentBytes,
}: Pick<ServiceOptions, 'contents' | 'contentBytes'>): number | null {
  if (contents !== 'database' && contents !== 'blobs')
    throw new Error(`contents must be database or blobs, not ${String(contents)}`)
  if (!(Number.isSafeInteger(contentBytes) && contentBytes >= 0))
    throw new Error(`contentBytes must be a whole number, 0 or more, not ${contentBytes}`)
  return contents === 'blobs' ? contentBytes : null
}

/** Returns the prefix without a slash at its end. Throws on one that no path starts with. */
function resolvePrefix(prefix: string | undefined): string | undefined {
  if (prefix && !/^\/[^?#]*$/.test(prefix)) throw new Error(`prefix must be empty or start with a slash, not ${prefix}`)
  return prefix?.replace(/\/+$/, '')
}

const megabyte = 1024 * 1024

function resolveQuotas({
  quotas = {},
  rates,
  ingestLimit = defaultIngestLimit,
}: ServiceOptions): Pick<ResolvedOptions, 'bodyLimits' | 'waitingUploadBytes'> {
  checkOptionNames(quotas, { waitingUploadBytes: true, personBodyBytes: true, processBodyBytes: true }, 'quotas.')
  if (rates === 'off')
    return { bodyLimits: { personBodyBytes: null, processBodyBytes: null }, waitingUploadBytes: null }
  const least = ingestLimit + megabyte
  const { personBodyBytes = least, waitingUploadBytes = Math.max(256 * megabyte, ingestLimit) } = quotas
  const { processBodyBytes = 3.5 * personBodyBytes } = quotas
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
