import type * as z from 'zod'
import { eventTypes, type EventType } from '../schema.ts'
import type { WebhookShape } from './contract.ts'
import { field, fieldErrors, html, type Html, messagesOf } from '../../ui/html.ts'
import { webhooksMessages } from '../../messages/admin/webhooks.ts'
import type { ItemPage, SectionListParams } from '../../admin/contract.ts'
import { message as shared, questionPage, sectionPath, status as tag, time } from '../../ui/operator/pages.ts'

const message = messagesOf(webhooksMessages)

export type Webhook = z.output<typeof WebhookShape>

/** The operator who disabled a webhook, and the time. */
export interface Disabling {
  readonly actor: string
  readonly at: string
}

/** Returns the events whose checkboxes are selected, or undefined (all events) if none is selected. */
export function chosenEvents(boxes: Readonly<Partial<Record<EventType, 'yes' | undefined>>>): EventType[] | undefined {
  const chosen = eventTypes.filter((type) => boxes[type] === 'yes')
  return chosen.length > 0 ? chosen : undefined
}

/** Renders the properties of a webhook, and the forms that change it. */
export function webhookPage(
  prefix: string,
  { id, url, description, events, status, ...webhook }: Webhook,
  disabling: Disabling | null,
): Html {
  const button = (action: string, verb: 'sendTest' | 'enable', more: Readonly<Record<string, string>> = {}): Html =>
    html`<form method="post" action="${prefix}/admin/webhooks/${action}">
      ${Object.entries({ id, item: id, ...more }).map(
        ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
      )}
      <button class="small" aria-label="${message(`webhooks.${verb}One`, { url })}">
        ${message(`webhooks.${verb}`)}
      </button>
    </form>`
  const link = (confirm: Question | 'edit', kind: 'second' | 'danger' = 'second'): Html =>
    html`<a
      class="button ${kind} small"
      href="${prefix}${sectionPath('webhooks', id)}?confirm=${confirm}"
      aria-label="${message(`webhooks.${confirm}One`, { url })}"
      >${message(`webhooks.${confirm}`)}</a
    >`
  return html`<div class="facts">
      ${disabling ? null : tag(status)}
      ${webhook.disabledReason === null ? null : html`<span>${webhook.disabledReason}</span>`}
      ${
        disabling &&
        html`<span
          >${tag(status)}
          ${message('webhooks.disabledSince', {
            time: time(disabling.at),
            operator: html`<bdi>${disabling.actor}</bdi>`,
          })}</span
        >`
      }
      <span>${message('webhooks.createdAt', { time: time(webhook.createdAt) })}</span>
    </div>
    ${status === 'disabled' ? html`<p>${message('webhooks.whileDisabled')}</p>` : null}
    ${description && html`<p>${message('webhooks.descriptionOf', { text: html`<bdi>${description}</bdi>` })}</p>`}
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
          ? [button('test', 'sendTest'), link('disable')]
          : button('status', 'enable', { status: 'enabled' })
      }
      ${link('edit')} ${link('rotate')} ${link('delete', 'danger')}
    </div>`
}

/** The actions that need a confirmation, each with the action and the fields of its form. */
const questions = {
  delete: { action: 'delete', fields: {} },
  disable: { action: 'status', fields: { status: 'disabled' } },
  rotate: { action: 'rotate', fields: {} },
} as const
type Question = keyof typeof questions

export const isQuestion = (name: string | undefined): name is Question =>
  name !== undefined && Object.hasOwn(questions, name)

/**
 * Renders the confirmation page for deleting or disabling a webhook, or for rotating its secret, with the consequences.
 */
export function questionForm(prefix: string, { id, url, status }: Webhook, name: Question): ItemPage {
  const { action, fields } = questions[name]
  return questionPage({
    title: message(`webhooks.${name}Ask`),
    effect: html`<p>
      ${message(`webhooks.${name}Effect`, { url: html`<bdi>${url}</bdi>` })}
      ${name === 'delete' && status === 'enabled' ? message('webhooks.deleteOrDisable') : null}
    </p>`,
    action: `${prefix}/admin/webhooks/${action}`,
    // The page of a deleted webhook no longer exists, so the browser returns to the list.
    fields: { id, ...(name === 'delete' ? {} : { item: id }), ...fields },
    button: message(`webhooks.${name}Confirm`),
    isDangerous: name === 'delete',
    back: `${prefix}${sectionPath('webhooks', id)}`,
  })
}

/** Returns the error message of the URL field for the code of a validation issue. */
function urlError(code: string): Html {
  const key = `webhooks.error.${code}`
  return message(Object.hasOwn(webhooksMessages, key) ? (key as 'webhooks.error.url') : 'webhooks.error.url')
}

/** Returns the fields of a stored webhook as its form shows them. */
const toFields = ({ url, description, events }: Webhook): Readonly<Record<string, string>> => ({
  url,
  description,
  which: events ? 'selected' : 'all',
  ...Object.fromEntries((events ?? []).map((type) => [type, 'yes'])),
})

/** Renders the form that creates or edits a webhook. After a refusal, the form shows the entered values. */
export function webhookForm(
  { prefix, problem }: Pick<SectionListParams, 'prefix' | 'problem'>,
  stored: Webhook | null = null,
): Html {
  const action = stored ? 'edit' : 'create'
  const failed = problem?.action === action ? problem.form : null
  const findCode = (name: string): string | undefined => failed?.issues.find(({ path }) => path[0] === name)?.code
  const fields = failed?.fields ?? (stored ? toFields(stored) : {})
  const value = (name: string): string => fields[name] ?? ''
  const [urlCode, descriptionCode, whichCode] = [findCode('url'), findCode('description'), findCode('which')]
  const errors: (readonly [id: string, error: Html])[] = [
    ...(urlCode ? [['url', urlError(urlCode)] as const] : []),
    ...(descriptionCode ? [['description', message('webhooks.error.description')] as const] : []),
    ...(whichCode ? [['which-selected', message('webhooks.error.which')] as const] : []),
  ]
  return html`${failed ? fieldErrors(errors) : null}
    <form method="post" action="${prefix}/admin/webhooks/${action}">
      <input type="hidden" name="item" value="${stored?.id ?? 'new'}" />
      ${stored ? html`<input type="hidden" name="id" value="${stored.id}" />` : null}
      ${field({
        name: 'url',
        label: message('webhooks.url'),
        type: 'url',
        hint: message('webhooks.urlHint'),
        value: value('url'),
        error: urlCode ? urlError(urlCode) : undefined,
      })}
      ${field({
        name: 'description',
        label: message('webhooks.description'),
        value: value('description'),
        error: descriptionCode ? message('webhooks.error.description') : undefined,
        required: false,
      })}
      <fieldset>
        <legend>${message('webhooks.events')}</legend>
        ${(['all', 'selected'] as const).map(
          (which) =>
            html`<p class="field check">
              <label for="which-${which}"
                ><input
                  id="which-${which}"
                  type="radio"
                  name="which"
                  value="${which}"
                  ${which === (value('which') || 'all') ? html` checked` : null}
                /><span>${message(`webhooks.which.${which}`)}</span></label
              >
            </p>`,
        )}
        ${whichCode ? html`<span class="error" id="which-error">${message('webhooks.error.which')}</span>` : null}
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
      ${stored ? null : html`<p class="hint">${message('webhooks.secretFollows')}</p>`}
      <p class="actions">
        <button>${message(stored ? 'webhooks.save' : 'webhooks.create')}</button>
        <a href="${prefix}${sectionPath('webhooks', stored?.id ?? null)}">${shared('admin.cancel')}</a>
      </p>
    </form>`
}
