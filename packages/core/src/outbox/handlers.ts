import { listParams } from '../http/list.ts'
import { mount, type Handlers, type Mounted } from '../http/route.ts'
import { timestamp, timestampOrNull } from '../ids.ts'
import { outboxContract } from './contract.ts'
import type { AuditContext } from '../audit/store.ts'
import { maxEntriesPerAction, type ChangeEntriesParams, type OutboxStore, type UndeliveredStatus } from './store.ts'

export interface OutboxRoutesDeps {
  readonly outbox: OutboxStore
}

export const outboxHandlers: Handlers<typeof outboxContract, OutboxRoutesDeps> = {
  async adminOutbox({ query }, { outbox }) {
    const { status, channel } = query
    const page = await outbox.list({ ...listParams(query), status, channel })
    return {
      ok: true,
      nextCursor: page.next,
      items: page.items.map(({ createdAt, dueAt, finishedAt, ...entry }) => ({
        ...entry,
        createdAt: timestamp(createdAt),
        dueAt: timestamp(dueAt),
        finishedAt: timestampOrNull(finishedAt),
      })),
    }
  },

  async resendOutbox({ body, audit }, { outbox }) {
    const params = toChange(body, audit)
    return { ok: true, resent: await changeAll(params, (step) => outbox.resend({ ...step, status: 'dead' })) }
  },

  async deleteOutbox({ body, audit }, { outbox }) {
    const params = toChange(body, audit)
    return { ok: true, deleted: await changeAll(params, (step) => outbox.deleteUndelivered(step)) }
  },
}

type Change = ChangeEntriesParams<UndeliveredStatus>

/** Returns which entries an operator's request changes. */
const toChange = (
  { status, ids, until }: { status: UndeliveredStatus; ids?: string[] | undefined; until?: string | undefined },
  audit: AuditContext,
): Change => ({ status, ids: ids ?? null, until: until === undefined ? audit.at : Date.parse(until), audit })

/** Changes the entries whose ids are given, or else all matching entries in batches. Returns how many were changed. */
async function changeAll(params: Change, change: (step: Change) => Promise<number>): Promise<number> {
  let total = 0
  for (;;) {
    const changed = await change(params)
    total += changed
    if (params.ids !== null || changed < maxEntriesPerAction) return total
  }
}

/** Binds the routes of the outbox to their handlers. */
export const mountOutbox = (deps: OutboxRoutesDeps): Mounted[] => mount(outboxContract, outboxHandlers, deps)
