import { eventTypes, type EventType } from '../../events/schema.ts'
import { field, formError, html, type Html, messagesOf } from '../../http/html.ts'
import { webhooksMessages } from '../../messages/admin/webhooks.ts'
import type { Shown } from '../contract.ts'
import { message as shared, sectionPath, status as tag, time } from '../pages.ts'

const message = messagesOf(webhooksMessages)

/** A webhook as JSON shows it. */
export interface Webhook {
  readonly id: string
  readonly url: string
  readonly description: string
  readonly events: readonly EventType[] | null
  readonly status: 'enabled' | 'disabled'
  readonly disabledReason: string | null
  readonly createdAt: string
}

/** Returns the events whose boxes were selected, or undefined for all. */
export function chosenEvents(boxes: Readonly<Partial<Record<EventType, 'yes' | undefined>>>): EventType[] | undefined {
  const chosen = eventTypes.filter((type) => boxes[type] === 'yes')
  return chosen.length > 0 ? chosen : undefined
}

/** Renders what a webhook is, and the forms that change it. */
export function webhookPage(prefix: string, { id, url, description, events, status, ...webhook }: Webhook): Html {
  const button = (
    action: string,
    verb: 'sendTest' | 'disable' | 'enable' | 'rotate',
    more: Readonly<Record<string, string>> = {},
  ): Html =>
    html`<form method="post" action="${prefix}/admin/webhooks/${action}">
      ${Object.entries({ id, item: id, ...more }).map(
        ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
      )}
      <button class="second small" aria-label="${message(`webhooks.${verb}One`, { url })}">
        ${message(`webhooks.${verb}`)}
      </button>
    </form>`
  return html`<div class="facts">
      ${tag(status)} ${webhook.disabledReason === null ? null : html`<span>${webhook.disabledReason}</span>`}
      ${description === '' ? null : html`<span><bdi>${description}</bdi></span>`}
      <span>${message('webhooks.createdAt', { time: time(webhook.createdAt) })}</span>
    </div>
    ${
      events
        ? html`<ul>
            ${events.map((type) => html`<li><code>${type}</code> – ${message(`webhooks.events.${type}`)}</li>`)}
          </ul>`
        : html`<p>${message('webhooks.allEvents')}</p>`
    }
    <div class="row">
      ${
        status === 'enabled'
          ? [button('test', 'sendTest'), button('status', 'disable', { status: 'disabled' })]
          : button('status', 'enable', { status: 'enabled' })
      }
      ${button('rotate', 'rotate')}
      <a
        class="button danger small"
        href="${prefix}${sectionPath('webhooks', id)}?confirm=delete"
        aria-label="${message('webhooks.deleteOne', { url })}"
        >${message('webhooks.delete')}</a
      >
    </div>`
}

/** Renders the question before a webhook is deleted. */
export function deleteForm(prefix: string, { id, url }: Webhook): { title: Html; body: Html } {
  return {
    title: message('webhooks.ask'),
    body: html`<p>${message('webhooks.lost', { url: html`<bdi>${url}</bdi>` })}</p>
      <form class="choice" method="post" action="${prefix}/admin/webhooks/delete">
        <input type="hidden" name="id" value="${id}" />
        <button class="danger">${message('webhooks.confirm')}</button>
        <a href="${prefix}${sectionPath('webhooks', id)}">${shared('admin.cancel')}</a>
      </form>`,
  }
}

/** Returns what is wrong with the URL, by the code of its issue. */
function urlError(code: string): Html {
  const key = `webhooks.error.${code}`
  return message(Object.hasOwn(webhooksMessages, key) ? (key as 'webhooks.error.url') : 'webhooks.error.url')
}

/** Renders the form that creates a webhook, with what was entered before it was refused. */
export function webhookForm({ prefix, problem }: Pick<Shown, 'prefix' | 'problem'>): Html {
  const failed = problem?.action === 'create' ? problem.form : null
  const codeOf = (name: string): string | undefined => failed?.issues.find(({ path }) => path[0] === name)?.code
  const value = (name: string): string => failed?.fields[name] ?? ''
  const urlCode = codeOf('url')
  return html`${failed ? formError(message('webhooks.notCreated')) : null}
    <form method="post" action="${prefix}/admin/webhooks/create">
      <input type="hidden" name="item" value="new" />
      ${field({
        name: 'url',
        label: message('webhooks.url'),
        type: 'url',
        value: value('url'),
        error: urlCode ? urlError(urlCode) : undefined,
      })}
      ${field({
        name: 'description',
        label: message('webhooks.description'),
        value: value('description'),
        error: codeOf('description') ? message('webhooks.error.description') : undefined,
        required: false,
      })}
      <fieldset>
        <legend>${message('webhooks.events')} <span class="optional">${message('webhooks.noneIsAll')}</span></legend>
        <div class="events">
          ${eventTypes.map(
            (type) =>
              html`<label
                ><input
                  type="checkbox"
                  name="${type}"
                  value="yes"
                  ${value(type) === 'yes' ? html` checked` : null}
                /><span><bdi>${type}</bdi><small>${message(`webhooks.events.${type}`)}</small></span></label
              >`,
          )}
        </div>
      </fieldset>
      <p><button>${message('webhooks.create')}</button></p>
    </form>`
}
