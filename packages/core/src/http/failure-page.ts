import { failureMessages } from '../messages/failures.ts'
import { html, messagesOf, page, type Html } from './html.ts'
import { finishPage, type Layout } from './layout.ts'
import type { PlainReply } from './message.ts'
import { pageHeaders } from './replies.ts'

const message = messagesOf(failureMessages)

const statuses = [400, 401, 403, 404, 405, 409, 410, 413, 429, 500, 503] as const

/** Who sees the page: the links of the header and the way on follow from it. */
export type Viewer = 'visitor' | 'person' | 'operator'

const waysOn: Readonly<Record<Viewer, readonly [path: string, text: Html]>> = {
  visitor: ['/', message('failures.toHome')],
  person: ['/traces', message('failures.toTraces')],
  operator: ['/admin', message('failures.toOverview')],
}

/** For whom a failure is shown. */
export interface FailureView {
  readonly viewer: Viewer
  /** The code of the failure; null where no route was reached. */
  readonly code: string | null
  readonly acceptLanguage: string | undefined
}

/**
 * Returns a failure as a page, for a browser that shows it: with the status and the headers of the failure, in words,
 * with the request ID to tell the operator.
 */
export async function failurePage(
  reply: PlainReply,
  layout: Layout,
  { viewer, code, acceptLanguage }: FailureView,
): Promise<PlainReply> {
  // The status is that of the JSON reply; to a person, an address with a malformed id is one that does not exist.
  const known = statuses.find((one) => one === (code === 'invalid_id' ? 404 : reply.status))
  const status = known ?? (reply.status < 500 ? 400 : 500)
  const title = message(`failures.${status}.title`)
  const { prefix } = layout
  const [path, wayOn] = waysOn[viewer]
  const valueOf = (wanted: string): string | undefined => reply.headers.find(([name]) => name === wanted)?.[1]
  const seconds = Number(valueOf('retry-after') ?? 0)
  const main = html`<p>${message(`failures.${status}.advice`)}</p>
    ${seconds > 1 ? html`<p>${retryText(seconds)}</p>` : null}
    <p class="actions"><a class="button second" href="${prefix}${path}">${wayOn}</a></p>
    <p class="hint">${message('failures.requestId', { id: html`<code>${valueOf('x-request-id') ?? ''}</code>` })}</p>`
  const frame = viewer === 'operator' ? { nav: html`` } : { signedIn: viewer === 'person' }
  const finished = await finishPage(page({ ...frame, title, prefix, main }), acceptLanguage, layout)
  const headers = reply.headers.filter(([name]) => name !== 'content-type')
  return {
    status: reply.status,
    headers: [...headers, ...pageHeaders(layout.brand.logoOrigin), ...finished.headers] as [string, string][],
    body: finished.body,
  }
}

function retryText(seconds: number): Html {
  return seconds < 120
    ? message('failures.retrySeconds', { count: seconds })
    : message('failures.retryMinutes', { count: Math.ceil(seconds / 60) })
}
