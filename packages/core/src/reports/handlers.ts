import type { HmacCode } from '../auth/hmac.ts'
import type { MakeEvent } from '../events/event.ts'
import { firstOf } from '../lists.ts'
import type * as z from 'zod'
import type { Headers } from '../http/message.ts'
import type { ResolvedBrand } from '../ui/brand.ts'
import { fail, invalid } from '../http/failures.ts'
import { plainLine } from '../http/text.ts'
import { reply, mount, type Handlers, type Mounted } from '../http/route.ts'
import { canonicalJson, claimLeaseMs, idempotencyKeyMs } from '../http/idempotency.ts'
import { timestamp, toHex, uuid7 } from '../ids.ts'
import type { OutboxEntry } from '../outbox/store.ts'
import type { Digest, Logger, Random, Rate } from '../ports.ts'
import { scrubJson, type Scrubber } from '../scrubber/index.ts'
import { type AgentReport, type ReportChange, type ReportItem, reportsContract, type Receipt } from './contract.ts'
import { discoveryDocument, policyDocument } from './documents.ts'
import { buildReportText, buildReportSubject } from './mail.ts'
import { maxListedDuplicates, parseIdempotencyKey, similarityText } from './rules.ts'
import type { StoredReceipt, StoredReport, NewEvidence, NewReport, ReportFilter, ReportStore } from './store.ts'

export interface ReportsDeps {
  readonly store: ReportStore
  readonly scrubber: () => Scrubber | Promise<Scrubber>
  readonly random: Random
  readonly makeEvent: MakeEvent
  readonly digest: Digest
  readonly hmacCode: HmacCode
  readonly logger: Logger
  /** The address that new reports are mailed to, or null. */
  readonly contactEmail: string | null
  readonly brand: ResolvedBrand
  /** The rate limit of one IP address. Null means no limit. */
  readonly rate: Rate | null
  /** The maximum number of pieces of evidence that a report keeps. */
  readonly reportEvidence: number
  /** Returns the operators' changes of a report, newest first. */
  readonly listChanges: (id: string) => Promise<z.output<typeof ReportChange>[]>
  /** The number of days for which a report is kept after its last change. */
  readonly reportDays: number
  /** Converts a path of this service, below the mount, to its public path. */
  readonly path: (own: string) => string
}

type ReportQuery = z.output<typeof reportsContract.getReportStats.query>
type Evidence = NonNullable<z.output<typeof AgentReport>['evidence']>

const cacheForAMinute: Headers = [['cache-control', 'public, max-age=60']]

const keyIssue = { path: ['idempotency-key'], code: 'invalid_format', message: 'not a UUID' }

export const reportsHandlers: Handlers<typeof reportsContract, ReportsDeps> = {
  async sendReport({ body, request, requestId, now }, deps) {
    const { store, random, digest, makeEvent } = deps
    const header = request.headers['idempotency-key']
    const key = header === undefined ? null : parseIdempotencyKey(header)
    if (header !== undefined && key === null) return invalid('invalid_idempotency_key', keyIssue)
    const clean = await scrubBody(body, deps)
    if (!clean) return fail('unavailable')
    const hash = (text: string): string => toHex(digest(text))
    const keyLease = key === null ? null : { key, lease: toHex(random(16)) }
    if (keyLease) {
      // Reports are compared as they were sent. A report may contain short secrets, so only a keyed hash is stored.
      const [fingerprint, ...formerFingerprints] = await deps.hmacCode(`report\n${canonicalJson(body)}`)
      const claim = await store.claimKey({
        ...keyLease,
        fingerprint,
        formerFingerprints,
        now,
        until: now + claimLeaseMs,
        since: now - idempotencyKeyMs,
      })
      if (claim === 'mismatch') return fail('idempotency_mismatch')
      if (claim === 'busy') return fail('idempotency_in_progress', {}, [['retry-after', '1']])
      if (claim !== 'claimed') return reply(200, describeReceipt(claim))
    }
    const { evidence = [], ...content } = clean
    const report: NewReport = {
      id: uuid7(now, random),
      receiptId: uuid7(now, random),
      similarityHash: hash(similarityText(content)),
      body: JSON.stringify(content),
      createdAt: now,
      evidence: prepareEvidence(evidence, now, random),
      maxEvidence: deps.reportEvidence,
    }
    const mail = buildMail(report.id, clean, { now, requestId }, deps)
    const receipt = await store.createReport({ report, keyLease, mail, event: makeEvent('report.received', now) })
    if (!receipt) return fail('idempotency_in_progress', {}, [['retry-after', '1']])
    return reply(receipt.duplicateOf === null ? 201 : 202, describeReceipt(receipt))
  },

  async attachEvidence({ params, body, now }, deps) {
    const clean = await scrubBody(body, deps)
    if (!clean) return fail('unavailable')
    const receipt = await deps.store.attachEvidence({
      reportId: params.id,
      receiptId: uuid7(now, deps.random),
      evidence: prepareEvidence(clean.evidence, now, deps.random),
      maxEvidence: deps.reportEvidence,
      now,
    })
    return receipt ? reply(201, describeReceipt(receipt)) : fail('not_found')
  },

  async observe({ body, now }, deps) {
    const { random, digest, store, makeEvent } = deps
    const clean = await scrubBody(body, deps)
    if (!clean) return fail('unavailable')
    const { surface, domain, agent_vendor, agent_product, agent_version, category, severity, confidence, summary } =
      clean
    // The feedback is stored as a report whose title is its first line, so that the feedback is triaged and
    // deduplicated like a report. No mail is sent.
    const title =
      plainLine(firstOf(summary.trim().split('\n', 1)))
        .slice(0, 256)
        .toWellFormed() || surface
    const content = {
      observation: true,
      reporter: { agent_vendor, agent_product, agent_version },
      subject: { surface, domain },
      signal: { category, severity, confidence },
      content: { title, summary },
    }
    const report: NewReport = {
      id: uuid7(now, random),
      receiptId: uuid7(now, random),
      similarityHash: toHex(digest(`observation ${similarityText(content)}`)),
      body: JSON.stringify(content),
      evidence: [],
      maxEvidence: deps.reportEvidence,
      createdAt: now,
    }
    const event = makeEvent('report.received', now)
    const { id, duplicateOf } = (await store.createReport({ report, keyLease: null, mail: null, event }))!
    return reply(duplicateOf === null ? 201 : 202, {
      receipt: {
        id,
        observation_id: report.id,
        status: duplicateOf === null ? ('accepted' as const) : ('duplicate' as const),
        duplicate_of: duplicateOf,
        created_at: timestamp(now),
      },
    })
  },

  async readReceipt({ params }, { store }) {
    const receipt = await store.findReceipt({ id: params.id })
    return receipt ? describeReceipt(receipt) : fail('not_found')
  },
  policy: (_, deps) => reply(200, policyDocument(deps), cacheForAMinute),
  discovery: (_, { path, rate }) => reply(200, discoveryDocument(path, rate), cacheForAMinute),

  async adminReports({ query }, { store }) {
    const { items, next } = await store.listReports({
      status: query.status ?? null,
      filter: toFilter(query),
      sort: query.sort,
      order: query.order,
      cursor: query.cursor ?? null,
      limit: query.limit,
    })
    return { ok: true, items: items.map(describeReport), nextCursor: next }
  },
  async getReportStats({ query }, { store }) {
    const counts = await store.countReports({ filter: toFilter(query) })
    return { ok: true, reports: Object.values(counts.statuses).reduce((sum, count) => sum + count, 0), ...counts }
  },
  async getReport({ params }, { store, listChanges }) {
    const found = await store.findReport({ id: params.id, maxDuplicates: maxListedDuplicates })
    if (!found) return fail('not_found')
    return {
      ok: true,
      report: describeReport(found.report),
      duplicates: found.duplicates.map(describeReport),
      history: await listChanges(params.id),
    }
  },
  async mergeReport({ params, body, audit }, { store }) {
    const result = await store.mergeReports({ id: params.id, into: body.into, audit })
    return typeof result === 'string' ? fail(result) : { ok: true, report: describeReport(result) }
  },
  async separateReport({ params, audit }, { store }) {
    const report = await store.separateReport({ id: params.id, audit })
    if (report) return { ok: true, report: describeReport(report) }
    return fail((await store.findReport({ id: params.id, maxDuplicates: 0 })) ? 'not_duplicate' : 'not_found')
  },
  async triageReport({ params, body, audit }, { store }) {
    const report = await store.setReportStatus({ id: params.id, status: body.status, audit })
    return report ? { ok: true, report: describeReport(report) } : fail('not_found')
  },
}

/** Builds the filter of a list from a query. */
function toFilter({ kind, from, to, q }: ReportQuery): ReportFilter {
  return {
    kind,
    from: from === undefined ? undefined : Date.parse(from),
    to: to === undefined ? undefined : Date.parse(to),
    words: q?.split(/\s+/),
  }
}

/** Replaces secrets and personal data in a body. Returns null when the scrubber failed. */
async function scrubBody<T>(body: T, { scrubber, logger }: ReportsDeps): Promise<T | null> {
  const scrubbed = scrubJson(await scrubber(), body, { skipAsyncDetectors: true })
  if (scrubbed.ok) return scrubbed.value
  logger.error({ reason: scrubbed.reason }, 'reports.scrub.failed')
  return null
}

const prepareEvidence = (evidence: Evidence, now: number, random: Random): NewEvidence[] =>
  evidence.map(({ type, content, redacted = false }) => ({ id: uuid7(now, random), type, content, redacted }))

function describeReport({ body, evidence, createdAt, changedAt, ...report }: StoredReport): z.input<typeof ReportItem> {
  const {
    observation = false,
    reporter,
    subject,
    signal = {},
    content,
  } = JSON.parse(body) as Omit<z.output<typeof AgentReport>, 'evidence'> & { observation?: boolean }
  return {
    ...report,
    observation,
    reporter,
    subject,
    signal,
    content,
    evidence: [...evidence],
    createdAt: timestamp(createdAt),
    changedAt: timestamp(changedAt),
  }
}

/** Returns a receipt in the format of the protocol. */
function describeReceipt({
  id,
  reportId,
  duplicateOf,
  evidenceIds,
  createdAt,
}: StoredReceipt): z.input<typeof Receipt> {
  return {
    receipt: {
      id,
      feedback_id: reportId,
      status: duplicateOf === null ? 'accepted' : 'duplicate',
      evidence_ids: [...evidenceIds],
      duplicate_of: duplicateOf,
      created_at: timestamp(createdAt),
    },
  }
}

function buildMail(
  id: string,
  report: z.output<typeof AgentReport>,
  { now, requestId }: { readonly now: number; readonly requestId: string },
  { contactEmail: contact, brand }: Pick<ReportsDeps, 'contactEmail' | 'brand'>,
): OutboxEntry | null {
  return contact === null
    ? null
    : {
        id,
        channel: 'mail',
        recipient: contact,
        subject: buildReportSubject(report, brand.name),
        payload: buildReportText(id, report, now),
        createdAt: now,
        requestId,
      }
}

/** Binds the routes of agent reports to their handlers. */
export const mountReports = (deps: ReportsDeps): Mounted[] => mount(reportsContract, reportsHandlers, deps)
