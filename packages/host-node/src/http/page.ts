import type { PlainRequest } from '@tributary/core'

/** The reply of a page of the host. */
export interface Page {
  readonly status?: number
  readonly type: string
  readonly body: string | Uint8Array
  readonly headers?: readonly (readonly [string, string])[]
}

/** A page in the layout of the service. */
export interface LayoutPage {
  readonly status?: number
  /**
   * The HTML, made with `page` or `html` of `@tributary/core/host`. The service adds the brand, and uses the language
   * of the request.
   */
  readonly html: string
  /** Headers that replace the headers of the service's pages. */
  readonly headers?: readonly (readonly [string, string])[]
}

/** Answers a request for a page of the host. */
export type AnswerHostPage = (request: PlainRequest) => Page | LayoutPage | Promise<Page | LayoutPage>

/** Pages of the host by path, without parameters. */
export type HostPages = Readonly<Record<string, AnswerHostPage>>

/** Returns the path of the public URL, with which every link starts. */
export const linkPrefix = (baseUrl: string): string => new URL(baseUrl).pathname.replace(/\/+$/, '')

/** The reply for a page that does not exist for the caller. */
export const notFoundPage: Page = {
  status: 404,
  type: 'application/json',
  body: '{"ok":false,"error":"not_found"}',
}
