import { html, messagesOf, fieldErrors, notice, page, type Html } from '../../ui/html.ts'
import { accountMessages } from '../../messages/account.ts'
import { maxTerms } from './rules.ts'

export interface BlockedTermsView {
  readonly prefix: string
  readonly email: string | null
  /** The text of the field: the stored terms, one per line, or the entered text. */
  readonly text: string
  /** The number of unsold traces that must still be scrubbed again. */
  readonly pending: number
  readonly isSaved: boolean
  /** The errors in the entered lines. */
  readonly errors: readonly Html[]
}

export const blockedTermsMessage = messagesOf(accountMessages)
const message = blockedTermsMessage

const hintId = 'terms-hint'
const errorId = 'terms-error'

/** Returns the page on which a person lists the terms that are replaced in their traces. */
export function blockedTermsPage({ prefix, email, text, pending, isSaved, errors }: BlockedTermsView): string {
  const isWrong = errors.length > 0
  const main = html`${isWrong ? fieldErrors([['terms', html`${errors.map((error) => html`${error} `)}`]]) : null}
    ${isSaved ? notice('done', message('blocked.saved')) : null}
    ${pending > 0 ? notice('info', message('blocked.pending', { count: pending })) : null}
    <p>${message('blocked.intro', { placeholder: html`<code>[BLOCKED_1]</code>` })}</p>
    <form method="post" action="${prefix}/blocked-terms">
      <p class="field">
        <label for="terms">${message('blocked.title')}</label>
        <span class="hint" id="${hintId}">${message('blocked.hint', { count: maxTerms })}</span>
        <textarea
          id="terms"
          name="terms"
          rows="6"
          spellcheck="false"
          autocomplete="off"
          autocapitalize="off"
          aria-describedby="${isWrong ? `${hintId} ${errorId}` : hintId}"
          ${isWrong ? html` aria-invalid="true"` : null}
        >
${text}</textarea>
        ${isWrong ? html`<span class="error" id="${errorId}">${errors.map((error) => html`${error} `)}</span>` : null}
      </p>
      <p>${message('blocked.warning')}</p>
      <p><button>${message('blocked.save')}</button></p>
    </form>
    <ul>
      <li>${message('blocked.sold')}</li>
      <li>${message('blocked.whole')}</li>
      <li>${message('blocked.forms')}</li>
      <li>${message('blocked.private')}</li>
    </ul>`
  return page({
    title: message('blocked.title'),
    above: html`<p class="trail"><a href="${prefix}/account">${message('account.title')}</a></p>`,
    here: '/account',
    isInvalid: isWrong,
    prefix,
    email,
    signedIn: true,
    main,
  })
}
