import { createHash } from 'node:crypto'

/** The reply of a page of the host. */
export interface Page {
  readonly status?: number
  readonly type: string
  readonly body: string | Uint8Array
  readonly headers?: readonly (readonly [string, string])[]
}

/** Returns the headers of a page without scripts whose only style sheet is inline. */
export function pagePolicy(style: string): readonly (readonly [string, string])[] {
  const hash = createHash('sha256').update(style).digest('base64')
  return [
    [
      'content-security-policy',
      `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    ],
    ['x-frame-options', 'DENY'],
  ]
}
