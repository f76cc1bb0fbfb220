import { dayMs, uuid7 } from '../ids.ts'

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
