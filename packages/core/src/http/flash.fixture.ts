import { createHmacCode } from '../auth/hmac.ts'
import { lazy } from '../lazy.ts'
import { browserSession, createFlashes, type Flash } from './flash.ts'

interface FlashSource {
  readonly path: string
  readonly secret: string
  /** Whether the service is reached over https. */
  readonly secure?: boolean
  readonly now: number
}

/**
 * Returns the headers of a browser after a form of the service redirected it to a page with a flash. `secret` is the
 * secret of the service.
 */
export async function withFlash(
  headers: Readonly<Record<string, string>>,
  flash: Flash,
  { path, secret, secure = false, now }: FlashSource,
): Promise<Record<string, string>> {
  const hmacCode = createHmacCode({ secrets: [secret], storedSecret: lazy(async () => secret) })
  const request = { method: 'GET', path, query: [], headers, address: null, body: null }
  const session = browserSession(request, { secure, appUserId: null })
  const written = await createFlashes({ hmacCode, secure }).write(flash, { path, session, now })
  return { ...headers, cookie: `${headers['cookie'] ?? ''}; ${written.split(';', 1)[0]}` }
}
