import * as z from 'zod'

/**
 * The exact bodies of E1 to E20. They were written from the interface and its decisions, not from the contracts, so a
 * new field in a contract is an error. `failures` contains the codes of section 1 that only this endpoint has.
 */
interface EndpointBodies {
  readonly envelope: 'ok' | 'bare' | 'ad'
  readonly successes: Readonly<Record<number, z.ZodType>>
  readonly failures?: Readonly<Record<string, number>>
  /** Whether `invalid_body` contains `issues`. */
  readonly issues?: true
  /** The fields in addition to `error`, by code. */
  readonly extra?: Readonly<Record<string, z.ZodRawShape>>
}

const ok = z.literal(true)
const text = z.string()
const whole = z.int().min(0)
const list = z.array(text)
const time = z.iso.datetime({ precision: 3 })
const uuid = z.uuid()
const orNull = <T extends z.ZodType>(schema: T): z.ZodNullable<T> => z.nullable(schema)

const saleState = z.strictObject({ id: uuid, sellExcluded: z.boolean(), saleCount: whole, locked: z.boolean() })
const policy = z.strictObject({
  ok,
  eligible: z.boolean(),
  reason: orNull(
    z.enum(['country_unknown', 'us_upload_required', 'residency_required', 'terms_required', 'contributor_paused']),
  ),
  country: orNull(z.string().regex(/^[A-Z]{2}$/)),
  policyVersion: text,
  termsVersion: text,
  termsAccepted: z.boolean(),
  residencyConfirmed: z.boolean(),
  acceptanceUrl: text,
  waitlistUrl: text,
})
const contributorStatus = ['not_applied', 'pending', 'approved', 'rejected'] as const
const application = z.strictObject({
  id: uuid,
  companyName: text,
  incubatorBatch: orNull(text),
  website: text,
  directoryUrl: orNull(text),
  email: text,
  role: text,
  authorized: z.boolean(),
  status: z.enum(contributorStatus).exclude(['not_applied']),
  submittedAt: time,
  reviewedAt: orNull(time),
  reviewReason: orNull(text),
})
const job = z.strictObject({
  id: text,
  source: text,
  status: z.enum(['queued', 'parsing', 'ingesting', 'done', 'failed']),
  traceCount: whole,
  rejectedCount: whole,
  estimatedUsd: orNull(z.number()),
  errorMessage: orNull(text),
  enqueuedAt: time,
  startedAt: orNull(time),
  finishedAt: orNull(time),
})
const traceDocument = z.strictObject({
  id: uuid,
  source: text,
  sourceId: text,
  title: orNull(text),
  model: orNull(text),
  createdAt: time,
  parentTraceId: orNull(text),
  segmentIndex: orNull(whole),
  contentHash: z.string().regex(/^[0-9a-f]{64}$/),
  scrub: z.strictObject({ version: text, redactions: z.record(text, whole) }),
  agent: z.strictObject({ name: text, version: text.optional() }).optional(),
  tools: z
    .array(
      z.strictObject({ name: text, description: text.optional(), parameters: z.record(text, z.unknown()).optional() }),
    )
    .optional(),
  usage: z
    .strictObject({
      inputTokens: whole,
      outputTokens: whole,
      cacheReadTokens: whole,
      cacheWriteTokens: whole,
      costUsd: z.number().min(0),
    })
    .partial()
    .optional(),
  outcome: z
    .strictObject({
      status: z.enum(['success', 'failure', 'partial', 'unknown']),
      testsPassed: whole.optional(),
      testsFailed: whole.optional(),
      note: text.optional(),
    })
    .optional(),
  messages: z.array(
    z.strictObject({
      position: whole,
      role: orNull(text),
      content: text,
      tokenCount: whole,
      createdAt: orNull(time),
      truncated: z.boolean(),
    }),
  ),
})
/** The formats of E10 with `format`. The JSON Schemas in docs/schemas describe them completely. */
const otherFormats = [
  z.looseObject({ openToolCalls: whole, messages: z.array(z.looseObject({ role: text, content: text })) }),
  z.looseObject({ schema_version: z.literal('ATIF-v1.7'), steps: z.array(z.looseObject({ step_id: whole })) }),
] as const
const ad = z.strictObject({
  text: z.string().max(200),
  clickUrl: text,
  shortUrl: text,
  impUrl: text,
  brandName: text,
  title: text,
  url: text,
  favicon: text,
})
const receipt = z.strictObject({
  receipt: z.strictObject({
    id: text,
    feedback_id: text,
    status: z.enum(['accepted', 'duplicate']),
    evidence_ids: list,
    duplicate_of: orNull(text),
    created_at: time,
  }),
})
const outdated = { upgrade_required: { minVersion: text, upgradeCommand: text } }

export const interfaceBodies: Readonly<Record<string, EndpointBodies>> = {
  E1: { envelope: 'ok', successes: { 200: z.strictObject({ ok, accepted: whole, forwarded: z.boolean() }) } },
  E2: { envelope: 'ok', successes: { 200: z.strictObject({ ok, id: text }) }, issues: true },
  E3: {
    envelope: 'ok',
    successes: { 200: z.strictObject({ ok, updatedIds: list, updatedCount: whole, skippedCount: whole }) },
  },
  E4: { envelope: 'ok', successes: { 200: z.strictObject({ ok, deletedIds: list, skippedSoldIds: list }) } },
  E5: {
    envelope: 'ok',
    successes: { 202: z.strictObject({ ok, jobId: text, status: z.literal('queued') }) },
    issues: true,
    failures: {
      terms_required: 403,
      contributor_approval_required: 403,
      country_unknown: 403,
      us_upload_required: 403,
      residency_required: 403,
      contributor_paused: 403,
      upload_not_found: 404,
      upload_taken: 409,
      upload_expired: 410,
      enqueue_failed: 500,
    },
    extra: {
      terms_required: { acceptUrl: text },
      contributor_approval_required: { status: z.enum(contributorStatus).exclude(['approved']), applyUrl: text },
      country_unknown: { policy },
    },
  },
  E6: { envelope: 'ok', successes: { 200: z.strictObject({ ok, job }) } },
  E7: { envelope: 'ok', successes: { 200: z.strictObject({ ok, known: list }) }, issues: true },
  E8: {
    envelope: 'ok',
    successes: { 200: z.strictObject({ ok, trace: saleState }) },
    failures: { not_found: 404 },
  },
  E9: {
    envelope: 'ok',
    successes: { 200: z.strictObject({ ok, trace: saleState }) },
    failures: { not_found: 404, already_sold: 409 },
  },
  E10: {
    envelope: 'ok',
    successes: { 200: z.union([traceDocument, ...otherFormats]) },
    failures: { not_found: 404, blob_unavailable: 502 },
  },
  E11: { envelope: 'ok', successes: { 200: policy } },
  E12: {
    envelope: 'ok',
    successes: {
      200: z.strictObject({
        ok,
        status: z.enum(contributorStatus),
        application: orNull(application),
        applyUrl: text,
      }),
    },
  },
  E13: { envelope: 'ok', successes: { 200: z.strictObject({ ok, completed: z.boolean(), contactUrl: text }) } },
  E14: { envelope: 'ok', successes: { 200: z.strictObject({ ok, userId: text }) }, extra: outdated },
  E15: {
    envelope: 'bare',
    successes: {
      200: z.strictObject({ ok, status: z.literal('approved'), token: text, userId: text }),
      202: z.strictObject({ ok, status: z.literal('pending') }),
    },
    failures: {
      invalid_device_code: 400,
      access_denied: 409,
      expired_token: 410,
      slow_down: 429,
      rate_limited: 429,
      device_login_unavailable: 503,
    },
  },
  E16: {
    envelope: 'ad',
    successes: {
      200: z.strictObject({
        ad: orNull(ad),
        nonce: orNull(text),
        serveId: uuid,
        ttlMs: whole,
        matchType: orNull(z.enum(['contextual', 'general', 'promotional'])),
        feedback: orNull(z.strictObject({ token: text, expiresAt: time })),
      }),
    },
    failures: { device_not_owned: 403 },
    extra: outdated,
  },
  E17: {
    envelope: 'bare',
    successes: {
      200: z.strictObject({ attribution: z.boolean(), pixel: z.strictObject({ enabled: z.boolean(), id: text }) }),
    },
    failures: { device_not_owned: 403, config_unavailable: 503 },
  },
  E18: {
    envelope: 'bare',
    successes: { 200: z.strictObject({ ok, status: z.literal('recorded') }) },
    failures: { device_not_owned: 403, feedback_not_found: 404, feedback_superseded: 409, feedback_expired: 410 },
    extra: outdated,
  },
  E19: {
    envelope: 'ok',
    successes: { 200: z.strictObject({ ok, result: z.literal('claimed') }) },
    failures: { already_claimed: 409, too_many_devices: 409 },
    extra: outdated,
  },
  E20: {
    envelope: 'bare',
    successes: { 200: receipt, 201: receipt, 202: receipt },
    issues: true,
    failures: { invalid_idempotency_key: 400, idempotency_in_progress: 409, idempotency_mismatch: 422 },
  },
}

const issues = z
  .array(z.strictObject({ path: z.array(z.union([text, z.int()])), code: text, message: text }))
  .min(1)
  .max(100)
const noAd = { ad: z.null(), nonce: z.null(), ttlMs: z.null() }

function failureShape({ envelope, issues: hasIssues, extra }: EndpointBodies, code: string): z.ZodType {
  if (envelope === 'ad' && code === 'unauthorized') return z.strictObject({ ...noAd, needsLogin: z.literal(true) })
  return z.strictObject({
    ...(envelope === 'ok' && code !== 'upgrade_required' ? { ok: z.literal(false) } : {}),
    ...(envelope === 'ad' && ['rate_limited', 'unavailable'].includes(code) ? noAd : {}),
    error: z.literal(code),
    ...(hasIssues && code === 'invalid_body' ? { issues } : {}),
    ...extra?.[code],
  })
}

/**
 * Returns the problem of the body of a reply of E1 to E20: a field that is missing, has another type or is not in the
 * interface. Returns null for an exact body and for other endpoints. `code` is null for a success.
 */
export function findBodyFault(
  id: string | undefined,
  { status, code, body }: { readonly status: number; readonly code: string | null; readonly body: unknown },
): string | null {
  const endpoint = id === undefined ? undefined : interfaceBodies[id]
  if (!endpoint) return null
  const shape = code === null ? endpoint.successes[status] : failureShape(endpoint, code)
  if (!shape) return `${id} has no success with status ${status}`
  const parsed = shape.safeParse(body)
  return parsed.success ? null : `not the body of the interface: ${z.prettifyError(parsed.error)}`
}
