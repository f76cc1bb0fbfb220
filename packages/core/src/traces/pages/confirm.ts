import { html, type Html, messagesOf, page } from '../../http/html.ts'
import { traceMessages } from '../../messages/traces.ts'

export interface ConfirmView {
  readonly prefix: string
  readonly email: string | null
  readonly progress: Html | null
  readonly action: 'exclude' | 'include' | 'delete'
  readonly count: number
  /** How many traces one submission changes; the rest needs another. */
  readonly maxCount: number
  /** The path of the form that confirms. */
  readonly path: string
  /** Its hidden fields. */
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

/** Returns the page that asks before traces are deleted, or before all that match a filter are changed. */
export function confirmPage(view: ConfirmView): string {
  const { prefix, email, progress, action, count, maxCount, path, fields, back } = view
  const effect =
    action === 'delete'
      ? html`<p>${message('confirm.deleteEffect', { count })}</p>
          <p>${message('confirm.soldMeanwhile')}</p>`
      : html`<p>${message(`confirm.${action}Effect`)}</p>`
  const button = message(texts[action].button, { count: Math.min(count, maxCount) })
  const main = html`${count === 0 ? html`<p>${message('confirm.none')}</p>` : effect}
    ${count > maxCount ? html`<p>${message('confirm.most', { count: maxCount })}</p>` : null}
    <form method="post" action="${prefix}${path}">
      ${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
      <input type="hidden" name="confirmed" value="yes" />
      <p class="actions">
        ${count > 0 ? html`<button name="action" value="${action}" class="${action === 'delete' ? 'danger' : 'main'}">${button}</button>` : null}
        <a href="${prefix}${back}">${message(count > 0 ? 'confirm.cancel' : 'confirm.back')}</a>
      </p>
    </form>`
  const title = message(texts[action].title, { count })
  return page({ title, here: '/traces', prefix, email, progress, signedIn: true, main })
}
