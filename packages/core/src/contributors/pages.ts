import type { Form } from '../http/route.ts'
import { html, type Html, field, notice, page } from '../http/html.ts'
import { timestamp } from '../ids.ts'
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

const fieldErrors: Record<string, string> = {
  companyName: 'Enter your company name, up to 200 characters.',
  incubatorBatch: 'Enter up to 64 characters.',
  website: 'Enter a full URL, for example https://example.com.',
  directoryUrl: 'Enter a full URL, for example https://example.com, or leave this empty.',
  role: 'Enter your role, up to 128 characters.',
  name: 'Enter a name, up to 200 characters.',
  email: 'Enter a valid e-mail address, for example name@example.com.',
  phone: 'Enter up to 64 characters.',
  authorized: 'Select this box to apply.',
}

/** Returns the error message of a field. */
function errorOf(form: PageForm | null, name: string): string | undefined {
  return form?.issues.some(({ path }) => path[0] === name) ? fieldErrors[name] : undefined
}

const formError = (form: PageForm | null): Html | null =>
  form ? notice('error', 'Check the highlighted fields.') : null

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
  const main = html`${exists ? notice('error', 'You have already applied. Nothing was changed.') : formError(form)}
  ${journey}
  ${application ? applicationStatus(application) : html`<p>Tell us about your company. ${approval === 'manual' ? 'We review every application by hand.' : 'Applications are approved automatically.'}</p>`}
  ${isOpen ? applicationForm(view) : null}`
  return page({ title: 'Apply', prefix, email, signedIn: true, main })
}

function applicationStatus({ status, submittedAt, companyName, reviewReason }: Application): Html {
  const submitted = html`<time datetime="${timestamp(submittedAt)}">${timestamp(submittedAt).slice(0, 10)}</time>`
  const reason = reviewReason ? html` Reason: <q>${reviewReason}</q>` : null
  if (status === 'pending')
    return html`<p data-status="${status}">
      Your application for <strong><bdi>${companyName}</bdi></strong
      >, submitted ${submitted}, is pending review. This page and your client show the decision.
    </p>`
  if (status === 'approved')
    return html`<p data-status="${status}">
      Your application for <strong><bdi>${companyName}</bdi></strong> is approved. You are a contributor.${reason}
    </p>`
  return html`<p data-status="${status}">
    Your application for <strong><bdi>${companyName}</bdi></strong
    >, submitted ${submitted}, was not approved.${reason} You can apply again below.
  </p>`
}

function applicationForm({
  prefix,
  email,
  form,
  application,
}: PageView & { readonly application: Application | null }): Html {
  const authorizedError = errorOf(form, 'authorized')
  return html`<form method="post" action="${prefix}/apply">
    ${field({ name: 'companyName', label: 'Company', value: valueOf(form, 'companyName', application?.companyName), error: errorOf(form, 'companyName'), autocomplete: 'organization', maxlength: 200 })}
    ${field({ name: 'website', label: 'Website', type: 'url', value: valueOf(form, 'website', application?.website), error: errorOf(form, 'website'), hint: 'Full URL, for example https://example.com.', autocomplete: 'url', maxlength: 2048 })}
    ${field({ name: 'incubatorBatch', label: 'Incubator batch', value: valueOf(form, 'incubatorBatch', application?.incubatorBatch), error: errorOf(form, 'incubatorBatch'), required: false, maxlength: 64 })}
    ${field({ name: 'directoryUrl', label: "Page in the incubator's directory", type: 'url', value: valueOf(form, 'directoryUrl', application?.directoryUrl), error: errorOf(form, 'directoryUrl'), required: false, maxlength: 2048 })}
    ${field({ name: 'email', label: 'Work e-mail', type: 'email', value: valueOf(form, 'email', application?.email ?? email), error: errorOf(form, 'email'), autocomplete: 'email', maxlength: 320 })}
    ${field({ name: 'role', label: 'Your role', value: valueOf(form, 'role', application?.role), error: errorOf(form, 'role'), autocomplete: 'organization-title', maxlength: 128 })}
    <p class="field check">
      <label for="authorized"
        ><input
          id="authorized"
          name="authorized"
          type="checkbox"
          value="yes"
          required${form?.fields['authorized'] ? html` checked` : null}${authorizedError ? html` aria-invalid="true" aria-describedby="authorized-error"` : null}
        /><span>I am authorized to act for this company and to share these conversations.</span></label
      >
      ${authorizedError ? html`<span class="error" id="authorized-error">${authorizedError}</span>` : null}
    </p>
    <p><button>Submit application</button></p>
  </form>`
}

/** Returns the contact page. */
export function contactPage(view: PageView & { readonly contact: Contact | null }): string {
  const { prefix, email, journey, contact, form } = view
  const main = html`${formError(form)} ${journey}
    <p>
      ${contact ? 'We contact this person about your contributions. You can change it at any time.' : 'Who should we contact about your contributions?'}
    </p>
    <form method="post" action="${prefix}/contact">
      ${field({ name: 'name', label: 'Name', value: valueOf(form, 'name', contact?.name), error: errorOf(form, 'name'), autocomplete: 'name', maxlength: 200 })}
      ${field({ name: 'email', label: 'E-mail address', type: 'email', value: valueOf(form, 'email', contact?.email ?? email), error: errorOf(form, 'email'), autocomplete: 'email', maxlength: 320 })}
      ${field({ name: 'phone', label: 'Phone', type: 'tel', value: valueOf(form, 'phone', contact?.phone), error: errorOf(form, 'phone'), autocomplete: 'tel', required: false, maxlength: 64 })}
      <p><button>${contact ? 'Save' : 'Add contact details'}</button></p>
    </form>`
  return page({ title: 'Contact', prefix, email, signedIn: true, main })
}
