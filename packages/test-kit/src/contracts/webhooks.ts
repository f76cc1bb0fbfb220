import type { Stores } from '@tributary/core'
import { maxWebhooks, type ClaimDeliveriesParams, type OutboxEntry, type Webhook } from '@tributary/core/stores'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { newerRows } from './lists.ts'
import { makeId } from '../fixtures/seed.ts'
import { makeAuditContext } from './audit.ts'
import { useRealTimes } from './real-times.ts'

/** The stores of two hosts over the same empty database. */
export interface WebhooksPlace {
  readonly stores: readonly [Stores, Stores]
  close?(): Promise<void>
}

const start = Date.UTC(2026, 10, 22, 12)
const [minute, leaseMs] = [60_000, 5 * 60_000]
let made = 0
let leases = 0

/** Runs the contract tests of the store of webhooks and their deliveries; `open` returns empty stores. */
export function runWebhookStoreContract(name: string, open: () => Promise<WebhooksPlace>): void {
  describe(`WebhookStore in ${name}`, () => {
    let place: WebhooksPlace
    let stores: Stores
    let store: Stores['webhooks']
    let other: Stores['webhooks']
    beforeEach(async () => {
      place = useRealTimes(await open())
      stores = place.stores[0]
      ;[store, other] = [stores.webhooks, place.stores[1].webhooks]
    })
    afterEach(async () => place.close?.())

    const makeParams = (changes: Partial<Webhook> = {}) => {
      const id = makeId('e', ++made)
      const webhook = { id, url: `https://hooks.example.com/${made}`, description: 'CRM', events: null, ...changes }
      return { webhook: { ...webhook, secret: `sealed-${webhook.id}` }, audit: makeAuditContext(start) }
    }
    const create = async (changes: Partial<Webhook> = {}): Promise<Webhook> =>
      (await store.createWebhook(makeParams(changes))) as Webhook
    const enqueue = async (id: string, changes: Partial<OutboxEntry> = {}): Promise<string> => {
      const entry = { id: makeId('d', ++made), channel: 'webhook', recipient: id, subject: 'job.failed' } as const
      await stores.outbox.enqueue({ ...entry, payload: '{}', createdAt: start, ...changes })
      return entry.id
    }
    const claim = (id: string, changes: Partial<ClaimDeliveriesParams> = {}, at = store) => {
      const now = changes.now ?? start
      return at.claimDeliveries({ id, lease: `l-${++leases}`, now, until: now + leaseMs, limit: 10, ...changes })
    }
    const listIds = async (claimed: ReturnType<typeof claim>): Promise<string[]> =>
      ((await claimed)?.entries ?? []).map(({ id }) => id)
    const list = (id: string) => other.listDeliveries({ id, status: null, cursor: null, limit: 100 })
    const listActions = async (): Promise<string[]> =>
      (await stores.audit.listEntries({ cursor: null, limit: 100, actor: null, action: null })).items.map(
        ({ action }) => action,
      )

    describe('createWebhook and listWebhooks', () => {
      test('return an enabled endpoint as it was submitted, without its secret, oldest first', async () => {
        const first = await create({ events: ['job.failed', 'sale.recorded'], description: 'Åse "quoted" 😀' })
        const second = await create()
        const state = { status: 'enabled', disabledReason: null, createdAt: start, updatedAt: start }
        expect(first).toEqual({ ...first, ...state, events: ['job.failed', 'sale.recorded'] })
        expect(await other.listWebhooks()).toEqual([first, second])
        expect(JSON.stringify(await other.listWebhooks())).not.toContain('sealed')
        expect(await listActions()).toEqual(['webhook.create', 'webhook.create'])
      })

      test('refuse a URL that another endpoint has, also in ten concurrent calls of two hosts', async () => {
        const { url } = await create()
        expect(await store.createWebhook(makeParams({ url }))).toBe('exists')
        const same = { url: 'https://hooks.example.com/same' }
        const results = await Promise.all(
          Array.from({ length: 10 }, (_, n) => (n % 2 ? store : other).createWebhook(makeParams(same))),
        )
        expect(results.filter((result) => result !== 'exists')).toHaveLength(1)
        expect(await listActions()).toHaveLength(2)
      })

      test(`refuse more than ${maxWebhooks} endpoints`, async () => {
        for (let count = 0; count < maxWebhooks; count++) await create()
        expect(await store.createWebhook(makeParams())).toBe('too_many')
        expect(await other.listWebhooks()).toHaveLength(maxWebhooks)
      })
    })

    describe('updateWebhook', () => {
      test('changes the given fields, keeps the other fields, and returns null for an unknown endpoint', async () => {
        const webhook = await create({ events: ['job.failed'] })
        const audit = makeAuditContext(start + minute)
        const updated = await store.updateWebhook({ id: webhook.id, changes: { description: 'Billing' }, audit })
        expect(updated).toEqual({ ...webhook, description: 'Billing', updatedAt: start + minute })
        expect(
          await store.updateWebhook({ id: webhook.id, changes: { events: null }, audit: makeAuditContext() }),
        ).toMatchObject({ description: 'Billing', events: null })
        expect(await store.updateWebhook({ id: makeId('e', 0), changes: {}, audit: makeAuditContext() })).toBeNull()
      })

      test('writes an audit entry with the changes, and no entry if nothing changes', async () => {
        const { id, url } = await create({ description: 'Billing', events: ['job.failed', 'job.completed'] })
        const update = (changes: Parameters<typeof store.updateWebhook>[0]['changes']) =>
          store.updateWebhook({ id, changes, audit: makeAuditContext() })
        await update({ status: 'enabled', url })
        await update({ events: ['job.failed', 'job.completed'], description: 'Billing' })
        await update({ events: null })
        await update({ status: 'disabled' })
        await update({ status: 'disabled' })
        const { items } = await stores.audit.listEntries({
          cursor: null,
          limit: 9,
          actor: null,
          action: 'webhook.update',
        })
        const state = { url, description: 'Billing' }
        expect(items.map(({ before, after }) => [before, after])).toEqual([
          [
            { ...state, status: 'enabled', events: null },
            { ...state, status: 'disabled', events: null },
          ],
          [
            { ...state, status: 'enabled', events: 'job.failed, job.completed' },
            { ...state, status: 'enabled', events: null },
          ],
        ])
        for (let n = 0; n < newerRows; n++) await update({ description: `Billing ${n}` })
        const change = { action: 'webhook.update', target: id } as const
        expect(await stores.audit.findStatusChange({ ...change, status: 'disabled' })).toEqual(items[0])
        expect(await stores.audit.findStatusChange({ ...change, status: 'enabled' })).toBeNull()
      })

      test('returns `exists` and changes nothing when another endpoint already has the URL', async () => {
        const [first, second] = [await create(), await create()]
        const changes = { url: first.url, description: 'x' }
        expect(await store.updateWebhook({ id: second.id, changes, audit: makeAuditContext() })).toBe('exists')
        expect(await other.listWebhooks()).toEqual([first, second])
        const url = 'https://elsewhere.example/'
        const moved = await store.updateWebhook({ id: second.id, changes: { url }, audit: makeAuditContext() })
        expect(moved).toMatchObject({ id: second.id, url })
        expect(await other.listWebhooks()).toEqual([first, moved])
      })

      test('ends waiting deliveries when the endpoint is disabled, and does not send them after it is enabled again', async () => {
        const { id } = await create()
        await enqueue(id)
        const disabled = await store.updateWebhook({
          id,
          changes: { status: 'disabled' },
          audit: makeAuditContext(start),
        })
        expect(disabled).toMatchObject({ status: 'disabled', disabledReason: null })
        expect(await list(id)).toMatchObject([{ status: 'dead', finishedAt: start }])
        await store.updateWebhook({ id, changes: { status: 'enabled' }, audit: makeAuditContext(start) })
        expect(await other.listDueWebhooks({ now: start })).toEqual([])
      })
    })

    describe('deleteWebhook', () => {
      test('deletes only the given endpoint and its deliveries, and returns whether it existed', async () => {
        const [gone, kept] = [await create(), await create()]
        await enqueue(gone.id)
        await enqueue(kept.id)
        expect(await store.deleteWebhook({ id: gone.id, audit: makeAuditContext() })).toBe(true)
        expect(await store.deleteWebhook({ id: gone.id, audit: makeAuditContext() })).toBe(false)
        expect(await list(gone.id)).toBeNull()
        expect(await list(kept.id)).toHaveLength(1)
        expect((await stores.outbox.list({ cursor: null, limit: 10 })).items.map(({ recipient }) => recipient)).toEqual(
          [kept.id],
        )
        expect((await listActions()).filter((action) => action === 'webhook.delete')).toHaveLength(1)
      })
    })

    describe('rotateSecret', () => {
      test('keeps the replaced secret as the previous secret, which claimDeliveries returns until it expires', async () => {
        const { id } = await create()
        const rotation = { id, secret: 'sealed-new', previousUntil: start + minute, audit: makeAuditContext(start) }
        expect(await store.rotateSecret(rotation)).toMatchObject({ id, status: 'enabled' })
        expect(await store.rotateSecret({ ...rotation, id: makeId('e', 0), audit: makeAuditContext() })).toBeNull()
        await enqueue(id)
        expect(await claim(id)).toMatchObject({
          secret: 'sealed-new',
          previousSecret: `sealed-${id}`,
          previousUntil: start + minute,
        })
      })
    })

    describe('disableWebhook', () => {
      test('disables with the reason, ends waiting deliveries, and does not change a disabled endpoint', async () => {
        const { id } = await create()
        await enqueue(id)
        await store.disableWebhook({ id, reason: 'gone', now: start + minute })
        await store.disableWebhook({ id, reason: 'again', now: start + 2 * minute })
        expect(await other.listWebhooks()).toMatchObject([{ disabledReason: 'gone', updatedAt: start + minute }])
        expect(await list(id)).toMatchObject([{ status: 'dead' }])
        expect(await claim(id, { now: start + minute })).toBeNull()
      })

      test('keeps the error of the last attempt of a delivery', async () => {
        const { id } = await create()
        const delivery = await enqueue(id)
        await claim(id, { lease: 'one' })
        await stores.outbox.retry({ lease: 'one', ids: [delivery], error: 'answered 500', dueAt: start + minute })
        await enqueue(id)
        await store.disableWebhook({ id, reason: 'gone', now: start })
        expect(await list(id)).toMatchObject([
          { lastError: 'the webhook was disabled' },
          { id: delivery, lastError: 'answered 500; the webhook was disabled' },
        ])
      })
    })

    describe('enqueueing an event in another store', () => {
      test('creates a delivery for each enabled endpoint that receives its type', async () => {
        const [all, some, none] = [
          await create(),
          await create({ events: ['job.failed'] }),
          await create({ events: [] }),
        ]
        const off = await create()
        await store.updateWebhook({ id: off.id, changes: { status: 'disabled' }, audit: makeAuditContext() })
        await stores.auth.upsertUser({ id: 'ann', email: null, now: start })
        const job = { ownerId: 'ann', id: makeId('j', ++made), source: 'mixed', total: 1, parts: 1, bytes: 1 }
        await stores.ingest.enqueueJob({ ...job, enqueuedAt: start })
        const claimed = await stores.ingest.claimJob({ lease: 'a', now: start, leaseUntil: start + minute })
        const event = { id: makeId('v', ++made), type: 'job.failed', createdAt: start, isHeard: false } as const
        await stores.ingest.failJob({ claim: claimed!, message: 'no', usdPerMillionTokens: 1, now: start, event })
        expect((await other.listDueWebhooks({ now: start })).toSorted()).toEqual([all.id, some.id].toSorted())
        const [entry] = (await claim(all.id))!.entries
        expect(JSON.parse(entry!.payload)).toMatchObject({ id: event.id, data: { userId: 'ann', jobId: job.id } })
        for (const { id } of [none, off]) expect(await list(id)).toEqual([])
      })
    })

    describe('claimDeliveries', () => {
      test('returns due deliveries of one endpoint, the longest due first, and counts an attempt', async () => {
        const [webhook, another] = [await create(), await create()]
        const late = await enqueue(webhook.id, { createdAt: start + 1 })
        const early = await enqueue(webhook.id)
        await enqueue(another.id)
        await enqueue(webhook.id, { createdAt: start + 20_000 })
        const claimed = await claim(webhook.id, { now: start + 1 })
        expect(claimed).toMatchObject({ url: webhook.url, secret: `sealed-${webhook.id}`, previousSecret: null })
        expect(claimed!.entries.map(({ id, attempt }) => [id, attempt])).toEqual([
          [early, 1],
          [late, 1],
        ])
        expect(await claim(webhook.id, { now: start + 1 })).toBeNull()
        expect(await claim(makeId('e', 0))).toBeNull()
      })

      test('returns a delivery to only one of twenty concurrent claims by two hosts', async () => {
        const { id } = await create()
        const deliveries = [await enqueue(id), await enqueue(id), await enqueue(id)]
        const claims = await Promise.all(
          Array.from({ length: 20 }, (_, n) => listIds(claim(id, { limit: 1 }, n % 2 ? store : other))),
        )
        expect(claims.flat().toSorted()).toEqual(deliveries.toSorted())
      })

      test('returns the deliveries of a subject one at a time, including deliveries with an expired lease', async () => {
        const { id } = await create()
        const first = await enqueue(id, { orderKey: 'ann' })
        const second = await enqueue(id, { orderKey: 'ann' })
        const bobs = await enqueue(id, { orderKey: 'bob' })
        expect((await listIds(claim(id, { lease: 'one' }))).toSorted()).toEqual([first, bobs].toSorted())
        await stores.outbox.acknowledge({ lease: 'one', ids: [bobs], now: start })
        expect(await listIds(claim(id))).toEqual([])
        const later = start + leaseMs + 1
        expect(await listIds(claim(id, { now: later, lease: 'two' }))).toEqual([first])
        await stores.outbox.acknowledge({ lease: 'two', ids: [first], now: later })
        expect(await listIds(claim(id, { now: later }))).toEqual([second])
      })

      test('returns a delivery again when its retry delay is over', async () => {
        const { id } = await create()
        const delivery = await enqueue(id)
        await claim(id, { lease: 'one' })
        await stores.outbox.retry({ lease: 'one', ids: [delivery], error: 'answered 500', dueAt: start + minute })
        expect(await other.listDueWebhooks({ now: start + minute - 1 })).toEqual([])
        expect(await other.listDueWebhooks({ now: start + minute })).toEqual([id])
        expect((await claim(id, { now: start + minute }))!.entries).toMatchObject([{ id: delivery, attempt: 2 }])
      })
    })

    describe('sendTest', () => {
      test('enqueues a delivery for an enabled endpoint, and returns false for a disabled and null for an unknown endpoint', async () => {
        const { id } = await create()
        const sendTest = (to: string) =>
          store.sendTest({
            id: to,
            deliveryId: makeId('t', ++made),
            payload: '{"type":"webhook.test"}',
            audit: makeAuditContext(start),
          })
        expect(await sendTest(id)).toBe(true)
        expect(await list(id)).toMatchObject([{ eventType: 'webhook.test', status: 'waiting', attempts: 0 }])
        expect(await sendTest(makeId('e', 0))).toBeNull()
        await store.disableWebhook({ id, reason: 'gone', now: start })
        expect(await sendTest(id)).toBe(false)
        expect((await listActions()).filter((action) => action === 'webhook.test')).toHaveLength(1)
      })
    })

    describe('listDeliveries', () => {
      test('returns pages newest first, by status, also with the payload of sent deliveries', async () => {
        const { id } = await create()
        const deliveries = [await enqueue(id), await enqueue(id), await enqueue(id)]
        const lease = 'one'
        await claim(id, { lease, limit: 2 })
        await stores.outbox.acknowledge({ lease, ids: [deliveries[0]!], now: start })
        await stores.outbox.fail({ lease, ids: [deliveries[1]!], status: 'dead', error: 'answered 410', now: start })
        const page = async (status: 'sent' | 'dead' | 'waiting' | null, cursor: string | null, limit = 10) =>
          (await other.listDeliveries({ id, status, cursor, limit }))!.map((delivery) => delivery.id)
        expect(await page(null, null)).toEqual(deliveries.toReversed())
        expect(await page(null, deliveries[2]!, 1)).toEqual([deliveries[1]])
        for (const [n, status] of (['sent', 'dead', 'waiting'] as const).entries())
          expect(await page(status, null)).toEqual([deliveries[n]])
        expect(await list(id)).toMatchObject([
          { status: 'waiting', finishedAt: null },
          { status: 'dead', lastError: 'answered 410', attempts: 1 },
          { status: 'sent', payload: '{}', finishedAt: start },
        ])
      })

      test('returns the result of each attempt, including attempts before a delivery was sent again', async () => {
        const { id } = await create()
        const delivery = await enqueue(id)
        const results = [
          { at: start + 1, status: 500, error: null },
          { at: start + 2, status: null, error: 'no "answer"' },
          { at: start + 3, status: 204, error: null },
        ]
        const next = async (lease: string) => ({
          lease,
          ids: (await claim(id, { lease }))!.entries.map((one) => one.id),
        })
        await stores.outbox.retry({ ...(await next('one')), error: 'answered 500', dueAt: start, result: results[0] })
        const failed = { status: 'dead', error: 'no answer', now: start, result: results[1] } as const
        await stores.outbox.fail({ ...(await next('two')), ...failed })
        await store.redeliver({ id, deliveryId: delivery, audit: makeAuditContext(start) })
        await stores.outbox.acknowledge({ ...(await next('three')), now: start, result: results[2] })
        expect(await list(id)).toMatchObject([{ id: delivery, attempts: 1, results }])
      })
    })

    describe('resend and deleteUndelivered of the outbox', () => {
      const change = { status: 'dead', ids: null, until: start + minute } as const

      test('send a dead delivery again only while its endpoint is enabled', async () => {
        const { id } = await create()
        const deliveryId = await enqueue(id)
        await store.updateWebhook({ id, changes: { status: 'disabled' }, audit: makeAuditContext(start) })
        const resendDead = () => stores.outbox.resend({ ...change, audit: makeAuditContext(start + minute) })
        expect(await resendDead()).toBe(0)
        await store.updateWebhook({ id, changes: { status: 'enabled' }, audit: makeAuditContext(start) })
        expect(await resendDead()).toBe(1)
        expect((await claim(id, { now: start + minute }))!.entries).toMatchObject([{ id: deliveryId, attempt: 1 }])
      })

      test('write one audit entry with the number of changed entries, and no entry if nothing changed', async () => {
        const { id } = await create()
        for (let n = 0; n < 3; n++) await enqueue(id)
        await store.updateWebhook({ id, changes: { status: 'disabled' }, audit: makeAuditContext(start) })
        const listEntries = (action: 'outbox.resend' | 'outbox.delete') =>
          stores.audit.listEntries({ cursor: null, limit: 9, actor: null, action })
        await stores.outbox.resend({ ...change, audit: makeAuditContext() })
        expect((await listEntries('outbox.resend')).items).toEqual([])
        const [first] = (await list(id))!
        await stores.outbox.deleteUndelivered({ ...change, ids: [first!.id], audit: makeAuditContext() })
        await stores.outbox.deleteUndelivered({ ...change, audit: makeAuditContext() })
        await stores.outbox.deleteUndelivered({ ...change, audit: makeAuditContext() })
        const before = { status: 'dead', channel: 'webhook' }
        expect((await listEntries('outbox.delete')).items).toMatchObject([
          { target: 'dead', before: { ...before, entries: 2 }, after: null },
          { target: first!.id, before: { ...before, entries: 1 }, after: null },
        ])
      })
    })

    describe('redeliver', () => {
      test('makes a finished delivery due again and resets its attempts, with one audit entry for concurrent calls', async () => {
        const { id } = await create()
        const deliveryId = await enqueue(id)
        const redeliver = (changes: object = {}) =>
          store.redeliver({ id, deliveryId, audit: makeAuditContext(start + minute), ...changes })
        expect(await redeliver()).toBe('pending')
        await claim(id, { lease: 'one' })
        await stores.outbox.acknowledge({ lease: 'one', ids: [deliveryId], now: start })
        const results = await Promise.all([redeliver(), redeliver(), redeliver()])
        expect(results.toSorted()).toEqual(['pending', 'pending', 'redelivered'])
        expect((await claim(id, { now: start + minute }))!.entries).toMatchObject([{ id: deliveryId, attempt: 1 }])
        expect((await listActions()).filter((action) => action === 'webhook.redeliver')).toHaveLength(1)
        expect(await redeliver({ deliveryId: makeId('d', 0) })).toBeNull()
        const stranger = await create()
        expect(await redeliver({ id: stranger.id })).toBeNull()
      })

      test('returns disabled for a delivery of a disabled endpoint', async () => {
        const { id } = await create()
        const deliveryId = await enqueue(id)
        await store.disableWebhook({ id, reason: 'gone', now: start })
        expect(await store.redeliver({ id, deliveryId, audit: makeAuditContext() })).toBe('disabled')
      })
    })
  })
}
