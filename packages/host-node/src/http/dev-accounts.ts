import type { PlainRequest } from '@tributary/core'
import { people } from '../cli/demo/people.ts'
import type { Mailbox } from '../mail.ts'
import { hasLoopbackHost } from './metrics-access.ts'
import { pagePolicy, type Page } from './page.ts'

const style = `
:root { color-scheme: light dark; --soft: light-dark(#55606e, #a3aeba); --line: light-dark(#d9dde1, #303a45); --accent: light-dark(#0b5f77, #6cc5dd) }
* { box-sizing: border-box } body { margin: 0; background: light-dark(#fcfcfa, #12171d); color: light-dark(#1b2430, #e6eaee); font: 1rem/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif; overflow-wrap: anywhere }
main { margin: 0 auto; padding: 2.25rem 1.25rem 5rem; max-width: 44rem } h1 { font-size: 2rem; letter-spacing: -.02em; margin: 0 0 .5rem } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem }
a { color: var(--accent); text-underline-offset: .18em } :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px }
ul { list-style: none; margin: 0; padding: 0 } li { padding: .6rem 0; border-bottom: 1px solid var(--line) } small { display: block; color: var(--soft); font-size: .9rem }
`

/** What a demo contributor of a state is worth looking at for. */
const states: Record<(typeof people)[number]['state'], string> = {
  visited: 'signed up, nothing else',
  accepted: 'accepted the terms',
  pending: 'application waits for a review',
  approved: 'approved, with traces and earnings',
  rejected: 'application rejected',
  again: 'rejected, applied again',
  paused: 'paused their own uploads',
  stopped: 'paused by the operator',
  waiting: 'on the waitlist',
}

export interface DevAccountsOptions {
  /** The address at which this process listens, without the prefix of the service. */
  readonly url: string
  readonly adminToken: string
  readonly mailbox: Pick<Mailbox, 'mails'>
}

const notFound: Page = { status: 404, type: 'application/json', body: '{"ok":false,"error":"not_found"}' }

/**
 * Returns the pages of `dev` on which one click signs in, as a demo contributor or as the operator. They sign in
 * through the service's own routes, and answer 404 under any other host name than a loopback one and to links of other
 * sites.
 */
export function devAccountPages(
  options: DevAccountsOptions,
): Readonly<Record<string, (request: PlainRequest) => Page | Promise<Page>>> {
  const inDevelopment =
    (page: (request: PlainRequest) => Page | Promise<Page>) =>
    (request: PlainRequest): Page | Promise<Page> =>
      hasLoopbackHost(request) && ['none', 'same-origin', undefined].includes(request.headers['sec-fetch-site'])
        ? page(request)
        : notFound
  return {
    '/dev/accounts': inDevelopment(accountsPage),
    '/dev/sign-in': inDevelopment((request) => signIn(request, options)),
  }
}

function accountsPage(): Page {
  const contributors = people.map(
    ({ name, at, state }) =>
      `<li><a href="sign-in?as=${at}@example.com">Sign in as ${name}</a><small>${states[state]}</small></li>`,
  )
  return {
    type: 'text/html; charset=utf-8',
    headers: pagePolicy(style),
    body: formatPage(
      'Demo accounts',
      `<p>One click signs in. These pages exist in development alone, on this machine.</p>
<h2>Operator</h2><ul><li><a href="sign-in?as=operator">Sign in as the operator</a><small>the pages below /admin</small></li></ul>
<h2>Contributors</h2><ul>${contributors.join('\n')}</ul>
<p>Their data is there after <code>npm start -- --demo --database .tributary/demo.db</code>. Without it they are new and have
nothing. E-mails are at <a href="mail">/dev/mail</a>; <a href="../">back to the service</a>.</p>`,
    ),
  }
}

const formatPage = (title: string, content: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title} · Tributary dev</title><link rel="icon" href="data:,"><style>${style}</style></head>
<body><main><h1>${title}</h1>${content}</main></body></html>
`

/** Signs the browser in as `?as=`: `operator` or the e-mail address of a demo contributor. */
async function signIn(request: PlainRequest, { url, adminToken, mailbox }: DevAccountsOptions): Promise<Page> {
  const account = request.query.find(([name]) => name === 'as')?.[1]
  const prefix = request.path.slice(0, -'/dev/sign-in'.length)
  const { 'user-agent': browser = '' } = request.headers
  const send = (path: string, type: string, body: string): Promise<Response> =>
    fetch(url + prefix + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': type, 'sec-fetch-site': 'same-origin', 'user-agent': browser },
      body,
      signal: AbortSignal.timeout(10_000),
    })
  const sendJson = (path: string, body: object): Promise<Response> =>
    send(path, 'application/json', JSON.stringify(body))

  if (account === 'operator') {
    const form = new URLSearchParams({ token: adminToken }).toString()
    return forward(await send('/admin/sign-in', 'application/x-www-form-urlencoded', form), `${prefix}/admin`)
  }
  if (!people.some(({ at }) => account === `${at}@example.com`)) return notFound
  const asked = await sendJson('/api/auth/email', { email: account })
  if (asked.status !== 200) return forward(asked, '')
  const { challenge } = (await asked.json()) as { challenge: string }
  const code = /\b\d{6}\b/.exec(mailbox.mails.find(({ to }) => to === account)?.text ?? '')?.[0]
  return forward(await sendJson('/api/auth/email/verify', { email: account, code, challenge }), `${prefix}/traces`)
}

function failurePage({ status, headers }: Response): Page {
  const seconds = headers.get('retry-after')
  const content =
    status === 429
      ? `<p>This account was signed in too often. Try again in ${seconds} seconds, or start with
<code>--rate-limits off</code>.</p>`
      : `<p>The service answered ${status}. Its log says why.</p>`
  return {
    status,
    type: 'text/html; charset=utf-8',
    headers: [...pagePolicy(style), ...(seconds === null ? [] : [['retry-after', seconds] as const])],
    body: formatPage('You are not signed in', `${content}<p><a href="accounts">Demo accounts</a></p>`),
  }
}

/** Passes the cookies of a sign-in on and goes to a page, or shows the failure. */
async function forward(reply: Response, location: string): Promise<Page> {
  if (reply.status !== 200 && reply.status !== 303) return failurePage(reply)
  const cookies = reply.headers.getSetCookie().map((cookie) => ['set-cookie', cookie] as const)
  return { status: 303, type: 'text/plain', body: '', headers: [['location', location], ...cookies] }
}
