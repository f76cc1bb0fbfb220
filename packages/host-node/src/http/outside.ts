import { lookup as systemLookup, type LookupAddress } from 'node:dns'
import { request as plain } from 'node:http'
import { request as secure } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { Readable } from 'node:stream'
import type { Fetch } from '@tributary/core'
import { checkOptionNames } from '@tributary/core/adapter'
import { isPublicAddress } from '@tributary/core/host'

export interface OutsideOptions {
  /** Resolves names. Default: the system's resolver. */
  readonly lookup?: (
    name: string,
    options: { all: true },
    done: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
  ) => void
  /** Returns whether a connection to an address is allowed. Default: only public addresses are allowed. */
  readonly allows?: (address: string) => boolean
}

/**
 * Returns a `fetch` for URLs from third parties, such as an ad network's impressions. It checks the resolved address
 * when it connects, so that no name leads into the internal network (SSRF), never follows a redirect, and uses one
 * connection per call.
 *
 * ```ts
 * const network = gravity({ apiKey, fetch: outsideFetch() })
 * ```
 */
export function outsideFetch(options: OutsideOptions = {}): Fetch {
  checkOptionNames(options, { lookup: true, allows: true })
  const { lookup = systemLookup, allows = isPublicAddress } = options
  const lookupAllowed: LookupFunction = (name, lookupOptions, done) => {
    lookup(name, { all: true }, (error, found) => {
      const forbidden = found?.find(({ address }) => !allows(address))
      const [first] = found ?? []
      if (error || forbidden || !first) return done(error ?? notPublicError(name), '', 0)
      // Node requests all addresses if it tries several address families concurrently.
      if (lookupOptions.all) (done as unknown as (error: null, all: LookupAddress[]) => void)(null, found)
      else done(null, first.address, first.family)
    })
  }

  return (url, { method, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const { protocol, hostname } = new URL(url)
      const literal = hostname.replace(/^\[|\]$/g, '')
      if (isIP(literal) !== 0 && !allows(literal)) return reject(notPublicError(hostname))
      const send = protocol === 'http:' ? plain : secure
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
      const outgoing = send(
        url,
        { method, headers: { ...headers, ...length }, signal, lookup: lookupAllowed, agent: false },
        (response) => {
          const isEmpty = response.statusCode === 204 || response.statusCode === 304
          if (isEmpty) response.resume()
          resolve({
            status: response.statusCode ?? 0,
            body: isEmpty ? null : (Readable.toWeb(response) as ReadableStream<Uint8Array>),
          })
        },
      )
      outgoing.once('error', reject).end(body)
    })
}

const notPublicError = (name: string): Error => new Error(`${name} does not lead to a public address`)
