import { html, type Html, messagesOf, page } from '../../ui/html.ts'
import { shortId } from '../../ids.ts'
import { traceMessages } from '../../messages/traces.ts'
import { displayTitle } from '../names.ts'

export interface ConfirmView {
  readonly prefix: string
  readonly email: string | null
  readonly progress: Html | null
  readonly action: 'exclude' | 'include' | 'delete'
  readonly count: number
  /** The number of sold traces that also match. These are not changed. */
  readonly soldCount?: number
  /** The number of matching traces that are already in the state that the action sets. */
  readonly alreadyCount?: number
  /** The traces that have a title. */
  readonly titles?: readonly { readonly id: string; readonly title: string }[]
  /** The number of traces that one submission changes; the other traces need another submission. */
  readonly maxCount: number
  /** The path of the confirmation form. */
  readonly path: string
  /** The hidden fields of the form. */
  readonly fields: readonly (readonly [name: string, value: string])[]
  /** The path to go back to, with its query. */
  readonly back: string
}

const message = messagesOf(traceMessages)

const texts = {
  exclude: { title: 'confirm.askExclude', button: 'confirm.exclude' },
  include: { title: 'confirm.askInclude', button: 'confirm.include' },
  delete: { title: 'confirm.askDelete', button: 'confirm.delete' },
} as const

/** The number of titles that the page lists. */
export const shownTitles = 10

/**
 * Returns the page that asks for confirmation before traces are deleted, or before all traces that match a filter are
 * changed.
 */
export function confirmPage(view: ConfirmView): string {
  const { prefix, email, progress, action, count, soldCount = 0, alreadyCount = 0, maxCount, path, fields, back } = view
  const isDelete = action === 'delete'
  const effect = isDelete
    ? html`<p>${message('confirm.deleteEffect', { count })}</p>
        <p>${message('confirm.soldMeanwhile')}</p>`
    : html`<p>${message(`confirm.${action}Effect`)}</p>`
  const text = message(texts[action].button, { count: Math.min(count, maxCount) })
  const button = html`<button name="action" value="${action}" class="${isDelete ? 'danger final' : 'main'}">
    ${text}
  </button>`
  const main = html`${titleList(view)} ${count === 0 ? html`<p>${message('confirm.none')}</p>` : effect}
    ${
      soldCount > 0
        ? html`<p>${message(isDelete ? 'confirm.soldStay' : 'confirm.soldUnchanged', { count: soldCount })}</p>`
        : null
    }
    ${
      !isDelete && alreadyCount > 0
        ? html`<p>
            ${message(action === 'exclude' ? 'confirm.alreadyExclude' : 'confirm.alreadyInclude', { count: alreadyCount })}
          </p>`
        : null
    }
    ${count > maxCount ? html`<p>${message('confirm.most', { count: maxCount })}</p>` : null}
    <form method="post" action="${prefix}${path}">
      ${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
      <input type="hidden" name="confirmed" value="yes" />
      <p class="actions">
        ${count > 0 ? button : null}
        <a href="${prefix}${back}">${message(count > 0 ? 'confirm.cancel' : 'confirm.back')}</a>
      </p>
    </form>`
  return page({ title: showTitle(view), here: '/traces', prefix, email, progress, signedIn: true, main })
}

function showTitle({ action, count }: ConfirmView): Html {
  if (count === 0) return message('confirm.noneTitle')
  return action === 'delete' && count === 1 ? message('confirm.askDeleteThis') : message(texts[action].title, { count })
}

/** Lists the first titles of the traces, where they are known. */
function titleList({ count, titles = [] }: ConfirmView): Html | null {
  if (titles.length === 0) return null
  const shown = titles.slice(0, shownTitles)
  const more = count - shown.length
  return html`<ul>
    ${shown.map(
      ({ id, title }) =>
        html`<li><strong>${displayTitle(title)}</strong> <code title="${id}">${shortId(id)}</code></li>`,
    )}
    ${more > 0 ? html`<li>${message('confirm.more', { count: more })}</li>` : null}
  </ul>`
}
