import { dayMs, uuid7 } from '../../ids.ts'

/** The actions of operators that change something. */
export const auditActions = [
  'application.review',
  'contributor.pause',
  'waitlist.notify',
  'job.retry',
  'sale.record',
  'payout.record',
  'correction.record',
  'campaign.create',
  'campaign.update',
  'report.update',
  'report.merge',
  'report.separate',
  'webhook.create',
  'webhook.update',
  'webhook.delete',
  'webhook.rotate_secret',
  'webhook.test',
  'webhook.redeliver',
  'operator.sign_in',
  'operator.sign_out',
] as const

export type AuditAction = (typeof auditActions)[number]

/** Returns how long entries are kept, in milliseconds; by default two years. Throws on fewer than 90 days. */
export function auditMs(days = 730): number {
  if (!(Number.isSafeInteger(days) && days >= 90))
    throw new Error(`auditDays must be a whole number, 90 or more: ${days}`)
  return days * dayMs
}

/** A request of an operator, as the audit records it. */
export interface AuditRequest {
  readonly actor: string
  readonly requestId: string
  readonly address: string | null
  readonly now: number
}

/** Returns the audit context of an operator's request. */
export function auditContext({ actor, requestId, address, now }: AuditRequest, random: (length: number) => Uint8Array) {
  return { id: uuid7(now, random), actor, requestId, address, at: now }
}
