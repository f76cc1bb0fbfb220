import * as z from 'zod'
import { DateTime, RangeEnd, True, Uuid, Whole } from '../http/fields.ts'
import { ListQuery } from '../http/list.ts'
import { route } from '../http/route.ts'
import { channels, entryStatuses, undeliveredStatuses } from './store.ts'

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
    requestId: z.string().nullable().describe('the request that enqueued it: `x-request-id` of its reply'),
    canResend: z.boolean().describe('whether it can be sent again'),
    createdAt: DateTime,
    dueAt: DateTime.describe('time of the next attempt'),
    finishedAt: DateTime.nullable(),
  })
  .meta({ id: 'OutboxEntry' })

/** The query of the operator's list of outbox entries. */
export const OutboxQuery = ListQuery(['createdAt', 'recipient']).extend({
  status: z.enum(entryStatuses).optional(),
  channel: z.enum(channels).optional(),
})

/** The fields of a request that select the entries to change. */
const chosen = {
  ids: z
    .array(Uuid)
    .min(1)
    .max(500)
    .optional()
    .describe('ids of the entries; without ids, all entries with the status'),
  until: RangeEnd.optional().describe('excludes entries that finished after this time; default: now'),
}

const operator = { auth: 'admin', envelope: 'ok', failures: {} } as const

/** The operator's list of outbox entries, and the actions of an operator on undelivered entries. */
export const outboxContract = {
  adminOutbox: route({
    ...operator,
    method: 'GET',
    path: '/api/admin/outbox',
    tool: 'admin_list_outbox',
    summary: 'List outbox entries',
    description: 'Returns mails and other deliveries, newest first.',
    query: OutboxQuery,
    reply: z.object({ ok: True, items: z.array(OutboxItem), nextCursor: z.string().nullable() }),
  }),
  resendOutbox: route({
    ...operator,
    method: 'POST',
    path: '/api/admin/outbox/resend',
    summary: 'Send dead entries again',
    description:
      'Makes dead entries due again, and resets their attempts. Skips other entries, and deliveries to a disabled webhook.',
    body: z.object({ status: z.literal('dead'), ...chosen }),
    reply: z.object({ ok: True, resent: Whole }),
  }),
  deleteOutbox: route({
    ...operator,
    method: 'POST',
    path: '/api/admin/outbox/delete',
    summary: 'Delete undelivered entries',
    description:
      'Deletes dead or unknown entries, which are not tried again. They are otherwise deleted after 30 days.',
    body: z.object({ status: z.enum(undeliveredStatuses), ...chosen }),
    reply: z.object({ ok: True, deleted: Whole }),
  }),
}
