import { listParams } from '../http/list.ts'
import { mount, type Handlers, type Mounted } from '../http/route.ts'
import { auditContract } from './contract.ts'
import { timestamp } from '../ids.ts'
import type { AuditEntry, AuditStore } from './store.ts'

export interface AuditDeps {
  readonly store: AuditStore
}

/** Returns the JSON representation of an entry. */
export const auditView = ({ at, ...entry }: AuditEntry) => ({ ...entry, at: timestamp(at) })

const auditHandlers: Handlers<typeof auditContract, AuditDeps> = {
  async listAudit({ query }, { store }) {
    const { actor, action, target } = query
    const targets = target === undefined ? undefined : [target]
    const { items, next } = await store.listEntries({ ...listParams(query), actor, action, targets })
    return { ok: true, items: items.map(auditView), nextCursor: next }
  },
}

/** Binds the routes of the audit log to their handlers. */
export const mountAudit = (deps: AuditDeps): Mounted[] => mount(auditContract, auditHandlers, deps)
