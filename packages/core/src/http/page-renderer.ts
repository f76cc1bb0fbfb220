import type { Headers, PlainReply, PlainRequest } from './message.ts'

/** A page in the form in which it is sent, in the language of the request. */
export interface FinishedPage {
  readonly body: string
  /** The headers of every page: the type, the policies and the language. */
  readonly headers: Headers
}

/** The request that failed. */
export interface FailedRequest {
  readonly method: string
  /** The path below the prefix. */
  readonly path: string
  /** Whether GET opens a page at the path. */
  readonly hasPage: boolean
  readonly headers: PlainRequest['headers']
  /** The authenticated user, or null for an anonymous request. */
  readonly userId: string | null
  /** The code of the failure, or null if no route was reached. */
  readonly code: string | null
  /** Whether the service is reached over https; the name of the cookie depends on it. */
  readonly secure: boolean
}

/** Makes the pages that a browser shows. The service uses `createPageRenderer` of `ui/`. */
export interface PageRenderer {
  /** Rejects when a language of the app has a text that no page uses. */
  check(): Promise<void>
  /** Puts the brand and the language of the request into a page. */
  finish(page: string, acceptLanguage: string | undefined): Promise<FinishedPage>
  /** Returns a failure as a page, with the status and the headers of the failure. */
  showFailure(reply: PlainReply, request: FailedRequest): Promise<PlainReply>
}

/** Sends pages unchanged, and failures as JSON. */
export const plainPageRenderer: PageRenderer = {
  check: async () => {},
  finish: async (body) => ({ body, headers: [['content-type', 'text/html; charset=utf-8']] }),
  showFailure: async (reply) => reply,
}
