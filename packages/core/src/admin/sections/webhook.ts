import { eventTypes, type EventType } from '../../events/schema.ts'
import { field, html, type Html, notice } from '../../http/html.ts'
import type { Shown } from '../contract.ts'
import { sectionPath, status as tag, time } from '../pages.ts'

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
  const button = (action: string, verb: string, more: Readonly<Record<string, string>> = {}): Html =>
    html`<form method="post" action="${prefix}/admin/webhooks/${action}">
      ${Object.entries({ id, item: id, ...more }).map(
        ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
      )}
      <button class="second small" aria-label="${verb}: ${url}">${verb}</button>
    </form>`
  return html`<div class="facts">
      ${tag(status)} ${webhook.disabledReason === null ? null : html`<span>${webhook.disabledReason}</span>`}
      ${description === '' ? null : html`<span><bdi>${description}</bdi></span>`}
      <span>Created ${time(webhook.createdAt)} (UTC)</span>
    </div>
    <p>Events: ${events?.join(', ') ?? 'all'}</p>
    <div class="row">
      ${
        status === 'enabled'
          ? [button('test', 'Send test event'), button('status', 'Disable', { status: 'disabled' })]
          : button('status', 'Enable', { status: 'enabled' })
      }
      ${button('rotate', 'Rotate secret')}
      <a
        class="button danger small"
        href="${prefix}${sectionPath('webhooks', id)}?confirm=delete"
        aria-label="Delete: ${url}"
        >Delete…</a
      >
    </div>`
}

/** Renders the question before a webhook is deleted. */
export function deleteForm(prefix: string, { id, url }: Webhook): { title: string; body: Html } {
  return {
    title: 'Delete this webhook?',
    body: html`<p>
        <bdi>${url}</bdi> gets no more events. Its deliveries are deleted too. This cannot be undone; to stop events for
        a while, disable the webhook instead.
      </p>
      <form class="choice" method="post" action="${prefix}/admin/webhooks/delete">
        <input type="hidden" name="id" value="${id}" />
        <button class="danger">Delete webhook</button>
        <a href="${prefix}${sectionPath('webhooks', id)}">Cancel</a>
      </form>`,
  }
}

/** What is said of the URL, by the code of its issue. */
const urlErrors: Readonly<Record<string, string>> = {
  too_big: 'Enter a URL of up to 2,048 characters.',
  private_address: 'Enter a URL that starts with https:// and names a public host.',
  webhook_exists: 'Another webhook has this URL.',
}

/** Renders the form that creates a webhook, with what was entered before it was refused. */
export function webhookForm({ prefix, problem }: Pick<Shown, 'prefix' | 'problem'>): Html {
  const failed = problem?.action === 'create' ? problem.form : null
  const codeOf = (name: string): string | undefined => failed?.issues.find(({ path }) => path[0] === name)?.code
  const value = (name: string): string => failed?.fields[name] ?? ''
  const urlCode = codeOf('url')
  return html`${failed ? notice('error', 'The webhook was not created. Correct the marked fields.') : null}
    <form method="post" action="${prefix}/admin/webhooks/create">
      <input type="hidden" name="item" value="new" />
      ${field({
        name: 'url',
        label: 'Endpoint URL',
        type: 'url',
        value: value('url'),
        error: urlCode && (urlErrors[urlCode] ?? 'Enter a URL that starts with https://.'),
      })}
      ${field({
        name: 'description',
        label: 'Description',
        value: value('description'),
        error: codeOf('description') && 'Enter up to 256 characters.',
        required: false,
      })}
      <fieldset>
        <legend>Events <span class="optional">(select none to send all)</span></legend>
        <div class="events">
          ${eventTypes.map(
            (type) =>
              html`<label
                ><input
                  type="checkbox"
                  name="${type}"
                  value="yes"
                  ${value(type) === 'yes' ? html` checked` : null}
                />${type}</label
              >`,
          )}
        </div>
      </fieldset>
      <p><button>Create webhook</button></p>
    </form>`
}
