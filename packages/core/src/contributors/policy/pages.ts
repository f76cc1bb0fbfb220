import { countries, html, type Html, messagesOf, notice, page, prose } from '../../http/html.ts'
import { timestamp } from '../../ids.ts'
import { policyMessages } from '../../messages/policy.ts'
import type { Step } from './rules.ts'

const message = messagesOf(policyMessages)

/** An onboarding step; each has a page, and that of the upload is `/traces`. */
export type StepId = Step['id']

const stepPaths: Readonly<Record<StepId, string | null>> = {
  terms: '/terms',
  application: '/apply',
  contact: '/contact',
  upload: null,
}

/** Returns the state of a step in a word. Contact details are not needed to upload. */
function stateName({ id, state }: Step): Html {
  return message(id === 'contact' && state === 'open' ? 'steps.optional' : `steps.${state}`)
}

/** Returns one sentence about the next step. */
function nextSentence(steps: readonly Step[]): Html {
  const stateOf = (id: StepId): Step['state'] | undefined => steps.find((step) => step.id === id)?.state
  if (stateOf('terms') === 'open') return message('steps.nextTerms')
  if (stateOf('application') === 'open') return message('steps.nextApplication')
  if (stateOf('application') === 'refused') return message('steps.nextAgain')
  if (stateOf('contact') === 'open') return message('steps.nextContact')
  if (stateOf('application') === 'waiting') return message('steps.nextWait')
  return message('steps.nextUpload')
}

/** Returns what was just completed, for the name of a step in the address of a page. */
function completedText(done: string | undefined, steps: readonly Step[]): Html | null {
  if (done === 'application' && steps.some(({ id, state }) => id === 'application' && state === 'done'))
    return message('steps.approvedDone')
  return done === 'terms' || done === 'application' || done === 'contact' ? message(`steps.${done}Done`) : null
}

/** Renders the onboarding steps with their states, and after a completed step a notice with the next one. */
export function journey(steps: readonly Step[], here: StepId, done: string | undefined, prefix: string): Html {
  const completed = completedText(done, steps)
  // The page of the traces marks the next step.
  const markedStep = here === 'upload' ? steps.find(({ state }) => state !== 'done')?.id : here
  const item = (step: Step): Html => {
    const { id, state } = step
    const path = stepPaths[id]
    const title = message(`steps.${id}`)
    const name =
      path === null || id === here
        ? html`<span${id === here && here !== 'upload' ? html` aria-current="step"` : null}>${title}</span>`
        : html`<a href="${prefix}${path}">${title}</a>`
    const className = id === markedStep && state !== 'done' ? 'here' : state
    return html`<li class="${className}">
      ${name}${id === 'upload' ? null : html`<small>${stateName(step)}</small>`}
    </li>`
  }
  const isReady = steps.every(({ id, state }) => id === 'upload' || state === 'done')
  const command = html`<code>npm run example:contributor -- --help</code>`
  return html`${completed ? html`<div data-done="${done ?? ''}">${notice('done', html`${completed} ${nextSentence(steps)}`)}</div>` : here === 'upload' ? html`<p>${nextSentence(steps)}</p>` : null}
    <nav aria-label="${message('steps.label')}">
      <ol class="steps">
        ${steps.map(item)}
      </ol>
    </nav>
    ${isReady && here !== 'upload' ? html`<p>${message('steps.ready', { command })}</p>` : null}`
}

/** Renders the first step that is not done as one line, with a link to its page. */
export function progress(steps: readonly Step[], prefix: string): Html {
  const at = steps.findIndex(({ state }) => state !== 'done')
  const step = steps[at]!
  const { id, state } = step
  const isNamed = id === 'contact' || (id !== 'upload' && state !== 'open')
  return html`<p class="progress">
    <span>${message('steps.progress', { step: at + 1, count: steps.length })}</span>
    <a href="${prefix}${stepPaths[id] ?? '/'}">${message(`steps.${id}`)}</a
    >${isNamed ? html` <small>${stateName(step)}</small>` : null}
  </p>`
}

export interface TermsView {
  readonly prefix: string
  readonly email: string | null
  readonly signedIn: boolean
  readonly termsVersion: string
  readonly text: string
  readonly accepted: boolean
  /** When these terms were accepted, in milliseconds since 1970, or null. */
  readonly acceptedAt: number | null
  readonly residencyConfirmed: boolean
  /** Two-letter codes of where uploads are open. */
  readonly allowedCountries: readonly string[]
  readonly journey: Html | null
  readonly problem: 'accepted' | 'outdated' | null
}

/** Returns the page of the terms, with the form that accepts them. */
export function termsPage(view: TermsView): string {
  const { prefix, email, signedIn, termsVersion, text, accepted, acceptedAt, residencyConfirmed, problem } = view
  const link = html`<a href="${prefix}/sign-in?next=%2Fterms">${message('terms.signInLink')}</a>`
  const isDone = accepted && residencyConfirmed && acceptedAt !== null
  const main = html`${problem === 'outdated' ? notice('error', message('terms.outdated')) : null} ${view.journey}
    ${isDone ? notice('info', message('terms.acceptedOn', { date: day(acceptedAt) })) : null}
    <p class="hint">${message('terms.version', { version: termsVersion })}</p>
    ${prose(text)} ${signedIn ? (isDone ? null : acceptForm(view)) : html`<p>${message('terms.signIn', { link })}</p>`}`
  return page({ title: message('terms.title'), prefix, email, signedIn, main })
}

/** Renders the day of a time in milliseconds since 1970. */
export const day = (at: number): Html => html`<time datetime="${timestamp(at)}">${timestamp(at).slice(0, 10)}</time>`

function acceptForm(view: TermsView): Html {
  const { prefix, termsVersion, accepted, residencyConfirmed, allowedCountries, problem } = view
  const isUnaccepted = problem === 'accepted'
  const residency = { count: allowedCountries.length, countries: countries(allowedCountries) }
  const link = html`<a href="${prefix}/waitlist">${message('terms.toWaitlist')}</a>`
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
        /><span>${message('terms.accept')}</span></label
      >
      ${isUnaccepted ? html`<span class="error" id="accepted-error">${message('terms.acceptError')}</span>` : null}
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
        /><span>${message('terms.residency', residency)}</span></label
      >
      <span class="hint" id="residencyConfirmed-hint">${message('terms.residencyHint', { link })}</span>
    </p>
    <p><button>${message('terms.submit')}</button></p>
  </form>`
}
