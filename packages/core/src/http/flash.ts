import { cookieName, readCookies, writeCookie, type Headers, type PlainRequest } from './message.ts'

/** The message that a page shows once about the form that was submitted before it. */
export interface Flash {
  /** The key of the notice in the message catalog. */
  readonly done: string
  /** The numbers in the text of the notice. */
  readonly counts?: readonly number[]
  /** The id or the name of the item that the text is about. */
  readonly about?: string
}

/** The page that shows a flash, and the user who requests it. */
interface FlashPlace {
  /** The page's path below the mount prefix, without its query. */
  readonly path: string
  /** The text that identifies the browser's sessions, from `browserSession`. */
  readonly session: string
  readonly now: number
}

/**
 * Flashes are kept in a signed cookie. If they were in a query parameter, anybody could craft a link to a page that
 * reports something that did not happen. The cookie is valid for a minute, on one page, in the sessions in which it was
 * made, and is removed by the page that shows it.
 */
export interface Flashes {
  /** Returns the `set-cookie` value that passes a flash to the page to which the reply redirects. */
  write(flash: Flash, place: FlashPlace): Promise<string>
  /** Returns the flash for the page, or null if there is none, it expired, or it is for another page or session. */
  read(request: PlainRequest, place: FlashPlace): Promise<Flash | null>
  /** The `set-cookie` value that removes the flash. */
  readonly end: string
}

const maxAge = 60

export interface FlashOptions {
  /** Returns the keyed hashes of a text. The first hash is sent, and any of the hashes is accepted. */
  readonly hmacCode: (text: string) => Promise<readonly [string, ...string[]]>
  readonly secure: boolean
}

export function createFlashes({ hmacCode, secure }: FlashOptions): Flashes {
  const name = cookieName(secure, 'flash')
  const sign = (text: string, { path, session }: FlashPlace) => hmacCode(`flash\n${session}\n${path}\n${text}`)
  return {
    async write(flash, place) {
      const text = encodeURIComponent(JSON.stringify({ ...flash, until: place.now + maxAge * 1000 }))
      return writeCookie(name, `${(await sign(text, place))[0]}.${text}`, { maxAge, secure })
    },
    async read({ headers }, place) {
      const [, signature, text] = /^([0-9a-f]{64})\.(.+)$/.exec(readCookies(headers['cookie'])[name] ?? '') ?? []
      if (signature === undefined || text === undefined) return null
      if (!(await sign(text, place)).includes(signature)) return null
      const { until, ...flash } = JSON.parse(decodeURIComponent(text)) as Flash & { readonly until: number }
      return place.now < until ? flash : null
    },
    end: writeCookie(name, '', { maxAge: 0, secure }),
  }
}

/**
 * Returns a text that identifies the sessions that a browser has after a reply with these headers. `appUserId` is the
 * person whom an embedding app's own sign-in identified.
 */
export function browserSession(
  request: PlainRequest,
  { secure, appUserId, reply = [] }: { readonly secure: boolean; readonly appUserId: string | null; reply?: Headers },
): string {
  const cookies = readCookies(request.headers['cookie'])
  for (const [name, value] of reply) if (name === 'set-cookie') Object.assign(cookies, readCookies(value.split(';')[0]))
  const sessions = (['session', 'operator', 'buyer'] as const).map((name) => cookies[cookieName(secure, name)])
  return JSON.stringify([...sessions.map((value) => value || null), appUserId])
}
