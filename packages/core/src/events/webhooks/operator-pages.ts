import type * as z from 'zod'
import type { EventType } from '../schema.ts'
import type { DeliveryShape } from './contract.ts'
import { Failure } from '../../http/failures.ts'
import { Uuid } from '../../http/fields.ts'
import { breakable, copyable, html, type Html, messagesOf, notice } from '../../ui/html.ts'
import { webhooksMessages } from '../../messages/admin/webhooks.ts'
import type { CapabilityAction, FormSection, CapabilityHandler, List, Outcome } from '../../admin/contract.ts'
import {
  addressText,
  listTable,
  message as shared,
  renderOrDash,
  resultLink,
  sectionPath,
  status as tag,
  time,
} from '../../ui/operator/pages.ts'
import {
  chosenEvents,
  isQuestion,
  questionForm,
  webhookForm,
  webhookPage,
  type Disabling,
  type Webhook,
} from './webhook-page.ts'

const message = messagesOf(webhooksMessages)

type Delivery = z.output<typeof DeliveryShape>

interface WithSecret {
  readonly webhook: { readonly id: string; readonly url: string }
  readonly secret: string
}

export interface WebhooksSectionDeps {
  readonly list: CapabilityHandler<unknown, { readonly items: readonly Webhook[] }>
  readonly deliveries: CapabilityHandler<{ id: string; limit: number; cursor?: string | undefined }, List<Delivery>>
  /** Returns the operator who last disabled a webhook, and the time, or null. */
  readonly findDisabling: (id: string) => Promise<Disabling | null>
  readonly create: CapabilityAction<{ url: string; description: string; events: EventType[] | undefined }, WithSecret>
  readonly edit: CapabilityAction<{ id: string; url: string; description: string; events: EventType[] | null }, unknown>
  readonly rotate: CapabilityAction<string, WithSecret>
  readonly setStatus: CapabilityAction<{ id: string; status: 'enabled' | 'disabled' }, unknown>
  readonly test: CapabilityAction<string, unknown>
  readonly remove: CapabilityAction<string, unknown>
  readonly redeliver: CapabilityAction<{ id: string; deliveryId: string }, unknown>
}

const disabledBy = (disabling: Disabling | null | undefined): Html | null =>
  disabling
    ? html`<small
        >${message('webhooks.disabledBy', { operator: html`<bdi>${disabling.actor}</bdi>`, time: time(disabling.at) })}</small
      >`
    : null

/** The number of deliveries that the page of a webhook shows. */
const shownDeliveries = 20

/**
 * Returns the section of webhooks: a list, and a page for each webhook with its deliveries and its secret, which is
 * shown once.
 */
export function webhooksSection(deps: WebhooksSectionDeps): FormSection<'webhooks'> {
  const outcome = (result: unknown, done: string): Outcome => ({ done: result instanceof Failure ? result.code : done })

  /** Returns the operator who disabled a webhook, and the time, or null for every other webhook. */
  const findDisabler = ({ id, status, disabledReason }: Webhook): Promise<Disabling | null> =>
    status === 'disabled' && disabledReason === null ? deps.findDisabling(id) : Promise.resolve(null)

  return {
    id: 'webhooks',
    filters: [],
    async show({ prefix, now }) {
      const page = await deps.list({}, now)
      if (page instanceof Failure) return notice('error', shared('admin.notLoaded'))
      // One read for each webhook is fast enough: there are few webhooks, and each read uses an index.
      const latest = new Map(
        await Promise.all(
          page.items.map(async ({ id }) => {
            const found = await deps.deliveries({ id, limit: 1 }, now)
            return [id, found instanceof Failure ? undefined : found.items[0]] as const
          }),
        ),
      )
      const disablingById = new Map(
        await Promise.all(page.items.map(async (webhook) => [webhook.id, await findDisabler(webhook)] as const)),
      )
      const hasDisabled = page.items.some(({ status }) => status === 'disabled')
      return html`<p>${message('webhooks.intro')} ${hasDisabled ? message('webhooks.whileDisabled') : null}</p>
        <p><a class="button" href="${prefix}${sectionPath('webhooks', 'new')}">${message('webhooks.create')}</a></p>
        ${listTable({
          caption: shared('admin.oldestFirst'),
          empty: message('webhooks.none'),
          items: page.items,
          next: null,
          columns: [
            [
              message('webhooks.endpoint'),
              ({ id, url, description }) =>
                html`<a href="${prefix}${sectionPath('webhooks', id)}">${addressText(url)}</a
                  ><small><bdi>${description}</bdi></small>`,
            ],
            [
              message('webhooks.events'),
              ({ events }) => (events ? html`<bdi>${events.join(', ')}</bdi>` : message('webhooks.all')),
            ],
            [
              shared('admin.status'),
              ({ id, status, disabledReason }) =>
                html`${tag(status)}${disabledReason === null ? null : html`<small>${disabledReason}</small>`}
                ${disabledBy(disablingById.get(id))}`,
            ],
            [
              message('webhooks.lastDelivery'),
              ({ id }) => {
                const delivery = latest.get(id)
                return renderOrDash(delivery && html`${tag(delivery.status)} ${latestResponse(delivery)}`)
              },
            ],
            [message('webhooks.created'), ({ createdAt }) => time(createdAt)],
          ],
        })}`
    },
    async showItem(item, shown) {
      if (item === 'new') return { title: message('webhooks.create'), body: webhookForm(shown) }
      const [page, found] = await Promise.all([
        deps.list({}, shown.now),
        deps.deliveries(
          { id: item, limit: shownDeliveries, cursor: Uuid.safeParse(shown.query['cursor']).data },
          shown.now,
        ),
      ])
      if (page instanceof Failure || found instanceof Failure) return null
      const webhook = page.items.find(({ id }) => id === item)
      if (!webhook) return null
      const { confirm } = shown.query
      const disabling = await findDisabler(webhook)
      if (isQuestion(confirm)) return questionForm(shown.prefix, webhook, confirm)
      if (confirm === 'edit' || shown.problem?.action === 'edit')
        return { title: message('webhooks.editTitle'), body: webhookForm(shown, webhook) }
      return {
        title: html`${message('webhooks.webhook')} <span class="url">${breakable(webhook.url)}</span>`,
        body: html`${webhookPage(shown.prefix, webhook, disabling)}
          <h2>${message('webhooks.deliveries')}</h2>
          <p>${message('webhooks.kept', { header: html`<code>webhook-id</code>` })}</p>
          ${deliveryTable(shown.prefix, webhook, found)}`,
      }
    },
    actions: {
      async create({ url, description = '', which, ...events }, audit) {
        if (which === 'selected' && !chosenEvents(events)) return noneSelected
        const result = await deps.create(
          { url, description, events: which === 'all' ? undefined : chosenEvents(events) },
          audit,
        )
        if (!(result instanceof Failure)) return { done: 'created', item: result.webhook.id, once: secretPanel(result) }
        return describeProblem(result, 'too_many_webhooks')
      },
      async edit({ id, url, description = '', which, ...events }, audit) {
        if (which === 'selected' && !chosenEvents(events)) return noneSelected
        const chosen = which === 'all' ? null : (chosenEvents(events) ?? null)
        const result = await deps.edit({ id, url, description, events: chosen }, audit)
        if (!(result instanceof Failure)) return { done: 'saved', item: id }
        return describeProblem(result, 'not_found')
      },
      async rotate({ id }, audit) {
        const result = await deps.rotate(id, audit)
        return result instanceof Failure
          ? { done: result.code }
          : { done: 'rotated', item: id, once: secretPanel(result) }
      },
      status: async (value, audit) => outcome(await deps.setStatus(value, audit), value.status),
      test: async ({ id }, audit) => outcome(await deps.test(id, audit), 'tested'),
      delete: async ({ id }, audit) => outcome(await deps.remove(id, audit), 'deleted'),
      redeliver: async (value, audit) => outcome(await deps.redeliver(value, audit), 'redelivered'),
    },
    notices: {
      ...makeNotices('done', ['created', 'saved', 'rotated', 'enabled', 'disabled', 'deleted']),
      tested: { kind: 'done', text: () => message('webhooks.done.tested', { link: resultLink() }) },
      redelivered: { kind: 'done', text: () => message('webhooks.done.redelivered', { link: resultLink() }) },
      ...makeNotices('error', ['too_many_webhooks', 'webhook_disabled', 'delivery_pending', 'not_found']),
    },
  }
}

/** The outcome of a form that subscribes to selected events but selects none. */
const noneSelected: Outcome = {
  done: 'invalid',
  issues: [{ path: ['which'], code: 'none_selected', message: 'No event is selected.' }],
}

/**
 * Returns the outcome of a failure. A failure with the code `noticed` is shown as a notice; any other failure is shown
 * as a problem of the URL.
 */
const describeProblem = ({ code }: Failure, noticed: string): Outcome =>
  code === noticed ? { done: code } : { done: 'invalid', issues: [{ path: ['url'], code, message: code }] }

/** Returns the notices of these outcomes; the text of each is `webhooks.done.<name>`. */
const makeNotices = (kind: 'done' | 'error', names: readonly Exclude<WebhookOutcome, 'tested' | 'redelivered'>[]) =>
  Object.fromEntries(names.map((name) => [name, { kind, text: () => message(`webhooks.done.${name}`) }]))

type OutcomeOf<Key> = Key extends `webhooks.done.${infer Name}` ? Name : never
type WebhookOutcome = OutcomeOf<keyof typeof webhooksMessages>

const secretPanel = ({ secret }: WithSecret): Html =>
  html`<div class="panel">
    <p><strong>${message('webhooks.secret')}</strong></p>
    <p>${copyable(html`<code>${secret}</code>`)}</p>
    <p class="hint">${message('webhooks.secretHint')}</p>
  </div>`

const deliveryTable = (prefix: string, { id, status }: Webhook, { items, nextCursor }: List<Delivery>): Html =>
  listTable({
    caption: shared('admin.newestFirst'),
    empty: message('webhooks.noDeliveries'),
    items,
    next: nextCursor && `${prefix}${sectionPath('webhooks', id)}?cursor=${nextCursor}`,
    columns: [
      [
        message('webhooks.event'),
        ({ eventId, eventType, event }) =>
          html`<bdi>${eventType}</bdi>
            <details>
              <summary>${message('webhooks.body')}</summary>
              <small class="whole"><code>${eventId}</code></small>
              <pre>${JSON.stringify(event, null, 2)}</pre>
            </details>`,
      ],
      [
        shared('admin.status'),
        (delivery) =>
          html`${tag(delivery.status)}
          ${delivery.attempts > 0 ? message('webhooks.attempts', { count: delivery.attempts }) : null}
          ${responseList(delivery)}`,
      ],
      [message('webhooks.created'), ({ createdAt }) => time(createdAt)],
      ...(items.some(({ status: state }) => state === 'waiting')
        ? ([
            [
              message('webhooks.next'),
              (delivery: Delivery) => renderOrDash(delivery.status === 'waiting' ? time(delivery.dueAt) : null),
            ],
          ] as const)
        : []),
      ...(status === 'enabled'
        ? ([
            [
              shared('admin.actions'),
              (delivery: Delivery) =>
                delivery.status === 'sent' || delivery.status === 'dead' ? redeliverForm(prefix, id, delivery) : null,
              'act',
            ],
          ] as const)
        : []),
    ],
  })

/**
 * Renders the response to the last attempt of a delivery. If there was no attempt, or its response was not stored,
 * renders the error, such as that the webhook was disabled, and the time at which the delivery ended.
 */
function latestResponse({ results, lastError, finishedAt }: Delivery): Html | null {
  if (results.length > 0 || lastError === null) return results.map(responseLine).at(-1) ?? null
  const error = html`<bdi>${lastError}</bdi>`
  return html`<small
    >${finishedAt === null ? error : message('webhooks.stopped', { error, time: time(finishedAt) })}</small
  >`
}

/** Renders the responses to the attempts of a delivery, the newest first. The earlier responses are collapsed. */
function responseList(delivery: Delivery): Html | null {
  const earlier = delivery.results.slice(0, -1).toReversed().map(responseLine)
  if (earlier.length === 0) return latestResponse(delivery)
  return html`${latestResponse(delivery)}
    <details>
      <summary>${message('webhooks.earlier', { count: earlier.length })}</summary>
      ${earlier}
    </details>`
}

const responseLine = ({ at, status, error }: Delivery['results'][number]): Html =>
  html`<small>
    ${
      status === null
        ? message('webhooks.noResponse', { error: html`<bdi>${error}</bdi>`, time: time(at) })
        : message('webhooks.response', { status: html`<code>${status}</code>`, time: time(at) })
    }
  </small>`

const redeliverForm = (prefix: string, id: string, delivery: Delivery): Html =>
  html`<form method="post" action="${prefix}/admin/webhooks/redeliver">
    <input type="hidden" name="id" value="${id}" /><input type="hidden" name="item" value="${id}" />
    <input type="hidden" name="deliveryId" value="${delivery.id}" />
    <button class="second small" aria-label="${message('webhooks.redeliverOne', { event: delivery.eventType })}">
      ${message('webhooks.redeliver')}
    </button>
  </form>`
