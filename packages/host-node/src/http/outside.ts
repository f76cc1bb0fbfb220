import { lookup as systemLookup, type LookupAddress } from 'node:dns'
import { request as plain } from 'node:http'
import { request as secure } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { Readable } from 'node:stream'
import type { Fetch } from '@tributary/core'
import { isPublicAddress } from '@tributary/core/host'

export interface OutsideOptions {
  /** How names become addresses; default: the system's. */
  readonly lookup?: (
    name: string,
    options: { all: true },
    done: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
  ) => void
  /** Which addresses may be reached; default: those of the public internet. */
  readonly allows?: (address: string) => boolean
}

/**
 * A `fetch` for addresses that strangers hand us, such as an ad network's impressions: it looks at what a name leads to at the
 * moment of connecting, so that no name leads into our own network, and never follows a redirect. One connection a call.
 *
 * ```ts
 * const network = gravity({ apiKey, fetch: outsideFetch() })
 * ```
 */
export function outsideFetch({ lookup = systemLookup, allows = isPublicAddress }: OutsideOptions = {}): Fetch {
  const guarded: LookupFunction = (name, options, done) => {
    lookup(name, { all: true }, (error, found) => {
      const inside = found?.find(({ address }) => !allows(address))
      const [first] = found ?? []
      if (error || inside || !first) return done(error ?? refused(name), '', 0)
      // Node asks for all when it tries several families at once.
      if (options.all) (done as unknown as (error: null, all: LookupAddress[]) => void)(null, found)
      else done(null, first.address, first.family)
    })
  }

  return (url, { method, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const { protocol, hostname } = new URL(url)
      const literal = hostname.replace(/^\[|\]$/g, '')
      if (isIP(literal) !== 0 && !allows(literal)) return reject(refused(hostname))
      const send = protocol === 'http:' ? plain : secure
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
      const asking = send(
        url,
        { method, headers: { ...headers, ...length }, signal, lookup: guarded, agent: false },
        (answer) => {
          const empty = answer.statusCode === 204 || answer.statusCode === 304
          if (empty) answer.resume()
          resolve({
            status: answer.statusCode ?? 0,
            body: empty ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>),
          })
        },
      )
      asking.once('error', reject).end(body)
    })
}

const refused = (name: string): Error => new Error(`${name} does not lead to a public address`)
