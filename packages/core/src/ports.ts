import type { NewTelemetry } from './telemetry/store.ts'

/** Returns milliseconds since 1970. The only clock that core reads. */
export type Clock = () => number

/** Returns `length` unpredictable bytes. The only randomness that core reads. */
export type Random = (length: number) => Uint8Array

/** Returns the SHA-256 of bytes or of a text's UTF-8. The default is pure JavaScript; a host passes its platform's. */
export type Digest = (data: Uint8Array | string) => Uint8Array

/** What a passkey's signature is verified against: where the request came from, and the challenge that it answers. */
export interface PasskeyExpectation {
  readonly challenge: string
  /** The origin of the base URL. */
  readonly origin: string
  /** The domain of the base URL. */
  readonly rpId: string
}

/** A new passkey as its authenticator describes it; id and public key (COSE) are base64url. */
export interface RegisteredPasskey {
  readonly credentialId: string
  readonly publicKey: string
  readonly counter: number
}

/**
 * Verifies what browsers send of passkeys (WebAuthn): `webAuthnPasskeys()` of `@tributary/core/passkeys`. `response` is
 * the JSON of a `PublicKeyCredential`, as anybody may send it. Both require that the authenticator verified its user.
 */
export interface Passkeys {
  /** Returns the passkey of a registration, or null when the response is not valid. */
  verifyRegistration(response: unknown, expected: PasskeyExpectation): Promise<RegisteredPasskey | null>
  /** Returns the counter after a signature of this passkey, or null when the response is not valid. */
  verifySignature(response: unknown, expected: PasskeyExpectation, passkey: RegisteredPasskey): Promise<number | null>
}

export interface Mail {
  readonly to: string
  readonly subject: string
  /** Plain text. */
  readonly text: string
}

/**
 * Sends a mail or throws. A throw means that nothing went out, so the outbox tries again; unless the error's
 * `uncertain` is true (the server broke off after it had the text): then the result is unknown, and it is not sent again.
 */
export interface Mailer {
  send(mail: Mail): Promise<void>
}

/** A telemetry report as a sink receives it: scrubbed, as stored. */
export type TelemetryRecord = NewTelemetry

/** Receives telemetry from workers, never from a request; see `otlpSink`. */
export interface TelemetrySink {
  readonly name: string
  /**
   * Takes reports, all or none; one may come again after a throw or a crash, with the same id. Throws when it does not
   * take them; `permanent` on the error means never.
   */
  take(reports: readonly TelemetryRecord[]): Promise<void>
}

export interface PublishParams {
  readonly key: string
  /** Keys in the order of their bytes. */
  readonly parts: readonly string[]
  /** The content type. */
  readonly type: string
  readonly filename: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

/**
 * The store of raw uploads until their job is done, and of prepared exports for an hour. Keys are ours: `[a-z0-9/-]`,
 * at most 128 characters.
 */
export interface Blobs {
  /** Durable when it resolves. A key is written once; the same key again replaces it. */
  put(key: string, bytes: Uint8Array): Promise<void>
  /** Null when there is none. */
  get(key: string): Promise<Uint8Array | null>
  /** Gone when it resolves, from the bytes of a local file too once that is checkpointed. Fine if there is none. */
  delete(key: string): Promise<void>
  /**
   * Keys written before `before` (ms), in the order of their characters, those after `after`, at most `limit`: what a
   * crash may have left behind.
   */
  stale(before: number, limit: number, after: string): Promise<string[]>
  /**
   * Returns an address to which a client may PUT an upload until `expiresAt` (S3's presigned address). Absent: the
   * client PUTs to us.
   */
  presign?(key: string, bytes: number, expiresAt: number): Promise<{ url: string; headers: Record<string, string> }>
  /**
   * Joins blobs of 5 MiB or more (the last may be smaller) into one under `key`, deletes them, and returns an address
   * where whoever has it may GET that one as a file until `expiresAt`. Absent: the client GETs them from us.
   */
  publish?(params: Readonly<PublishParams>): Promise<string>
}

/**
 * Tells workers that a job waits. The job itself is in the store, so a lost message only delays: workers also look by
 * themselves.
 */
export interface Queue {
  /**
   * Throws when the message could not be handed over; E5 then answers `enqueue_failed` and keeps nothing. `ownerId`,
   * where it is known, lets a queue keep one person's jobs in order.
   */
  send(jobId: string, ownerId?: string): Promise<void>
}

/**
 * The caller's country as two upper-case letters, or null when unknown. Must not believe a header that is not configured.
 */
export type Country = (request: {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly address: string | null
}) => string | null | Promise<string | null>

/** Reads the texts of a trace after the scrubber, as a second opinion from another set of rules. */
export interface Verifier {
  /**
   * Its name and version, 1 to 64 of `a-z`, `0-9`, `.` and `-`, such as `secretlint-11.7.1`. A part of the stored
   * scrubber version, so that traces which another verifier read, or none, are scrubbed and verified again.
   */
  readonly version: string
  /**
   * Returns the ids of the rules that still find something, and nothing of the texts themselves; empty when the trace
   * may be kept. May be called for several traces at a time. A trace for which it throws, or does not answer within 20
   * s, is not kept; see `ServiceOptions.verifier`. The signal is aborted then.
   */
  verify(texts: readonly string[], signal: AbortSignal): Promise<readonly string[]>
}

/** Counts the tokens of a text. `name` names the method, for readers of an estimate. */
export interface Tokenizer {
  readonly name: string
  count(text: string): number
}

/** A person as an embedding app's own sign-in knows them. `id` is 1 to 128 characters and never changes. */
export interface Person {
  readonly id: string
  readonly email?: string | null
  /**
   * When the person last proved who they are, in milliseconds since 1970. Without it they cannot erase their account.
   */
  readonly signedInAt?: number
}

/**
 * An embedding app's own sign-in, handed over: who sent this request, or null. Sees no `Authorization` of ours.
 */
export type Identity = (request: {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly address: string | null
}) => Promise<Person | null> | Person | null

/** The part of pino's logger that core calls. */
export interface Logger {
  info(fields: Record<string, unknown>, message: string): void
  warn(fields: Record<string, unknown>, message: string): void
  error(fields: Record<string, unknown>, message: string): void
}

export interface Rate {
  /** Calls, or of a rate that counts bytes bytes, allowed in any window. */
  readonly limit: number
  readonly windowMs: number
}

export interface RateDecision {
  readonly allowed: boolean
  /** Calls left in the window. */
  readonly remaining: number
  /** Milliseconds until a call is allowed again if this one is refused; else until the next window. */
  readonly resetMs: number
}

export interface RefundParams {
  readonly key: string
  readonly rate: Rate
  readonly now: number
}

export interface ConsumeParams extends RefundParams {
  /** How many permits the call takes, all or none; default 1. */
  readonly cost?: number | undefined
}

/**
 * A sliding window of calls by key, shared by all hosts on one store. Of concurrent calls on one host at most `limit`
 * are allowed in a window. An estimate will do: of calls in the aligned window before (one that starts at a multiple of
 * `windowMs`) at least the share counts that lies within the last `windowMs`, and of none more than that it was made. A
 * host may reserve several permits at a time, so that it does not write for each call; several hosts together then
 * allow up to a quarter more, and none refuses a call because another one has reserved permits. What was counted before
 * the clock was set back refuses no call. If the limiter throws, the call is allowed.
 */
export interface RateLimiter {
  /** Consumes permits of a key. */
  consume(params: Readonly<ConsumeParams>): Promise<RateDecision>
  /** Refunds one permit of a call that the rate should not count. Without this method such calls stay counted. */
  refund?(params: Readonly<RefundParams>): Promise<void>
}

/** The part of the platform's `fetch` that core calls, for the ad network, the telemetry sink and webhooks only. */
export type Fetch = (
  url: string,
  init: {
    readonly method: string
    readonly headers: Record<string, string>
    readonly body?: string
    /** A redirect is a reply like any other and is never followed. */
    readonly redirect: 'manual'
    readonly signal: AbortSignal
  },
) => Promise<{ readonly status: number; readonly body: ReadableStream<Uint8Array> | null }>

/** A client's description of its device: the fields that were well-formed. */
export interface DeviceContext {
  readonly os?: string
  readonly osVersion?: string
  readonly arch?: string
  readonly shell?: string
  readonly terminal?: string
  readonly editor?: string
  readonly locale?: string
  readonly timezone?: string
  readonly columns?: number
  readonly rows?: number
}

/**
 * The request to an ad network: `ids` only with the person's consent. For a client that asks not to be tracked it is
 * the topic, and a session of that one request.
 */
export interface AdQuestion {
  readonly topic: string | null
  /** 64 hexadecimal digits: a hash. */
  readonly session: string
  readonly sessionEvents: number | null
  readonly device: DeviceContext
  /** Hashes of device and user; null without consent. */
  readonly ids: { readonly device: string; readonly user: string } | null
}

/** A network's ad as it was received; the caller validates and sanitizes every field. */
export interface NetworkAd {
  readonly text: unknown
  readonly clickUrl: unknown
  readonly impUrl?: unknown
  readonly brandName?: unknown
  readonly title?: unknown
  readonly url?: unknown
  readonly favicon?: unknown
  /** Whether it is the network's sample, which is not paid for. */
  readonly test?: boolean
}

/** An ad network. Its answer is ignored after 800 ms. */
export interface AdNetwork {
  readonly name: string
  /** Returns null for no fill. Throws when it fails; the request then continues without it. */
  ask(question: AdQuestion, signal: AbortSignal): Promise<NetworkAd | null>
  /** Requests an impression address that the network gave. Throws unless the network took it. */
  report(url: string, signal: AbortSignal): Promise<void>
}

/**
 * How far apart the clocks of two hosts may be, in milliseconds. A stored time that lies further in the future than it
 * can have been set was stored before the clock was set back; it is not waited for.
 */
export const clockSkewMs = 30_000
