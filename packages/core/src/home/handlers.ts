import { mount, type Handlers, type Mounted } from '../start.ts'
import { homeContract } from './contract.ts'
import { homePage, type HomeTerms, type Overview } from './pages.ts'

/** The dependencies of the handler. */
export interface HomeDeps extends HomeTerms {
  /** Returns where a person stands. */
  readonly overview: (ownerId: string, now: number) => Promise<Overview>
}

const homeHandlers: Handlers<typeof homeContract, HomeDeps> = {
  homePage: async ({ user, now }, { overview, ...terms }) =>
    homePage({ ...terms, email: user?.email ?? null, overview: user && (await overview(user.id, now)) }),
}

/** Binds the route of the home page to its handler. */
export function mountHome(deps: HomeDeps): Mounted[] {
  return mount(homeContract, homeHandlers, deps)
}
