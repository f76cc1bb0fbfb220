import type * as z from 'zod'
import { fail } from '../http/failures.ts'
import { placeOf } from '../http/fields.ts'
import type { Html } from '../http/html.ts'
import { requireRecentSignIn } from '../auth/recent-sign-in.ts'
import { mount, redirect, reply, type Handlers, type Mounted, type User } from '../http/route.ts'
import { timestamp, timestampOrNull, uuid7 } from '../ids.ts'
import type { Logger, Random } from '../ports.ts'
import { exportHeaders, exportParts, wholeWithin } from './export.ts'
import { contributorsContract, type Applied as AppliedShape, type Application as ApplicationShape } from './contract.ts'
import { applyPage, contactPage, type PageForm } from './pages.ts'
import { firstStatus } from './rules.ts'
import type { AccountPart, Application, Applied, ContributorStore, Listed } from './store.ts'

export interface ContributorsDeps {
  readonly store: ContributorStore
  readonly random: Random
  readonly approval: 'manual' | 'automatic'
  readonly link: (path: string) => string
  readonly prefix: string
  /** The steps of a contributor's way as HTML, with what was just done. */
  readonly journey: (ownerId: string, here: 'application' | 'contact', done: string | undefined) => Promise<Html>
  /** Where a browser goes after a step. */
  readonly afterStep: (ownerId: string, done: string, fallback: string) => Promise<string>
  /** What is held of a person, for the export. */
  readonly parts: () => readonly AccountPart[] | Promise<readonly AccountPart[]>
  /** Makes a person unusable at once and has everything else erased in the background. Fine if there is no such person. */
  readonly startErasure: (ownerId: string, now: number) => Promise<void>
  readonly exportLimit: number | null
  readonly yieldToEventLoop: () => Promise<void>
  readonly logger: Logger
}

/** An application as it goes out. */
function shown(application: Application): z.input<typeof ApplicationShape> {
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

/** The same for the operator, who sees whose it is. */
function shownToOperator(applied: Applied): z.input<typeof AppliedShape> {
  return { ...shown(applied), userId: applied.userId }
}

// The operator's page hands its query over as it is.
const nextOf = ({ next }: Listed<unknown>): string | null => (next === null ? null : String(next))

interface Draft {
  companyName: string
  incubatorBatch?: string | undefined
  website: string
  directoryUrl?: string | undefined
  email: string
  role: string
}

function submit(
  user: User,
  draft: Draft,
  now: number,
  { store, random, approval }: ContributorsDeps,
): Promise<Application | null> {
  const { companyName, website, email, role } = draft
  return store.apply(
    user.id,
    {
      id: uuid7(now, random),
      status: firstStatus(approval),
      companyName,
      website,
      email,
      role,
      incubatorBatch: draft.incubatorBatch?.trim() || null,
      directoryUrl: draft.directoryUrl ?? null,
    },
    now,
  )
}

async function showApply(
  user: User,
  deps: ContributorsDeps,
  more: { form?: PageForm; done?: string | undefined; exists?: boolean },
): Promise<string> {
  const [application, journey] = await Promise.all([
    deps.store.application(user.id),
    deps.journey(user.id, 'application', more.done),
  ])
  return applyPage({
    prefix: deps.prefix,
    email: user.email,
    application,
    journey,
    form: more.form ?? null,
    exists: more.exists ?? false,
    approval: deps.approval,
  })
}

async function showContact(
  user: User,
  deps: ContributorsDeps,
  more: { form?: PageForm; done?: string | undefined },
): Promise<string> {
  const [contact, journey] = await Promise.all([
    deps.store.contact(user.id),
    deps.journey(user.id, 'contact', more.done),
  ])
  return contactPage({ prefix: deps.prefix, email: user.email, contact, journey, form: more.form ?? null })
}

export const contributorsHandlers: Handlers<typeof contributorsContract, ContributorsDeps> = {
  async access({ user }, { store, link }) {
    const application = await store.application(user.id)
    return {
      ok: true,
      status: application?.status ?? 'not_applied',
      application: application && shown(application),
      applyUrl: link('/apply'),
    }
  },

  async contact({ user }, { store, link }) {
    return { ok: true, completed: (await store.contact(user.id)) !== null, contactUrl: link('/contact') }
  },

  async apply({ user, body, now }, deps) {
    const application = await submit(user, body, now, deps)
    return application
      ? { ok: true, status: application.status, application: shown(application) }
      : fail('application_exists')
  },

  async saveContact({ user, body, now }, { store, link }) {
    const { name, email, phone = null } = body
    const saved = await store.saveContact(user.id, { name, email, phone }, now)
    return saved ? { ok: true, completed: true, contactUrl: link('/contact') } : fail('unauthorized')
  },

  async setConsent({ user, body, now }, { store }) {
    return (await store.setConsent(user.id, body, now)) ? { ok: true, consent: body } : fail('unauthorized')
  },

  async exportAccount({ user, now }, { parts, yieldToEventLoop, logger, exportLimit }) {
    const document = await exportParts({ parts: await parts(), yieldToEventLoop, logger }, user.id, now)
    const body = exportLimit === null ? document : await wholeWithin(document, exportLimit)
    return body === null ? fail('export_too_large') : reply(200, body, exportHeaders)
  },

  async eraseAccount({ user, now }, { startErasure }) {
    await startErasure(user.id, now)
    return { ok: true }
  },

  applyPage: ({ user, query }, deps) => showApply(user, deps, { done: query.done }),

  async applyForm({ user, body, now }, deps) {
    if (!body.value) return reply(400, await showApply(user, deps, { form: body }))
    const application = await submit(user, body.value, now, deps)
    if (!application) return reply(409, await showApply(user, deps, { exists: true }))
    return redirect(await deps.afterStep(user.id, 'application', '/apply'))
  },

  contactPage: ({ user, query }, deps) => showContact(user, deps, { done: query.done }),

  async contactForm({ user, body, now }, deps) {
    if (!body.value) return reply(400, await showContact(user, deps, { form: body }))
    const { name, email, phone = null } = body.value
    await deps.store.saveContact(user.id, { name, email, phone }, now)
    return redirect(await deps.afterStep(user.id, 'contact', '/contact'))
  },

  async adminApplications({ query }, { store }) {
    const page = await store.applications(query.status ?? null, { cursor: placeOf(query.cursor), limit: query.limit })
    return { ok: true, items: page.items.map(shownToOperator), nextCursor: nextOf(page) }
  },

  async adminReview({ params, body, audit }, { store }) {
    const status = body.decision === 'approve' ? 'approved' : 'rejected'
    const reviewed = await store.review(params.id, { status, reason: body.reason?.trim() || null }, audit)
    if (reviewed.outcome === 'reviewed') return { ok: true, application: shownToOperator(reviewed.application) }
    return fail(reviewed.outcome === 'unknown' ? 'not_found' : 'already_reviewed')
  },

  async adminContributors({ query }, { store }) {
    const page = await store.contributors({ cursor: placeOf(query.cursor), limit: query.limit })
    return { ok: true, items: [...page.items], nextCursor: nextOf(page) }
  },

  async adminPause({ params, body, audit }, { store }) {
    const contributor = await store.setOperatorPaused(params.userId, body.paused, audit)
    return contributor ? { ok: true, contributor } : fail('not_found')
  },
}

/** Binds the routes of contributors to their handlers. Erasing an account needs a recent sign-in. */
export const mountContributors = (deps: ContributorsDeps): Mounted[] =>
  mount(contributorsContract, contributorsHandlers, deps, {
    eraseAccount: async (asking) => requireRecentSignIn(asking),
  })
