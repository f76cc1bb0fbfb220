import type { Flash } from '../../http/flash.ts'
import { sentAlways, sentUntracked, sentWithAttribution } from '../../ads/disclosure.ts'
import { formError, html, type Html, messagesOf, notice, page, time, timeOfDay } from '../../ui/html.ts'
import { table } from '../../ui/table.ts'
import type { PausedBy } from '../policy/rules.ts'
import type { Consent } from '../store.ts'
import { pausedText } from '../paused-text.ts'
import { accountMessages } from '../../messages/account.ts'

/**
 * A machine or browser that is signed in; `current` marks the machine or browser that shows the page. Times are ISO
 * 8601.
 */
export interface Machine {
  readonly id: string
  readonly kind: 'machine' | 'browser'
  readonly status: 'signed_in' | 'approved'
  readonly current: boolean
  readonly label: string
  readonly createdAt: string
  readonly lastUsedAt: string | null
}

/** Whether a person can upload. */
export interface Uploads {
  readonly pausedBy: PausedBy
  /** The next step of a person who cannot upload yet, or null. */
  readonly nextStep: Html | null
  readonly hasAcceptedTerms: boolean
  readonly hasApplied: boolean
  readonly hasContact: boolean
}

/** An export that is prepared in the background. Times are ISO 8601. */
export interface BackgroundExport {
  readonly status: 'preparing' | 'ready' | 'failed'
  readonly bytes: number | null
  readonly url: string | null
  readonly expiresAt: string | null
}

export interface Frame {
  readonly prefix: string
  readonly email: string | null
}

export interface AccountView extends Frame {
  readonly machines: readonly Machine[]
  readonly uploads: Uploads
  /** The address that people write to for help, or undefined. */
  readonly supportEmail: string | undefined
  /** The consent of the person, or null if the service shows no ads. */
  readonly consent: Consent | null
  readonly prepared: BackgroundExport | null
  /** The time of this page in milliseconds. */
  readonly now: number
  /** Whether this host can send an export of any length in one reply. */
  readonly streams: boolean
  /** The completed action, one of `CompletedAction`, with the name of the device or browser that was just signed out. */
  readonly flash: Flash | null
  /** Whether the submitted form does not belong to this page. */
  readonly isUnknownForm: boolean
}

const message = messagesOf(accountMessages)

const doneKinds = {
  revoked: 'done',
  others_revoked: 'done',
  unknown_machine: 'error',
  paused: 'done',
  resumed: 'done',
  consent: 'done',
} as const

/** The action that was just completed. */
export type CompletedAction = keyof typeof doneKinds

const isDone = (text: string): text is CompletedAction => Object.hasOwn(doneKinds, text)

function doneNotice({ done, about }: Flash): Html | null {
  if (!isDone(done)) return null
  const text =
    done === 'revoked' && about !== undefined
      ? message('account.revokedName', { name: html`<strong><bdi>${about}</bdi></strong>` })
      : message(`account.${done}`)
  return html`<div data-done="${done}">${notice(doneKinds[done], text)}</div>`
}

/** Returns the account page. */
export function accountPage({
  prefix,
  email,
  machines,
  uploads,
  supportEmail,
  consent,
  prepared,
  now,
  streams,
  flash,
  isUnknownForm,
}: AccountView): string {
  const parts = [
    {
      id: 'machines',
      name: message('account.machines'),
      main: html`${
        machines.some(({ kind }) => kind === 'machine')
          ? null
          : html`<p>
              ${message('account.noDevice', { link: html`<a href="${prefix}/device">${message('account.devicePage')}</a>` })}
            </p>`
      }
      ${machines.length > 0 ? machineList(prefix, machines) : null}`,
    },
    { id: 'uploads', name: message('account.uploads'), main: uploadsSection(prefix, uploads, supportEmail) },
  ]
  // If the person still has a step to complete, its section comes first.
  if (uploads.pausedBy === null && uploads.nextStep) parts.reverse()
  const main = html`${flash && doneNotice(flash)}${isUnknownForm ? formError(message('account.invalidForm')) : null}
    <p>
      ${email ? message('account.signedInAs', { email: html`<strong>${email}</strong>` }) : message('account.signedIn')}
    </p>
    <nav class="jump" aria-label="${message('account.jump')}">
      ${message('account.jump')}
      ${[
        ...parts.map(({ id, name }) => [id, name] as const),
        ...(consent ? [['sponsors', message('account.sponsors')] as const] : []),
        ['data', message('account.data')] as const,
        ['export', message('account.exportTitle')] as const,
        ['delete', message('account.deleteTitle')] as const,
      ].map(([id, text]) => html`<a href="#${id}">${text}</a>`)}
    </nav>
    ${parts.map(
      ({ id, name, main }) =>
        html`<section aria-labelledby="${id}">
          <h2 id="${id}">${name}</h2>
          ${main}
        </section>`,
    )}
    ${
      consent
        ? html`<section aria-labelledby="sponsors">
            <h2 id="sponsors">${message('account.sponsors')}</h2>
            ${consentForm(prefix, consent)}
          </section>`
        : null
    }
    <section aria-labelledby="data">
      <h2 id="data">${message('account.data')}</h2>
      <ul>
        ${ownPages(prefix, uploads).map((text) => html`<li>${text}</li>`)}
      </ul>
      <h3 id="export">${message('account.exportTitle')}</h3>
      <p>${message('account.exportIntro')}</p>
      ${exportSection(prefix, now, prepared, streams)}
      <h3 id="delete">${message('account.deleteTitle')}</h3>
      <p>${message('account.deleteIntro')}</p>
      <form method="post" action="${prefix}/account">
        <p><button name="action" value="erase" class="danger">${message('account.delete')}</button></p>
      </form>
    </section>`
  return page({
    title: message('account.title'),
    isInvalid: isUnknownForm,
    here: '/account',
    prefix,
    email,
    signedIn: true,
    main,
  })
}

/**
 * Returns links to the person's other pages, which are not in the navigation. A link to a page with an open step says
 * that the step is open.
 */
function ownPages(prefix: string, { hasAcceptedTerms, hasApplied, hasContact }: Uploads): Html[] {
  const link = (path: string, name: Html): Html => html`<a href="${prefix}${path}">${name}</a>`
  const open = (path: string, name: Html, state: Html): Html =>
    message('account.notDone', { link: link(path, name), state })
  return [
    hasAcceptedTerms
      ? message('account.termsText', { link: link('/terms', message('account.terms')) })
      : open('/terms', message('account.acceptTerms'), message('account.acceptTermsNone')),
    hasApplied
      ? message('account.applicationText', { link: link('/apply', message('account.application')) })
      : open('/apply', message('account.apply'), message('account.applyNone')),
    hasContact
      ? message('account.contactText', { link: link('/contact', message('account.contact')) })
      : open('/contact', message('account.addContact'), message('account.contactNone')),
    message('account.blockedTermsText', { link: link('/blocked-terms', message('account.blockedTerms')) }),
  ]
}

const kindTexts = {
  machine: { current: 'account.thisMachine', signed_in: 'account.machineSince', approved: 'account.machineApproved' },
  browser: { current: 'account.thisBrowser', signed_in: 'account.browserSince', approved: 'account.browserSince' },
} as const

/**
 * Renders the devices and browsers, the requesting one first, and a form for all other browsers if there are several.
 */
function machineList(prefix: string, machines: readonly Machine[]): Html {
  const sorted = [...machines].sort((a, b) => Number(b.current) - Number(a.current))
  return html`${machineTable(prefix, sorted)} ${otherBrowsers(machines).length > 1 ? othersForm(prefix) : null}`
}

/** Returns all browsers except the browser that sent the request. */
const otherBrowsers = (machines: readonly Machine[]): Machine[] =>
  machines.filter(({ kind, current }) => kind === 'browser' && !current)

const othersForm = (prefix: string): Html =>
  html`<form method="post" action="${prefix}/account">
    <p><button name="action" value="revoke_others" class="second">${message('account.signOutOthers')}</button></p>
  </form>`

const machineTable = (prefix: string, machines: readonly Machine[]): Html =>
  table({
    caption: message('account.machinesCaption'),
    items: machines,
    columns: [
      [
        message('account.name'),
        ({ kind, status, label, createdAt, current }) =>
          html`<bdi>${label}</bdi
            >${current ? html` <span class="tag good">${message(kindTexts[kind].current)}</span>` : null}<small
              >${message(kindTexts[kind][status], { time: time(createdAt) })}</small
            >`,
      ],
      [
        message('account.lastUsed'),
        ({ current, lastUsedAt }) =>
          current ? message('account.now') : lastUsedAt === null ? message('account.never') : time(lastUsedAt),
      ],
      [message('account.action'), ({ id, label }) => revokeForm(prefix, id, label), 'act'],
    ],
  })

const revokeForm = (prefix: string, id: string, label: string): Html =>
  html`<form method="post" action="${prefix}/account">
    <input type="hidden" name="id" value="${id}" /><button
      name="action"
      value="revoke"
      class="second small"
      aria-label="${message('account.signOutOne', { name: label })}"
    >
      ${message('account.signOut')}
    </button>
  </form>`

function uploadsSection(prefix: string, { pausedBy, nextStep }: Uploads, supportEmail: string | undefined): Html {
  if (pausedBy === 'operator') return html`<p>${pausedText(pausedBy, supportEmail)}</p>`
  if (pausedBy === null && nextStep)
    return html`<p><span class="tag quiet">${message('account.notOpenTag')}</span> ${message('account.notOpenText')}</p>
      ${nextStep}`
  const button = pausedBy
    ? html`<button name="action" value="resume">${message('account.resume')}</button>`
    : html`<button name="action" value="pause" class="second">${message('account.pause')}</button>`
  const open = html`<span class="tag good">${message('account.openTag')}</span> ${message('account.openText')}`
  return html`<p>${pausedBy ? pausedText(pausedBy, supportEmail) : open}</p>
    <form method="post" action="${prefix}/account"><p>${button}</p></form>`
}

const sentText = (sent: typeof sentAlways): Html =>
  html`${sent.map(({ text }, n) => html`${n > 0 ? ', ' : null}${message(text)}`)}`

function consentForm(prefix: string, consent: Consent): Html {
  const box = (name: 'attribution' | 'pixel', label: Html, hint: Html): Html =>
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
      ${sent.map(({ text }) => html`<li>${message(text)}</li>`)}
    </ul>`
  const signals = { gpc: html`<code>Sec-GPC: 1</code>`, dnt: html`<code>DNT: 1</code>` }
  return html`<p>${message('account.sponsorsIntro', { command: html`<code>status</code>` })}</p>
    <details>
      <summary>${message('account.whatIsSent')}</summary>
      ${list(sentAlways)}
      <p>${message('account.untracked', signals)}</p>
      ${list(sentUntracked)}
    </details>
    <form method="post" action="${prefix}/account">
      ${box('attribution', message('account.attribution'), message('account.attributionHint', { what: sentText(sentWithAttribution) }))}
      ${box('pixel', message('account.pixel'), message('account.pixelHint'))}
      <p><button name="action" value="consent" class="second">${message('account.saveConsent')}</button></p>
    </form>`
}

/** Returns the page that asks for another sign-in, because the last sign-in is too old to delete the account. */
export function signInAgainPage({
  prefix,
  email,
  next,
  signInUrl,
}: Frame & {
  /** The path to continue at after the sign-in. */
  readonly next: string
  /** The URL of the app's own sign-in, or null if the service's own sign-in is used. */
  readonly signInUrl: string | null
}): string {
  const code = html`<form method="post" action="${prefix}/sign-in">
    <input type="hidden" name="next" value="${next}" /><input type="hidden" name="email" value="${email}" />
    <p class="actions">
      <button>${message('erase.send')}</button> <a href="${prefix}/account">${message('erase.cancel')}</a>
    </p>
  </form>`
  const externalSignIn = html`<p class="actions">
    <a class="button" href="${signInUrl}">${message('erase.signIn')}</a>
    <a href="${prefix}/account">${message('erase.cancel')}</a>
  </p>`
  const main = html`<p>${message('erase.signInIntro')}</p>
    ${signInUrl === null ? html`<p>${message('erase.signInCode', { email: html`<strong>${email}</strong>` })}</p>` : null}
    ${signInUrl === null ? code : externalSignIn}`
  return page({ title: message('erase.signInTitle'), here: '/account', prefix, email, signedIn: true, main })
}

function exportSection(prefix: string, now: number, prepared: BackgroundExport | null, streams: boolean): Html {
  const prepare = html`<form method="post" action="${prefix}/account">
    <p><button name="action" value="export" class="second">${message('account.prepare')}</button></p>
  </form>`
  // The URL differs each time, because a browser would only scroll to the same URL with a fragment.
  const link = html`<a href="${prefix}/account?at=${now}#export">${message('account.checkAgain')}</a>`
  if (prepared?.status === 'preparing')
    return notice('info', message('account.preparing', { link, time: timeOfDay(now) }))
  if (prepared?.status === 'ready') {
    return html`<p>
        ${message('account.ready', {
          link: html`<a class="button second" href="${prepared.url}" download>${downloadText(prepared.bytes ?? 0)}</a>`,
        })}
      </p>
      <p>${message('account.readyHint', { time: time(prepared.expiresAt!) })}</p>`
  }
  const direct = html`<a href="${prefix}/api/account/export" download>${message('account.downloadAll')}</a>`
  return html`${prepared ? notice('error', message('account.exportFailed')) : null}
    <p>${message('account.prepareText')}</p>
    ${prepare} ${streams ? html`<p>${message('account.direct', { link: direct })}</p>` : null}`
}

const downloadText = (bytes: number): Html =>
  bytes < 1e5
    ? message('account.downloadKilobytes', { kilobytes: Math.ceil(bytes / 1e3) })
    : message('account.download', { megabytes: Math.round(bytes / 1e5) / 10 })
