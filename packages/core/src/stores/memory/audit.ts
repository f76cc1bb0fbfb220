import type { AuditAction, AuditContext, AuditEntry, AuditState, AuditStore } from '../../audit/store.ts'

/** The audit log in a list. The other stores of this folder call `record` in the same step as their effect. */
export interface MemoryAudit extends AuditStore {
  /** Replaces the id of an erased person. */
  replaceTarget(target: string, by: string): void
  record(audit: AuditContext, action: AuditAction, target: string, before: AuditState, after: AuditState): void
}

/** Returns the audit log in memory. */
export function memoryAudit(): MemoryAudit {
  const entries: (AuditEntry & { readonly num: number })[] = []
  let lastNum = 0
  return {
    record({ id, actor, requestId, address, at }, action, target, before, after) {
      entries.push({ num: ++lastNum, id, at, actor, action, target, before, after, requestId, address })
    },
    replaceTarget(target, by) {
      for (const [index, entry] of entries.entries())
        if (entry.target === target) entries[index] = { ...entry, target: by }
    },
    async recordRead({ action, target, audit, unlessSince = Infinity }) {
      const isSame = (entry: AuditEntry): boolean =>
        entry.action === action && entry.target === target && entry.actor === audit.actor && entry.at >= unlessSince
      if (entries.some(isSame)) return
      this.record(audit, action, target, null, null)
    },
    async listEntries({ cursor, limit, actor, action, targets }) {
      const found = entries
        .filter(
          (entry) =>
            (cursor === null || entry.num < cursor) &&
            (actor === null || entry.actor === actor) &&
            (action === null || entry.action === action) &&
            (targets?.includes(entry.target) ?? true),
        )
        .reverse()
      const page = found.slice(0, limit)
      return { items: page.map(({ num: _, ...entry }) => entry), next: found.length > limit ? page.at(-1)!.num : null }
    },
    async deleteEntries({ before }) {
      const kept = entries.findIndex(({ at }) => at >= before)
      entries.splice(0, kept === -1 ? entries.length : kept)
      return false
    },
  }
}
