import type { Handlers } from '../http/route.ts'
import { timestamp, timestampOrNull } from '../ids.ts'
import type { outboxContract } from './contract.ts'
import type { OutboxStore } from './store.ts'

export interface OutboxRoutesDeps {
  readonly outbox: OutboxStore
}

export const outboxHandlers: Handlers<typeof outboxContract, OutboxRoutesDeps> = {
  async adminOutbox({ query }, { outbox }) {
    const found = await outbox.list(query.status ?? null, query.cursor ?? null, query.limit + 1)
    const kept = found.slice(0, query.limit)
    return {
      ok: true,
      nextCursor: found.length > query.limit ? kept.at(-1)!.id : null,
      items: kept.map(({ createdAt, dueAt, finishedAt, ...item }) => ({
        ...item,
        createdAt: timestamp(createdAt),
        dueAt: timestamp(dueAt),
        finishedAt: timestampOrNull(finishedAt),
      })),
    }
  },
}
