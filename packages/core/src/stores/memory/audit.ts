import { listPage, type MemoryList } from './list.ts'
import type {
  AuditAction,
  AuditContext,
  AuditEntry,
  AuditState,
  AuditStore,
  ListAuditParams,
} from '../../audit/store.ts'

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
    async listEntries({ actor, action, targets, ...params }) {
      const found = entries.filter(
        (entry) =>
          (actor == null || entry.actor === actor) &&
          (action == null || entry.action === action) &&
          (targets?.includes(entry.target) ?? true),
      )
      const list: MemoryList<(typeof entries)[number], NonNullable<ListAuditParams['sort']>> = {
        num: ({ num }) => num,
        at: ({ at }) => at,
        sorts: { at: ({ num }) => num, actor: (entry) => entry.actor, action: (entry) => entry.action },
        whole: ({ id, target, requestId, actor: by }) => [id, target, requestId, by],
        text: (entry) => [entry.id, entry.actor, entry.action, entry.target, entry.requestId, entry.address],
      }
      const { items, next } = listPage(found, list, params)
      return { items: items.map(({ num: _, ...entry }) => entry), next }
    },
    async findStatusChange({ action, target, status }) {
      const found = entries.findLast(
        (entry) =>
          entry.action === action &&
          entry.target === target &&
          entry.after?.['status'] === status &&
          entry.before?.['status'] !== status,
      )
      if (!found) return null
      const { num: _, ...entry } = found
      return entry
    },
    async deleteEntries({ before }) {
      const kept = entries.findIndex(({ at }) => at >= before)
      entries.splice(0, kept === -1 ? entries.length : kept)
      return false
    },
  }
}
