import {
  countriesInText,
  countryOptions,
  field,
  fieldErrors,
  formError,
  html,
  type Html,
  messagesOf,
  notice,
  page,
} from '../../ui/html.ts'
import type { Form } from '../../http/route.ts'
import { policyMessages } from '../../messages/policy.ts'
import { countryCodes } from './countries.ts'
import { day } from './pages.ts'
import type { PolicyExport } from './store.ts'

const message = messagesOf(policyMessages)

type Entry = NonNullable<PolicyExport['waitlist']>

interface Frame {
  readonly prefix: string
  readonly email: string | null
}

export interface WaitlistView extends Frame {
  readonly form: Form<unknown> | null
  /** The person's entry, or null. */
  readonly entry: Entry | null
  /** A text that says which steps the person can do while waiting, or null. */
  readonly openSteps: Html | null
  /** The two-letter codes of the countries in which uploads are open. */
  readonly allowedCountries: readonly string[]
  /** The mailer. Null means that the service sends no mails. */
  readonly mailer: object | null
  /** The action that was just completed. */
  readonly done: string | undefined
}

/** Returns the waitlist page, with a form to join, or forms to change the entry and to leave. */
export function waitlistPage(view: WaitlistView): string {
  const { prefix, email, form, entry, allowedCountries, mailer, done } = view
  const open = { count: allowedCountries.length, countries: countriesInText(allowedCountries) }
  const main = html`${form ? invalidFields(form) : doneNotice(done, entry)}
  ${
    entry
      ? html`${standingText(entry, view)}
          <p>${message('waitlist.openIn', open)}</p>
          <h2>${message('waitlist.change')}</h2>
          ${entryForm(view)}
          <h2>${message('waitlist.leave')}</h2>
          <p>${message('waitlist.leaveText')}</p>
          <p><a class="button danger" href="${prefix}/waitlist/leave">${message('waitlist.leaveAsk')}</a></p>`
      : html`<p>
            ${message('waitlist.openIn', open)} ${message('waitlist.intro')}
            ${message(mailer ? 'waitlist.introMail' : 'waitlist.checkHere')}
          </p>
          ${entryForm(view)}`
  }`
  return page({ title: message('waitlist.title'), isInvalid: form !== null, prefix, email, signedIn: true, main })
}

function doneNotice(done: string | undefined, entry: Entry | null): Html | null {
  if (done === 'waitlist' && entry) return notice('done', message('waitlist.saved'))
  return done === 'left' && !entry ? notice('done', message('waitlist.left')) : null
}

/** Renders the time since which a person waits, and the next step. */
function standingText(
  { email, country, joinedAt, notifiedAt }: Entry,
  { prefix, mailer, openSteps }: Pick<WaitlistView, 'prefix' | 'mailer' | 'openSteps'>,
): Html {
  if (country === null) return html`<p>${message('waitlist.joinedAnywhere', { date: day(joinedAt) })}</p>`
  const [place, address] = [countriesInText([country]), { email: html`<strong>${email}</strong>` }]
  if (notifiedAt === null)
    return html`<p>
        ${message('waitlist.joined', { country: place, date: day(joinedAt) })}
        ${mailer ? message('waitlist.mailTo', address) : message('waitlist.checkHere')}
        ${openSteps ? null : message('waitlist.untilThen')}
      </p>
      ${openSteps && html`<p>${openSteps}</p>`}`
  const link = html`<a href="${prefix}/terms">${message('waitlist.toTerms')}</a>`
  return html`<p>
    ${message('waitlist.notified', { country: place, date: day(notifiedAt) })}
    ${mailer ? message('waitlist.mailSent', address) : null} ${message('waitlist.toStart', { link })}
  </p>`
}

const isInvalid = (form: Form<unknown> | null, name: string): boolean =>
  form?.issues.some(({ path }) => path[0] === name) ?? false

function invalidFields(form: Form<unknown>): Html {
  const errors = { email: message('waitlist.emailError'), country: message('waitlist.countryError') }
  const met = Object.entries(errors).filter(([name]) => isInvalid(form, name))
  return met.length === 0 ? formError() : fieldErrors(met)
}

function entryForm({ prefix, email, form, entry }: WaitlistView): Html {
  const address = form ? (form.fields['email'] ?? '') : (entry?.email ?? email ?? '')
  return html`<form method="post" action="${prefix}/waitlist">
    ${field({
      name: 'email',
      label: message('waitlist.email'),
      type: 'email',
      value: address,
      autocomplete: 'email',
      maxlength: 320,
      error: isInvalid(form, 'email') ? message('waitlist.emailError') : undefined,
    })}
    ${countryField(form ? (form.fields['country'] ?? '') : (entry?.country ?? ''), isInvalid(form, 'country'))}
    <p><button>${message(entry === null ? 'waitlist.join' : 'waitlist.save')}</button></p>
  </form>`
}

/** Returns the page that asks to confirm leaving the waitlist. */
export function leavePage({ prefix, email, entry }: Frame & { readonly entry: Entry }): string {
  const main = html`<p>${message('waitlist.leaveEffect', { email: html`<strong>${entry.email}</strong>` })}</p>
    <form method="post" action="${prefix}/waitlist/leave">
      <p class="actions">
        <button class="danger final">${message('waitlist.leave')}</button>
        <a href="${prefix}/waitlist">${message('waitlist.cancel')}</a>
      </p>
    </form>`
  return page({ title: message('waitlist.leaveTitle'), prefix, email, signedIn: true, main })
}

/** Renders the state of a person on the waitlist, for the pages that show the steps to other people. */
export function waitingSection(entry: Entry, terms: Pick<WaitlistView, 'prefix' | 'mailer' | 'openSteps'>): Html {
  return html`<section class="panel" aria-labelledby="waiting">
    <h2 id="waiting">${message('waitlist.waiting')}</h2>
    ${standingText(entry, terms)}
    <p><a href="${terms.prefix}/waitlist">${message('waitlist.view')}</a></p>
  </section>`
}

/**
 * Renders the top of a page for a person on the waitlist: that the person is waiting, and the steps that are already
 * possible.
 */
export function waitingProgress({ prefix, openSteps }: Pick<WaitlistView, 'prefix' | 'openSteps'>): Html {
  return html`<div class="progress">
    <p>
      <strong>${message('waitlist.line')}</strong> ${openSteps}
      <a href="${prefix}/waitlist">${message('waitlist.view')}</a>
    </p>
  </div>`
}

function countryField(selected: string, isWrong: boolean): Html {
  return html`<p class="field">
    <label for="country">${message('waitlist.country')}</label>
    <select
      id="country"
      name="country"
      required
      autocomplete="country"
      ${isWrong ? html` aria-invalid="true" aria-describedby="country-error"` : null}
    >
      <option value="">${message('waitlist.choose')}</option>
      ${countryOptions(countryCodes, selected.toUpperCase())}
    </select>
    ${isWrong ? html`<span class="error" id="country-error">${message('waitlist.countryError')}</span>` : null}
  </p>`
}
