import type { AuditContext } from '../audit/store.ts'
import { uuid7 } from '../ids.ts'
import type { Random } from '../ports.ts'

/** A request of an operator, as the audit records it. */
export interface AuditRequest {
  readonly actor: string
  readonly requestId: string
  readonly address: string | null
  readonly now: number
}

/** Returns the audit context of an operator's request. */
export function auditContext({ actor, requestId, address, now }: AuditRequest, random: Random): AuditContext {
  return { id: uuid7(now, random), actor, requestId, address, at: now }
}
