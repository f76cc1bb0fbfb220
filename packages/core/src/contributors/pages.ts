import type { Form } from '../http/route.ts'
import { html, type Html, field, messagesOf, notice, page } from '../http/html.ts'
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

const fieldErrors: Readonly<Record<string, Html>> = {
  companyName: message('apply.companyError'),
  incubatorBatch: message('apply.batchError'),
  website: message('apply.websiteError'),
  directoryUrl: message('apply.directoryError'),
  role: message('apply.roleError'),
  name: message('contact.nameError'),
  email: message('contact.emailError'),
  phone: message('contact.phoneError'),
  authorized: message('apply.authorizedError'),
}

/** Returns the error message of a field. */
function errorOf(form: PageForm | null, name: string): Html | undefined {
  return form?.issues.some(({ path }) => path[0] === name) ? fieldErrors[name] : undefined
}

const formError = (form: PageForm | null): Html | null => (form ? notice('error', message('form.check')) : null)

/** Returns the submitted value of a field, else the stored one. */
const valueOf = (form: PageForm | null, name: string, stored: string | null = null): string =>
  (form ? form.fields[name] : stored) ?? ''

/** Returns the application page: the status of the application, and the form if the user may apply. */
export function applyPage(
  view: PageView & {
    readonly application: Application | null
    readonly exists: boolean
    readonly approval: 'manual' | 'automatic'
  },
): string {
  const { prefix, email, journey, application, form, exists, approval } = view
  const isOpen = mayApply(application?.status ?? null)
  const main = html`${exists ? notice('error', message('apply.exists')) : formError(form)} ${journey}
  ${application ? applicationStatus(application) : html`<p>${message('apply.intro')} ${message(`apply.${approval}`)}</p>`}
  ${isOpen ? applicationForm(view) : null}`
  return page({ title: message('apply.title'), prefix, email, signedIn: true, main })
}

function applicationStatus({ status, submittedAt, companyName, reviewReason }: Application): Html {
  const at = timestamp(submittedAt)
  const values = {
    company: html`<strong><bdi>${companyName}</bdi></strong>`,
    date: html`<time datetime="${at}">${at.slice(0, 10)}</time>`,
  }
  const reason = reviewReason ? message('apply.reason', { reason: html`<q>${reviewReason}</q>` }) : null
  if (status === 'pending') return html`<p data-status="${status}">${message('apply.pending', values)}</p>`
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
  return html`<form method="post" action="${prefix}/apply">
    ${field({ name: 'companyName', label: message('apply.company'), value: valueOf(form, 'companyName', application?.companyName), error: errorOf(form, 'companyName'), autocomplete: 'organization', maxlength: 200 })}
    ${field({ name: 'website', label: message('apply.website'), type: 'url', value: valueOf(form, 'website', application?.website), error: errorOf(form, 'website'), hint: message('apply.websiteHint'), autocomplete: 'url', maxlength: 2048 })}
    ${field({ name: 'incubatorBatch', label: message('apply.batch'), value: valueOf(form, 'incubatorBatch', application?.incubatorBatch), error: errorOf(form, 'incubatorBatch'), required: false, maxlength: 64 })}
    ${field({ name: 'directoryUrl', label: message('apply.directory'), type: 'url', value: valueOf(form, 'directoryUrl', application?.directoryUrl), error: errorOf(form, 'directoryUrl'), required: false, maxlength: 2048 })}
    ${field({ name: 'email', label: message('apply.email'), type: 'email', value: valueOf(form, 'email', application?.email ?? email), error: errorOf(form, 'email'), autocomplete: 'email', maxlength: 320 })}
    ${field({ name: 'role', label: message('apply.role'), value: valueOf(form, 'role', application?.role), error: errorOf(form, 'role'), autocomplete: 'organization-title', maxlength: 128 })}
    <p class="field check">
      <label for="authorized"
        ><input
          id="authorized"
          name="authorized"
          type="checkbox"
          value="yes"
          required${form?.fields['authorized'] ? html` checked` : null}${authorizedError ? html` aria-invalid="true" aria-describedby="authorized-error"` : null}
        /><span>${message('apply.authorized')}</span></label
      >
      ${authorizedError ? html`<span class="error" id="authorized-error">${authorizedError}</span>` : null}
    </p>
    <p><button>${message('apply.submit')}</button></p>
  </form>`
}

/** Returns the contact page. */
export function contactPage(view: PageView & { readonly contact: Contact | null }): string {
  const { prefix, email, journey, contact, form } = view
  const main = html`${formError(form)} ${journey}
    <p>${message(contact ? 'contact.change' : 'contact.ask')}</p>
    <form method="post" action="${prefix}/contact">
      ${field({ name: 'name', label: message('contact.name'), value: valueOf(form, 'name', contact?.name), error: errorOf(form, 'name'), autocomplete: 'name', maxlength: 200 })}
      ${field({ name: 'email', label: message('contact.email'), type: 'email', value: valueOf(form, 'email', contact?.email ?? email), error: errorOf(form, 'email'), autocomplete: 'email', maxlength: 320 })}
      ${field({ name: 'phone', label: message('contact.phone'), type: 'tel', value: valueOf(form, 'phone', contact?.phone), error: errorOf(form, 'phone'), autocomplete: 'tel', required: false, maxlength: 64 })}
      <p><button>${message(contact ? 'contact.save' : 'contact.add')}</button></p>
    </form>`
  return page({ title: message('contact.title'), prefix, email, signedIn: true, main })
}
