import type * as z from 'zod'
import { fail } from '../http/failures.ts'
import { reply, type Handlers } from '../http/route.ts'
import { timestamp, toHex, uuid7 } from '../ids.ts'
import type { Entry } from '../outbox/store.ts'
import type { Digest, Logger, Random } from '../ports.ts'
import { scrubJson, type Scrubber } from '../scrub/index.ts'
import type { AgentReport, Receipt, reportsContract } from './contract.ts'
import { letter, title } from './letter.ts'
import { canonical, claimMs, keyMs, keyOf, meaning } from './rules.ts'
import type { KeptReceipt, NewReport, ReportStore } from './store.ts'

export interface ReportsDeps {
  readonly store: ReportStore
  readonly scrubber: Scrubber
  readonly random: Random
  readonly digest: Digest
  readonly logger: Logger
  /** Whom new reports are mailed to; null: nobody. */
  readonly contactEmail: string | null
}

export const reportsHandlers: Handlers<typeof reportsContract, ReportsDeps> = {
  async sendReport({ body, request, now }, deps) {
    const { store, random, digest } = deps
    const header = request.headers['idempotency-key']
    const key = header === undefined ? null : keyOf(header)
    if (header !== undefined && key === null) return fail('invalid_idempotency_key')
    const done = scrubJson(deps.scrubber, body)
    if (!done.ok) {
      deps.logger.error({ reason: done.reason }, 'a report could not be scrubbed and is not kept')
      return fail('unavailable')
    }
    const hash = (text: string): string => toHex(digest(text))
    const hold = key === null ? null : { key, lease: toHex(random(16)) }
    if (hold) {
      const claim = await store.claim(hold, hash(canonical(done.value)), { now, until: now + claimMs, since: now - keyMs })
      if (claim === 'mismatch') return fail('idempotency_mismatch')
      if (claim === 'busy') return fail('idempotency_in_progress', {}, [['retry-after', '1']])
      if (claim !== 'mine') return reply(200, receiptOf(claim))
    }
    const { evidence = [], ...report } = done.value
    const kept: NewReport = {
      id: uuid7(now, random), receiptId: uuid7(now, random), meaning: hash(meaning(report)), body: JSON.stringify(report), createdAt: now,
      evidence: evidence.map(({ type, content, redacted = false }) => ({ id: uuid7(now, random), type, content, redacted })),
    }
    const receipt = await store.keep(kept, hold, mailOf(kept.id, done.value, now, deps.contactEmail))
    if (!receipt) return fail('idempotency_in_progress', {}, [['retry-after', '1']])
    return reply(receipt.duplicateOf === null ? 201 : 202, receiptOf(receipt))
  },
}

/** A receipt in the protocol's words. */
export function receiptOf({ id, reportId, duplicateOf, evidenceIds, createdAt }: KeptReceipt): z.input<typeof Receipt> {
  return {
    receipt: {
      id, feedback_id: reportId, status: duplicateOf === null ? 'accepted' : 'duplicate', evidence_ids: [...evidenceIds],
      duplicate_of: duplicateOf, created_at: timestamp(createdAt),
    },
  }
}

function mailOf(id: string, report: z.output<typeof AgentReport>, now: number, contact: string | null): Entry | null {
  return contact === null ? null : { id, channel: 'mail', recipient: contact, subject: title(report), payload: letter(id, report, now), createdAt: now }
}
