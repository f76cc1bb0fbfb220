import { redirect, reply, type Handlers, type Reply, type User } from '../http/route.ts'
import type { accountContract } from './contract.ts'
import { signedInRecently } from '../sessions/recent.ts'
import { accountPage, erasedPage, erasePage, signInAgainPage, type Consent, type Done, type Machine, type Uploads } from './pages.ts'

/** What the capabilities behind the page do, handed over by service.ts. */
export interface AccountDeps {
  readonly prefix: string
  readonly machines: (user: User, now: number) => Promise<readonly Machine[]>
  /** False when there is no such machine of theirs. */
  readonly revoke: (user: User, id: string) => Promise<boolean>
  readonly uploads: (user: User) => Promise<Uploads>
  readonly pause: (user: User, paused: boolean, now: number) => Promise<void>
  readonly consent: (user: User) => Promise<Consent>
  readonly allow: (user: User, consent: Consent, now: number) => Promise<void>
  readonly erase: (user: User) => Promise<void>
  /** Where an app's own sign-in is, if that stands in for ours: it comes back to the given path. */
  readonly signInUrl: (next: string) => string | null
  /** The `set-cookie` value that takes the session's cookie away. */
  readonly cookieEnd: string
}

async function show(user: User, now: number, deps: AccountDeps, more: { done?: string | undefined; confused?: boolean }): Promise<string> {
  const [machines, uploads, consent] = await Promise.all([deps.machines(user, now), deps.uploads(user), deps.consent(user)])
  return accountPage({ prefix: deps.prefix, email: user.email, machines, uploads, consent, done: more.done ?? null, confused: more.confused ?? false })
}

const erasePath = '/account/erase'

const back = (done: Done): Reply<never> => redirect(`/account?done=${done}`)

export const accountHandlers: Handlers<typeof accountContract, AccountDeps> = {
  accountPage: ({ user, query, now }, deps) => show(user, now, deps, { done: query.done }),

  erasePage({ user, now }, { prefix, signInUrl }) {
    const { email } = user
    if (signedInRecently(user, now)) return erasePage({ prefix, email })
    return signInAgainPage({ prefix, email, next: erasePath, signInUrl: signInUrl(erasePath) })
  },

  async accountForm({ user, body, now }, deps) {
    const { action, id, attribution, pixel, confirmed } = body.value ?? {}
    switch (action) {
      case 'revoke':
        if (id === undefined) break
        return back((await deps.revoke(user, id)) ? 'revoked' : 'unknown_machine')
      case 'pause':
      case 'resume':
        await deps.pause(user, action === 'pause', now)
        return back(action === 'pause' ? 'paused' : 'resumed')
      case 'consent':
        await deps.allow(user, { attribution: attribution === 'yes', pixel: pixel === 'yes' }, now)
        return back('consent')
      case 'erase':
        if (!confirmed || !signedInRecently(user, now)) return redirect(erasePath)
        await deps.erase(user)
        return reply(200, erasedPage({ prefix: deps.prefix }), [['set-cookie', deps.cookieEnd]])
      default:
    }
    return reply(400, await show(user, now, deps, { confused: true }))
  },
}
