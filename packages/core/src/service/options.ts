import { dayMs } from '../ids.ts'
import { idempotencyKeyMs } from '../http/idempotency.ts'
import { ledgerOptions } from '../ledger/options.ts'
import {
  callable,
  callableWithDefault,
  choice,
  decimal,
  elementRule,
  group,
  integer,
  optional,
  port,
  portWithDefault,
  required,
  rule,
  text,
  toggle,
  withDefault,
  type OptionsOf,
} from '../option.ts'
import { type AdsOptions } from '../ads/options.ts'
import { type Rates } from '../http/rate-limit.ts'
import { defaultIngestLimit } from '../ingest/rules.ts'
import type { DevelopmentLink } from '../home/pages.ts'
import { type Brand } from '../ui/brand.ts'
import type { Messages } from '../messages/index.ts'
import type { OnEvent } from '../events/delivery.ts'
import type { Intake } from '../ingest/intake.ts'
import type { Downloads } from '../traces/download.ts'
import type {
  Blobs,
  Clock,
  Country,
  Digest,
  Fetch,
  Identity,
  Logger,
  Mailer,
  Passkeys,
  Queue,
  Random,
  RateLimiter,
  TelemetrySink,
  Tokenizer,
  Verifier,
} from '../ports.ts'
import type { AsyncDetector, Detector, Scrubber } from '../scrubber/index.ts'
import { type OperatorToken } from '../auth/operator.ts'
import type { Stores } from '../stores.ts'
import { type SigningKey } from '../traces/dataset/rules.ts'
import {
  estimateTokenizer,
  defaultDigest,
  consoleLogger,
  systemFetch,
  systemClock,
  systemYield,
  systemRandom,
} from '../system.ts'

const isHttpUrl = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
const isOrigin = (origin: string): boolean => isHttpUrl(origin) && new URL(origin).origin === origin

/** The settings for sending events to webhooks. */
const webhookOptions = {
  /**
   * Sends events. Default: the platform's `fetch`, which connects to any address that a name leads to. On Node pass
   * `outsideFetch()` of `@tributary/host-node`, as `tributary start` does, because it refuses private addresses.
   */
  fetch: callableWithDefault<Fetch>(systemFetch),
  /** Whether endpoints may be http and have private addresses, for development. Default: false. */
  allowPrivateAddresses: toggle({ default: false }),
}

/**
 * Limits on one person, and on all people together, in one process or store. With `rates: 'off'` there are no limits.
 */
const quotaOptions = {
  /**
   * The maximum number of bytes of one person's waiting uploads: decoded batches whose job is not done, and open upload
   * URLs. Default: 256 MiB, and at least `ingestLimit`.
   */
  waitingUploadBytes: integer({}),
  /**
   * The maximum number of bytes of request bodies that this process receives at a time from one person, or from one
   * address if a request has no credential. The default and the least value is the larger of `ingestLimit` and 1 MiB.
   */
  personBodyBytes: integer({}),
  /**
   * The maximum number of bytes of request bodies that this process receives at a time from all senders together.
   * Bodies above 1 MiB may use seven eighths of this limit. Default: three and a half times `personBodyBytes`.
   */
  processBodyBytes: integer({}),
}

/** Every option of a service, written once: types, checks, flags and docs/configuration.md follow from this table. */
export const serviceOptions = {
  ...ledgerOptions,
  /**
   * The URL that people and clients reach: `https://api.example.com` or, mounted below a path,
   * `https://example.com/tributary`. Links are built only from it.
   */
  baseUrl: required<string>(
    rule('a URL with http or https, such as https://api.example.com', isHttpUrl),
    rule('a URL without a query or fragment', (url) => !/[?#]/.test(url)),
  ),
  /** The stores of all data: `libsqlStores(client)`, `postgresStores(db)`, or an app's own. */
  stores: required<Stores>(
    rule(
      'libsqlStores(client), postgresStores(db) or your own stores',
      (stores) => typeof stores?.ready === 'function',
    ),
  ),
  /**
   * The path prefix of requests as they arrive. Default: the path of `baseUrl`. Set `''` when an outer router or proxy
   * strips it; links keep the path of `baseUrl`. Not needed below Express: the Node listener reads the path that
   * Express saw.
   */
  prefix: optional<string>(rule('empty or start with a slash', (prefix: string) => /^(?:\/[^?#]*)?$/.test(prefix))),
  /** Default: the system's clock. */
  clock: callableWithDefault<Clock>(systemClock),
  /** Default: the platform's `crypto`. */
  random: callableWithDefault<Random>(systemRandom),
  /** Computes SHA-256. Default: a version in JavaScript. A host passes the version of the platform, which is faster. */
  digest: callableWithDefault<Digest>(defaultDigest),
  /** Default: warnings and errors go to the console. */
  logger: portWithDefault<Logger>(['info', 'warn', 'error'], consoleLogger),
  /** Default: mail is refused and sign-in by e-mail answers 503. */
  mailer: port<Mailer>(['send']),
  /**
   * The store of uploads, exports and, with `contents`, messages: `fileBlobs(folder)` of `@tributary/host-node`,
   * `s3Blobs` of `@tributary/host-lambda/aws`. Default: the stores' own.
   */
  blobs: port<Blobs>(['put', 'get', 'delete', 'stale']),
  /**
   * The location of the messages of traces. `blobs` stores messages of `contentBytes` and more in `blobs`, encrypted as
   * uploads are, and all other messages in the database. Contents are read from both places, so this option may be
   * changed; `tributary contents move` moves stored contents. Default: `database`.
   */
  contents: choice(['database', 'blobs'], {
    default: 'database',
    flag: {
      name: 'contents',
      help: 'where the messages of traces are stored; blobs: messages of --content-bytes or more in --blobs',
    },
  }),
  /**
   * The minimum number of bytes of a trace's messages that are stored in `blobs`, if `contents` is `blobs`. Default:
   * 16,384.
   */
  contentBytes: integer({
    default: 16 * 1024,
    flag: {
      name: 'content-bytes',
      placeholder: 'BYTES',
      help: 'the size in bytes from which --contents blobs stores messages of a trace in --blobs',
    },
  }),
  /** Default: none, so that workers poll. */
  queue: port<Queue>(['send']),
  /** Default: unknown for everyone, so no upload is accepted until a source is configured. */
  country: callableWithDefault<Country>(() => null),
  /** Counts the tokens of a trace. Default: an estimate. */
  tokenizer: withDefault<Tokenizer>(estimateTokenizer),
  /** The app's own sign-in; without it people sign in by e-mail code. */
  identity: callable<Identity>(),
  /**
   * The app's own sign-in page, for `identity`. The service's sign-in page links to it with the parameter `next`, the
   * full URL to return to.
   */
  signInUrl: optional<string>(rule('a URL with http or https, such as https://example.com/login', isHttpUrl)),
  /** Default: the stores' own. */
  limiter: port<RateLimiter>(['consume']),
  /** Default: all built-in rules, with 20 s for one trace; a trace that takes longer is refused. */
  scrubber: port<Scrubber>(['scrub']),
  /**
   * Detectors that the default scrubber runs in addition to its own rules, such as for names of people in prose.
   * Synchronous detectors check every free text, asynchronous detectors check every trace. While a detector fails,
   * nothing is stored: the job is tried five times with growing delays and then fails, or fails at the first attempt if
   * the detector does not answer in time. A trace is rejected if a detector fails only for that trace. A stored trace
   * is not shown meanwhile. Pass the same detectors to every service and worker of the same database, as with
   * `verifier`. Default: none.
   */
  detectors: optional<readonly (Detector | AsyncDetector)[]>(),
  /**
   * Checks every trace after the scrubber. A trace in which the verifier still finds something is rejected with the
   * reason `verification_failed`, both when it is uploaded and when an older trace is scrubbed again. When the verifier
   * throws or takes longer than 20 s, nothing is stored: the job is tried five times with growing delays and then
   * fails, or fails at the first attempt if the verifier does not answer in time. A trace is rejected if the verifier
   * fails only for that trace. A stored trace is not shown meanwhile. Pass the same verifier to every service and
   * worker of the same database, because a service without it would treat all traces as stale. Default: none.
   */
  verifier: port<Verifier>(['verify']),
  /**
   * The bearer token of the operator named `operator`. It must be long and random in production. Without any operator
   * `/api/admin` and `/admin` do not exist.
   */
  adminToken: optional<string>(),
  /**
   * Further operators, each with a token and the name for their actions in the audit log. Removing an operator ends
   * their sessions.
   */
  adminTokens: optional<readonly OperatorToken[]>(),
  /**
   * Verifies passkeys of operators: `webAuthnPasskeys()` of `@tributary/core/passkeys`, which needs the optional
   * package `@simplewebauthn/server`. Pass it to every service of the same database: an operator with a passkey cannot
   * sign in with a browser at a service without it. Default: none.
   */
  passkeys: port<Passkeys>(['verifyRegistration', 'verifySignature']),
  /**
   * The secrets that hash mailed codes and device codes and encrypt waiting uploads, with 16 characters or more each.
   * If there are several, the newest is first, and an earlier admin token may be one of the others. Anyone who reads
   * the database without the secret cannot guess a code that is still valid or read an upload. Default: derived from
   * the admin token. If there is no admin token either, the secret is stored in the database, so every copy of the
   * database contains it.
   */
  secret: optional<string | readonly string[]>(),
  /**
   * The public keys for the signatures of dataset packages (`tributary dataset export --signing-key`), newest first,
   * and earlier keys for as long as buyers verify their signatures. `GET /.well-known/tributary-keys.json` lists them.
   * On Lambda `readSigningKeys` of `@tributary/host-lambda` reads them from a variable. Default: none.
   */
  signingKeys: optional<readonly SigningKey[]>(),
  /** Other origins whose pages may change data with the cookie. Only pages of these origins may call across origins. */
  origins: withDefault<readonly string[]>([], elementRule('such as https://app.example.com', isOrigin)),
  /**
   * The number of proxies in front of the service whose entries at the end of `x-forwarded-for` are trusted. Default:
   * 0.
   */
  trustedProxies: integer({ default: 0 }),
  /** Rate limits by name, or `off` for none. Default: `defaultRates`. */
  rates: optional<Rates>(),
  /** The oldest client version that is accepted. Default: any. */
  minVersion: text({
    flag: { name: 'min-version', placeholder: '1.2.3', help: 'the oldest client version that is accepted' },
  }),
  /**
   * The command that upgrades your client. It is sent in the reply to a client that is too old. Default: a text that
   * names the minimum version.
   */
  upgradeCommand: optional<string>(),
  /** Whether clients that send no version are refused. Default: false. */
  requireClientVersion: toggle({
    default: false,
    flag: { name: 'require-client-version', help: 'reject clients that send no version' },
  }),
  /** Countries that may upload. Default: `['US']`. */
  allowedCountries: withDefault<readonly string[]>(
    ['US'],
    elementRule("ISO 3166 codes such as 'US'", (country: string) => /^[A-Z]{2}$/.test(country)),
  ),
  /**
   * 1 to 50 characters. Default: the version of the default terms. After a change of this value or of `termsText`
   * everyone must accept the terms again: if you set your own text, its hash is appended to the version.
   */
  termsVersion: optional<string>(rule('1 to 50 characters', (version) => version !== '')),
  /** Default `2026-11-01`. */
  policyVersion: withDefault<string>('2026-11-01'),
  /**
   * The text of the page `/terms`: paragraphs divided by empty lines. A paragraph that starts with `## ` is a heading.
   * Default: plain terms that describe this software.
   */
  termsText: optional<string>(),
  /** Name, logo, colour, support address and legal texts, in pages and mails. */
  brand: optional<Brand>(),
  /**
   * Texts by language, such as `{ en: { 'nav.traces': 'Conversations' }, de: { … } }`. Each request gets the language
   * that fits its `accept-language` best, among these languages and English. The keys are those of `englishMessages` in
   * `@tributary/core/messages`.
   */
  messages: optional<Readonly<Record<string, Messages>>>(),
  /**
   * Pages of the host that exist only in development, such as its mailbox; the home page links to them. Default: none.
   */
  developmentLinks: withDefault<readonly DevelopmentLink[]>([]),
  /** Capabilities that are left out, with their routes, pages, links and documents. Default: none. */
  capabilities: group({
    ads: toggle({ default: true }),
    reports: toggle({ default: true }),
    telemetry: toggle({ default: true }),
    mcp: toggle({ default: true }),
  }),
  /** Whether an application waits for the operator's review. Default: `manual`. */
  approval: choice(['manual', 'automatic'], {
    default: 'manual',
    flag: { name: 'approval', help: 'whether an operator reviews contributors' },
  }),
  /** Dollars for a million stored tokens. Default: 1. */
  usdPerMillionTokens: decimal({
    default: 1,
    flag: { name: 'usd-per-million-tokens', help: 'the estimated value in USD of a million stored tokens' },
  }),
  /**
   * The address of the people who run the service. Feedback and agents' reports are mailed there, and pages and mails
   * show it as the contact address unless the brand has a `supportEmail`. Default: none; the operator's page shows
   * reports in any case.
   */
  contactEmail: text(
    {
      flag: {
        name: 'contact-email',
        placeholder: 'ADDRESS',
        help: "the address for questions on the pages, to which feedback and agents' reports are mailed",
      },
    },
    rule('an e-mail address', (address) => /^[^\s@<>]+@[^\s@<>]+$/.test(address)),
  ),
  /**
   * The command that starts your command-line client, such as `npx acme-traces`. Pages show it with `login`, `setup`,
   * `preview` and `upload`. Default: the example client, in a clone of Tributary's repository.
   */
  clientCommand: text(
    {
      flag: {
        name: 'client-command',
        placeholder: 'COMMAND',
        help: 'the command that starts your client, for the pages (default: the example client)',
      },
    },
    // oxlint-disable-next-line no-control-regex -- a command is one line
    rule('1 to 80 characters in one line', (command) => /^[^\u0000-\u001f\u007f]{1,80}$/u.test(command.trim())),
  ),
  /**
   * The https URL where people get the client: a page, a package or a repository. Pages link it as the first step before
   * the commands. Default: people write to the contact address, unless there is a `clientCommand`.
   */
  clientUrl: text(
    { flag: { name: 'client-url', placeholder: 'URL', help: 'the https URL where people get the client' } },
    rule('a URL with https', (url) => URL.canParse(url) && new URL(url).protocol === 'https:'),
  ),
  /** Receives telemetry; see `otlpSink`. Default: none. */
  telemetrySink: port<TelemetrySink>(['take']),
  /** Days after which telemetry is deleted. Default: 90. */
  telemetryDays: integer({
    default: 90,
    min: 1,
    flag: { name: 'telemetry-days', placeholder: 'DAYS', max: 3650, help: 'days that telemetry is kept' },
  }),
  /** Days after which feedback of the command line is deleted. Default: 365. */
  feedbackDays: integer({
    default: 365,
    min: 1,
    flag: { name: 'feedback-days', placeholder: 'DAYS', max: 3650, help: 'days that feedback from the CLI is kept' },
  }),
  /** Days after which finished jobs and their outcomes are deleted, at least 30. Default: 365. */
  jobDays: integer({
    default: 365,
    min: idempotencyKeyMs / dayMs,
    flag: {
      name: 'job-days',
      placeholder: 'DAYS',
      max: 3650,
      help: 'days that a finished job and its outcomes are kept',
    },
  }),
  /**
   * Days after the last change (a duplicate, evidence, a status) until an agent report is deleted, at least 30.
   * Default: 365.
   */
  reportDays: integer({
    default: 365,
    min: idempotencyKeyMs / dayMs,
    flag: {
      name: 'report-days',
      placeholder: 'DAYS',
      max: 3650,
      help: "days that an agent's report is kept after its last change",
    },
  }),
  /** Days after which audit entries are deleted, at least 90. Default: 730. */
  auditDays: integer({
    default: 730,
    min: 90,
    flag: { name: 'audit-days', placeholder: 'DAYS', max: 3650, help: 'days that the audit log is kept' },
  }),
  /**
   * The maximum number of pieces of evidence that one report keeps, including those of its duplicates. Default: 100.
   */
  reportEvidence: integer({
    default: 100,
    flag: {
      name: 'report-evidence',
      max: 10_000,
      help: 'evidence items kept per report, over all its reporters',
    },
  }),
  /** Sponsors' lines: signing secret, network, promotion, caps on impressions and claimed devices. */
  ads: optional<AdsOptions>(),
  /** Limits on the bytes of one person and of all people together. */
  quotas: group(quotaOptions),
  /** The limit of the decoded bytes of one body of `POST /api/ingest`. Default: 64 MiB. */
  ingestLimit: integer({
    default: defaultIngestLimit,
    flag: {
      name: 'ingest-limit',
      placeholder: 'BYTES',
      min: 1024,
      help: 'the largest batch of traces, decoded',
    },
  }),
  /**
   * The maximum number of bytes of an uncompressed body of `POST /api/ingest`, if the host accepts fewer. Default:
   * `ingestLimit`.
   */
  plainIngestLimit: integer({}),
  /**
   * Decodes, validates and stores the batches of `POST /api/ingest`. Default: in this thread, which yields every half
   * megabyte.
   */
  intake: port<Intake>(['receive']),
  /**
   * Reads, checks and encodes the documents of `GET /api/traces/:id/download`. Default: in this thread, which is
   * blocked while a large trace is read.
   */
  downloads: port<Downloads>(['read']),
  /**
   * The maximum number of bytes of an account export in a reply, for a host that cannot stream an export. A larger
   * export must be prepared. Default: no limit.
   */
  exportLimit: integer({}),
  /**
   * Receives events such as `job.completed`: after the commit, at least once, in order for each contributor, sale,
   * report or campaign. `work` calls it. Pass it to every service and worker of the same database: a service without
   * `onEvent` does not record events for the function.
   */
  onEvent: callable<OnEvent>(),
  /** The settings for sending events to webhooks. The operator manages the endpoints at `/api/admin/webhooks`. */
  webhooks: group(webhookOptions),
  /**
   * Yields to the event loop between two steps of long work. Default: a timer of 0 ms. Node's `setImmediate` is faster.
   */
  yieldToEventLoop: callableWithDefault<() => Promise<void>>(systemYield),
}

/** The options of a service. Only `baseUrl` and `stores` are required; every other port has a default. */
export interface ServiceOptions extends OptionsOf<typeof serviceOptions> {}
