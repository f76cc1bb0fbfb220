import { counted, grouped } from '../../http/format.ts'
import { html, type Html, page } from '../../http/html.ts'

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

const verbs = { exclude: 'Exclude', include: 'Include', delete: 'Delete' } as const

/** Returns the page that asks before traces are deleted, or before all that match a filter are changed. */
export function confirmPage(view: ConfirmView): string {
  const { prefix, email, progress, action, count, maxCount, path, fields, back } = view
  const effect = {
    exclude: html`<p>They are sold to nobody until you include them again.</p>`,
    include: html`<p>They may be sold from then on. Sold traces can't be excluded or deleted.</p>`,
    delete: html`<p>
        ${count === 1 ? 'This trace and its content' : `These ${grouped(count)} traces and their content`} are deleted
        permanently. A deleted conversation is not stored again when your client uploads it later, even if it has grown.
      </p>
      <p>A trace that is sold before you confirm is kept.</p>`,
  }[action]
  const noun = counted(Math.min(count, maxCount), 'trace')
  const main = html`${count === 0 ? html`<p>No trace would change: those that match are sold, or are already in that state.</p>` : effect}
    ${count > maxCount ? html`<p>One submission changes at most ${grouped(maxCount)} traces. Submit again for the rest.</p>` : null}
    <form method="post" action="${prefix}${path}">
      ${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
      <input type="hidden" name="confirmed" value="yes" />
      <p class="actions">
        ${count > 0 ? html`<button name="action" value="${action}" class="${action === 'delete' ? 'danger' : 'main'}">${verbs[action]} ${noun}</button>` : null}
        <a href="${prefix}${back}">${count > 0 ? 'Cancel' : 'Back to your traces'}</a>
      </p>
    </form>`
  const title = `${verbs[action]} ${counted(count, 'trace')}?`
  return page({ title, here: '/traces', prefix, email, progress, signedIn: true, main })
}
