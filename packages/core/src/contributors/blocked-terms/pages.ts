import { html, notice, page, type Html } from '../../http/html.ts'
import { maxTerms } from './rules.ts'

export interface BlockedTermsView {
  readonly prefix: string
  readonly email: string | null
  /** The text of the field: the stored terms, one a line, or what was entered. */
  readonly text: string
  /** Unsold traces that are still to be scrubbed again. */
  readonly pending: number
  readonly isSaved: boolean
  /** What is wrong with the lines that were entered. */
  readonly errors: readonly string[]
}

const hintId = 'terms-hint'
const errorId = 'terms-error'

/** Returns the page on which a person lists the terms that are replaced in their traces. */
export function blockedTermsPage({ prefix, email, text, pending, isSaved, errors }: BlockedTermsView): string {
  const isWrong = errors.length > 0
  const main = html`${isWrong ? notice('error', 'Nothing was saved. Check the highlighted field.') : null}
    ${isSaved ? notice('done', 'Blocked terms saved.') : null} ${pending > 0 ? pendingNotice(pending) : null}
    <p>
      List words and names that must not leave in your traces: code names of projects, names of customers or colleagues,
      host names. Each is replaced with a placeholder such as <code>[BLOCKED_1]</code>. We already replace your account
      e-mail address, your contact details and the name and websites of your company.
    </p>
    <ul>
      <li>A term is found as a whole word or phrase, in upper or lower case, also inside encoded text.</li>
      <li>Its other forms and misspellings are not found. List each form that you use.</li>
      <li>Traces that were sold cannot be changed.</li>
      <li>Only you see this list. It is part of your data export and is deleted with your account.</li>
    </ul>
    <form method="post" action="${prefix}/blocked-terms">
      <p class="field">
        <label for="terms">Blocked terms</label>
        <span class="hint" id="${hintId}">One a line, 2 to 128 characters each, at most ${maxTerms} lines.</span>
        <textarea
          id="terms"
          name="terms"
          rows="10"
          spellcheck="false"
          autocomplete="off"
          autocapitalize="off"
          aria-describedby="${isWrong ? `${hintId} ${errorId}` : hintId}"
          ${isWrong ? html` aria-invalid="true"` : null}
        >
${text}</textarea>
        ${isWrong ? html`<span class="error" id="${errorId}">${errors.join(' ')}</span>` : null}
      </p>
      <p><button>Save</button></p>
    </form>
    <p><a href="${prefix}/account">Back to your account</a></p>`
  return page({ title: 'Blocked terms', here: '/account', prefix, email, signedIn: true, main })
}

function pendingNotice(pending: number): Html {
  const traces = pending === 1 ? '1 stored trace is' : `${pending} stored traces are`
  return notice(
    'info',
    `${traces} still to be scrubbed again. Until then, terms are replaced whenever a trace is read.`,
  )
}
