import { html, page } from './html.ts'
import { finishPage, type Layout } from './layout.ts'
import type { PlainReply } from './message.ts'
import { pageHeaders } from './replies.ts'

const texts: Readonly<Record<number, readonly [title: string, advice: string]>> = {
  400: ['This request is not valid', 'Check the address, or go back and try again.'],
  401: ['Sign in first', 'This page is for people who are signed in.'],
  403: [
    'You cannot do this',
    'Your account has no access, or the request came from another website. Go back and try again.',
  ],
  404: ['Page not found', 'Check the address. What you look for may have been deleted, or belong to another account.'],
  405: [
    'This address works in another way',
    'It cannot be opened like a page. Go back and use the button or link there.',
  ],
  409: ['This was changed meanwhile', 'Go back, reload the page and try again.'],
  410: ['No longer available', 'The link has expired or was used before. Request a new one.'],
  413: ['Too much data', 'The request is larger than this address accepts.'],
  429: ['Too many requests', 'Wait a moment, then try again.'],
  500: [
    'Something went wrong on our side',
    'You did nothing wrong. Try again; if it happens again, tell us the request ID below.',
  ],
  503: ['Temporarily unavailable', 'The service cannot answer right now. Try again in a minute.'],
}

/** Who sees the page: the links of the header and the way on follow from it. */
export type Viewer = 'visitor' | 'person' | 'operator'

const waysOn: Readonly<Record<Viewer, readonly [path: string, text: string]>> = {
  visitor: ['/', 'Go to the home page'],
  person: ['/traces', 'Go to your traces'],
  operator: ['/admin', 'Go to the overview'],
}

/** For whom a failure is shown. */
export interface FailureView {
  readonly viewer: Viewer
  /** The code of the failure; null where no route was reached. */
  readonly code: string | null
  readonly acceptLanguage: string | undefined
}

/**
 * Returns a failure as a page, for a browser that shows it: with the status and the headers of the failure, in words, with the
 * request ID to tell the operator.
 */
export function failurePage(
  reply: PlainReply,
  layout: Layout,
  { viewer, code, acceptLanguage }: FailureView,
): PlainReply {
  // The status is that of the JSON reply; to a person, an address with a malformed id is one that does not exist.
  const [title, advice] = texts[code === 'invalid_id' ? 404 : reply.status] ?? texts[reply.status < 500 ? 400 : 500]!
  const { prefix } = layout
  const [path, wayOn] = waysOn[viewer]
  const valueOf = (wanted: string): string | undefined => reply.headers.find(([name]) => name === wanted)?.[1]
  const seconds = Number(valueOf('retry-after') ?? 0)
  const main = html`<p>${advice}</p>
    ${seconds > 1 ? html`<p>You can try again in ${seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`}.</p>` : null}
    <p class="actions"><a class="button second" href="${prefix}${path}">${wayOn}</a></p>
    <p class="hint">Request ID <code>${valueOf('x-request-id') ?? ''}</code></p>`
  const frame = viewer === 'operator' ? { nav: html`` } : { signedIn: viewer === 'person' }
  const finished = finishPage(page({ ...frame, title, prefix, main }), acceptLanguage, layout)
  const headers = reply.headers.filter(([name]) => name !== 'content-type')
  return {
    status: reply.status,
    headers: [...headers, ...pageHeaders(layout.brand.logoOrigin), ...finished.headers] as [string, string][],
    body: finished.body,
  }
}
