import type { PlainRequest, Service } from '@tributary/core'
import { commandBlock, devMessages, html, localPath, messagesOf } from '@tributary/core/host'
import { people } from '../cli/demo/people.ts'
import type { Mailbox } from '../mail.ts'
import { devPage } from './dev-page.ts'
import { isLocal } from './metrics-access.ts'
import { linkPrefix, notFoundPage, type HostPages, type LayoutPage, type Page } from './page.ts'

const message = messagesOf(devMessages)

export interface DevAccountsOptions {
  /**
   * A service with the stores and secrets of the service that people use, without rate limits. It sends mails only to
   * `mailbox`.
   */
  readonly service: Pick<Service, 'fetch' | 'baseUrl' | 'prefix'>
  readonly mailbox: Pick<Mailbox, 'mails'>
  readonly adminToken: string
}

/**
 * Returns the pages of `dev` on which one click signs in, as a demo contributor or as the operator. The pages use the
 * sign-in routes of a service. They return 404 to other machines, to requests through a proxy or under a host name that
 * is not a loopback name, and to links from other sites.
 */
export function devAccountPages(options: DevAccountsOptions): HostPages {
  const inDevelopment =
    (page: HostPages[string]): HostPages[string] =>
    (request) =>
      isLocal(request) && ['none', 'same-origin', undefined].includes(request.headers['sec-fetch-site'])
        ? page(request)
        : notFoundPage
  const prefix = linkPrefix(options.service.baseUrl)
  return {
    '/dev/accounts': inDevelopment((request) => accountsPage(prefix, readQuery(request, 'next'))),
    '/dev/sign-in': inDevelopment((request) => signIn(request, options)),
  }
}

const readQuery = (request: PlainRequest, name: string): string | undefined =>
  request.query.find(([one]) => one === name)?.[1]

/** Renders the accounts. `next` is the page that a contributor sees after the sign-in. */
function accountsPage(prefix: string, next: string | undefined): LayoutPage {
  const href = (account: string) =>
    `${prefix}/dev/sign-in?as=${account}${next && account !== 'operator' ? `&next=${encodeURIComponent(next)}` : ''}`
  const contributors = people.map(
    ({ name, at, state }) =>
      html`<li>
        <a href="${href(`${at}@example.com`)}">${message('dev.signIn', { name: html`<bdi>${name}</bdi>` })}</a
        ><small>${message(`dev.${state}`)}</small>
      </li>`,
  )
  return devPage({
    title: message('dev.accounts'),
    prefix,
    here: '/dev/accounts',
    main: html`<p>${message('dev.accountsIntro')} ${message('dev.demoData')}</p>
      ${commandBlock(message('dev.command'), 'npm start -- --demo --database .tributary/demo.db')}
      <h2>${message('dev.operator')}</h2>
      <ul class="links">
        <li>
          <a href="${href('operator')}">${message('dev.signInOperator')}</a
          ><small>${message('dev.operatorText')}</small>
        </li>
      </ul>
      <h2>${message('dev.contributors')}</h2>
      <ul class="links">
        ${contributors}
      </ul>`,
  })
}

/** Signs the browser in as the account that `?as=` names: `operator` or the e-mail address of a demo contributor. */
async function signIn(
  request: PlainRequest,
  { service, adminToken, mailbox }: DevAccountsOptions,
): Promise<Page | LayoutPage> {
  const prefix = linkPrefix(service.baseUrl)
  const account = readQuery(request, 'as')
  const { 'user-agent': browser = '' } = request.headers
  const send = async (path: string, type: string, body: string): Promise<Response> => {
    const url = new URL(service.prefix + path, service.baseUrl)
    const headers = { 'content-type': type, 'sec-fetch-site': 'same-origin', 'user-agent': browser }
    return (await service.fetch(new Request(url, { method: 'POST', headers, body }), request.address))!
  }
  const sendJson = (path: string, body: object): Promise<Response> =>
    send(path, 'application/json', JSON.stringify(body))

  if (account === 'operator') {
    const form = new URLSearchParams({ token: adminToken }).toString()
    const reply = await send('/admin/sign-in', 'application/x-www-form-urlencoded', form)
    return forward(reply, `${prefix}/admin`, prefix)
  }
  if (!people.some(({ at }) => account === `${at}@example.com`)) return notFoundPage
  const asked = await sendJson('/api/auth/email', { email: account })
  if (asked.status !== 200) return failurePage(asked.status, prefix)
  const { challenge } = (await asked.json()) as { challenge: string }
  const code = /\b(?:\d{6}|[BCDFGHJKLMNPQRSTVWXZ]{10})\b/.exec(
    mailbox.mails.find(({ to }) => to === account)?.text ?? '',
  )?.[0]
  const verified = await sendJson('/api/auth/email/verify', { email: account, code, challenge })
  return forward(verified, prefix + localPath(readQuery(request, 'next'), '/'), prefix)
}

function failurePage(status: number, prefix: string): LayoutPage {
  const { html: text } = devPage({
    title: message('dev.failedTitle'),
    prefix,
    main: html`<p>${message('dev.failed', { status })}</p>
      <p><a href="${prefix}/dev/accounts">${message('dev.toAccounts')}</a></p>`,
  })
  return { status, html: text }
}

/** Forwards the cookies of a sign-in and redirects to a page, or shows the failure. */
function forward(reply: Response, location: string, prefix: string): Page | LayoutPage {
  if (reply.status !== 200 && reply.status !== 303) return failurePage(reply.status, prefix)
  const cookies = reply.headers.getSetCookie().map((cookie) => ['set-cookie', cookie] as const)
  return { status: 303, type: 'text/plain', body: '', headers: [['location', location], ...cookies] }
}
