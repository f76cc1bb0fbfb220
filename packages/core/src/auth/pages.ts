import { html, type Html, field, notice, page } from '../http/html.ts'

const problems = {
  email: 'That does not look like an e-mail address.',
  code: 'That is not the code, or it has expired. Enter the newest code in the browser where you asked for it, or send another.',
  guesses:
    'Too many wrong codes were entered for this address today. Try again tomorrow, or use a browser that signed in with ' +
    'this address before.',
  limit: 'That was too often in a short time. Wait a few minutes and try again.',
  off: 'Sign-in by e-mail is switched off on this server.',
} as const

/** The sign-in page: first the address, then, once a code was `asked` for, the code. */
export function signInPage({
  prefix,
  next,
  available,
  email = '',
  asked = false,
  problem,
}: {
  prefix: string
  next: string
  /** Whether this server can send mail. */
  available: boolean
  email?: string | undefined
  asked?: boolean
  problem?: keyof typeof problems
}): string {
  const kept = html`<input type="hidden" name="next" value="${next}" />`
  const outside =
    problem === 'limit' || problem === 'guesses' || problem === 'off' ? notice('error', problems[problem]) : null
  if (!available) {
    return page({ title: 'Sign in', here: '/sign-in', prefix, main: notice('error', problems.off) })
  }
  if (!asked) {
    return page({
      title: 'Sign in',
      here: '/sign-in',
      prefix,
      main: html`<p>
          Type your e-mail address and we mail you a six-digit code. There is no password, and a new address makes a new
          account.
        </p>
        ${outside}
        <form method="post" action="${prefix}/sign-in">
          ${kept}
          ${field({ name: 'email', label: 'E-mail address', type: 'email', value: email, autocomplete: 'email', inputmode: 'email', maxlength: 320, error: problem === 'email' ? problems.email : undefined })}
          <p><button>Send me a code</button></p>
        </form>`,
    })
  }
  return page({
    title: 'Type the code',
    here: '/sign-in',
    prefix,
    main: html`<p>
        If <strong>${email}</strong> can get mail, a six-digit code is on its way there. It works once, in this browser,
        for ten minutes.
      </p>
      ${outside}
      <form method="post" action="${prefix}/sign-in">
        ${kept}<input type="hidden" name="email" value="${email}" />
        ${field({ name: 'code', label: 'Code', autocomplete: 'one-time-code', inputmode: 'numeric', maxlength: 16, hint: 'Nobody from Tributary will ever ask you for it.', error: problem === 'code' ? problems.code : undefined })}
        <p><button>Sign in</button></p>
      </form>
      <form method="post" action="${prefix}/sign-in">
        ${kept}<input type="hidden" name="email" value="${email}" />
        <p>Nothing came? Look among the junk, or <button class="plain">send another code</button>.</p>
      </form>
      <p><a href="${prefix}/sign-in?next=${encodeURIComponent(next)}">Use another address</a></p>`,
  })
}

const refusals = {
  unknown: 'There is no such code. Compare it with the one in your terminal; a code holds for fifteen minutes.',
  already_decided:
    'This code was already answered, and a code is answered only once. Start the sign-in again in your terminal to get a new one.',
  expired: 'This code is too old. Start the sign-in again in your terminal to get a new one.',
  limited: 'Too many wrong codes were entered. Wait a minute and try again; after ten wrong codes, wait an hour.',
} as const

/** The device page: asks for a code, or shows the login behind one and asks what to do. */
export function devicePage({
  prefix,
  email,
  typed,
  problem,
  login,
}: {
  prefix: string
  email: string | null
  /** What was typed or came in the link. */
  typed: string
  problem?: keyof typeof refusals
  /** `asked` is the time it was asked at, `minutes` how long ago that is. */
  login?: { code: string; machine: string; asked: string; minutes: number }
}): string {
  const frame = { prefix, email, signedIn: true }
  if (!login) {
    const again = problem === 'unknown' || problem === undefined
    return page({
      ...frame,
      title: 'Sign in a machine',
      main: html`${problem && !again ? notice('error', refusals[problem]) : null}
        <p>A program on one of your machines shows you a code of eight letters. Type it here to let that program in.</p>
        <form method="get" action="${prefix}/device">
          ${field({ name: 'code', label: 'Code', value: again ? typed : '', letters: true, hint: 'Like BCDF-GHJK. Capitals and dashes do not matter.', maxlength: 64, error: problem === 'unknown' ? refusals.unknown : undefined })}
          <p><button>Go on</button></p>
        </form>`,
    })
  }
  const decision = (value: string, label: string, kind: string): Html =>
    html`<button name="decision" value="${value}" class="${kind}">${label}</button>`
  return page({
    ...frame,
    title: 'Let this machine in?',
    main: html`<p>A machine asks to be signed in as <strong>${email ?? 'you'}</strong>. A program on it could then:</p>
      <ul>
        <li>upload conversations in your name, and read, exclude from sale and delete what you uploaded</li>
        <li>read and download everything held about you</li>
        <li>accept the terms, apply, ask for news of other countries, and pause or resume uploads in your name</li>
        <li>change your contact details and what you allow the ad network</li>
        <li>list your machines and browsers and sign them out</li>
        <li>get sponsor lines and rate them, claim devices, and send diagnostics and feedback</li>
      </ul>
      <p>It could not delete your account: that takes a browser that signed in within the last 15 minutes.</p>
      <p class="code" aria-label="Code ${[...login.code].join(' ')}">${login.code}</p>
      <dl>
        <dt>Machine</dt>
        <dd><bdi>${login.machine}</bdi> <span class="hint">(this is what it calls itself)</span></dd>
        <dt>Asked</dt>
        <dd>
          ${login.minutes < 1 ? 'less than a minute' : login.minutes === 1 ? 'a minute' : `${login.minutes} minutes`}
          ago <time class="hint" datetime="${login.asked}">(${login.asked.slice(0, 16).replace('T', ' ')} UTC)</time>
        </dd>
      </dl>
      ${notice('info', html`<strong>Compare the code.</strong> Let the machine in only if your own terminal shows exactly this code, and you started this yourself just now. If somebody sent you the link or the code, deny it.`)}
      <form method="post" action="${prefix}/device" class="choice">
        <input type="hidden" name="code" value="${login.code}" />
        ${decision('approved', 'The codes match, let it in', 'main')} ${decision('denied', 'Deny', 'danger')}
      </form>`,
  })
}

/** After the decision. */
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
  const approved = decision === 'approved'
  return page({
    prefix,
    email,
    signedIn: true,
    title: approved ? 'The machine is in' : 'Denied',
    main: approved
      ? html`${notice('done', html`<strong><bdi>${machine}</bdi></strong> is signed in. Go back to your terminal; it goes on by itself. You can close this page.`)}`
      : html`${notice('done', html`<strong><bdi>${machine}</bdi></strong> was not let in.`)}
          <p>
            If you did not start this yourself, somebody may have tried to get into your account. There is nothing more
            to do: the code is worth nothing now.
          </p>`,
  })
}

const operatorProblems = {
  wrong: 'That is not the admin token.',
  limit: 'Too many wrong tokens came from your address. Wait a minute, then try again.',
} as const

/** The operator's sign-in, in place of `/admin` for a browser that is not signed in as the operator. */
export function operatorPage({ prefix, problem }: { prefix: string; problem?: keyof typeof operatorProblems }): string {
  return page({
    title: 'Operator',
    prefix,
    nav: html``,
    main: html`<p>This page is for whoever runs this server. Type the admin token from its configuration.</p>
      <form method="post" action="${prefix}/admin/sign-in">
        <input type="text" name="username" value="operator" autocomplete="username" hidden />
        ${field({ name: 'token', label: 'Admin token', type: 'password', autocomplete: 'current-password', error: problem && operatorProblems[problem] })}
        <p><button>Sign in</button></p>
      </form>`,
  })
}
