import { isHeaderOne, type PlainRequest } from '../http/message.ts'

/** Returns whether the client declines telemetry, by W3C DNT, Global Privacy Control or the service's own header. */
export const declinesTelemetry = (headers: PlainRequest['headers']): boolean =>
  ['dnt', 'sec-gpc', 'x-do-not-track'].some((name) => isHeaderOne(headers, name))

/** Returns whether a device id is an identifier. Any other device id is free text and is scrubbed. */
export const isPlainId = (id: string): boolean => /^[A-Za-z0-9._:-]+$/.test(id)

/** Returns a copy of a JSON value in which NUL and lone surrogates became U+FFFD, in texts and in keys. */
export function sanitizeJson<T>(value: T): T {
  // An escaped backslash is matched together with the character after it, because `\\u0000` is not an escape of NUL.
  const clean = (escape: string): string => (escape.length > 2 ? '\\ufffd' : escape)
  return JSON.parse(JSON.stringify(value).replace(/\\(?:u0000|ud[89a-f]..|.)/g, clean)) as T
}
