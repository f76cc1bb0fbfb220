import type { AuditContext } from '../audit/store.ts'
import { uuid7 } from '../ids.ts'
import type { Random } from '../ports.ts'

/** Returns the name of a buyer in the audit log. This name has a colon, which the name of an operator never has. */
export const buyerActor = ({ name }: { readonly name: string }): string => `buyer: ${name}`

/** A request of an operator or a buyer, as the audit log records it. */
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

/**
 * Returns the option `unlessSince` for the audit entry of a page. The first page always adds an entry, so the option is
 * absent. A later page adds an entry only if the same reader has no entry of the last day. A download of many pages
 * therefore has one entry. A cursor of zeros, as a number or a UUID, also means the first page.
 */
export const onlyFirstRead = (cursor: string | null | undefined, now: number): { readonly unlessSince?: number } =>
  /[1-9a-z]/i.test(cursor ?? '') ? { unlessSince: now - 24 * 60 * 60 * 1000 } : {}
