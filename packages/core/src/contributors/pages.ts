import type { Form } from '../http/form.ts'
import { html, type Html, field, notice, page } from '../http/html.ts'
import { timestamp } from '../ids.ts'
import { mayApply } from './rules.ts'
import type { Application, Contact } from './store.ts'

/** A form that was sent and has mistakes. */
export type PageForm = Pick<Form<unknown>, 'fields' | 'issues'>

interface View {
  readonly prefix: string
  readonly email: string | null
  /** The steps to the first upload. */
  readonly journey: Html
  readonly form: PageForm | null
}

const messages: Record<string, string> = {
  companyName: 'Enter the name of your company, 200 characters at most.',
  incubatorBatch: '64 characters at most.',
  website: 'Enter a whole web address, such as https://example.com.',
  directoryUrl: 'Enter a whole web address, such as https://example.com, or nothing.',
  role: 'Enter your role, 128 characters at most.',
  name: 'Enter a name, 200 characters at most.',
  email: 'Enter an e-mail address such as name@example.com.',
  phone: '64 characters at most.',
  authorized: 'Tick this box to apply.',
}

/** What is wrong with a field, in words that help. */
function wrong(form: PageForm | null, name: string): string | undefined {
  return form?.issues.some(({ path }) => path[0] === name) ? messages[name] : undefined
}

const mistakes = (form: PageForm | null): Html | null =>
  form ? notice('error', 'Please look at the marked fields.') : null

/** What was typed, else what is known. */
const typed = (form: PageForm | null, name: string, known: string | null = null): string =>
  (form ? form.fields[name] : known) ?? ''

/** The application: the form while one may apply, else what became of it. */
export function applyPage(
  view: View & {
    readonly application: Application | null
    readonly exists: boolean
    readonly approval: 'manual' | 'automatic'
  },
): string {
  const { prefix, email, journey, application, form, exists, approval } = view
  const open = mayApply(application?.status ?? null)
  const main = html`${exists ? notice('error', 'You have applied already; nothing was changed.') : mistakes(form)}
  ${journey}
  ${application ? standing(application) : html`<p>Tell us who you are. ${approval === 'manual' ? 'We review every application by hand.' : 'Applications are approved automatically.'}</p>`}
  ${open ? draft(view) : null}`
  return page({ title: 'Apply', prefix, email, signedIn: true, main })
}

function standing({ status, submittedAt, companyName, reviewReason }: Application): Html {
  const sent = html`<time datetime="${timestamp(submittedAt)}">${timestamp(submittedAt).slice(0, 10)}</time>`
  const said = reviewReason ? html` The reason given: <q>${reviewReason}</q>` : null
  if (status === 'pending')
    return html`<p>
      Your application for <strong><bdi>${companyName}</bdi></strong
      >, sent ${sent}, is waiting for review. This page and your client tell you once it is decided.
    </p>`
  if (status === 'approved')
    return html`<p>
      Your application for <strong><bdi>${companyName}</bdi></strong> is approved. You are a contributor.${said}
    </p>`
  return html`<p>
    Your application for <strong><bdi>${companyName}</bdi></strong
    >, sent ${sent}, was turned down.${said} You may apply again below.
  </p>`
}

function draft({ prefix, email, form, application }: View & { readonly application: Application | null }): Html {
  const error = wrong(form, 'authorized')
  return html`<form method="post" action="${prefix}/apply">
    ${field({ name: 'companyName', label: 'Company', value: typed(form, 'companyName', application?.companyName), error: wrong(form, 'companyName'), autocomplete: 'organization', maxlength: 200 })}
    ${field({ name: 'website', label: 'Website', type: 'url', value: typed(form, 'website', application?.website), error: wrong(form, 'website'), hint: 'A whole address, such as https://example.com.', autocomplete: 'url', maxlength: 2048 })}
    ${field({ name: 'incubatorBatch', label: 'Incubator batch', value: typed(form, 'incubatorBatch', application?.incubatorBatch), error: wrong(form, 'incubatorBatch'), required: false, maxlength: 64 })}
    ${field({ name: 'directoryUrl', label: "Page in the incubator's directory", type: 'url', value: typed(form, 'directoryUrl', application?.directoryUrl), error: wrong(form, 'directoryUrl'), required: false, maxlength: 2048 })}
    ${field({ name: 'email', label: 'Work e-mail', type: 'email', value: typed(form, 'email', application?.email ?? email), error: wrong(form, 'email'), autocomplete: 'email', maxlength: 320 })}
    ${field({ name: 'role', label: 'Your role', value: typed(form, 'role', application?.role), error: wrong(form, 'role'), autocomplete: 'organization-title', maxlength: 128 })}
    <p class="field check">
      <label for="authorized"
        ><input
          id="authorized"
          name="authorized"
          type="checkbox"
          value="yes"
          required${form?.fields['authorized'] ? html` checked` : null}${error ? html` aria-invalid="true" aria-describedby="authorized-error"` : null}
        /><span>I may speak for this company and share these conversations.</span></label
      >
      ${error ? html`<span class="error" id="authorized-error">${error}</span>` : null}
    </p>
    <p><button>Apply</button></p>
  </form>`
}

/** Whom to write to about the contributions. */
export function contactPage(view: View & { readonly contact: Contact | null }): string {
  const { prefix, email, journey, contact, form } = view
  const main = html`${mistakes(form)} ${journey}
    <p>
      ${contact ? 'This is whom we write to about your contributions. You can change it at any time.' : 'Whom do we write to about your contributions?'}
    </p>
    <form method="post" action="${prefix}/contact">
      ${field({ name: 'name', label: 'Name', value: typed(form, 'name', contact?.name), error: wrong(form, 'name'), autocomplete: 'name', maxlength: 200 })}
      ${field({ name: 'email', label: 'E-mail address', type: 'email', value: typed(form, 'email', contact?.email ?? email), error: wrong(form, 'email'), autocomplete: 'email', maxlength: 320 })}
      ${field({ name: 'phone', label: 'Phone', type: 'tel', value: typed(form, 'phone', contact?.phone), error: wrong(form, 'phone'), autocomplete: 'tel', required: false, maxlength: 64 })}
      <p><button>${contact ? 'Save' : 'Leave this contact'}</button></p>
    </form>`
  return page({ title: 'Contact', prefix, email, signedIn: true, main })
}
