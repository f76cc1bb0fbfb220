import { clientSteps, type ClientTerms } from '../../ui/client-commands.ts'
import {
  countriesInText,
  formError,
  html,
  type Html,
  mailLink,
  messagesOf,
  notice,
  page,
  prose,
} from '../../ui/html.ts'
import { shareList, type ShareTerms } from '../../ledger/shares.ts'
import { timestamp } from '../../ids.ts'
import { policyMessages } from '../../messages/policy.ts'
import { pausedText } from '../paused-text.ts'
import { nextNeededStep, possibleSteps, type PausedBy, type Step } from './rules.ts'

const message = messagesOf(policyMessages)

/** The step of the page that is shown. On `/traces` and the home page, this step is the upload. */
export type StepId = Step['id']

/** The facts about the service that the steps mention. */
export interface JourneyTerms extends ClientTerms {
  readonly prefix: string
  /** The two-letter codes of the countries in which uploads are open. */
  readonly allowedCountries: readonly string[]
  /** The mailer. Null means that the service sends no mails. */
  readonly mailer: object | null
}

/** The upload status of a person, which is shown with the steps. */
export interface UploadStanding {
  readonly pausedBy: PausedBy
  readonly hasUploads: boolean
  /** Whether a device of the person is signed in. */
  readonly hasDevice: boolean
  /** Whether the person waits for uploads to open in their country. */
  readonly isOnWaitlist: boolean
  /** The operator's reason why the application was not approved, or null. */
  readonly reviewReason: string | null
}

const stepPaths: Readonly<Record<StepId, string>> = {
  terms: '/terms',
  application: '/apply',
  contact: '/contact',
  upload: '/#upload',
}

/** Whether a step cannot start before the terms are accepted. */
const isBlocked = ({ id, state }: Step, steps: readonly Step[]): boolean =>
  id === 'application' && state === 'open' && steps.some((one) => one.id === 'terms' && one.state === 'open')

/** Returns the state of a step in words. Contact details are optional, and an upload is possible after the approval. */
function stateName(step: Step, steps: readonly Step[]): Html | null {
  const { id, state } = step
  if (id === 'upload')
    return steps.some((one) => one.id === 'application' && one.state !== 'done') ? message('steps.afterApproval') : null
  if (isBlocked(step, steps)) return message('steps.blocked')
  return message(id === 'contact' && state === 'open' ? 'steps.optional' : `steps.${state}`)
}

/** Returns the name of a step, or of its part that is still missing. */
const stepName = ({ id, state }: Step): Html => message(`steps.${state === 'unconfirmed' ? 'residency' : id}`)

/** Returns the sentence about the next step on the way to the first upload. Null: only the waitlist is left. */
function nextSentence(
  steps: readonly Step[],
  { reviewReason, isOnWaitlist }: Pick<UploadStanding, 'reviewReason' | 'isOnWaitlist'>,
  { prefix, allowedCountries, mailer }: JourneyTerms,
): Html | null {
  const { id, state } = nextNeededStep(possibleSteps(steps, isOnWaitlist))
  if (state === 'unconfirmed') {
    const link = html`<a href="${prefix}/waitlist">${message('steps.toWaitlist')}</a>`
    const values = { count: allowedCountries.length, countries: countriesInText(allowedCountries), link }
    return message('steps.nextResidency', values)
  }
  if (id === 'terms') return message(isOnWaitlist ? 'steps.nextTermsOnly' : 'steps.nextTerms')
  if (id === 'upload') return isOnWaitlist ? null : message('steps.nextUpload')
  if (state === 'waiting') return message(mailer ? 'steps.nextWaitMail' : 'steps.nextWait')
  if (state !== 'refused') return message('steps.nextApplication')
  return reviewReason
    ? message('steps.rejectedReason', { reason: html`<q>${reviewReason}</q>` })
    : message('steps.rejected')
}

/** Returns the message about the step that was just completed, or null. */
function completedText(done: string | undefined, steps: readonly Step[]): Html | null {
  if (done === 'application' && steps.some(({ id, state }) => id === 'application' && state === 'done'))
    return message('steps.approvedDone')
  return done === 'terms' || done === 'application' || done === 'contact' ? message(`steps.${done}Done`) : null
}

/** Renders the next step with a button that leads to its page. The upload and a review have no page. */
function nextStep(steps: readonly Step[], next: Html | null, prefix: string): Html {
  const step = nextNeededStep(steps)
  const { id, state } = step
  const hasPage = id !== 'upload' && state !== 'waiting'
  const name = state === 'refused' ? message('steps.again') : stepName(step)
  return html`<p>${next}</p>
    ${hasPage ? html`<p><a class="button" href="${prefix}${stepPaths[id]}">${name}</a></p>` : null}`
}

/**
 * Renders the onboarding steps with their states and, when a step was just completed, a notice with the next step. The
 * steps are not shown after the first upload, or once a paused person has completed the steps.
 */
export function journey(
  steps: readonly Step[],
  {
    here,
    done,
    pausedBy,
    hasUploads,
    hasDevice,
    waiting,
    ...standing
  }: UploadStanding & {
    readonly here: StepId
    readonly done: string | undefined
    /** The line for a person on the waitlist, which is shown after the notice about the completed step. */
    readonly waiting: Html | null
  },
  terms: JourneyTerms,
): Html {
  const completed = completedText(done, steps)
  const isReady = nextNeededStep(steps).id === 'upload'
  const paused = pausedBy ? html`<p>${pausedText(pausedBy, terms.brand.supportEmail)}</p>` : null
  const doneNotice = (text: Html): Html => html`<div data-done="${done ?? ''}">${notice('done', text)}</div>`
  if (isReady && (hasUploads || paused)) return html`${completed ? doneNotice(completed) : null}${paused}`
  // The next step is marked on the page of the traces, and on the page of a step that cannot start yet.
  const isNextMarked = here === 'upload' || steps.some((step) => step.id === here && isBlocked(step, steps))
  const markedStep = isNextMarked ? nextNeededStep(steps).id : here
  const item = (step: Step): Html => {
    const { id, state } = step
    const title = stepName(step)
    const name =
      id === here && id !== 'upload'
        ? html`<span aria-current="step">${title}</span>`
        : html`<a href="${terms.prefix}${stepPaths[id]}">${title}</a>`
    const stateText = stateName(step, steps)
    const className = id === markedStep && state !== 'done' ? 'here' : state
    return html`<li class="${className}">${name}${stateText === null ? null : html`<small>${stateText}</small>`}</li>`
  }
  const list = html`<nav aria-label="${message('steps.label')}">
    <ol class="steps">
      ${steps.map(item)}
    </ol>
  </nav>`
  const next = nextSentence(steps, standing, terms)
  const marked = here === 'upload' ? nextStep(steps, next, terms.prefix) : null
  return html`${completed ? doneNotice(html`${completed} ${next}`) : null} ${waiting} ${completed ? null : marked}
  ${paused} ${here === 'upload' ? list : foldedSteps(steps, here, list)}
  ${
    isReady && here !== 'upload'
      ? html`<p>${message('steps.ready')}</p>
          ${clientSteps(message('steps.commands'), terms, { hasDevice })}`
      : null
  }`
}

/** Collapses the list of steps on the page of a step, so that the form is near the top of the page. */
const foldedSteps = (steps: readonly Step[], here: StepId, list: Html): Html =>
  html`<details>
    <summary>
      ${message('steps.folded', { step: steps.findIndex(({ id }) => id === here) + 1, count: steps.length })}
    </summary>
    ${list}
  </details>`

/** Renders the next step as one line, with a link to its page. */
export function progress(steps: readonly Step[], prefix: string): Html {
  const step = nextNeededStep(steps)
  const { id, state } = step
  return html`<p class="progress">
    <span>${message('steps.progress', { step: steps.indexOf(step) + 1, count: steps.length })}</span>
    <a href="${prefix}${stepPaths[id]}">${stepName(step)}</a
    >${state === 'open' ? null : html` <small>${stateName(step, steps)}</small>`}
  </p>`
}

/**
 * Renders the steps before the upload that the person can do on a page other than `here`. Returns null if there are
 * none.
 */
export function openSteps(steps: readonly Step[], here: StepId, prefix: string): Html | null {
  const isOpen = (step: StepId): boolean => steps.some(({ id, state }) => id === step && state === 'open')
  const terms = html`<a href="${prefix}${stepPaths.terms}">${message('steps.acceptTerms')}</a>`
  const application = html`<a href="${prefix}${stepPaths.application}">${message('steps.apply')}</a>`
  const canApply = isOpen('application') && here !== 'application'
  if (isOpen('terms')) {
    if (here === 'terms') return null
    return canApply
      ? message('steps.canAlreadyBoth', { terms, application })
      : message('steps.canAlready', { step: terms })
  }
  return canApply ? message('steps.canAlready', { step: application }) : null
}

export interface TermsView {
  readonly prefix: string
  readonly email: string | null
  readonly signedIn: boolean
  readonly termsVersion: string
  /** The address that people write to for help, or undefined. */
  readonly supportEmail: string | undefined
  readonly shares: ShareTerms
  readonly text: string
  /** Whether the text is the default one, which states no share. An operator's own terms may state the shares. */
  readonly isDefaultText: boolean
  readonly accepted: boolean
  /** The time at which these terms were accepted, in milliseconds since 1970, or null. */
  readonly acceptedAt: number | null
  readonly residencyConfirmed: boolean
  /** Whether the person waits for uploads to open in their country. */
  readonly isOnWaitlist: boolean
  /** The two-letter codes of the countries in which uploads are open. */
  readonly allowedCountries: readonly string[]
  readonly journey: Html | null
  readonly problem: 'accepted' | 'outdated' | null
}

/** Returns the page of the terms, with the form that accepts them. */
export function termsPage(view: TermsView): string {
  const {
    prefix,
    email,
    signedIn,
    termsVersion,
    supportEmail,
    shares,
    text,
    isDefaultText,
    accepted,
    acceptedAt,
    residencyConfirmed,
    problem,
  } = view
  const link = html`<a href="${prefix}/sign-in?next=%2Fterms">${message('terms.signInLink')}</a>`
  const isDone = accepted && residencyConfirmed && acceptedAt !== null
  const toForm = html`<a href="#accepted">${message('terms.toForm')}</a>`
  const problems = {
    outdated: message('terms.outdated'),
    accepted: message('terms.notAccepted', { link: toForm }),
  }
  const main = html`${problem && formError(problems[problem])} ${view.journey}
    ${isDone ? notice('info', message('terms.acceptedOn', { date: day(acceptedAt) })) : null}
    ${accepted && !isDone ? residencyForm(view) : null}
    <p>
      ${message('terms.operator')}
      ${supportEmail === undefined ? null : message('terms.contact', { address: mailLink(supportEmail) })}
    </p>
    <p class="hint">${message('terms.version', { version: termsVersion })}</p>
    ${signedIn && !accepted ? html`<p><a class="button second" href="#accepted">${message('terms.toAcceptance')}</a></p>` : null}
    ${prose(text)}
    <h2>${message('terms.shares')}</h2>
    ${isDefaultText ? html`<p>${message('terms.sharesMayChange')}</p>` : null} ${shareList(shares)}
    ${signedIn ? (accepted ? null : acceptForm(view)) : html`<p>${message('terms.signIn', { link })}</p>`}`
  const title = message(signedIn && !accepted ? 'terms.acceptTitle' : 'terms.title')
  return page({ title, isInvalid: problem !== null, prefix, email, signedIn, main })
}

/** Renders the day of a time in milliseconds since 1970. */
export const day = (at: number): Html => html`<time datetime="${timestamp(at)}">${timestamp(at).slice(0, 10)}</time>`

function acceptForm(view: TermsView): Html {
  const { prefix, termsVersion, problem } = view
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
          required${isUnaccepted ? html` aria-invalid="true" aria-describedby="accepted-error"` : null}
        /><span>${message('terms.accept')}</span></label
      >
      ${isUnaccepted ? html`<span class="error" id="accepted-error">${message('terms.acceptError')}</span>` : null}
    </p>
    ${residencyField(view)}
    <p><button>${message('terms.submit')}</button></p>
  </form>`
}

/** Renders the form for a person who accepted the terms and has not confirmed where they live. */
function residencyForm(view: TermsView): Html {
  return html`<form method="post" action="${view.prefix}/terms" aria-label="${message('terms.residencyTitle')}">
    <input type="hidden" name="termsVersion" value="${view.termsVersion}" />
    <input type="hidden" name="accepted" value="yes" />
    ${residencyField(view)}
    <p><button${view.isOnWaitlist ? html` class="second"` : null}>${message('terms.confirm')}</button></p>
  </form>`
}

function residencyField({ prefix, accepted, residencyConfirmed, isOnWaitlist, allowedCountries }: TermsView): Html {
  const residency = { count: allowedCountries.length, countries: countriesInText(allowedCountries) }
  const link = html`<a href="${prefix}/waitlist">${message(isOnWaitlist ? 'waitlist.view' : 'terms.toWaitlist')}</a>`
  return html`<p class="field check">
    <label for="residencyConfirmed"
      ><input
        id="residencyConfirmed"
        name="residencyConfirmed"
        type="checkbox"
        value="yes"
        aria-describedby="residencyConfirmed-hint"
        ${accepted ? html` required` : residencyConfirmed ? html` checked` : null}
      /><span>${message('terms.residency', residency)}</span></label
    >
    <span class="hint" id="residencyConfirmed-hint"
      >${message(isOnWaitlist ? 'terms.residencyHintWaiting' : 'terms.residencyHint', { link })}</span
    >
  </p>`
}
