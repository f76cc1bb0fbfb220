import type { OperatorSession } from '../auth/operator.ts'
import { lazy } from '../lazy.ts'
import type { ResolvedOptions } from '../service/resolve-options.ts'
import type { Html } from '../ui/html.ts'
import { createCountryFinder, uploadGate, type FindCountry, type PolicyDeps } from './policy/gate.ts'

/** Facts about a person, and actions, that other capabilities use without access to the stores of this capability. */
export interface People {
  readonly policy: PolicyDeps
  /** Returns the failure with which an upload of a person is refused, or null. */
  readonly checkUpload: ReturnType<typeof uploadGate>
  /** Returns the country of a request, or null. */
  readonly findCountry: FindCountry
  /** Returns whether a device of the person is signed in. */
  readonly hasDevice: (ownerId: string) => Promise<boolean>
  /** Returns the onboarding steps for a page as HTML; `done` is the step that was just completed. */
  readonly journey: (
    ownerId: string,
    here: 'application' | 'contact' | 'upload',
    done: string | undefined,
  ) => Promise<Html>
  /** Returns the progress of a person who has not uploaded yet, or null. */
  readonly progress: (ownerId: string) => Promise<Html | null>
  /** Returns the person's state on the waitlist as HTML, or null. */
  readonly waiting: (ownerId: string) => Promise<Html | null>
  /** Adds a term that is replaced in every trace of the person. */
  readonly blockTerm: (ownerId: string, term: string, now: number) => Promise<boolean>
}

export function createPeople(options: ResolvedOptions, { signedIn }: Pick<OperatorSession, 'signedIn'>): People {
  const { stores, clock } = options
  const hasDevice = async (ownerId: string): Promise<boolean> => {
    const credentials = await stores.auth.listCredentials({ ownerId, now: clock(), currentHash: '' })
    return credentials.some(({ kind, status }) => kind === 'machine' && status === 'signed_in')
  }
  const policy: PolicyDeps = {
    ...options,
    store: stores.policy,
    findCountry: createCountryFinder(options),
    signedIn,
    recordRead: (read) => stores.audit.recordRead(read),
    hasDevice,
    hasUploads: async (ownerId) => (await stores.ingest.listJobs({ ownerId, limit: 1 })).length > 0,
    findReviewReason: async (ownerId) => (await stores.contributors.findApplication({ ownerId }))?.reviewReason ?? null,
  }
  const hasTraces = async (ownerId: string): Promise<boolean> =>
    (await stores.traces.listTraces({ ownerId, cursor: null, limit: 1 })).items.length > 0
  const handlers = lazy(() => import('./policy/handlers.ts'))
  const journey = lazy(async () => (await handlers()).contributorJourney(policy))
  return {
    policy,
    checkUpload: uploadGate(policy),
    findCountry: policy.findCountry,
    hasDevice,
    journey: async (ownerId, here, done) => (await journey())(ownerId, here, done),
    progress: async (ownerId) => (await handlers()).contributorProgress(ownerId, () => hasTraces(ownerId), policy),
    waiting: async (ownerId) => (await handlers()).contributorWaiting(ownerId, policy),
    blockTerm: async (ownerId, term, now) =>
      (await import('./blocked-terms/handlers.ts')).addBlockedTerm({ ownerId, term, now }, stores.blockedTerms),
  }
}
