import { fail, type Failure } from '../http/failures.ts'
import type { User } from '../http/route.ts'

/** The time for which a sign-in counts as recent, in milliseconds. Irreversible actions require a recent sign-in. */
const recentMs = 15 * 60 * 1000

/** Returns whether a sign-in at this time counts as recent. */
export const isRecent = (signedInAt: number, now: number): boolean => now - signedInAt < recentMs

/** Returns whether the user signed in with this browser within the last 15 minutes. */
export function signedInRecently({ via, signedInAt }: User, now: number): boolean {
  return via === 'cookie' && signedInAt !== null && isRecent(signedInAt, now)
}

/** Refuses a request with a token, and a request from a browser whose sign-in is not recent. */
export function requireRecentSignIn({
  user,
  now,
}: {
  readonly user: User
  readonly now: number
}): Failure<'browser_required' | 'reauthentication_required'> | null {
  if (user.via !== 'cookie') return fail('browser_required')
  return signedInRecently(user, now) ? null : fail('reauthentication_required')
}

/**
 * Returns the URL of an app's own sign-in that returns to a path of this service, or null if the service's own sign-in
 * is used.
 */
export function externalSignInUrl(
  next: string,
  { signInUrl, link }: { readonly signInUrl: string | null; readonly link: (path: string) => string },
): string | null {
  if (signInUrl === null) return null
  const url = new URL(signInUrl)
  url.searchParams.set('next', link(next))
  return url.href
}
