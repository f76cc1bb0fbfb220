import type { Form } from '../http/route.ts'
import {
  html,
  type Html,
  field,
  fieldErrors,
  formError,
  message as layoutMessage,
  messagesOf,
  notice,
  page,
  time,
} from '../ui/html.ts'
import { timestamp } from '../ids.ts'
import { contributorMessages } from '../messages/contributors.ts'
import { mayApply } from './rules.ts'
import type { Application, Contact } from './store.ts'

/** A submitted form with invalid fields. */
export type PageForm = Pick<Form<unknown>, 'fields' | 'issues'>

interface PageView {
  readonly prefix: string
  readonly email: string | null
  /** The onboarding steps. */
  readonly journey: Html
  readonly form: PageForm | null
}

const message = messagesOf(contributorMessages)

/** The error of each field, in the order of the pages. */
const fieldMessages: Readonly<Record<string, Html>> = {
  companyName: message('apply.companyError'),
  website: message('apply.websiteError'),
  incubatorBatch: message('apply.batchError'),
  directoryUrl: message('apply.directoryError'),
  name: message('contact.nameError'),
  email: message('contact.emailError'),
  phone: message('contact.phoneError'),
  role: message('apply.roleError'),
  authorized: message('apply.authorizedError'),
}

/** Returns the error message of a field. */
function errorOf(form: PageForm | null, name: string): Html | undefined {
  return form?.issues.some(({ path }) => path[0] === name) ? fieldMessages[name] : undefined
}

/** Renders a list of the invalid fields with their errors, in the order of the page. */
function invalidFields(form: PageForm | null): Html | null {
  if (form === null) return null
  const invalid = Object.entries(fieldMessages).filter(([name]) => errorOf(form, name) !== undefined)
  return invalid.length === 0 ? formError() : fieldErrors(invalid)
}

/**
 * Returns a function that renders the fields of a form: each with its error and with the submitted value, or with the
 * stored value if no form was submitted.
 */
const fieldsOf =
  (form: PageForm | null, stored: Readonly<Record<string, unknown>>) =>
  (name: string, label: Html, more: Omit<Parameters<typeof field>[0], 'name' | 'label'>) => {
    const value = form ? form.fields[name] : stored[name]
    const text = typeof value === 'string' ? value : ''
    return field({ name, label, value: text, error: errorOf(form, name), ...more })
  }

/** Returns the application page: the status of the application, and the form if the user may apply. */
export function applyPage(
  view: PageView & {
    readonly application: Application | null
    readonly exists: boolean
    /** Whether the terms are accepted; the form is shown only then. */
    readonly hasAcceptedTerms: boolean
    readonly approval: 'manual' | 'automatic'
    /** The mailer. Null means that the service sends no mails. */
    readonly mailer: object | null
  },
): string {
  const { prefix, email, journey, application, form, exists, approval, mailer, hasAcceptedTerms } = view
  const isOpen = mayApply(application?.status ?? null)
  const openForm =
    hasAcceptedTerms || form
      ? html`${application ? null : html`<p>${message('apply.intro')}</p>`} ${applicationForm(view)}`
      : toTerms(prefix)
  const main = html`${exists ? formError(message('apply.exists')) : invalidFields(form)} ${journey}
  ${application ? applicationStatus(application, mailer !== null) : null}
  ${isOpen ? openForm : application && submittedFields(application)}
  ${
    application
      ? null
      : html`<p>${message(`apply.${approval}`)} ${approval === 'manual' && mailer ? message('apply.mail') : null}</p>`
  }`
  return page({
    title: message('apply.title'),
    above: toAccount(prefix),
    isInvalid: exists || form !== null,
    here: '/account',
    prefix,
    email,
    signedIn: true,
    main,
  })
}

const toTerms = (prefix: string): Html =>
  html`${notice('info', message('apply.termsFirst'))}
    <p><a class="button" href="${prefix}/terms">${message('apply.toTerms')}</a></p>`

const toAccount = (prefix: string): Html =>
  html`<p class="trail"><a href="${prefix}/account">${message('contact.toAccount')}</a></p>`

/** Renders the submitted fields, and the time of the decision. */
function submittedFields(application: Application): Html {
  const { companyName, website, incubatorBatch, directoryUrl, email, role, submittedAt, reviewedAt } = application
  const texts = [
    [message('apply.company'), companyName],
    [message('apply.website'), website],
    [message('apply.batch'), incubatorBatch],
    [message('apply.directory'), directoryUrl],
    [message('apply.email'), email],
    [message('apply.role'), role],
  ] as const
  return html`<h2>${message('apply.submitted')}</h2>
    <dl>
      ${texts.map(([name, text]) =>
        text
          ? html`<dt>${name}</dt>
              <dd><bdi>${text}</bdi></dd>`
          : null,
      )}
      <dt>${message('apply.submittedAt')}</dt>
      <dd>${time(timestamp(submittedAt))}</dd>
      ${
        reviewedAt === null
          ? null
          : html`<dt>${message('apply.reviewedAt')}</dt>
              <dd>${time(timestamp(reviewedAt))}</dd>`
      }
    </dl>`
}

function applicationStatus({ status, submittedAt, companyName, reviewReason }: Application, sendsMail: boolean): Html {
  const at = timestamp(submittedAt)
  const values = {
    company: html`<strong><bdi>${companyName}</bdi></strong>`,
    date: html`<time datetime="${at}">${at.slice(0, 10)}</time>`,
  }
  const reason = reviewReason ? message('apply.reason', { reason: html`<q>${reviewReason}</q>` }) : null
  if (status === 'pending')
    return html`<p data-status="${status}">
      ${message('apply.pending', values)} ${message(sendsMail ? 'apply.decisionMail' : 'apply.decision')}
    </p>`
  if (status === 'approved')
    return html`<p data-status="${status}">${message('apply.approved', { company: values.company })} ${reason}</p>`
  return html`<p data-status="${status}">${message('apply.rejected', values)} ${reason} ${message('apply.again')}</p>`
}

function applicationForm({
  prefix,
  email,
  form,
  application,
}: PageView & { readonly application: Application | null }): Html {
  const authorizedError = errorOf(form, 'authorized')
  const isChecked = form?.fields['authorized'] ? html` checked` : null
  const errorMarks = authorizedError ? html` aria-invalid="true" aria-describedby="authorized-error"` : null
  const fieldOf = fieldsOf(form, { ...application, email: application?.email ?? email })
  return html`<form method="post" action="${prefix}/apply">
    <div class="pairs">
      ${fieldOf('companyName', message('apply.company'), { autocomplete: 'organization', maxlength: 200 })}
      ${fieldOf('website', message('apply.website'), {
        inputmode: 'url',
        autocomplete: 'url',
        maxlength: 2048,
      })}
      ${fieldOf('email', message('apply.email'), { type: 'email', autocomplete: 'email', maxlength: 320 })}
      ${fieldOf('role', message('apply.role'), { autocomplete: 'organization-title', maxlength: 128 })}
    </div>
    <p class="field check">
      <label for="authorized"
        ><input id="authorized" name="authorized" type="checkbox" value="yes" required${isChecked}${errorMarks} /><span
          >${message('apply.authorized')}</span
        ></label
      >
      ${authorizedError ? html`<span class="error" id="authorized-error">${authorizedError}</span>` : null}
    </p>
    ${incubatorFields(form, fieldOf)}
    <p><button>${message('apply.submit')}</button></p>
  </form>`
}

/** Renders the fields for companies of an incubator, collapsed unless one of these fields has a value or an error. */
function incubatorFields(form: PageForm | null, fieldOf: ReturnType<typeof fieldsOf>): Html {
  const isOpen = ['incubatorBatch', 'directoryUrl'].some((name) => form?.fields[name] || errorOf(form, name))
  return html`<details ${isOpen ? html` open` : null}>
    <summary>${message('apply.incubator')} <span class="optional">${layoutMessage('form.optional')}</span></summary>
    ${fieldOf('incubatorBatch', message('apply.batch'), {
      hint: message('apply.batchHint'),
      required: false,
      maxlength: 64,
    })}
    ${fieldOf('directoryUrl', message('apply.directory'), {
      hint: message('apply.directoryHint'),
      inputmode: 'url',
      required: false,
      maxlength: 2048,
    })}
  </details>`
}

/** Renders the contact read-only, with the sign-in that is needed before the contact can be changed. */
function lockedContact(
  { prefix, email }: Pick<PageView, 'prefix' | 'email'>,
  contact: Contact,
  signInUrl: string | null,
): Html {
  const rows = [
    [message('contact.name'), contact.name],
    [message('contact.email'), contact.email],
    [message('contact.phone'), contact.phone],
  ] as const
  return html`<dl>
      ${rows.map(([name, text]) =>
        text
          ? html`<dt>${name}</dt>
              <dd><bdi>${text}</bdi></dd>`
          : null,
      )}
    </dl>
    <p>${message('contact.locked')}</p>
    ${
      signInUrl === null
        ? html`<p>${message('contact.code', { email: html`<strong>${email}</strong>` })}</p>
            <form method="post" action="${prefix}/sign-in">
              <input type="hidden" name="next" value="/contact" /><input type="hidden" name="email" value="${email}" />
              <p><button>${message('contact.sendCode')}</button></p>
            </form>`
        : html`<p><a class="button" href="${signInUrl}">${message('contact.signIn')}</a></p>`
    }`
}

/** Returns the contact page; with `signInAgain` the contact cannot be changed before the next sign-in. */
export function contactPage(
  view: PageView & {
    readonly contact: Contact | null
    /** `url` is the URL of the app's own sign-in, or null if the service's own sign-in is used. */
    readonly signInAgain: { readonly url: string | null } | null
  },
): string {
  const { prefix, email, journey, contact, form, signInAgain } = view
  const fieldOf = fieldsOf(form, { ...contact, email: contact?.email ?? email })
  const contactForm = html`<p>${message(contact ? 'contact.change' : 'contact.ask')}</p>
    <form method="post" action="${prefix}/contact">
      ${fieldOf('name', message('contact.name'), { autocomplete: 'name', maxlength: 200 })}
      ${fieldOf('email', message('contact.email'), { type: 'email', autocomplete: 'email', maxlength: 320 })}
      ${fieldOf('phone', message('contact.phone'), { type: 'tel', autocomplete: 'tel', required: false, maxlength: 64 })}
      <p><button>${message(contact ? 'contact.save' : 'contact.add')}</button></p>
    </form>`
  const main = html`${invalidFields(form)} ${journey}
  ${contact && signInAgain ? lockedContact(view, contact, signInAgain.url) : contactForm}`
  return page({
    title: message('contact.title'),
    above: toAccount(prefix),
    isInvalid: form !== null,
    here: '/account',
    prefix,
    email,
    signedIn: true,
    main,
  })
}
