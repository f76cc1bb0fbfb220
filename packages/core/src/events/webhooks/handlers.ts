import type * as z from 'zod'
import { pageOf } from '../../lists.ts'
import type { Secrets } from '../../auth/hmac.ts'
import { toPublicUrl } from '../../http/public-address.ts'
import { fail, invalid } from '../../http/failures.ts'
import { reply, mount, type Handlers, type Mounted } from '../../http/route.ts'
import { timestamp, timestampOrNull, uuid7 } from '../../ids.ts'
import type { Random } from '../../ports.ts'
import { webhooksContract, type WebhookShape } from './contract.ts'
import { makeSecret, sealSecret } from './secret.ts'
import type { Webhook, WebhookStore } from './store.ts'

export interface WebhooksDeps extends Secrets {
  readonly store: WebhookStore
  readonly random: Random
  readonly allowPrivateAddresses: boolean
}

/** The time for which a replaced secret still signs, in milliseconds. */
export const rotationMs = 24 * 60 * 60 * 1000

const describeWebhook = ({ events, createdAt, updatedAt, ...webhook }: Webhook): z.input<typeof WebhookShape> => ({
  ...webhook,
  events: events && [...events],
  createdAt: timestamp(createdAt),
  updatedAt: timestamp(updatedAt),
})

const isRefused = (url: string | undefined, { allowPrivateAddresses }: WebhooksDeps): boolean =>
  url !== undefined && !allowPrivateAddresses && toPublicUrl(url) === null

const privateUrl = { path: ['url'], code: 'custom', message: 'must be https and name a public host' }

export const webhooksHandlers: Handlers<typeof webhooksContract, WebhooksDeps> = {
  async listWebhooks(_, { store }) {
    return { ok: true, items: (await store.listWebhooks()).map(describeWebhook), nextCursor: null }
  },

  async createWebhook({ body: { url, description = '', events = null }, now, audit }, deps) {
    if (isRefused(url, deps)) return invalid('private_address', privateUrl)
    const id = uuid7(now, deps.random)
    const secret = makeSecret(deps.random)
    const sealed = await sealSecret(deps, id, secret)
    const webhook = await deps.store.createWebhook({ webhook: { id, url, description, events, secret: sealed }, audit })
    if (webhook === 'exists') return fail('webhook_exists')
    if (webhook === 'too_many') return fail('too_many_webhooks')
    return reply(201, { ok: true, webhook: describeWebhook(webhook), secret })
  },

  async updateWebhook({ params, body, audit }, deps) {
    if (isRefused(body.url, deps)) return invalid('private_address', privateUrl)
    const given = Object.entries(body).filter(([, value]) => value !== undefined)
    const webhook = await deps.store.updateWebhook({ id: params.id, changes: Object.fromEntries(given), audit })
    if (webhook === 'exists') return fail('webhook_exists')
    return webhook ? { ok: true, webhook: describeWebhook(webhook) } : fail('not_found')
  },

  async deleteWebhook({ params, audit }, { store }) {
    return (await store.deleteWebhook({ id: params.id, audit })) ? { ok: true } : fail('not_found')
  },

  async rotateWebhookSecret({ params, now, audit }, deps) {
    const secret = makeSecret(deps.random)
    const previousUntil = now + rotationMs
    const sealed = await sealSecret(deps, params.id, secret)
    const webhook = await deps.store.rotateSecret({ id: params.id, secret: sealed, previousUntil, audit })
    if (!webhook) return fail('not_found')
    return { ok: true, webhook: describeWebhook(webhook), secret, previousSecretUntil: timestamp(previousUntil) }
  },

  async testWebhook({ params: { id }, now, audit }, { store, random }) {
    const deliveryId = uuid7(now, random)
    const event = { id: deliveryId, type: 'webhook.test', createdAt: timestamp(now), data: { webhookId: id } }
    const sent = await store.sendTest({ id, deliveryId, payload: JSON.stringify(event), audit })
    if (sent === null) return fail('not_found')
    return sent ? reply(202, { ok: true, deliveryId }) : fail('webhook_disabled')
  },

  async listWebhookDeliveries({ params, query: { status = null, cursor = null, limit } }, { store }) {
    const deliveries = await store.listDeliveries({ id: params.id, status, cursor, limit: limit + 1 })
    if (!deliveries) return fail('not_found')
    const { page, next } = pageOf(deliveries, limit, ({ id }) => id)
    return {
      ok: true,
      nextCursor: next,
      items: page.map(({ payload, results, createdAt, dueAt, finishedAt, ...delivery }) => {
        const event = JSON.parse(payload) as { id: string }
        return {
          ...delivery,
          eventId: event.id,
          event: { ...event },
          results: results.map(({ at, ...result }) => ({ at: timestamp(at), ...result })),
          createdAt: timestamp(createdAt),
          dueAt: timestamp(dueAt),
          finishedAt: timestampOrNull(finishedAt),
        }
      }),
    }
  },

  async redeliverWebhook({ params: { id, deliveryId }, audit }, { store }) {
    const result = await store.redeliver({ id, deliveryId, audit })
    if (result === 'redelivered') return reply(202, { ok: true, deliveryId })
    if (result === null) return fail('not_found')
    return fail(result === 'pending' ? 'delivery_pending' : 'webhook_disabled')
  },
}

/** Binds the routes of webhooks to their handlers. */
export const mountWebhooks = (deps: WebhooksDeps): Mounted[] => mount(webhooksContract, webhooksHandlers, deps)
