import type * as z from 'zod'
import { fail, type Failure } from '../http/failures.ts'
import type { Form } from '../http/form.ts'
import type { Html } from '../http/html.ts'
import { redirect, reply, type Handlers, type User } from '../http/route.ts'
import type { Country } from '../ports.ts'
import type { policyContract, UploadPolicy } from './contract.ts'
import { journey, termsPage, waitlistPage, type Here } from './pages.ts'
import { knownCountry, nextPage, policyReason, steps, termsAccepted, uploadRefusal, type Reason } from './rules.ts'
import type { PolicyStore, Standing } from './store.ts'

export interface PolicyDeps {
  readonly store: PolicyStore
  readonly country: Country
  readonly allowedCountries: readonly string[]
  readonly termsVersion: string
  readonly policyVersion: string
  readonly termsText: string
  readonly link: (path: string) => string
  readonly prefix: string
}

type Policy = z.infer<ReturnType<typeof UploadPolicy>>
/** The part of a request that the country is read from. */
interface Asking {
  readonly request: { readonly headers: Readonly<Record<string, string | undefined>> }
  readonly address: string | null
}

async function countryOf({ request, address }: Asking, { country }: PolicyDeps): Promise<string | null> {
  return knownCountry(await country({ headers: request.headers, address }))
}

function policyOf(standing: Standing, country: string | null, deps: PolicyDeps): Policy {
  const reason = policyReason({ ...standing, country }, deps)
  return {
    ok: true, eligible: reason === null, reason, country,
    policyVersion: deps.policyVersion, termsVersion: deps.termsVersion,
    termsAccepted: termsAccepted(standing, deps), residencyConfirmed: standing.residencyConfirmed,
    acceptanceUrl: deps.link('/terms'), waitlistUrl: deps.link('/waitlist'),
  }
}

export type UploadGate = (user: User, asking: Asking) => Promise<Failure<Reason | 'contributor_approval_required'> | null>

/**
 * The gate before E5's body: terms, approval, country, the rest of the policy, the first that fails, else null. One read
 * of the store. Bodies as in the interface's E5: `acceptUrl`, `status` with `applyUrl`, or the whole `policy`.
 */
export function uploadGate(deps: PolicyDeps): UploadGate {
  return async (user, asking) => {
    const [standing, country] = await Promise.all([deps.store.standing(user.id), countryOf(asking, deps)])
    const code = uploadRefusal({ ...standing, country }, deps)
    if (code === null) return null
    if (code === 'terms_required') return fail(code, { acceptUrl: deps.link('/terms') })
    if (code === 'contributor_approval_required') return fail(code, { status: standing.status, applyUrl: deps.link('/apply') })
    return fail(code, { policy: policyOf(standing, country, deps) })
  }
}

/** The steps of a new contributor as HTML, for the pages of other capabilities. `done` is what was just finished. */
export function contributorJourney(deps: PolicyDeps): (ownerId: string, here: Here, done: string | undefined) => Promise<Html> {
  return async (ownerId, here, done) => journey(steps(await deps.store.standing(ownerId), deps), here, done, deps.prefix)
}

/** Where a browser goes after a step: the page of the next one, which says so. */
export function afterStep(deps: PolicyDeps): (ownerId: string, done: string, fallback: string) => Promise<string> {
  return async (ownerId, done, fallback) => `${nextPage(steps(await deps.store.standing(ownerId), deps)) ?? fallback}?done=${done}`
}

async function showTerms(user: User | null, deps: PolicyDeps, more: { done?: string | undefined; problem?: 'accepted' | 'outdated' }): Promise<string> {
  const standing = user ? await deps.store.standing(user.id) : null
  const { prefix, termsVersion, termsText } = deps
  return termsPage({
    prefix, termsVersion, text: termsText, email: user?.email ?? null, signedIn: user !== null,
    accepted: standing !== null && termsAccepted(standing, deps), residencyConfirmed: standing?.residencyConfirmed ?? false,
    journey: standing ? journey(steps(standing, deps), 'terms', more.done, prefix) : null,
    problem: more.problem ?? null,
  })
}

function showWaitlist(user: User, deps: PolicyDeps, form: Form<unknown> | null, joined: boolean): string {
  return waitlistPage({ prefix: deps.prefix, email: user.email, form, joined })
}

export const policyHandlers: Handlers<typeof policyContract, PolicyDeps> = {
  async uploadPolicy({ user, request, address }, deps) {
    const [standing, country] = await Promise.all([deps.store.standing(user.id), countryOf({ request, address }, deps)])
    return policyOf(standing, country, deps)
  },

  async acceptTerms({ user, body, request, address, now }, deps) {
    if (body.termsVersion !== deps.termsVersion) return fail('terms_outdated', { termsVersion: deps.termsVersion })
    const standing = await deps.store.acceptTerms(user.id, body, now)
    if (!standing) return fail('unauthorized')
    return { ok: true, policy: policyOf(standing, await countryOf({ request, address }, deps), deps) }
  },

  async updateAccount({ user, body, request, address, now }, deps) {
    const standing = await deps.store.setPaused(user.id, body.paused, now)
    if (!standing) return fail('unauthorized')
    return { ok: true, paused: standing.paused, policy: policyOf(standing, await countryOf({ request, address }, deps), deps) }
  },

  async joinWaitlist({ user, body, now }, { store }) {
    const joined = await store.joinWaitlist(user.id, { email: body.email, country: body.country ?? null }, now)
    return joined ? { ok: true } : fail('unauthorized')
  },

  termsPage: ({ user, query }, deps) => showTerms(user, deps, { done: query.done }),

  async termsForm({ user, body, now }, deps) {
    if (!body.value) return reply(400, await showTerms(user, deps, { problem: 'accepted' }))
    if (body.value.termsVersion !== deps.termsVersion) return reply(409, await showTerms(user, deps, { problem: 'outdated' }))
    const terms = { termsVersion: deps.termsVersion, residencyConfirmed: body.value.residencyConfirmed === 'yes' }
    const standing = await deps.store.acceptTerms(user.id, terms, now)
    if (!standing) return redirect('/sign-in?next=%2Fterms')
    return redirect(`${nextPage(steps(standing, deps)) ?? '/terms'}?done=terms`)
  },

  waitlistPage: ({ user, query }, deps) => showWaitlist(user, deps, null, query.done === 'waitlist'),

  async waitlistForm({ user, body, now }, deps) {
    if (!body.value) return reply(400, showWaitlist(user, deps, body, false))
    const { email, country } = body.value
    await deps.store.joinWaitlist(user.id, { email, country: country ?? null }, now)
    return redirect('/waitlist?done=waitlist')
  },
}
