import type * as z from 'zod'
import { listParams } from '../../http/list.ts'
import { fail } from '../../http/failures.ts'
import type { Html } from '../../ui/html.ts'
import { redirect, reply, mount, type Handlers, type User, type Mounted, type Form } from '../../http/route.ts'
import { policyContract, type WaitlistQuery } from './contract.ts'
import { describePolicy, findNextPage, type PolicyDeps } from './gate.ts'
import { journey, openSteps, progress, termsPage, type StepId } from './pages.ts'
import { isWaiting, nextNeededStep, pausedBy, steps, termsAccepted, type Step } from './rules.ts'
import { defaultTerms } from './terms.ts'
import { leavePage, waitingProgress, waitingSection, waitlistPage } from './waitlist-pages.ts'
import { mailWaitlist, waitlistCsv, waitlistView } from './waitlist.ts'

/**
 * Returns the steps of a new contributor as HTML, for the pages of other capabilities. `done` is the step that was just
 * finished.
 */
export function contributorJourney(
  deps: PolicyDeps,
): (ownerId: string, here: StepId, done: string | undefined) => Promise<Html> {
  return async (ownerId, here, done) => {
    const [standing, waitlist, hasUploads, hasDevice] = await Promise.all([
      deps.store.getStanding({ ownerId }),
      deps.store.findWaitlistEntry({ ownerId }),
      deps.hasUploads(ownerId),
      deps.hasDevice(ownerId),
    ])
    const reviewReason = standing.status === 'rejected' ? await deps.findReviewReason(ownerId) : null
    const isOnWaitlist = isWaiting(waitlist, standing, deps)
    const all = steps(standing, deps)
    const waiting = isOnWaitlist ? waitingLine(all, here, deps.prefix) : null
    const shown = {
      here,
      done,
      hasUploads,
      hasDevice,
      reviewReason,
      pausedBy: pausedBy(standing),
      isOnWaitlist,
      waiting,
    }
    return journey(all, shown, deps)
  }
}

const waitingLine = (all: readonly Step[], here: StepId, prefix: string): Html =>
  waitingProgress({ prefix, openSteps: openSteps(all, here, prefix) })

/**
 * Renders the next step of a person who cannot upload yet, or their state on the waitlist. Returns null for everybody
 * else.
 */
export async function contributorNextStep(ownerId: string, deps: PolicyDeps): Promise<Html | null> {
  const all = steps(await deps.store.getStanding({ ownerId }), deps)
  return nextNeededStep(all).id === 'upload' ? null : contributorProgress(ownerId, async () => false, deps)
}

/**
 * Returns a link to the next step on the way to the first upload, for the top of pages, or null once there is a trace.
 * The last step has no page, so its link leads to the commands of the client.
 */
export async function contributorProgress(
  ownerId: string,
  hasTraces: () => Promise<boolean>,
  deps: PolicyDeps,
): Promise<Html | null> {
  const standing = await deps.store.getStanding({ ownerId })
  const all = steps(standing, deps)
  if (nextNeededStep(all).id === 'upload') return (await hasTraces()) ? null : progress(all, deps.prefix)
  const waitlist = await deps.store.findWaitlistEntry({ ownerId })
  return isWaiting(waitlist, standing, deps) ? waitingLine(all, 'upload', deps.prefix) : progress(all, deps.prefix)
}

/** Renders the state of a person on the waitlist, in place of the steps. Returns null for other people. */
export async function contributorWaiting(ownerId: string, deps: PolicyDeps): Promise<Html | null> {
  const [standing, waitlist] = await Promise.all([
    deps.store.getStanding({ ownerId }),
    deps.store.findWaitlistEntry({ ownerId }),
  ])
  if (waitlist === null || !isWaiting(waitlist, standing, deps)) return null
  const { prefix, mailer } = deps
  return waitingSection(waitlist, { prefix, mailer, openSteps: openSteps(steps(standing, deps), 'upload', prefix) })
}

async function renderTermsPage(
  user: User | null,
  deps: PolicyDeps,
  options: { done?: string | undefined; problem?: 'accepted' | 'outdated' },
): Promise<string> {
  const standing = user ? await deps.store.getStanding({ ownerId: user.id }) : null
  const waitlist = user && (await deps.store.findWaitlistEntry({ ownerId: user.id }))
  const { prefix, termsVersion, termsText, allowedCountries } = deps
  const accepted = standing !== null && termsAccepted(standing, deps)
  const history = user && accepted ? await deps.store.listAcceptedTerms({ ownerId: user.id }) : []
  return termsPage({
    prefix,
    termsVersion,
    supportEmail: deps.brand.supportEmail,
    shares: deps,
    text: termsText ?? defaultTerms(deps.capabilities.ads),
    isDefaultText: termsText === null,
    email: user?.email ?? null,
    signedIn: user !== null,
    accepted,
    acceptedAt: history.findLast((one) => one.termsVersion === termsVersion)?.acceptedAt ?? null,
    allowedCountries,
    residencyConfirmed: standing?.residencyConfirmed ?? false,
    isOnWaitlist: standing !== null && isWaiting(waitlist, standing, deps),
    journey: user && (await contributorJourney(deps)(user.id, 'terms', options.done)),
    problem: options.problem ?? null,
  })
}

async function renderWaitlistPage(
  user: User,
  deps: PolicyDeps,
  options: { form?: Form<unknown>; done?: string | undefined },
): Promise<string> {
  const [entry, standing] = await Promise.all([
    deps.store.findWaitlistEntry({ ownerId: user.id }),
    deps.store.getStanding({ ownerId: user.id }),
  ])
  return waitlistPage({
    ...deps,
    email: user.email,
    form: options.form ?? null,
    done: options.done,
    entry,
    openSteps: openSteps(steps(standing, deps), 'upload', deps.prefix),
  })
}

/** Returns the JSON representation of a page of the waitlist. */
export async function listWaitlistPage(query: z.output<typeof WaitlistQuery>, store: PolicyDeps['store']) {
  const notified = query.notified === undefined ? undefined : query.notified === 'true'
  const { items, next } = await store.listWaitlist({ ...listParams(query), country: query.country, notified })
  return { ok: true as const, items: items.map(waitlistView), nextCursor: next }
}

export const policyHandlers: Handlers<typeof policyContract, PolicyDeps> = {
  async uploadPolicy({ user, request, address }, deps) {
    const [standing, country] = await Promise.all([
      deps.store.getStanding({ ownerId: user.id }),
      deps.findCountry({ request, address }),
    ])
    return describePolicy(standing, country, deps)
  },

  async acceptTerms({ user, body, request, address, now }, deps) {
    if (body.termsVersion !== deps.termsVersion) return fail('terms_outdated', { termsVersion: deps.termsVersion })
    const standing = await deps.store.acceptTerms({ ...body, ownerId: user.id, now })
    if (!standing) return fail('unauthorized')
    return { ok: true, policy: describePolicy(standing, await deps.findCountry({ request, address }), deps) }
  },

  async readAccount({ user }) {
    return { ok: true, userId: user.id, email: user.email }
  },

  async updateAccount({ user, body, request, address, now }, deps) {
    const standing = await deps.store.setPause({
      ownerId: user.id,
      paused: body.paused,
      now,
      event: deps.makeEvent('contributor.paused', now),
    })
    if (!standing) return fail('unauthorized')
    return {
      ok: true,
      paused: standing.paused,
      policy: describePolicy(standing, await deps.findCountry({ request, address }), deps),
    }
  },

  async joinWaitlist({ user, body, now }, { store }) {
    const joined = await store.joinWaitlist({
      ownerId: user.id,
      email: body.email,
      country: body.country ?? null,
      now,
    })
    return joined ? { ok: true } : fail('unauthorized')
  },

  async listWaitlist({ query, audit }, { store, recordRead }) {
    // Every page is recorded, not only the first, because a made-up cursor may point before the first person.
    await recordRead({ action: 'waitlist.read', target: query.country ?? 'all', audit })
    return listWaitlistPage(query, store)
  },

  async exportWaitlist({ query, audit }, deps) {
    const { country } = query
    // The first read happens before the reply starts, so that an outage causes a 503 and not a truncated file.
    await deps.store.listWaitlist({ country, cursor: null, limit: 1 })
    await deps.recordRead({ action: 'waitlist.download', target: country ?? 'all', audit })
    return reply(200, waitlistCsv(country, deps), [
      ['content-type', 'text/csv; charset=utf-8'],
      ['content-disposition', 'attachment; filename="waitlist.csv"'],
    ])
  },

  async removeFromWaitlist({ params, audit }, { store }) {
    const removed = await store.removeFromWaitlist({ ownerId: params.userId, audit })
    return removed ? { ok: true } : fail('not_found')
  },

  async notifyWaitlist({ body: { country }, audit }, deps) {
    if (!deps.allowedCountries.includes(country)) return fail('country_not_open')
    return { ok: true, notified: await mailWaitlist({ country }, audit, deps) }
  },

  termsPage: ({ user, flash }, deps) => renderTermsPage(user, deps, { done: flash?.done }),

  async termsForm({ user, body, now }, deps) {
    if (!body.value) return reply(400, await renderTermsPage(user, deps, { problem: 'accepted' }))
    if (body.value.termsVersion !== deps.termsVersion)
      return reply(409, await renderTermsPage(user, deps, { problem: 'outdated' }))
    const terms = { termsVersion: deps.termsVersion, residencyConfirmed: body.value.residencyConfirmed === 'yes' }
    const standing = await deps.store.acceptTerms({ ...terms, ownerId: user.id, now })
    if (!standing) return redirect('/sign-in?next=%2Fterms')
    return redirect(await findNextPage(deps)(user.id, '/terms'), { done: 'terms' })
  },

  waitlistPage: ({ user, flash }, deps) => renderWaitlistPage(user, deps, { done: flash?.done }),

  async waitlistForm({ user, body, now }, deps) {
    if (!body.value) return reply(400, await renderWaitlistPage(user, deps, { form: body }))
    const { email, country } = body.value
    await deps.store.joinWaitlist({ ownerId: user.id, email, country, now })
    return redirect('/waitlist', { done: 'waitlist' })
  },

  async leaveWaitlistPage({ user }, { store, prefix }) {
    const entry = await store.findWaitlistEntry({ ownerId: user.id })
    return entry ? leavePage({ prefix, email: user.email, entry }) : redirect('/waitlist')
  },

  async leaveWaitlist({ user }, { store }) {
    await store.leaveWaitlist({ ownerId: user.id })
    return redirect('/waitlist', { done: 'left' })
  },
}

/** Binds the routes of the upload policy, terms and the waitlist to their handlers. */
export const mountPolicy = (deps: PolicyDeps): Mounted[] => mount(policyContract, policyHandlers, deps)
