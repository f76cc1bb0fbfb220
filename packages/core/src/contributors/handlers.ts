import { listParams } from '../http/list.ts'
import { firstOf } from '../lists.ts'
import type * as z from 'zod'
import type { MakeEvent } from '../events/event.ts'
import { fail } from '../http/failures.ts'
import type { Lazy } from '../lazy.ts'
import type { Languages } from '../ui/messages.ts'
import type { Html } from '../ui/html.ts'
import { externalSignInUrl, requireRecentSignIn, signedInRecently } from '../auth/recent-sign-in.ts'
import { redirect, reply, mount, type Handlers, type Mounted, type User } from '../http/route.ts'
import { timestamp, timestampOrNull, uuid7 } from '../ids.ts'
import type { Logger, Random } from '../ports.ts'
import { exportHeaders, exportParts, readUpTo } from './export.ts'
import {
  contributorsContract,
  type SubmittedApplication as AppliedShape,
  type Application as ApplicationShape,
  type Contributor as ContributorShape,
} from './contract.ts'
import { buildContactMail, buildReviewMail } from './mail.ts'
import { applyPage, contactPage, type PageForm } from './pages.ts'
import { initialStatus } from './rules.ts'
import type {
  AccountPart,
  Application,
  ApplicationWithUser,
  Contributor,
  ContributorStore,
  SaveContactResult,
} from './store.ts'

export interface ContributorsDeps {
  readonly store: ContributorStore
  readonly random: Random
  readonly makeEvent: MakeEvent
  readonly approval: 'manual' | 'automatic'
  /** The mailer. Null means that the service sends no mails. */
  readonly mailer: object | null
  readonly link: (path: string) => string
  readonly prefix: string
  /** Renders the onboarding steps of a contributor; `done` is the step just completed. */
  readonly journey: (ownerId: string, here: 'application' | 'contact', done: string | undefined) => Promise<Html>
  /** Returns whether a user accepted the current terms. */
  readonly hasAcceptedTerms: (ownerId: string) => Promise<boolean>
  /** The URL of an app's own sign-in, or null if the service's own sign-in is used. */
  readonly signInUrl: string | null
  /** Returns the path of the page after an onboarding step. */
  readonly findNextPage: (ownerId: string, fallback: string) => Promise<string>
  /** The parts of an account that the export contains. */
  readonly parts: () => readonly AccountPart[] | Promise<readonly AccountPart[]>
  /**
   * Disables a user immediately and queues the erasure of everything stored about them. Returns the id of the erasure.
   */
  readonly startErasure: (ownerId: string, now: number) => Promise<string>
  readonly languages: Lazy<Languages>
  readonly exportLimit: number | null
  readonly yieldToEventLoop: () => Promise<void>
  readonly logger: Logger
}

/** Returns the JSON representation of a contributor. */
export const contributorView = ({ signedUpAt, ...contributor }: Contributor): z.input<typeof ContributorShape> => ({
  ...contributor,
  signedUpAt: timestamp(signedUpAt),
})

/** Returns the JSON representation of an application. */
function applicationView(application: Application): z.input<typeof ApplicationShape> {
  const {
    id,
    companyName,
    incubatorBatch,
    website,
    directoryUrl,
    email,
    role,
    status,
    submittedAt,
    reviewedAt,
    reviewReason,
  } = application
  return {
    id,
    companyName,
    incubatorBatch,
    website,
    directoryUrl,
    email,
    role,
    authorized: true,
    status,
    submittedAt: timestamp(submittedAt),
    reviewedAt: timestampOrNull(reviewedAt),
    reviewReason,
  }
}

/** Returns applications in the form that the operator sees, with the verified addresses of the applicants. */
async function operatorViews(
  applications: readonly ApplicationWithUser[],
  store: ContributorStore,
): Promise<z.input<typeof AppliedShape>[]> {
  const found = await store.listAddresses({ userIds: applications.map(({ userId }) => userId) })
  const addresses = new Map(found.map(({ userId, email }) => [userId, email]))
  return applications.map((application) => {
    const { userId } = application
    return { ...applicationView(application), userId, accountEmail: addresses.get(userId) ?? null }
  })
}

interface Draft {
  companyName: string
  incubatorBatch?: string | undefined
  website: string
  directoryUrl?: string | undefined
  email: string
  role: string
}

function submitApplication(
  user: User,
  draft: Draft,
  now: number,
  { store, random, approval, makeEvent }: ContributorsDeps,
): Promise<Application | null> {
  const { companyName, website, email, role } = draft
  const application = {
    id: uuid7(now, random),
    status: initialStatus(approval),
    companyName,
    website,
    email,
    role,
    incubatorBatch: draft.incubatorBatch?.trim() || null,
    directoryUrl: draft.directoryUrl ?? null,
  }
  return store.submitApplication({
    ownerId: user.id,
    application,
    now,
    submitted: makeEvent('application.submitted', now),
    approved: makeEvent('contributor.approved', now),
  })
}

async function renderApplyPage(
  user: User,
  deps: ContributorsDeps,
  options: { form?: PageForm; done?: string | undefined; exists?: boolean },
): Promise<string> {
  const [application, journey, hasAcceptedTerms] = await Promise.all([
    deps.store.findApplication({ ownerId: user.id }),
    deps.journey(user.id, 'application', options.done),
    deps.hasAcceptedTerms(user.id),
  ])
  return applyPage({
    prefix: deps.prefix,
    email: user.email,
    application,
    journey,
    hasAcceptedTerms,
    form: options.form ?? null,
    exists: options.exists ?? false,
    approval: deps.approval,
    mailer: deps.mailer,
  })
}

/** Stores the contact. Only a browser that signed in recently may change a stored contact. */
async function saveContact(
  user: User,
  { name, email, phone }: { name: string; email: string; phone?: string | undefined },
  { now, requestId }: { readonly now: number; readonly requestId: string },
  { store, random, link, languages }: ContributorsDeps,
): Promise<SaveContactResult> {
  return store.saveContact({
    ownerId: user.id,
    contact: { name, email, phone: phone ?? null },
    mayReplace: signedInRecently(user, now),
    mail: { id: uuid7(now, random), requestId, ...buildContactMail(link, (await languages()).first) },
    now,
  })
}

async function renderContactPage(
  user: User,
  deps: ContributorsDeps,
  now: number,
  options: { form?: PageForm; done?: string | undefined },
): Promise<string> {
  const [contact, journey] = await Promise.all([
    deps.store.findContact({ ownerId: user.id }),
    deps.journey(user.id, 'contact', options.done),
  ])
  const isLocked = contact !== null && !signedInRecently(user, now)
  return contactPage({
    prefix: deps.prefix,
    email: user.email,
    contact,
    journey,
    form: isLocked ? null : (options.form ?? null),
    signInAgain: isLocked ? { url: externalSignInUrl('/contact', deps) } : null,
  })
}

export const contributorsHandlers: Handlers<typeof contributorsContract, ContributorsDeps> = {
  async access({ user }, { store, link }) {
    const application = await store.findApplication({ ownerId: user.id })
    return {
      ok: true,
      status: application?.status ?? 'not_applied',
      application: application && applicationView(application),
      applyUrl: link('/apply'),
    }
  },

  async contact({ user }, { store, link }) {
    return {
      ok: true,
      completed: (await store.findContact({ ownerId: user.id })) !== null,
      contactUrl: link('/contact'),
    }
  },

  async apply({ user, body, now }, deps) {
    const application = await submitApplication(user, body, now, deps)
    return application
      ? { ok: true, status: application.status, application: applicationView(application) }
      : fail('application_exists')
  },

  async saveContact({ user, body, now, requestId }, deps) {
    const result = await saveContact(user, body, { now, requestId }, deps)
    if (result === 'saved') return { ok: true, completed: true, contactUrl: deps.link('/contact') }
    return fail(result === 'locked' ? 'reauthentication_required' : 'unauthorized')
  },

  async setConsent({ user, body, now }, { store }) {
    return (await store.setConsent({ ownerId: user.id, consent: body, now }))
      ? { ok: true, consent: body }
      : fail('unauthorized')
  },

  async exportAccount({ user, now }, { parts, yieldToEventLoop, logger, exportLimit }) {
    const document = await exportParts({ parts: await parts(), yieldToEventLoop, logger }, user.id, now)
    const body = exportLimit === null ? document : await readUpTo(document, exportLimit)
    return body === null ? fail('export_too_large') : reply(200, body, exportHeaders)
  },

  async eraseAccount({ user, now }, { startErasure, link }) {
    const noticesUrl = link(`/account/erasures/${await startErasure(user.id, now)}`)
    return reply(200, { ok: true }, [['link', `<${noticesUrl}>; rel="status"`]])
  },

  applyPage: ({ user, flash }, deps) => renderApplyPage(user, deps, { done: flash?.done }),

  async applyForm({ user, body, now }, deps) {
    if (!body.value) return reply(400, await renderApplyPage(user, deps, { form: body }))
    const application = await submitApplication(user, body.value, now, deps)
    if (!application) return reply(409, await renderApplyPage(user, deps, { exists: true }))
    return redirect(await deps.findNextPage(user.id, '/apply'), { done: 'application' })
  },

  contactPage: ({ user, flash, now }, deps) => renderContactPage(user, deps, now, { done: flash?.done }),

  async contactForm({ user, body, now, requestId }, deps) {
    if (!body.value) return reply(400, await renderContactPage(user, deps, now, { form: body }))
    // The page shows why nothing was saved.
    if ((await saveContact(user, body.value, { now, requestId }, deps)) === 'locked') return redirect('/contact')
    return redirect(await deps.findNextPage(user.id, '/contact'), { done: 'contact' })
  },

  async adminApplications({ query }, { store }) {
    const page = await store.listApplications({ ...listParams(query), status: query.status })
    return { ok: true, items: await operatorViews(page.items, store), nextCursor: page.next }
  },

  async adminReview({ params, body, now, audit }, { store, link, makeEvent, languages }) {
    const status = body.decision === 'approve' ? 'approved' : 'rejected'
    const reason = body.reason?.trim() || null
    const reviewed = await store.reviewApplication({
      id: params.id,
      status,
      reason,
      reconsiders: body.reconsider,
      mail: buildReviewMail({ status, reason, link }, (await languages()).first),
      audit,
      event: makeEvent(`contributor.${status}`, now),
    })
    if (reviewed.outcome === 'reviewed') {
      return { ok: true, application: firstOf(await operatorViews([reviewed.application], store)) }
    }
    return fail(reviewed.outcome === 'unknown' ? 'not_found' : 'already_reviewed')
  },

  async adminContributors({ query }, { store }) {
    const { items, next } = await store.listContributors({ ...listParams(query), status: query.status })
    return { ok: true, items: items.map(contributorView), nextCursor: next }
  },

  async adminPause({ params, body, now, audit }, { store, makeEvent }) {
    const contributor = await store.setOperatorPause({
      userId: params.userId,
      paused: body.paused,
      audit,
      event: makeEvent('contributor.paused', now),
    })
    return contributor ? { ok: true, contributor: contributorView(contributor) } : fail('not_found')
  },
}

/** Binds the routes of contributors to their handlers. Erasing an account needs a recent sign-in. */
export const mountContributors = (deps: ContributorsDeps): Mounted[] =>
  mount(contributorsContract, contributorsHandlers, deps, {
    eraseAccount: async (input) => requireRecentSignIn(input),
  })
