import { createClient, sendRequest, type Client, type RequestResult } from '@tributary/core/client'
import { version, type Session } from './runtime.ts'

/** A failed call. It is not retried here, because the caller decides when to retry. */
export type FailedCall = RequestResult & { readonly ok: false }

const timeoutMs = 5000

/** Creates the client of a session. */
export function createSessionClient({ base, token, fetch }: Session): Client {
  return createClient({ baseUrl: base, token, clientVersion: version, fetch, timeoutMs, retries: 0 })
}

/** Sends a request to an impression URL that the service named. The request does not contain the token. */
export function requestImpression({ fetch }: Session, url: string): Promise<RequestResult> {
  return sendRequest(url, { method: 'POST', isRepeatable: false }, { fetch, timeoutMs, retries: 0 })
}

/** Returns the code of a failure, or `unreachable` if there was no answer. */
export const readErrorCode = ({ status, error }: FailedCall): string => (status === 0 ? 'unreachable' : error)
