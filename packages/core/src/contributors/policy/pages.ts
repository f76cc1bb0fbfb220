import type { Form } from '../../http/form.ts'
import { html, type Html, field, notice, page } from '../../http/html.ts'
import type { Step } from './rules.ts'

/** The steps of a contributor's way; each has a page, and that of the upload is `/traces`. */
export type Here = Step['id']

const names: Record<Step['id'], readonly [title: string, path: string | null]> = {
  terms: ['Accept the terms', '/terms'],
  application: ['Apply as a contributor', '/apply'],
  contact: ['Leave a contact', '/contact'],
  upload: ['Upload with your client', null],
}

const states: Record<Step['state'], string> = {
  done: 'done',
  open: 'to do',
  waiting: 'waiting for review',
  refused: 'turned down',
}

const finished: Record<string, string> = {
  terms: 'You accepted the terms.',
  application: 'Your application is in.',
  contact: 'Your contact is saved.',
}

/** What comes after the steps that are done, in one sentence. */
function nextSentence(steps: readonly Step[]): string {
  const of = (id: Step['id']): Step['state'] | undefined => steps.find((step) => step.id === id)?.state
  if (of('terms') === 'open') return 'Next: accept the terms and confirm where you live.'
  if (of('application') === 'open') return 'Next: apply as a contributor.'
  if (of('application') === 'refused') return 'Next: you may apply again.'
  if (of('contact') === 'open') return 'Next: leave a contact.'
  if (of('application') === 'waiting') return 'Next: your application is reviewed; after that you can upload.'
  return 'Next: upload with your command-line client.'
}

/** The steps with what is done of them; after one was just finished, a notice that says what comes next. */
export function journey(steps: readonly Step[], here: Here, done: string | undefined, prefix: string): Html {
  const told = done === undefined ? undefined : finished[done]
  // On the page of the traces the mark stands at what comes next.
  const marked = here === 'upload' ? steps.find(({ state }) => state !== 'done')?.id : here
  const item = ({ id, state }: Step): Html => {
    const [title, path] = names[id]
    const name =
      path === null || id === here
        ? html`<span${id === here && here !== 'upload' ? html` aria-current="step"` : null}>${title}</span>`
        : html`<a href="${prefix}${path}">${title}</a>`
    const looks = id === marked && state !== 'done' ? 'here' : state
    return html`<li class="${looks}">${name}${id === 'upload' ? null : html`<small>${states[state]}</small>`}</li>`
  }
  const ready = steps.every(({ id, state }) => id === 'upload' || state === 'done')
  return html`${told ? notice('done', `${told} ${nextSentence(steps)}`) : here === 'upload' ? html`<p>${nextSentence(steps)}</p>` : null}
    <nav aria-label="Steps to your first upload">
      <ol class="steps">
        ${steps.map(item)}
      </ol>
    </nav>
    ${ready && here !== 'upload' ? html`<p>You are ready. Sign your client in, then let it upload. From a copy of Tributary's repository: <code>npm run example:contributor -- --help</code></p>` : null}`
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

/** The terms, and below them the form that accepts them. */
export function termsPage(view: TermsView): string {
  const { prefix, email, signedIn, termsVersion, text, problem } = view
  const paragraphs = text
    .split(/\n\s*\n/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
  const main = html`${problem === 'outdated' ? notice('error', 'The terms have changed since you opened this page. Please read them again.') : null}
    ${view.journey}
    <p class="hint">Version ${termsVersion}</p>
    <div class="prose">
      ${paragraphs.map((part) => (part.startsWith('## ') ? html`<h2>${part.slice(3)}</h2>` : html`<p>${part}</p>`))}
    </div>
    ${signedIn ? acceptance(view) : html`<p><a href="${prefix}/sign-in?next=%2Fterms">Sign in</a> to accept these terms.</p>`}`
  return page({ title: 'Terms', prefix, email, signedIn, main })
}

function acceptance({ prefix, termsVersion, accepted, residencyConfirmed, problem }: TermsView): Html {
  if (accepted && residencyConfirmed) return html`<p>You have accepted these terms and confirmed where you live.</p>`
  const wrong = problem === 'accepted'
  return html`<form method="post" action="${prefix}/terms">
    <input type="hidden" name="termsVersion" value="${termsVersion}" />
    <p class="field check">
      <label for="accepted"
        ><input
          id="accepted"
          name="accepted"
          type="checkbox"
          value="yes"
          required${accepted ? html` checked` : null}${wrong ? html` aria-invalid="true" aria-describedby="accepted-error"` : null}
        /><span>I have read these terms and accept them.</span></label
      >
      ${wrong ? html`<span class="error" id="accepted-error">Tick this box to accept the terms.</span>` : null}
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
        /><span>I live in a country in which uploads are open.</span></label
      >
      <span class="hint" id="residencyConfirmed-hint"
        >Without it you can accept the terms, but not upload. Elsewhere?
        <a href="${prefix}/waitlist">Join the waitlist.</a></span
      >
    </p>
    <p><button>Accept</button></p>
  </form>`
}

export interface WaitlistView {
  readonly prefix: string
  readonly email: string | null
  readonly form: Form<unknown> | null
  readonly joined: boolean
}

/** Asks where to write when uploads open elsewhere. */
export function waitlistPage({ prefix, email, form, joined }: WaitlistView): string {
  const wrong = (name: string): boolean => form?.issues.some(({ path }) => path[0] === name) ?? false
  const main = html`${joined ? notice('done', 'You are on the waitlist. We will send one e-mail when uploads open in your country.') : null}
    ${form ? notice('error', 'Please look at the marked fields.') : null}
    <p>
      Uploads are open in some countries only. Enter your e-mail address and country, and we'll send one e-mail when
      uploads open there.
    </p>
    <form method="post" action="${prefix}/waitlist">
      ${field({ name: 'email', label: 'E-mail address', type: 'email', value: form?.fields['email'] ?? (form ? '' : (email ?? '')), autocomplete: 'email', maxlength: 320, error: wrong('email') ? 'Enter an e-mail address such as name@example.com.' : undefined })}
      ${field({ name: 'country', label: 'Country', value: form?.fields['country'], hint: 'Two letters, such as DE.', autocomplete: 'country', maxlength: 2, required: false, error: wrong('country') ? 'Enter the two letters of your country.' : undefined })}
      <p><button>Join the waitlist</button></p>
    </form>`
  return page({ title: 'Waitlist', prefix, email, signedIn: true, main })
}
