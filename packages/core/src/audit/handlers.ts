import { placeOf } from '../http/fields.ts'
import { mount } from '../http/mount.ts'
import type { Handlers, Mounted } from '../http/route.ts'
import { auditContract } from './contract.ts'
import { timestamp } from '../ids.ts'
import type { AuditEntry, AuditStore } from './store.ts'

export interface AuditDeps {
  readonly store: AuditStore
}

/** Returns an entry as JSON shows it. */
export const auditView = ({ at, ...entry }: AuditEntry) => ({ ...entry, at: timestamp(at) })

export const auditHandlers: Handlers<typeof auditContract, AuditDeps> = {
  async listAudit({ query }, { store }) {
    const { cursor, limit, actor = null, action = null } = query
    const { items, next } = await store.listEntries({ cursor: placeOf(cursor), limit, actor, action })
    return {
      ok: true,
      nextCursor: next === null ? null : String(next),
      items: items.map(auditView),
    }
  },
}

/** Binds the routes of the audit log to their handlers. */
export const mountAudit = (deps: AuditDeps): Mounted[] => mount(auditContract, auditHandlers, deps)
