import { sentAlways, sentUntracked, sentWithAttribution } from '../../ads/disclosure.ts'
import { html, type Html, notice, page, time } from '../../http/html.ts'

/** A machine or browser that is signed in; `current` is the one that shows the page. Times are ISO 8601. */
export interface Machine {
  readonly id: string
  readonly kind: 'machine' | 'browser'
  readonly current: boolean
  readonly label: string
  readonly createdAt: string
  readonly lastUsedAt: string | null
}

/** Whether uploads are paused, and by whom. */
export interface Uploads {
  readonly paused: boolean
  readonly operatorPaused: boolean
}

export interface Consent {
  readonly attribution: boolean
  readonly pixel: boolean
}

/** An export that is prepared in the background. Times are ISO 8601. */
export interface Prepared {
  readonly status: 'preparing' | 'ready' | 'failed'
  readonly bytes: number | null
  readonly url: string | null
  readonly expiresAt: string | null
}

interface Frame {
  readonly prefix: string
  readonly email: string | null
}

export interface AccountView extends Frame {
  readonly machines: readonly Machine[]
  readonly uploads: Uploads
  /** Null where the service shows no ads. */
  readonly consent: Consent | null
  readonly prepared: Prepared | null
  /** Whether this host can send an export of any length in one reply. */
  readonly streams: boolean
  /** The completed action: a key of `messages`; anything else shows no message. */
  readonly done: string | null
  /** The submitted form is not one of this page. */
  readonly isUnknownForm: boolean
}

const revocationDelay = 'It can no longer change anything. It may still read your data for up to five seconds.'

const messages = {
  revoked: notice('done', `Signed out. ${revocationDelay}`),
  unknown_machine: notice('error', 'This device or browser was already signed out. Nothing was changed.'),
  paused: notice(
    'done',
    'Uploads are paused. New uploads are rejected until you resume; batches accepted before are still processed.',
  ),
  resumed: notice('done', 'Uploads are resumed.'),
  consent: notice('done', 'Preferences saved.'),
  export: notice('done', 'Your export is being prepared.'),
} as const satisfies Record<string, Html>

export type Done = keyof typeof messages

/** Returns the account page. */
export function accountPage({
  prefix,
  email,
  machines,
  uploads,
  consent,
  prepared,
  streams,
  done,
  isUnknownForm,
}: AccountView): string {
  const main = html`${done !== null && Object.hasOwn(messages, done) ? html`<div data-done="${done}">${messages[done as Done]}</div>` : null}${isUnknownForm ? notice('error', 'Invalid form. Nothing was changed. Try again.') : null}
    <p>${email ? html`You are signed in as <strong>${email}</strong>.` : 'You are signed in.'}</p>
    <section aria-labelledby="machines">
      <h2 id="machines">Devices and browsers</h2>
      ${machines.some(({ kind }) => kind === 'machine') ? null : html`<p>No device is signed in. Start your command-line client: it shows a code to enter on the <a href="${prefix}/device">device page</a>.</p>`}
      ${machines.length > 0 ? machineTable(prefix, machines) : null}
    </section>
    <section aria-labelledby="uploads">
      <h2 id="uploads">Uploads</h2>
      ${uploadsSection(prefix, uploads)}
    </section>
    ${
      consent
        ? html`<section aria-labelledby="sponsors">
            <h2 id="sponsors">Sponsors</h2>
            ${consentForm(prefix, consent)}
          </section>`
        : null
    }
    <section aria-labelledby="data">
      <h2 id="data">Your data</h2>
      <ul>
        <li>
          <a href="${prefix}/blocked-terms">Edit blocked terms</a>: words and names that we replace in your traces
        </li>
        <li><a href="${prefix}/earnings">View earnings</a>: your balance and each entry</li>
      </ul>
      <h3>Export your data</h3>
      <p>
        The export is one JSON document with everything held about you: your application and contact details, what you
        agreed to and when, your devices and browsers, your earnings, every trace with its sales, and the hashes of
        deleted traces.
      </p>
      ${exportSection(prefix, prepared, streams)}
      <h3>Delete your account</h3>
      <p>
        This signs you out everywhere and permanently erases your traces, your application and everything else held
        about you. You must have signed in with this browser within the last 15 minutes, and confirm on the next page.
      </p>
      <form method="post" action="${prefix}/account">
        <p><button name="action" value="erase" class="danger">Delete my account…</button></p>
      </form>
    </section>`
  return page({ title: 'Account', here: '/account', prefix, email, signedIn: true, main })
}

const kindNames: Readonly<Record<Machine['kind'], string>> = { machine: 'device', browser: 'browser' }

function machineTable(prefix: string, machines: readonly Machine[]): Html {
  return html`<div class="table" role="region" aria-labelledby="machines-caption" tabindex="0">
    <table class="stack" role="table">
      <caption id="machines-caption">
        These can act on your behalf. Sign out any that you no longer use or don't recognize. Times are in UTC.
      </caption>
      <thead role="rowgroup">
        <tr role="row">
          ${['Name', 'Last used', 'Action'].map((name) => html`<th scope="col" role="columnheader">${name}</th>`)}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${machines.map(
          ({ id, kind, label, createdAt, lastUsedAt, current }) =>
            html`<tr role="row">
              <th scope="row" role="rowheader">
                <bdi>${label}</bdi
                >${current ? html` <span class="tag good">This ${kindNames[kind]}</span>` : null}<small
                  >${kindNames[kind]}, signed in ${time(createdAt)}</small
                >
              </th>
              <td role="cell" data-label="Last used">
                ${current ? 'now' : lastUsedAt === null ? 'never' : time(lastUsedAt)}
              </td>
              <td role="cell" class="act">
                <form method="post" action="${prefix}/account">
                  <input type="hidden" name="id" value="${id}" /><button
                    name="action"
                    value="revoke"
                    class="second small"
                    aria-label="Sign out ${label}"
                  >
                    Sign out
                  </button>
                </form>
              </td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`
}

function uploadsSection(prefix: string, { paused, operatorPaused }: Uploads): Html {
  const button = paused
    ? html`<button name="action" value="resume">Resume uploads</button>`
    : html`<button name="action" value="pause" class="second">Pause uploads</button>`
  return html`<p>
      ${paused ? html`<span class="tag bad">Paused</span> You paused uploads. New uploads are rejected until you resume.` : html`<span class="tag good">Open</span> While you pause, new uploads are rejected. Batches accepted before are still processed, and stored traces stay as they are.`}
    </p>
    ${operatorPaused ? notice('info', 'The operator of this service paused your uploads. Only the operator can resume them.') : null}
    <form method="post" action="${prefix}/account"><p>${button}</p></form>`
}

function consentForm(prefix: string, consent: Consent): Html {
  const box = (name: 'attribution' | 'pixel', label: string, hint: string): Html =>
    html`<p class="field check">
      <label for="${name}"
        ><input
          id="${name}"
          name="${name}"
          type="checkbox"
          value="yes"
          aria-describedby="${name}-hint"
          ${consent[name] ? html` checked` : null}
        /><span>${label}</span></label
      >
      <span class="hint" id="${name}-hint">${hint}</span>
    </p>`
  const list = (sent: typeof sentAlways): Html =>
    html`<ul>
      ${sent.map(({ text }) => html`<li>${text}</li>`)}
    </ul>`
  return html`<p>
      Your client may show a sponsor line. When this service requests one from an ad network, the network always gets:
    </p>
    ${list(sentAlways)}
    <p>
      The network never gets your IP address, e-mail address or conversations. If your client sends
      <code>Sec-GPC: 1</code> or <code>DNT: 1</code>, the network gets only:
    </p>
    ${list(sentUntracked)}
    <p>Both preferences are off unless you turn them on. Sponsor lines appear either way.</p>
    <form method="post" action="${prefix}/account">
      ${box('attribution', 'Attribution', `The ad network also gets ${sentWithAttribution.map(({ text }) => text).join(', ')}, and can link the lines that they were shown.`)}
      ${box('pixel', 'Measuring pixel', "Your client may load the network's pixel, which tells the network that a line was seen and your IP address.")}
      <p><button name="action" value="consent" class="second">Save preferences</button></p>
    </form>`
}

/** Returns the page that asks for another sign-in, because the last one is too old to delete the account. */
export function signInAgainPage({
  prefix,
  email,
  next,
  signInUrl,
}: Frame & {
  /** The path to continue at after the sign-in. */
  readonly next: string
  /** The URL of the app's own sign-in, if it replaces ours. */
  readonly signInUrl: string | null
}): string {
  const code = html`<form method="post" action="${prefix}/sign-in">
    <input type="hidden" name="next" value="${next}" /><input type="hidden" name="email" value="${email}" />
    <p class="actions"><button>Send code</button> <a href="${prefix}/account">Cancel</a></p>
  </form>`
  const externalSignIn = html`<p class="actions">
    <a class="button" href="${signInUrl}">Sign in again</a> <a href="${prefix}/account">Cancel</a>
  </p>`
  const main = html`<p>
      To delete your account, you must have signed in within the last 15 minutes. Nothing was deleted.
    </p>
    ${signInUrl === null ? html`<p>We'll send a six-digit code to <strong>${email}</strong>. Enter it to continue.</p>` : null}
    ${signInUrl === null ? code : externalSignIn}`
  return page({ title: 'Sign in again to delete your account', here: '/account', prefix, email, signedIn: true, main })
}

function exportSection(prefix: string, prepared: Prepared | null, streams: boolean): Html {
  const prepare = html`<form method="post" action="${prefix}/account">
    <p><button name="action" value="export" class="second">Prepare export</button></p>
  </form>`
  if (prepared?.status === 'preparing')
    return html`<p>
      Your export is being prepared, which takes a few seconds to a few minutes.
      <a href="${prefix}/account#data">Check again</a>
    </p>`
  if (prepared?.status === 'ready') {
    return html`<p>
        Your export is ready:
        <a class="button second" href="${prepared.url}" download>Download (${megabytes(prepared.bytes ?? 0)})</a>
      </p>
      <p>Anyone with this link can download your export. It expires at ${time(prepared.expiresAt!)}.</p>`
  }
  return html`${prepared ? notice('error', 'Your export could not be prepared. Try again.') : null}${prepare}
  ${streams ? html`<p>Or <a href="${prefix}/api/account/export" download>download everything</a> directly. This download cannot be resumed.</p>` : null}`
}

const megabytes = (bytes: number): string => `${Math.max(bytes / 1e6, 0.1).toFixed(1)} MB`

/** Returns the page that asks to confirm the deletion of an account. */
export function erasePage({ prefix, email }: Frame): string {
  const main = html`<p>
      This permanently erases ${email ? html`the account of <strong>${email}</strong>` : 'your account'} and everything
      in it:
    </p>
    <ul>
      <li>every trace that was not sold, with its content</li>
      <li>your application, contact details, blocked terms and preferences</li>
      <li>the sign-in of every device and browser</li>
      <li>your balance: what was not paid out is lost</li>
    </ul>
    <p>
      Traces that were sold stay with their buyers, without anything that names you, and are sold to nobody else. To
      keep a copy, <a href="${prefix}/account#data">export your data</a> first.
    </p>
    <form method="post" action="${prefix}/account">
      <input type="hidden" name="confirmed" value="yes" />
      <p class="actions">
        <button name="action" value="erase" class="danger">Delete my account</button>
        <a href="${prefix}/account">Cancel</a>
      </p>
    </form>`
  return page({ title: 'Delete your account?', here: '/account', prefix, email, signedIn: true, main })
}

/** Returns the page after the deletion. */
export function erasedPage({ prefix }: { prefix: string }): string {
  return page({
    title: 'Account deleted',
    prefix,
    main: html`${notice(
        'done',
        'You are signed out everywhere, and everything held about you is being erased. A device may still read your data for ' +
          'up to five seconds.',
      )}
      <p>
        To come back, <a href="${prefix}/sign-in">sign in</a> with the same address. You get a new, empty account.
      </p>`,
  })
}
