import { mount, type Handlers, type Mounted } from '../start.ts'
import { timestamp, timestampOrNull } from '../ids.ts'
import { outboxContract } from './contract.ts'
import type { OutboxStore } from './store.ts'

export interface OutboxRoutesDeps {
  readonly outbox: OutboxStore
}

export const outboxHandlers: Handlers<typeof outboxContract, OutboxRoutesDeps> = {
  async adminOutbox({ query: { status = null, cursor = null, limit } }, { outbox }) {
    const entries = await outbox.list({ status, cursor, limit: limit + 1 })
    const page = entries.slice(0, limit)
    return {
      ok: true,
      nextCursor: entries.length > limit ? page.at(-1)!.id : null,
      items: page.map(({ createdAt, dueAt, finishedAt, ...entry }) => ({
        ...entry,
        createdAt: timestamp(createdAt),
        dueAt: timestamp(dueAt),
        finishedAt: timestampOrNull(finishedAt),
      })),
    }
  },
}

/** Binds the routes of the outbox to their handlers. */
export const mountOutbox = (deps: OutboxRoutesDeps): Mounted[] => mount(outboxContract, outboxHandlers, deps)
