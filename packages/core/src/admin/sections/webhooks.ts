import type { EventType } from '../../events/schema.ts'
import { Failure } from '../../http/failures.ts'
import { html, type Html, notice } from '../../http/html.ts'
import type { Acted, FormSection, Handed, Outcome } from '../contract.ts'
import { listTable, orDash, sectionPath, status as tag, time } from '../pages.ts'
import { chosenEvents, deleteForm, webhookForm, webhookPage, type Webhook } from './webhook.ts'

interface Delivery {
  readonly id: string
  readonly eventType: string
  readonly status: string
  readonly attempts: number
  readonly lastError: string | null
  readonly createdAt: string
  readonly dueAt: string
}

interface WithSecret {
  readonly webhook: { readonly id: string; readonly url: string }
  readonly secret: string
}

export interface WebhooksSectionDeps {
  readonly list: Handed<unknown, { readonly items: readonly Webhook[] }>
  readonly deliveries: Handed<{ id: string; limit: number }, { readonly items: readonly Delivery[] }>
  readonly create: Acted<{ url: string; description: string; events: EventType[] | undefined }, WithSecret>
  readonly rotate: Acted<string, WithSecret>
  readonly setStatus: Acted<{ id: string; status: 'enabled' | 'disabled' }, unknown>
  readonly test: Acted<string, unknown>
  readonly remove: Acted<string, unknown>
  readonly redeliver: Acted<{ id: string; deliveryId: string }, unknown>
}

/** Deliveries that the page of a webhook shows. */
const shownDeliveries = 50

/**
 * Returns the section of webhooks: a list, and a page of each with its deliveries and its secret, which is shown once.
 */
export function webhooksSection(deps: WebhooksSectionDeps): FormSection<'webhooks'> {
  const outcome = (result: unknown, done: string): Outcome => ({ done: result instanceof Failure ? result.code : done })

  return {
    id: 'webhooks',
    filters: [],
    async show({ prefix, now }) {
      const page = await deps.list({}, now)
      if (page instanceof Failure) return notice('error', 'Could not load this list.')
      return html`<p>Sends events to your own servers, such as a completed upload or a recorded sale.</p>
        <p><a class="button" href="${prefix}${sectionPath('webhooks', 'new')}">Create webhook</a></p>
        ${listTable({
          caption: 'Oldest first. Times are UTC.',
          empty: 'No webhooks yet.',
          items: page.items,
          next: null,
          columns: [
            [
              'Endpoint',
              ({ id, url, description }) =>
                html`<a href="${prefix}${sectionPath('webhooks', id)}"><bdi>${url}</bdi></a
                  ><small><bdi>${description}</bdi></small>`,
            ],
            ['Events', ({ events }) => events?.join(', ') ?? 'All'],
            [
              'Status',
              ({ status, disabledReason }) =>
                html`${tag(status)}${disabledReason === null ? null : html`<small>${disabledReason}</small>`}`,
            ],
            ['Created', ({ createdAt }) => time(createdAt)],
          ],
        })}`
    },
    async showItem(item, shown) {
      if (item === 'new') return { title: 'Create webhook', body: webhookForm(shown) }
      const [page, found] = await Promise.all([
        deps.list({}, shown.now),
        deps.deliveries({ id: item, limit: shownDeliveries }, shown.now),
      ])
      if (page instanceof Failure || found instanceof Failure) return null
      const webhook = page.items.find(({ id }) => id === item)
      if (!webhook) return null
      if (shown.query['confirm'] === 'delete') return deleteForm(shown.prefix, webhook)
      return {
        title: webhook.url,
        body: html`${webhookPage(shown.prefix, webhook)}
          <h2>Deliveries</h2>
          ${deliveryTable(shown.prefix, webhook, found.items)}`,
      }
    },
    actions: {
      async create({ url, description = '', ...events }, audit) {
        const result = await deps.create({ url, description, events: chosenEvents(events) }, audit)
        if (!(result instanceof Failure))
          return { done: 'created', item: result.webhook.id, once: secretNotice(result) }
        if (result.code === 'too_many_webhooks') return { done: result.code }
        return { done: 'invalid', issues: [{ path: ['url'], code: result.code, message: result.code }] }
      },
      async rotate({ id }, audit) {
        const result = await deps.rotate(id, audit)
        return result instanceof Failure
          ? { done: result.code }
          : { done: 'rotated', item: id, once: secretNotice(result) }
      },
      status: async (value, audit) => outcome(await deps.setStatus(value, audit), value.status),
      test: async ({ id }, audit) => outcome(await deps.test(id, audit), 'tested'),
      delete: async ({ id }, audit) => outcome(await deps.remove(id, audit), 'deleted'),
      redeliver: async (value, audit) => outcome(await deps.redeliver(value, audit), 'redelivered'),
    },
    notices: {
      created: { kind: 'done', text: () => 'Webhook created.' },
      rotated: { kind: 'done', text: () => 'Secret rotated. The previous one signs too for 24 hours.' },
      enabled: { kind: 'done', text: () => 'Webhook enabled.' },
      disabled: { kind: 'done', text: () => 'Webhook disabled. Deliveries that waited were given up.' },
      tested: { kind: 'done', text: () => 'Test event queued. Reload this page in a moment to see its result.' },
      deleted: { kind: 'done', text: () => 'Webhook deleted.' },
      redelivered: { kind: 'done', text: () => 'Delivery queued again.' },
      too_many_webhooks: { kind: 'error', text: () => 'There are 20 webhooks. Delete one first.' },
      webhook_disabled: { kind: 'error', text: () => 'The webhook is disabled. Enable it first.' },
      delivery_pending: { kind: 'error', text: () => 'The delivery is still being tried; nothing was changed.' },
      not_found: { kind: 'error', text: () => 'Webhook or delivery not found.' },
    },
  }
}

const secretNotice = ({ webhook, secret }: WithSecret): Html =>
  notice('info', html`Secret of <bdi>${webhook.url}</bdi>: <code>${secret}</code>. Copy it now; it is not shown again.`)

const deliveryTable = (prefix: string, { id, status }: Webhook, items: readonly Delivery[]): Html =>
  listTable({
    caption: `The latest ${shownDeliveries}, newest first. Times are UTC.`,
    empty: 'No deliveries yet.',
    items,
    next: null,
    columns: [
      ['Event', ({ eventType }) => eventType],
      [
        'Status',
        ({ status: state, attempts, lastError }) =>
          html`${tag(state)}${attempts > 1 ? ` ${attempts} attempts` : null}${lastError === null ? null : html`<small><bdi>${lastError}</bdi></small>`}`,
      ],
      ['Created', ({ createdAt }) => time(createdAt)],
      ['Next attempt', (delivery) => orDash(delivery.status === 'waiting' ? time(delivery.dueAt) : null)],
      ...(status === 'enabled'
        ? ([
            [
              'Actions',
              (delivery: Delivery) =>
                delivery.status === 'sent' || delivery.status === 'dead' ? redeliverForm(prefix, id, delivery) : null,
            ],
          ] as const)
        : []),
    ],
  })

const redeliverForm = (prefix: string, id: string, delivery: Delivery): Html =>
  html`<form method="post" action="${prefix}/admin/webhooks/redeliver">
    <input type="hidden" name="id" value="${id}" /><input type="hidden" name="item" value="${id}" />
    <input type="hidden" name="deliveryId" value="${delivery.id}" />
    <button class="second small" aria-label="Redeliver: ${delivery.eventType}">Redeliver</button>
  </form>`
