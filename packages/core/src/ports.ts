import type { NewTelemetry } from './telemetry/store.ts'

/** Returns the time in milliseconds since 1970. Core reads no other clock. */
export type Clock = () => number

/** Returns `length` unpredictable bytes. Core uses no other source of randomness. */
export type Random = (length: number) => Uint8Array

/**
 * Returns the SHA-256 of bytes or of a text's UTF-8. The default is pure JavaScript; a host passes the implementation
 * of its platform.
 */
export type Digest = (data: Uint8Array | string) => Uint8Array

/** The values for verifying a passkey's signature: the origin of the request, and the challenge that it answers. */
export interface PasskeyExpectation {
  readonly challenge: string
  /** The origin of the base URL. */
  readonly origin: string
  /** The domain of the base URL. */
  readonly rpId: string
}

/** A new passkey, with the data of its authenticator. The id and the public key (COSE) are base64url. */
export interface RegisteredPasskey {
  readonly credentialId: string
  readonly publicKey: string
  readonly counter: number
}

/**
 * Verifies the responses of browsers about passkeys (WebAuthn): `webAuthnPasskeys()` of `@tributary/core/passkeys`.
 * `response` is the JSON of a `PublicKeyCredential`. This JSON is untrusted, because anybody may send it. Both methods
 * require that the authenticator verified its user.
 */
export interface Passkeys {
  /** Returns the passkey of a registration, or null when the response is not valid. */
  verifyRegistration(response: unknown, expected: PasskeyExpectation): Promise<RegisteredPasskey | null>
  /** Returns the signature counter that the passkey reports, or null when the response is not valid. */
  verifySignature(response: unknown, expected: PasskeyExpectation, passkey: RegisteredPasskey): Promise<number | null>
}

export interface Mail {
  readonly to: string
  readonly subject: string
  /** The text of the mail, without markup. */
  readonly text: string
}

/**
 * Sends a mail or throws. If it throws, no mail was sent, and the outbox tries again. If the error's `uncertain` is
 * true (the connection broke after the server had the text), the result is unknown, and the mail is not sent again.
 */
export interface Mailer {
  send(mail: Mail): Promise<void>
}

/** A scrubbed telemetry report, as it is stored and as a sink receives it. */
export type TelemetryRecord = NewTelemetry

/** Receives telemetry from workers, never from a request; see `otlpSink`. */
export interface TelemetrySink {
  readonly name: string
  /**
   * Accepts all reports or none. A report may be passed again with the same id after an error or a crash. Throws when
   * the sink does not accept the reports; if the error's `permanent` is true, the reports are not sent again.
   */
  take(reports: readonly TelemetryRecord[]): Promise<void>
}

export interface PublishParams {
  readonly key: string
  /** The keys of the blobs to join, in the order of their bytes. */
  readonly parts: readonly string[]
  /** The content type of the joined blob. */
  readonly type: string
  readonly filename: string
  /** The time until which the URL is valid, in milliseconds since 1970. */
  readonly expiresAt: number
}

/**
 * The store of raw uploads until their job is done, and of prepared exports for an hour. The service chooses the keys:
 * `[a-z0-9/-]`, at most 128 characters.
 */
export interface Blobs {
  /** Writes a blob, which is durable when this resolves. A second write of the key replaces the blob. */
  put(key: string, bytes: Uint8Array): Promise<void>
  /** Returns the bytes of a blob, or null when there is no such blob. */
  get(key: string): Promise<Uint8Array | null>
  /** Deletes a blob, if it exists. In a local database file, the bytes are gone after the next checkpoint. */
  delete(key: string): Promise<void>
  /**
   * Returns at most `limit` keys that were written before `before` (ms) and come after the key `after`, in the order of
   * their characters. A crash may have left these blobs.
   */
  stale(before: number, limit: number, after: string): Promise<string[]>
  /**
   * Returns a URL to which a client may PUT an upload until `expiresAt` (a presigned URL of S3). Absent: clients send
   * uploads to the service.
   */
  presign?(key: string, bytes: number, expiresAt: number): Promise<{ url: string; headers: Record<string, string> }>
  /**
   * Joins blobs of 5 MiB or more (the last may be smaller) into one blob under `key`, deletes the joined blobs, and
   * returns a URL. Anyone who has the URL may download the blob as a file until `expiresAt`. Absent: clients download
   * exports from the service.
   */
  publish?(params: Readonly<PublishParams>): Promise<string>
}

/**
 * Tells workers that a job waits. The job itself is in the store, so a lost message only delays the job: workers also
 * poll.
 */
export interface Queue {
  /**
   * Throws when the queue did not accept the message; `POST /api/ingest` then answers `enqueue_failed` and stores
   * nothing. With `ownerId`, which is passed if it is known, a queue can keep one person's jobs in order.
   */
  send(jobId: string, ownerId?: string): Promise<void>
}

/**
 * Returns the caller's country as two upper-case letters, or null when unknown. Must not trust a header that is not
 * configured.
 */
export type Country = (request: {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly address: string | null
}) => string | null | Promise<string | null>

/** Checks the texts of a trace after the scrubber, with another set of rules. */
export interface Verifier {
  /**
   * The verifier's name and version, 1 to 64 of `a-z`, `0-9`, `.` and `-`, such as `secretlint-11.7.1`. This text is
   * part of the stored scrubber version, so that traces that this verifier has not checked are scrubbed and verified
   * again.
   */
  readonly version: string
  /**
   * Returns the ids of the rules that still find something, without any part of the texts. The list is empty when the
   * trace may be stored. The method may be called for several traces at a time. A trace for which the method throws, or
   * does not answer within 20 s, is not stored, and the signal is aborted; see `ServiceOptions.verifier`.
   */
  verify(texts: readonly string[], signal: AbortSignal): Promise<readonly string[]>
}

/** Counts the tokens of a text. `name` is the name of the method, for readers of an estimate. */
export interface Tokenizer {
  readonly name: string
  count(text: string): number
}

/** A person who was identified by an embedding app's own sign-in. `id` is 1 to 128 characters and never changes. */
export interface Person {
  readonly id: string
  readonly email?: string | null
  /**
   * The time at which the person last proved who they are, in milliseconds since 1970. Without this time, the person
   * cannot erase their account.
   */
  readonly signedInAt?: number
}

/**
 * An embedding app's own sign-in. Returns the person who sent this request, or null. The request has no `Authorization`
 * header of this service.
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
  /** The number of calls allowed in any window, or of bytes for a rate that counts bytes. */
  readonly limit: number
  readonly windowMs: number
}

export interface RateDecision {
  readonly allowed: boolean
  /** The milliseconds until a call of this cost is allowed again if this call is refused, or else 0. */
  readonly resetMs: number
}

export interface RefundParams {
  readonly key: string
  readonly rate: Rate
  readonly now: number
}

export interface ConsumeParams extends RefundParams {
  /** The number of permits that the call consumes, all or none. Default: 1. */
  readonly cost?: number | undefined
}

/**
 * A sliding window of calls by key, shared by all hosts on one store. On one host, at most `limit` calls are allowed in
 * any window, also concurrent calls. A call counts from the moment it is allowed until the window has passed. A host may
 * reserve several permits at a time, so that it does not write for each call. Several hosts together then allow up to a
 * quarter more calls, and no host refuses a call because another host has reserved permits. Calls that were counted
 * before the clock was set back do not count. If the limiter throws, the call is allowed.
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

/** A client's description of its device: only the well-formed fields. */
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
 * The request to an ad network, which contains `ids` only with the person's consent. For a client that asks not to be
 * tracked, the request contains only the topic, and a session for this one request.
 */
export interface AdQuestion {
  readonly topic: string | null
  /** The hash of the session: 64 hexadecimal digits. */
  readonly session: string
  readonly sessionEvents: number | null
  readonly device: DeviceContext
  /** Hashes of device and user. Null without consent. */
  readonly ids: { readonly device: string; readonly user: string } | null
}

/** A network's ad in the form in which it was received. The caller validates and sanitizes every field. */
export interface NetworkAd {
  readonly text: unknown
  readonly clickUrl: unknown
  readonly impUrl?: unknown
  readonly brandName?: unknown
  readonly title?: unknown
  readonly url?: unknown
  readonly favicon?: unknown
  /** Whether the ad is a sample of the network, for which the network does not pay. */
  readonly test?: boolean
}

/** An ad network. Its answer is ignored after 800 ms. */
export interface AdNetwork {
  readonly name: string
  /** Returns an ad or null. Throws when the network fails; the request then continues without an ad of the network. */
  ask(question: AdQuestion, signal: AbortSignal): Promise<NetworkAd | null>
  /** Requests an impression URL of the network. Throws unless the network accepted the request. */
  report(url: string, signal: AbortSignal): Promise<void>
}

/**
 * The largest difference between the clocks of two hosts, in milliseconds. If a stored time is further in the future
 * than any time that the service stores, the clock was set back later. The service does not wait for such a time.
 */
export const clockSkewMs = 30_000
