import { brandName, html, type Html, field, notice, page } from '../http/html.ts'

const signInProblems = {
  email: 'Enter a valid e-mail address.',
  code: 'Wrong or expired code. Enter the newest code in the browser where you requested it, or send a new one.',
  guesses:
    'Too many wrong codes were entered for this address today. Try again tomorrow, or use a browser that signed in with ' +
    'this address before.',
  limit: 'Too many attempts. Wait a few minutes, then try again.',
  off: 'Sign-in by e-mail is switched off on this server.',
} as const

/** Returns the sign-in page: the form for the address, or, once a code was sent, the form for the code. */
export function signInPage({
  prefix,
  next,
  available,
  email = '',
  isCodeSent = false,
  problem,
}: {
  prefix: string
  next: string
  /** Whether this server can send mail. */
  available: boolean
  email?: string | undefined
  isCodeSent?: boolean
  problem?: keyof typeof signInProblems
}): string {
  const nextField = html`<input type="hidden" name="next" value="${next}" />`
  const isFieldProblem = problem === 'email' || problem === 'code'
  const formProblem = problem && !isFieldProblem ? notice('error', signInProblems[problem]) : null
  if (!available) {
    return page({ title: 'Sign in', here: '/sign-in', prefix, main: notice('error', signInProblems.off) })
  }
  if (!isCodeSent) {
    return page({
      title: 'Sign in',
      here: '/sign-in',
      prefix,
      main: html`<p>
          Enter your e-mail address and we'll send you a six-digit code. New here? We'll create an account.
        </p>
        ${formProblem}
        <form method="post" action="${prefix}/sign-in">
          ${nextField}
          ${field({ name: 'email', label: 'E-mail address', type: 'email', value: email, autocomplete: 'email', inputmode: 'email', maxlength: 320, error: problem === 'email' ? signInProblems.email : undefined })}
          <p><button>Send code</button></p>
        </form>`,
    })
  }
  return page({
    title: 'Enter your code',
    here: '/sign-in',
    prefix,
    main: html`<p>
        If <strong>${email}</strong> can receive e-mail, we sent it a six-digit code. The code works once, in this
        browser, and expires in 10 minutes.
      </p>
      ${formProblem}
      <form method="post" action="${prefix}/sign-in">
        ${nextField}<input type="hidden" name="email" value="${email}" />
        ${field({ name: 'code', label: 'Code', autocomplete: 'one-time-code', inputmode: 'numeric', maxlength: 16, hint: html`${brandName} will never ask you for this code.`, error: problem === 'code' ? signInProblems.code : undefined })}
        <p><button>Sign in</button></p>
      </form>
      <form method="post" action="${prefix}/sign-in">
        ${nextField}<input type="hidden" name="email" value="${email}" />
        <p>No e-mail? Check your spam folder, or <button class="plain">send a new code</button>.</p>
      </form>
      <p><a href="${prefix}/sign-in?next=${encodeURIComponent(next)}">Use another address</a></p>`,
  })
}

const deviceProblems = {
  unknown: 'Unknown code. Compare it with the code in your terminal; a code expires after 15 minutes.',
  already_decided:
    'This code was already used, and a code works only once. Start the sign-in again in your terminal to get a new one.',
  expired: 'This code has expired. Start the sign-in again in your terminal to get a new one.',
  limited: 'Too many wrong codes. Wait a minute, then try again; after ten wrong codes, wait an hour.',
} as const

/** Returns the device page: the form for a user code, or the authorization with that code and the buttons to decide. */
export function devicePage({
  prefix,
  email,
  enteredCode,
  problem,
  authorization,
}: {
  prefix: string
  email: string | null
  /** The code as entered or as in the link. */
  enteredCode: string
  problem?: keyof typeof deviceProblems
  /** `requestedAt` is a timestamp, `minutesAgo` the minutes since then. */
  authorization?: { code: string; machine: string; requestedAt: string; minutesAgo: number }
}): string {
  const frame = { prefix, email, signedIn: true }
  if (!authorization) {
    const isFieldProblem = problem === 'unknown' || problem === undefined
    return page({
      ...frame,
      title: 'Authorize a device',
      main: html`${problem && !isFieldProblem ? notice('error', deviceProblems[problem]) : null}
        <p>Enter the eight-letter code that the program on your device shows.</p>
        <form method="get" action="${prefix}/device">
          ${field({ name: 'code', label: 'Code', value: isFieldProblem ? enteredCode : '', letters: true, hint: 'For example BCDF-GHJK. Capitals and dashes do not matter.', maxlength: 64, error: problem === 'unknown' ? deviceProblems.unknown : undefined })}
          <p><button>Continue</button></p>
        </form>`,
    })
  }
  const { code, machine, requestedAt, minutesAgo } = authorization
  const decisionButton = (value: 'approved' | 'denied', label: string, kind: string): Html =>
    html`<button name="decision" value="${value}" class="${kind}">${label}</button>`
  return page({
    ...frame,
    title: 'Authorize this device?',
    main: html`<p>
        A device asks to sign in as <strong>${email ?? 'you'}</strong>. If you authorize it, programs on it can:
      </p>
      <ul>
        <li>upload conversations as you, and view, exclude from sale and delete your uploads</li>
        <li>view and download all your account data, and your earnings</li>
        <li>accept the terms, apply, join the waitlist, and pause or resume your uploads</li>
        <li>change your contact details, your blocked terms and your ad preferences</li>
        <li>list your devices and browsers and sign them out</li>
        <li>show and rate sponsor lines, claim devices, and send diagnostics and feedback</li>
      </ul>
      <p>They cannot delete your account: that requires a browser that signed in within the last 15 minutes.</p>
      <p class="code" aria-label="Code ${[...code].join(' ')}">${code}</p>
      <dl>
        <dt>Device</dt>
        <dd><bdi>${machine}</bdi> <span class="hint">(name reported by the device)</span></dd>
        <dt>Requested</dt>
        <dd>
          ${minutesAgo < 1 ? 'less than a minute' : minutesAgo === 1 ? '1 minute' : `${minutesAgo} minutes`} ago
          <time class="hint" datetime="${requestedAt}">(${requestedAt.slice(0, 16).replace('T', ' ')} UTC)</time>
        </dd>
      </dl>
      ${notice('info', html`<strong>Compare the codes.</strong> Authorize the device only if you just started this sign-in and your terminal shows exactly this code. If somebody sent you the link or the code, deny it.`)}
      <form method="post" action="${prefix}/device" class="choice">
        <input type="hidden" name="code" value="${code}" />
        ${decisionButton('approved', 'Codes match – authorize', 'main')} ${decisionButton('denied', 'Deny', 'danger')}
      </form>`,
  })
}

/** Returns the page after the decision. */
export function decidedPage({
  prefix,
  email,
  decision,
  machine,
}: {
  prefix: string
  email: string | null
  decision: 'approved' | 'denied'
  machine: string
}): string {
  const isApproved = decision === 'approved'
  return page({
    prefix,
    email,
    signedIn: true,
    title: isApproved ? 'Device authorized' : 'Device denied',
    main: isApproved
      ? html`<div data-decision="approved">
          ${notice('done', html`<strong><bdi>${machine}</bdi></strong> is signed in. Return to your terminal; you can close this page.`)}
        </div>`
      : html`<div data-decision="denied">
          ${notice('done', html`<strong><bdi>${machine}</bdi></strong> is not signed in.`)}
          <p>
            If you did not start this sign-in, somebody may have tried to access your account. You don't need to do
            anything: the code no longer works.
          </p>
        </div>`,
  })
}

const operatorProblems = {
  wrong: 'Wrong admin token.',
  limit: 'Too many wrong tokens from your address. Wait a minute, then try again.',
} as const

/** Returns the operator's sign-in page, shown at `/admin` to a browser that is not signed in as an operator. */
export function operatorPage({ prefix, problem }: { prefix: string; problem?: keyof typeof operatorProblems }): string {
  return page({
    title: 'Operator sign-in',
    prefix,
    nav: html``,
    main: html`<p>This page is for the operator of this server. Enter the admin token from its configuration.</p>
      <form method="post" action="${prefix}/admin/sign-in">
        <input type="text" name="username" value="operator" autocomplete="username" hidden />
        ${field({ name: 'token', label: 'Admin token', type: 'password', autocomplete: 'current-password', error: problem && operatorProblems[problem] })}
        <p><button>Sign in</button></p>
      </form>`,
  })
}
