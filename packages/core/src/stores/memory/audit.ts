import type { AuditAction, AuditContext, AuditEntry, AuditState, AuditStore } from '../../admin/audit/store.ts'

/** The audit in a list; `record` is for the other stores of this folder, in the same step as their effect. */
export interface MemoryAudit extends AuditStore {
  record(audit: AuditContext, action: AuditAction, target: string, before: AuditState, after: AuditState): void
}

export function memoryAudit(): MemoryAudit {
  const entries: (AuditEntry & { readonly num: number })[] = []
  let last = 0
  return {
    record({ id, actor, requestId, address, at }, action, target, before, after) {
      entries.push({ num: ++last, id, at, actor, action, target, before, after, requestId, address })
    },
    async list({ cursor, limit, actor, action }) {
      const found = entries
        .filter(
          (one) =>
            (cursor === null || one.num < cursor) &&
            (actor === null || one.actor === actor) &&
            (action === null || one.action === action),
        )
        .reverse()
      const page = found.slice(0, limit)
      return { items: page.map(({ num: _, ...entry }) => entry), next: found.length > limit ? page.at(-1)!.num : null }
    },
    async forget(before) {
      const kept = entries.findIndex(({ at }) => at >= before)
      entries.splice(0, kept === -1 ? entries.length : kept)
      return false
    },
  }
}
