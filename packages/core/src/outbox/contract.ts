import * as z from 'zod'
import { DateTime, Page, True, Uuid } from '../http/fields.ts'
import { route } from '../http/route.ts'
import { channels, entryStatuses } from './store.ts'

export const OutboxItem = z
  .object({
    id: z.string(),
    channel: z.enum(channels),
    status: z
      .enum(entryStatuses)
      .describe(
        'unknown: the connection broke while the mail was sent; it may have been delivered and is not sent again',
      ),
    recipient: z.string(),
    subject: z.string(),
    attempts: z.int(),
    lastError: z.string().nullable(),
    createdAt: DateTime,
    dueAt: DateTime.describe('time of the next attempt'),
    finishedAt: DateTime.nullable(),
  })
  .meta({ id: 'OutboxEntry' })

/** The operator's list of outbox entries. */
export const outboxContract = {
  adminOutbox: route({
    method: 'GET',
    path: '/api/admin/outbox',
    auth: 'admin',
    envelope: 'ok',
    summary: 'List outbox entries',
    description: 'Returns mails and other deliveries, newest first.',
    query: Page.extend({ cursor: Uuid.optional(), status: z.enum(entryStatuses).optional() }),
    reply: z.object({ ok: True, items: z.array(OutboxItem), nextCursor: z.string().nullable() }),
    failures: {},
  }),
}
