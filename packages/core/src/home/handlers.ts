import type { Html } from '../http/html.ts'
import { mount, type Handlers, type Mounted } from '../http/route.ts'
import { homeContract } from './contract.ts'
import { homePage, type HomeTerms } from './pages.ts'

/** The dependencies of the handler. */
export interface HomeDeps extends HomeTerms {
  /** Returns the onboarding steps of a person; null once they are done and there is a trace. */
  readonly openSteps: (ownerId: string) => Promise<Html | null>
}

const homeHandlers: Handlers<typeof homeContract, HomeDeps> = {
  homePage: async ({ user }, deps) =>
    homePage({ ...deps, person: user && { email: user.email, openSteps: await deps.openSteps(user.id) } }),
}

/** Binds the route of the home page to its handler. */
export function mountHome(deps: HomeDeps): Mounted[] {
  return mount(homeContract, homeHandlers, deps)
}
