import type { OperatorSession } from '../auth/operator.ts'
import { redirect, mount, type Handlers, type Mounted } from '../http/route.ts'
import { homeContract } from './contract.ts'
import { homePage, type HomeTerms, type Overview } from './pages.ts'

/** The dependencies of the handler. */
export interface HomeDeps extends HomeTerms {
  /** Returns the steps of a person on the way to the first upload. */
  readonly overview: (ownerId: string, now: number) => Promise<Overview>
  /** Returns the operator who is signed in with this browser. */
  readonly signedIn: OperatorSession['signedIn']
}

const homeHandlers: Handlers<typeof homeContract, HomeDeps> = {
  async homePage({ user, request, now }, { overview, signedIn, ...terms }) {
    const operator = await signedIn(request, now)
    if (!user && typeof operator !== 'string') return redirect('/admin')
    return homePage({
      ...terms,
      email: user?.email ?? null,
      overview: user && (await overview(user.id, now)),
      operator: typeof operator === 'string' ? null : operator.name,
    })
  },
}

/** Binds the route of the home page to its handler. */
export function mountHome(deps: HomeDeps): Mounted[] {
  return mount(homeContract, homeHandlers, deps)
}
