import type { Form } from '../../http/route.ts'
import { html, type Html, field, notice, page, prose } from '../../http/html.ts'
import type { Step } from './rules.ts'

/** An onboarding step; each has a page, and that of the upload is `/traces`. */
export type StepId = Step['id']

const stepNames: Record<Step['id'], readonly [title: string, path: string | null]> = {
  terms: ['Accept the terms', '/terms'],
  application: ['Apply as a contributor', '/apply'],
  contact: ['Add contact details', '/contact'],
  upload: ['Upload with your client', null],
}

const stateNames: Record<Step['state'], string> = {
  done: 'done',
  open: 'to do',
  waiting: 'pending review',
  refused: 'not approved',
}

const completedMessages: Record<string, string> = {
  terms: 'Terms accepted.',
  application: 'Application submitted.',
  contact: 'Contact details saved.',
}

/** Returns one sentence about the next step. */
function nextSentence(steps: readonly Step[]): string {
  const stateOf = (id: StepId): Step['state'] | undefined => steps.find((step) => step.id === id)?.state
  if (stateOf('terms') === 'open') return 'Next: accept the terms and confirm your country of residence.'
  if (stateOf('application') === 'open') return 'Next: apply as a contributor.'
  if (stateOf('application') === 'refused') return 'Next: apply again.'
  if (stateOf('contact') === 'open') return 'Next: add contact details.'
  if (stateOf('application') === 'waiting')
    return 'Next: we review your application. You can upload once it is approved.'
  return 'Next: upload with your command-line client.'
}

/** Renders the onboarding steps with their states, and after a completed step a notice with the next one. */
export function journey(steps: readonly Step[], here: StepId, done: string | undefined, prefix: string): Html {
  const completed = done === undefined ? undefined : completedMessages[done]
  // The page of the traces marks the next step.
  const markedStep = here === 'upload' ? steps.find(({ state }) => state !== 'done')?.id : here
  const item = ({ id, state }: Step): Html => {
    const [title, path] = stepNames[id]
    const name =
      path === null || id === here
        ? html`<span${id === here && here !== 'upload' ? html` aria-current="step"` : null}>${title}</span>`
        : html`<a href="${prefix}${path}">${title}</a>`
    const className = id === markedStep && state !== 'done' ? 'here' : state
    return html`<li class="${className}">
      ${name}${id === 'upload' ? null : html`<small>${stateNames[state]}</small>`}
    </li>`
  }
  const isReady = steps.every(({ id, state }) => id === 'upload' || state === 'done')
  return html`${completed ? html`<div data-done="${done ?? ''}">${notice('done', `${completed} ${nextSentence(steps)}`)}</div>` : here === 'upload' ? html`<p>${nextSentence(steps)}</p>` : null}
    <nav aria-label="Steps to your first upload">
      <ol class="steps">
        ${steps.map(item)}
      </ol>
    </nav>
    ${isReady && here !== 'upload' ? html`<p>You're ready to upload. Sign in with your command-line client and start an upload. In a clone of Tributary's repository: <code>npm run example:contributor -- --help</code></p>` : null}`
}

/** Renders the first step that is not done as one line, with a link to its page. */
export function progress(steps: readonly Step[], prefix: string): Html {
  const at = steps.findIndex(({ state }) => state !== 'done')
  const { id, state } = steps[at]!
  const [title, path] = stepNames[id]
  return html`<p class="progress">
    <span>Step ${at + 1} of ${steps.length}</span>
    <a href="${prefix}${path ?? '/'}">${title}</a
    >${id === 'upload' || state === 'open' ? null : html` <small>${stateNames[state]}</small>`}
  </p>`
}

export interface TermsView {
  readonly prefix: string
  readonly email: string | null
  readonly signedIn: boolean
  readonly termsVersion: string
  readonly text: string
  readonly accepted: boolean
  readonly residencyConfirmed: boolean
  readonly journey: Html | null
  readonly problem: 'accepted' | 'outdated' | null
}

/** Returns the page of the terms, with the form that accepts them. */
export function termsPage(view: TermsView): string {
  const { prefix, email, signedIn, termsVersion, text, problem } = view
  const main = html`${problem === 'outdated' ? notice('error', 'The terms have changed since you opened this page. Read them again.') : null}
    ${view.journey}
    <p class="hint">Version ${termsVersion}</p>
    ${prose(text)}
    ${signedIn ? acceptForm(view) : html`<p><a href="${prefix}/sign-in?next=%2Fterms">Sign in</a> to accept these terms.</p>`}`
  return page({ title: 'Terms', prefix, email, signedIn, main })
}

function acceptForm({ prefix, termsVersion, accepted, residencyConfirmed, problem }: TermsView): Html {
  if (accepted && residencyConfirmed)
    return html`<p>You have accepted these terms and confirmed your country of residence.</p>`
  const isUnaccepted = problem === 'accepted'
  return html`<form method="post" action="${prefix}/terms">
    <input type="hidden" name="termsVersion" value="${termsVersion}" />
    <p class="field check">
      <label for="accepted"
        ><input
          id="accepted"
          name="accepted"
          type="checkbox"
          value="yes"
          required${accepted ? html` checked` : null}${isUnaccepted ? html` aria-invalid="true" aria-describedby="accepted-error"` : null}
        /><span>I have read and accept these terms.</span></label
      >
      ${isUnaccepted ? html`<span class="error" id="accepted-error">Select this box to accept the terms.</span>` : null}
    </p>
    <p class="field check">
      <label for="residencyConfirmed"
        ><input
          id="residencyConfirmed"
          name="residencyConfirmed"
          type="checkbox"
          value="yes"
          aria-describedby="residencyConfirmed-hint"
          ${residencyConfirmed ? html` checked` : null}
        /><span>I live in a country where uploads are open.</span></label
      >
      <span class="hint" id="residencyConfirmed-hint"
        >Required to upload, but not to accept the terms. Live elsewhere?
        <a href="${prefix}/waitlist">Join the waitlist.</a></span
      >
    </p>
    <p><button>Accept terms</button></p>
  </form>`
}

export interface WaitlistView {
  readonly prefix: string
  readonly email: string | null
  readonly form: Form<unknown> | null
  readonly joined: boolean
}

/** Returns the waitlist page. */
export function waitlistPage({ prefix, email, form, joined }: WaitlistView): string {
  const isInvalid = (name: string): boolean => form?.issues.some(({ path }) => path[0] === name) ?? false
  const main = html`${joined ? notice('done', 'You are on the waitlist. We will send one e-mail when uploads open in your country.') : null}
    ${form ? notice('error', 'Check the highlighted fields.') : null}
    <p>
      Uploads are open in some countries only. Enter your e-mail address and country, and we'll send one e-mail when
      uploads open there.
    </p>
    <form method="post" action="${prefix}/waitlist">
      ${field({ name: 'email', label: 'E-mail address', type: 'email', value: form?.fields['email'] ?? (form ? '' : (email ?? '')), autocomplete: 'email', maxlength: 320, error: isInvalid('email') ? 'Enter a valid e-mail address, for example name@example.com.' : undefined })}
      ${field({ name: 'country', label: 'Country', value: form?.fields['country'], hint: 'Two-letter code, for example DE.', autocomplete: 'country', maxlength: 2, required: false, error: isInvalid('country') ? 'Enter a two-letter country code.' : undefined })}
      <p><button>Join the waitlist</button></p>
    </form>`
  return page({ title: 'Waitlist', prefix, email, signedIn: true, main })
}
