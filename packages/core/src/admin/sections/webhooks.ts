import { eventTypes, type EventType } from '../../events/schema.ts'
import { Failure } from '../../http/failures.ts'
import { html, type Html, field, notice } from '../../http/html.ts'
import type { Acted, FormSection, Handed, Outcome, Shown } from '../contract.ts'
import { splitWords } from '../forms.ts'
import { status as tag, table, time } from '../pages.ts'

interface Webhook {
  readonly id: string
  readonly url: string
  readonly description: string
  readonly events: readonly EventType[] | null
  readonly status: 'enabled' | 'disabled'
  readonly disabledReason: string | null
  readonly createdAt: string
}

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
  readonly webhook: { readonly url: string }
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

/** Deliveries that are shown of each webhook. */
const shownDeliveries = 10

/** Returns the section of webhooks: endpoints, their latest deliveries, and their secrets, each shown once. */
export function webhooksSection(deps: WebhooksSectionDeps): FormSection<'webhooks'> {
  const outcome = (result: unknown, done: string): Outcome => ({ done: result instanceof Failure ? result.code : done })
  const withSecret = (result: WithSecret | Failure, done: string): Outcome =>
    result instanceof Failure ? { done: result.code } : { done, once: secretNotice(result) }

  return {
    id: 'webhooks',
    title: 'Webhooks',
    filters: [],
    async show({ prefix, now, problem }) {
      const page = await deps.list({}, now)
      if (page instanceof Failure) return notice('error', 'Could not load this list.')
      return html`${table({
        caption: 'Endpoints that events are sent to, oldest first. Times are UTC.',
        empty: 'No webhooks yet.',
        items: page.items,
        next: null,
        columns: [
          ['Endpoint', ({ url, description }) => html`<bdi>${url}</bdi><small><bdi>${description}</bdi></small>`],
          ['Events', ({ events }) => events?.join(', ') ?? 'All'],
          [
            'Status',
            ({ status, disabledReason }) =>
              html`${tag(status)}${disabledReason === null ? null : html`<small>${disabledReason}</small>`}`,
          ],
          ['Created', ({ createdAt }) => time(createdAt)],
          ['Actions', (webhook) => webhookForms(prefix, webhook)],
        ],
      })}
      ${await Promise.all(page.items.map(async (webhook) => deliveryTable(prefix, webhook, deps, now)))}
      ${createForm(prefix, problem)}`
    },
    actions: {
      async create({ url, description = '', events }, audit) {
        const types = splitWords(events ?? '') as EventType[]
        return withSecret(
          await deps.create({ url, description, events: types.length > 0 ? types : undefined }, audit),
          'created',
        )
      },
      rotate: async ({ id }, audit) => withSecret(await deps.rotate(id, audit), 'rotated'),
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
      tested: { kind: 'done', text: () => 'Test event queued.' },
      deleted: { kind: 'done', text: () => 'Webhook deleted.' },
      redelivered: { kind: 'done', text: () => 'Delivery queued again.' },
      private_address: { kind: 'error', text: () => 'The URL must start with https:// and name a public host.' },
      webhook_exists: { kind: 'error', text: () => 'A webhook with this URL exists.' },
      too_many_webhooks: { kind: 'error', text: () => 'There are 20 webhooks. Delete one first.' },
      webhook_disabled: { kind: 'error', text: () => 'The webhook is disabled. Enable it first.' },
      delivery_pending: { kind: 'error', text: () => 'The delivery is still being tried; nothing was changed.' },
      not_found: { kind: 'error', text: () => 'Webhook or delivery not found.' },
    },
  }
}

const secretNotice = ({ webhook, secret }: WithSecret): Html =>
  notice('info', html`Secret of <bdi>${webhook.url}</bdi>: <code>${secret}</code>. Copy it now; it is not shown again.`)

const button = (prefix: string, action: string, fields: Readonly<Record<string, string>>, verb: string, of: string) =>
  html`<form method="post" action="${prefix}/admin/webhooks/${action}">
    ${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    <button class="second small" aria-label="${verb}: ${of}">${verb}</button>
  </form>`

const webhookForms = (prefix: string, { id, url, status }: Webhook): Html =>
  html`${
    status === 'enabled'
      ? [
          button(prefix, 'test', { id }, 'Send test event', url),
          button(prefix, 'status', { id, status: 'disabled' }, 'Disable', url),
        ]
      : button(prefix, 'status', { id, status: 'enabled' }, 'Enable', url)
  }${button(prefix, 'rotate', { id }, 'Rotate secret', url)}${button(prefix, 'delete', { id }, 'Delete', url)}`

async function deliveryTable(
  prefix: string,
  { id, url }: Webhook,
  { deliveries }: WebhooksSectionDeps,
  now: number,
): Promise<Html> {
  const page = await deliveries({ id, limit: shownDeliveries }, now)
  if (page instanceof Failure) return notice('error', 'Could not load this list.')
  return html`<h2>Latest deliveries to <bdi>${url}</bdi></h2>
    ${table({
      caption: `Latest deliveries to ${url}. Times are UTC.`,
      empty: 'No deliveries yet.',
      items: page.items,
      next: null,
      columns: [
        ['Event', ({ eventType, createdAt }) => html`${eventType}<small>${time(createdAt)}</small>`],
        [
          'Status',
          ({ status, attempts, lastError }) =>
            html`${tag(status)}${attempts > 1 ? ` ${attempts} attempts` : null}${lastError === null ? null : html`<small>${lastError}</small>`}`,
        ],
        ['Next attempt', ({ status, dueAt }) => (status === 'waiting' ? time(dueAt) : null)],
        [
          'Actions',
          ({ id: deliveryId, status, eventType }) =>
            status === 'sent' || status === 'dead'
              ? button(prefix, 'redeliver', { id, deliveryId }, 'Redeliver', eventType)
              : null,
        ],
      ],
    })}`
}

function createForm(prefix: string, problem: Shown['problem']): Html {
  const failed = problem?.action === 'create' ? problem.form : null
  const error = (name: string, message: string): string | undefined =>
    failed?.issues.some(({ path }) => path[0] === name) ? message : undefined
  const value = (name: string): string => failed?.fields[name] ?? ''
  return html`<h2>Create webhook</h2>
    ${failed ? notice('error', 'The webhook was not created. Correct the marked fields.') : null}
    <form method="post" action="${prefix}/admin/webhooks/create">
      ${field({
        name: 'url',
        label: 'Endpoint URL',
        type: 'url',
        value: value('url'),
        error: error('url', 'Enter a URL that starts with https://.'),
        required: true,
      })}
      ${field({
        name: 'description',
        label: 'Description',
        value: value('description'),
        error: error('description', 'Enter up to 256 characters.'),
        required: false,
      })}
      ${field({
        name: 'events',
        label: 'Events',
        value: value('events'),
        error: error('events', 'Enter events of the list.'),
        required: false,
        hint: `Space-separated; empty sends all. Events: ${eventTypes.join(', ')}.`,
      })}
      <p><button>Create webhook</button></p>
    </form>`
}
