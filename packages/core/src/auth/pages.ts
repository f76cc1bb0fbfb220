import { html, type Html, field, formError, messagesOf, notice, page, time } from '../ui/html.ts'
import { adminMessages } from '../messages/admin/frame.ts'
import { authMessages } from '../messages/auth.ts'

const message = messagesOf(authMessages)

type SignInProblem = 'email' | 'code' | 'limit' | 'off'

/** Returns the sign-in page: the form for the address, or, once a code was sent, the form for the code. */
export function signInPage({
  prefix,
  next,
  available,
  email = '',
  isCodeSent = false,
  newCodeAt,
  isSentHere = false,
  isSignedOut = false,
  problem,
  developmentLinks = [],
}: {
  prefix: string
  next: string
  /**
   * Links to pages of the host that exist only in development: the mailbox that receives the codes. Next to the form
   * for the code, these links open in a new tab, so that the form stays open.
   */
  developmentLinks?: readonly { readonly path: string; readonly text: string | Html }[]
  /** Whether this server can send e-mail. */
  available: boolean
  email?: string | undefined
  isCodeSent?: boolean
  /** The timestamp at which a new code replaced an earlier code. */
  newCodeAt?: string | undefined
  /** Whether another page redirected the browser here. */
  isSentHere?: boolean
  /** Whether the person just signed out. */
  isSignedOut?: boolean
  problem?: SignInProblem
}): string {
  const frame = { here: '/sign-in', prefix, isInvalid: problem !== undefined }
  const nextField = html`<input type="hidden" name="next" value="${next}" />`
  const errorIf = (field: SignInProblem) => (problem === field ? message(`signIn.problem.${field}`) : undefined)
  const isFieldProblem = problem === 'email' || problem === 'code'
  const formProblem = problem && !isFieldProblem ? formError(message(`signIn.problem.${problem}`)) : null
  const links = developmentLinks.map(
    ({ path, text }) =>
      html`<a
        href="${prefix}${path}?next=${encodeURIComponent(next)}"
        ${isCodeSent ? html`target="_blank" rel="noopener"` : null}
        >${text}</a
      >`,
  )
  const development =
    links.length === 0
      ? null
      : html`<aside class="notice">
          <p>${message('signIn.development')}</p>
          <ul>
            ${links.map((link) => html`<li>${link}</li>`)}
          </ul>
        </aside>`
  if (!available)
    return page({ ...frame, title: message('signIn.title'), main: notice('error', message('signIn.problem.off')) })
  if (!isCodeSent) {
    return page({
      ...frame,
      title: message(isSentHere ? 'signIn.continueTitle' : 'signIn.title'),
      main: html`${isSignedOut ? notice('done', message('signIn.signedOut')) : null}${formProblem}
        <p>${next === '/waitlist' ? message('signIn.forWaitlist') : null} ${message('signIn.intro')}</p>
        <form method="post" action="${prefix}/sign-in">
          ${nextField}
          ${field({
            name: 'email',
            label: message('signIn.email'),
            type: 'email',
            value: email,
            autocomplete: 'email',
            inputmode: 'email',
            maxlength: 320,
            error: errorIf('email'),
          })}
          <p><button>${message('signIn.send')}</button></p>
        </form>
        <p>${message('signIn.buyer', { link: html`<a href="${prefix}/buyer">${message('signIn.toBuyer')}</a>` })}</p>
        ${development}`,
    })
  }
  const resend = html`<button class="plain">${message('signIn.resend')}</button>`
  return page({
    ...frame,
    title: message('signIn.codeTitle'),
    main: html`${newCodeAt === undefined ? null : notice('done', message('signIn.newCodeSent', { time: time(newCodeAt) }))}
      <p>${message('signIn.codeSent', { email: html`<strong>${email}</strong>` })}</p>
      ${formProblem}
      <form method="post" action="${prefix}/sign-in">
        ${nextField}<input type="hidden" name="email" value="${email}" />
        ${field({
          name: 'code',
          label: message('signIn.code'),
          autocomplete: 'one-time-code',
          letters: true,
          maxlength: 32,
          hint: message('signIn.codeHint'),
          error: errorIf('code'),
        })}
        <p><button>${message('signIn.submit')}</button></p>
      </form>
      <form method="post" action="${prefix}/sign-in">
        ${nextField}<input type="hidden" name="email" value="${email}" />
        <p>${message('signIn.noMail', { button: resend })}</p>
      </form>
      <p><a href="${prefix}/sign-in?next=${encodeURIComponent(next)}">${message('signIn.otherAddress')}</a></p>
      ${development}`,
  })
}

type DeviceProblem = 'empty' | 'unknown' | 'already_decided' | 'expired' | 'limited'

/** Returns the device page: the form for a user code, or the authorization with that code and the buttons to decide. */
export function devicePage({
  prefix,
  capabilities,
  email,
  enteredCode,
  problem,
  authorization,
}: {
  prefix: string
  capabilities: { readonly ads: boolean; readonly telemetry: boolean }
  email: string | null
  /** The code, in the form in which it was entered or is part of the link. */
  enteredCode: string
  problem?: DeviceProblem
  /** `requestedAt` is a timestamp, `minutesAgo` the minutes since then. */
  authorization?: { code: string; machine: string; requestedAt: string; minutesAgo: number }
}): string {
  const frame = { prefix, email, signedIn: true, isInvalid: problem !== undefined }
  if (!authorization) {
    const isFieldProblem = problem === 'empty' || problem === 'unknown'
    const text = problem && message(`device.problem.${problem}`)
    return page({
      ...frame,
      title: message('device.title'),
      main: html`${text && !isFieldProblem ? formError(text) : null}
        <p>${message('device.intro')}</p>
        <form method="post" action="${prefix}/device">
          ${field({
            name: 'code',
            label: message('device.code'),
            value: text && !isFieldProblem ? '' : enteredCode,
            letters: true,
            hint: message('device.codeHint'),
            maxlength: 64,
            error: isFieldProblem ? text : undefined,
          })}
          <p><button>${message('device.continue')}</button></p>
        </form>`,
    })
  }
  const { code, machine, requestedAt, minutesAgo } = authorization
  const decisionButton = (value: 'approved' | 'denied', label: Html, kind: string): Html =>
    html`<button name="decision" value="${value}" class="${kind}">${label}</button>`
  const person = html`<strong>${email ?? message('device.you')}</strong>`
  return page({
    ...frame,
    title: message('device.askTitle'),
    main: html`<p>${message('device.asks', { person })}</p>
      <p class="code" aria-label="${message('device.codeOf', { code: [...code].join(' ') })}">${code}</p>
      <dl>
        <dt>${message('device.device')}</dt>
        <dd><bdi>${machine}</bdi> <span class="hint">${message('device.reported')}</span></dd>
        <dt>${message('device.requested')}</dt>
        <dd>
          ${minutesAgo < 1 ? message('device.justNow') : message('device.minutesAgo', { count: minutesAgo })}
          <span class="hint">${message('device.utc', { time: time(requestedAt) })}</span>
        </dd>
      </dl>
      ${notice('info', html`<strong>${message('device.compare')}</strong> ${message('device.compareHow')}`)}
      <form method="post" action="${prefix}/device" class="choice">
        <input type="hidden" name="code" value="${code}" />
        ${decisionButton('approved', message('device.authorize'), 'main')}
        ${decisionButton('denied', message('device.deny'), 'danger')}
      </form>
      <p>${message('device.may')}</p>
      <ul>
        <li>${message('device.mayUpload')}</li>
        <li>${message('device.mayRead')}</li>
        <li>${message('device.mayRequest')}</li>
        <li>${message('device.mayApply')}</li>
        <li>${message('device.mayChange')}</li>
        <li>${message('device.maySignOut')}</li>
        ${capabilities.ads ? html`<li>${message('device.mayShow')}</li>` : null}
        ${capabilities.telemetry ? html`<li>${message('device.maySend')}</li>` : null}
      </ul>
      <p>${message('device.mayNot')}</p>`,
  })
}

/** Returns the page after the decision. */
export function decidedPage({
  prefix,
  email,
  decision,
  machine,
  progress,
}: {
  prefix: string
  email: string | null
  /** The next step on the way to the first upload. */
  progress: Html | null
  decision: 'approved' | 'denied'
  machine: string
}): string {
  const isApproved = decision === 'approved'
  const device = html`<strong><bdi>${machine}</bdi></strong>`
  return page({
    prefix,
    email,
    progress,
    signedIn: true,
    title: message(isApproved ? 'device.authorizedTitle' : 'device.deniedTitle'),
    main: isApproved
      ? html`<div data-decision="approved">
          ${notice('done', message('device.authorized', { device }))}
          <p>
            ${message('device.signOutUnder', { account: html`<a href="${prefix}/account">${message('device.account')}</a>` })}
          </p>
          <p><a href="${prefix}/traces">${message('device.toTraces')}</a></p>
        </div>`
      : html`<div data-decision="denied">
          ${notice('done', message('device.denied', { device }))}
          <p>${message('device.deniedAdvice')}</p>
        </div>`,
  })
}

const operatorMessage = messagesOf(adminMessages)

/** Renders the form in which an operator enters the token. */
export function tokenForm({
  prefix,
  next,
  problem,
}: {
  prefix: string
  /** The path of the operator's page to open after the sign-in. */
  next: string
  problem?: 'empty' | 'wrong' | 'limit' | undefined
}): Html {
  const source = {
    command: html`<code>npm start</code>`,
    flag: html`<code>--admin-token</code>`,
  }
  return html`<form method="post" action="${prefix}/admin/sign-in">
    <input type="hidden" name="next" value="${next}" />
    <input type="text" name="username" value="operator" autocomplete="username" hidden />
    ${field({
      name: 'token',
      label: operatorMessage('admin.token'),
      type: 'password',
      hint: operatorMessage('admin.tokenHint', source),
      autocomplete: 'current-password',
      error: problem && operatorMessage(`admin.token.${problem}`),
    })}
    <p><button>${operatorMessage('admin.signIn')}</button></p>
  </form>`
}

/** Returns the operator's sign-in page, shown at `/admin` to a browser that is not signed in as an operator. */
export function operatorPage({
  prefix,
  isSignedOut = false,
  next = '/admin',
  problem,
}: {
  prefix: string
  /** The path of the operator's page to open after the sign-in. */
  next?: string
  /** Whether the operator just signed out. */
  isSignedOut?: boolean
  problem?: 'empty' | 'wrong' | 'limit'
}): string {
  return page({
    title: operatorMessage('admin.signInTitle'),
    isInvalid: problem !== undefined,
    prefix,
    nav: html``,
    main: html`${isSignedOut ? notice('done', message('signIn.signedOut')) : null}
      <p>
        ${operatorMessage('admin.signInIntro', { link: html`<a href="${prefix}/sign-in">${operatorMessage('admin.toSignIn')}</a>` })}
      </p>
      ${tokenForm({ prefix, next, problem })}`,
  })
}
