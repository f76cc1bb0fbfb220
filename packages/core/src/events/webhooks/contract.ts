import * as z from 'zod'
import { DateTime, Name, Page, True, Uuid } from '../../http/fields.ts'
import { route } from '../../http/route.ts'
import { eventTypes, type EventType } from '../schema.ts'
import { deliveryStatuses } from './store.ts'

const operator = { auth: 'admin', envelope: 'ok' } as const
const path = '/api/admin/webhooks'
const params = z.object({ id: Uuid })
const Events = z
  .array(z.enum(eventTypes))
  .min(1)
  .max(eventTypes.length)
  .transform((events): EventType[] => [...new Set(events)])
const Url = z.url({ protocol: /^https?$/ }).max(2048)
const Description = z.union([z.literal(''), Name(1, 256)])

export const WebhookShape = z
  .object({
    id: z.string(),
    url: z.string(),
    description: z.string(),
    events: z.array(z.enum(eventTypes)).nullable().describe('the event types to send; null means all types'),
    status: z.enum(['enabled', 'disabled']),
    disabledReason: z.string().nullable().describe('why the service disabled it: its endpoint answered 410'),
    createdAt: DateTime,
    updatedAt: DateTime,
  })
  .meta({ id: 'Webhook' })

const Secret = z.string().describe('`whsec_…`, shown only once: give it to the program that verifies signatures')

export const DeliveryShape = z
  .object({
    id: z.string(),
    eventId: z.string().describe('the value that the endpoint gets as `webhook-id`'),
    eventType: z.string(),
    status: z.enum(deliveryStatuses),
    attempts: z.int(),
    lastError: z.string().nullable(),
    results: z
      .array(z.object({ at: DateTime, status: z.int().nullable(), error: z.string().nullable() }))
      .describe('how each attempt ended'),
    event: z.record(z.string(), z.unknown()).describe('the body that was sent'),
    createdAt: DateTime,
    dueAt: DateTime.describe('time of the next attempt'),
    finishedAt: DateTime.nullable(),
  })
  .meta({ id: 'WebhookDelivery' })

/** The routes of the endpoints that receive events by Standard Webhooks. */
export const webhooksContract = {
  listWebhooks: route({
    ...operator,
    method: 'GET',
    path,
    tool: 'admin_list_webhooks',
    summary: 'List webhooks',
    description: 'Returns all endpoints, oldest first; there are 20 at most.',
    query: z.object({}),
    reply: z.object({ ok: True, items: z.array(WebhookShape), nextCursor: z.null() }),
    failures: {},
  }),
  createWebhook: route({
    ...operator,
    method: 'POST',
    path,
    summary: 'Create a webhook',
    description:
      'Sends events to an https URL with a public host, signed by Standard Webhooks. `events` left out: ' +
      'all. One URL has one webhook.',
    body: z.object({ url: Url, description: Description.optional(), events: Events.optional() }),
    reply: z.object({ ok: True, webhook: WebhookShape, secret: Secret }),
    success: [201],
    failures: { private_address: 400, webhook_exists: 409, too_many_webhooks: 409 },
  }),
  updateWebhook: route({
    ...operator,
    method: 'PATCH',
    path: `${path}/:id`,
    summary: 'Update a webhook',
    description:
      'Changes the fields in the body. Disabling ends waiting deliveries; `events: null` selects all events.',
    params,
    body: z.object({
      url: Url.optional(),
      description: Description.optional(),
      events: Events.nullable().optional(),
      status: z.enum(['enabled', 'disabled']).optional(),
    }),
    reply: z.object({ ok: True, webhook: WebhookShape }),
    failures: { not_found: 404, private_address: 400, webhook_exists: 409 },
  }),
  deleteWebhook: route({
    ...operator,
    method: 'DELETE',
    path: `${path}/:id`,
    summary: 'Delete a webhook',
    description: 'Deletes the endpoint and its deliveries.',
    params,
    reply: z.object({ ok: True }),
    failures: { not_found: 404 },
  }),
  rotateWebhookSecret: route({
    ...operator,
    method: 'POST',
    path: `${path}/:id/rotate-secret`,
    summary: "Rotate a webhook's secret",
    description: 'Creates a new secret. For 24 hours, messages are signed with both secrets.',
    params,
    reply: z.object({ ok: True, webhook: WebhookShape, secret: Secret, previousSecretUntil: DateTime }),
    failures: { not_found: 404 },
  }),
  testWebhook: route({
    ...operator,
    method: 'POST',
    path: `${path}/:id/test`,
    summary: 'Send a test event',
    description: 'Queues an event of the type `webhook.test` for this endpoint alone.',
    params,
    reply: z.object({ ok: True, deliveryId: z.string() }),
    success: [202],
    failures: { not_found: 404, webhook_disabled: 409 },
  }),
  listWebhookDeliveries: route({
    ...operator,
    method: 'GET',
    path: `${path}/:id/deliveries`,
    tool: 'admin_list_webhook_deliveries',
    summary: 'List deliveries of a webhook',
    description: 'Returns deliveries of the last 30 days, newest first.',
    params,
    query: Page.extend({ cursor: Uuid.optional(), status: z.enum(deliveryStatuses).optional() }),
    reply: z.object({ ok: True, items: z.array(DeliveryShape), nextCursor: z.string().nullable() }),
    failures: { not_found: 404 },
  }),
  redeliverWebhook: route({
    ...operator,
    method: 'POST',
    path: `${path}/:id/deliveries/:deliveryId/redeliver`,
    summary: 'Redeliver an event',
    description: 'Sends a finished delivery again, with the full number of attempts and the same `webhook-id`.',
    params: params.extend({ deliveryId: Uuid }),
    reply: z.object({ ok: True, deliveryId: z.string() }),
    success: [202],
    failures: { not_found: 404, delivery_pending: 409, webhook_disabled: 409 },
  }),
}
