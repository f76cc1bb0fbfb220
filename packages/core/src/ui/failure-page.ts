import { failureMessages } from '../messages/failures.ts'
import { copyable, html, mailLink, messagesOf, page, type Html } from './html.ts'
import type { FailedRequest } from '../http/page-renderer.ts'
import { finishPage, type Layout } from './layout.ts'
import { cookieName, readCookies, type PlainReply } from '../http/message.ts'

const message = messagesOf(failureMessages)

const statuses = [400, 401, 403, 404, 405, 409, 410, 413, 429, 500, 503] as const

/** The kind of visitor, on which the links of the page depend. */
type Viewer = 'visitor' | 'person' | 'operator' | 'sponsor'

const waysOn: Readonly<Record<Exclude<Viewer, 'sponsor'>, readonly [path: string, text: Html]>> = {
  visitor: ['/', message('failures.toHome')],
  person: ['/traces', message('failures.toTraces')],
  operator: ['/admin', message('failures.toOverview')],
}

/** Returns the kind of visitor, from address, sign-in and cookie. */
function toViewer({ path, headers, userId, secure }: FailedRequest): Viewer {
  if (/^\/admin(?:\/|$)/.test(path)) return 'operator'
  if (path.startsWith('/sponsor/')) return 'sponsor'
  // A path without a route does not authenticate the caller. The cookie only decides which links the page shows.
  return userId !== null || readCookies(headers['cookie'])[cookieName(secure)] !== undefined ? 'person' : 'visitor'
}

/**
 * Returns a failure as a page for a browser, with the status and headers of the failure, a description, and the request
 * ID for the operator.
 */
export async function failurePage(reply: PlainReply, layout: Layout, request: FailedRequest): Promise<PlainReply> {
  const viewer = toViewer(request)
  // The HTTP status is the status of the JSON reply. The text for a malformed id is the text for 404, because for a
  // person such a page does not exist.
  const known = statuses.find((one) => one === (request.code === 'invalid_id' ? 404 : reply.status))
  const status = known ?? (reply.status < 500 ? 400 : 500)
  const isDeadLink = viewer === 'sponsor' && status === 404
  const title = message(isDeadLink ? 'failures.deadLink.title' : `failures.${status}.title`)
  const { prefix } = layout
  const [path, wayOn] = viewer === 'sponsor' ? [null, null] : waysOn[viewer]
  const isCrossSite = request.code === 'cross_site_request'
  const isOurs = status >= 500
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  // In a link, an empty URL means this page with its query.
  const again = isOurs && isRead ? html`<a class="button" href="">${message('failures.tryAgain')}</a>` : null
  const link =
    path === null || (isOurs && request.path === path)
      ? null
      : html`<a class="button second" href="${prefix}${path}">${wayOn}</a>`
  const { supportEmail } = layout.brand
  const findHeader = (wanted: string): string | undefined => reply.headers.find(([name]) => name === wanted)?.[1]
  const seconds = Number(findHeader('retry-after') ?? 0)
  const advice =
    request.code === 'read_only'
      ? message('failures.readOnly')
      : message(isDeadLink ? 'failures.deadLink.advice' : `failures.${status}.advice`)
  const main = html`<p>${isCrossSite ? crossSiteText(request) : advice}</p>
    ${isOurs && !isRead ? html`<p>${message('failures.notSaved')}</p>` : null}
    ${seconds > 1 ? html`<p>${retryText(seconds)}</p>` : null}
    ${
      (status === 500 || isDeadLink) && supportEmail !== undefined
        ? html`<p>
            ${message(isDeadLink ? 'failures.deadLink.contact' : 'failures.contact', { address: mailLink(supportEmail) })}
          </p>`
        : null
    }
    ${again === null && link === null ? null : html`<p class="actions">${again} ${link}</p>`}
    <p class="hint">
      ${message('failures.requestId', { id: copyable(html`<code>${findHeader('x-request-id') ?? ''}</code>`) })}
    </p>`
  // A browser sends no cookie with a form of another website, so it is unknown here whether the person is signed in.
  const isUnknown = viewer === 'operator' || viewer === 'sponsor' || (viewer === 'visitor' && isCrossSite)
  const frame = isUnknown ? { nav: html`` } : { signedIn: viewer === 'person' }
  const finished = await finishPage(page({ ...frame, title, prefix, main }), request.headers['accept-language'], layout)
  const headers = reply.headers.filter(([name]) => name !== 'content-type')
  return {
    status: reply.status,
    headers: [...headers, ...finished.headers],
    body: finished.body,
  }
}

function crossSiteText({ hasPage }: FailedRequest): Html {
  const link = html`<a href="">${message('failures.crossSiteLink')}</a>`
  return html`${message('failures.crossSite')} ${hasPage ? message('failures.crossSiteOpen', { link }) : null}`
}

function retryText(seconds: number): Html {
  return seconds < 120
    ? message('failures.retrySeconds', { count: seconds })
    : message('failures.retryMinutes', { count: Math.ceil(seconds / 60) })
}
