import type { Flash } from '../../http/flash.ts'
import { firstOf } from '../../lists.ts'
import { exportHeaders } from '../export.ts'
import { fail } from '../../http/failures.ts'
import { redirect, reply, mount, type Handlers, type Reply, type User, type Mounted } from '../../http/route.ts'
import { uuid7 } from '../../ids.ts'
import type { Blobs, Random } from '../../ports.ts'
import { Unavailable } from '../../unavailable.ts'
import { accountContract } from './contract.ts'
import { signedInRecently } from '../../auth/recent-sign-in.ts'
import { exportSecrets, exportView, hashSecret, type ExportLinkDeps } from './export-link.ts'
import { exportKeys } from './rules.ts'
import type { AccountStore, PreparedExport } from './store.ts'
import { erasedPage, erasePage, erasureNoticesPage, type NotifiedBuyer, type Sold } from './erasure-pages.ts'
import { accountPage, signInAgainPage, type CompletedAction, type Machine, type Uploads } from './pages.ts'
import type { Consent } from '../store.ts'

/**
 * The dependencies of the handlers; `service/contributors.ts` binds the actions to the stores of several capabilities.
 */
export interface AccountDeps extends ExportLinkDeps {
  readonly prefix: string
  readonly machines: (user: User, now: number) => Promise<readonly Machine[]>
  /** Returns false when the user has no such machine. */
  readonly revoke: (user: User, id: string) => Promise<boolean>
  readonly signOutOtherBrowsers: (user: User) => Promise<void>
  readonly uploads: (user: User) => Promise<Uploads>
  /** The address that people write to for help, or undefined. */
  readonly supportEmail: string | undefined
  readonly pause: (user: User, paused: boolean, now: number) => Promise<void>
  readonly consent: (user: User) => Promise<Consent | null>
  readonly allow: (user: User, consent: Consent, now: number) => Promise<void>
  /**
   * Returns the micro-dollars that were earned and not paid out: the available and the pending amount, each in whole
   * cents.
   */
  readonly unpaid: (user: User, now: number) => Promise<number>
  /** Erases the account in the background. Returns the id of the erasure. */
  readonly erase: (user: User, now: number) => Promise<string>
  /** Returns the number of buyers that have traces of the person, and the number of these traces. */
  readonly sold: (user: User) => Promise<Sold>
  /** Returns the buyers that were notified of an erasure. */
  readonly findErasure: (id: string) => Promise<readonly NotifiedBuyer[]>
  /** Returns the URL of an app's own sign-in that returns to the path, or null if the service's own sign-in is used. */
  readonly signInUrl: (next: string) => string | null
  readonly account: AccountStore
  readonly blobs: Blobs
  readonly random: Random
  /** Yields to the event loop. */
  readonly yieldToLoop: () => Promise<void>
  /** The maximum number of bytes in one reply, or null. */
  readonly exportLimit: number | null
  /** The `set-cookie` value that removes the session's cookie. */
  readonly cookieEnd: string
}

async function renderAccountPage(
  user: User,
  now: number,
  deps: AccountDeps,
  options: { flash?: Flash | null; isUnknownForm?: boolean },
): Promise<string> {
  const [machines, uploads, consent, prepared] = await Promise.all([
    deps.machines(user, now),
    deps.uploads(user),
    deps.consent(user),
    deps.account.findExport({ ownerId: user.id, id: null, now }),
  ])
  return accountPage({
    prepared: prepared && (await exportView(prepared, deps)),
    now,
    streams: deps.exportLimit === null,
    prefix: deps.prefix,
    email: user.email,
    machines,
    uploads,
    supportEmail: deps.supportEmail,
    consent,
    flash: options.flash ?? null,
    isUnknownForm: options.isUnknownForm ?? false,
  })
}

const erasePath = '/account/erase'
async function prepareExport(user: User, now: number, deps: AccountDeps): Promise<PreparedExport | null> {
  const id = uuid7(now, deps.random)
  const secretHash = hashSecret((await exportSecrets(id, deps))[0], deps)
  return deps.account.startExport({ ownerId: user.id, id, secretHash, credential: user.credential, now })
}

const redirectToAccount = (done: CompletedAction, about?: string): Reply<never> =>
  redirect('/account', { done, ...(about === undefined ? {} : { about }) })

const accountHandlers: Handlers<typeof accountContract, AccountDeps> = {
  accountPage: ({ user, flash, now }, deps) => renderAccountPage(user, now, deps, { flash }),

  async erasePage({ user, now }, { prefix, signInUrl, unpaid, sold, supportEmail }) {
    const { email } = user
    if (signedInRecently(user, now)) {
      const held = { unpaid: await unpaid(user, now), sold: await sold(user) }
      return erasePage({ prefix, email, ...held, isUnticked: false, supportEmail })
    }
    return signInAgainPage({ prefix, email, next: erasePath, signInUrl: signInUrl(erasePath) })
  },

  async accountForm({ user, body, now }, deps) {
    const { action, id, attribution, pixel, confirmed, acceptLoss } = body.value ?? {}
    switch (action) {
      case 'revoke': {
        if (id === undefined) break
        const machine = (await deps.machines(user, now)).find((one) => one.id === id)
        if (!machine || !(await deps.revoke(user, id))) return redirectToAccount('unknown_machine')
        return machine.current
          ? redirect('/sign-in', { done: 'signed_out' }, [['set-cookie', deps.cookieEnd]])
          : redirectToAccount('revoked', machine.label)
      }
      case 'revoke_others':
        await deps.signOutOtherBrowsers(user)
        return redirectToAccount('others_revoked')
      case 'pause':
      case 'resume':
        await deps.pause(user, action === 'pause', now)
        return redirectToAccount(action === 'pause' ? 'paused' : 'resumed')
      case 'consent':
        await deps.allow(user, { attribution: attribution === 'yes', pixel: pixel === 'yes' }, now)
        return redirectToAccount('consent')
      case 'export':
        await prepareExport(user, now, deps)
        return redirect('/account#export')
      case 'erase': {
        if (!confirmed || !signedInRecently(user, now)) return redirect(erasePath)
        const [unpaid, sold] = await Promise.all([deps.unpaid(user, now), deps.sold(user)])
        const { prefix, supportEmail } = deps
        if (unpaid > 0 && !acceptLoss)
          return reply(400, erasePage({ prefix, email: user.email, unpaid, sold, isUnticked: true, supportEmail }))
        const noticesUrl = deps.link(`/account/erasures/${await deps.erase(user, now)}`)
        return reply(200, erasedPage({ prefix, sold, noticesUrl }), [['set-cookie', deps.cookieEnd]])
      }
      default:
    }
    return reply(400, await renderAccountPage(user, now, deps, { isUnknownForm: true }))
  },

  async erasureNotices({ params: { id }, now }, { prefix, link, account, findErasure, supportEmail }) {
    // The erasure is read first: one that completes in between has recorded all of its notices.
    const isErasing = await account.isErasing({ id })
    return erasureNoticesPage({
      prefix,
      id,
      address: link(`/account/erasures/${id}`),
      now,
      isErasing,
      buyers: await findErasure(id),
      supportEmail,
    })
  },

  async startExport({ user, now }, deps) {
    const prepared = await prepareExport(user, now, deps)
    return prepared ? reply(202, { ok: true as const, export: await exportView(prepared, deps) }) : fail('unauthorized')
  },

  async readExport({ user, params, now }, deps) {
    const prepared = await deps.account.findExport({ ownerId: user.id, id: params.id, now })
    return prepared ? { ok: true, export: await exportView(prepared, deps) } : fail('not_found')
  },

  async downloadExport({ params, now }, { account, blobs, yieldToLoop, digest }) {
    const file = await account.findExportFile({ secretHash: hashSecret(params.secret, { digest }), now })
    if (!file) return fail('not_found')
    const keys = exportKeys(file)
    const first = await blobs.get(firstOf(keys))
    return first
      ? reply(200, joinedBlobs(first, keys.slice(1), { blobs, yieldToLoop }), [
          ...exportHeaders,
          ['content-length', `${file.bytes}`],
        ])
      : fail('not_found')
  },
}

/**
 * Streams the bytes of several blobs. A missing blob (the export expired or its user was erased meanwhile) aborts the
 * reply.
 */
async function* joinedBlobs(
  first: Uint8Array,
  keys: readonly string[],
  { blobs, yieldToLoop }: Pick<AccountDeps, 'blobs' | 'yieldToLoop'>,
): AsyncGenerator<Uint8Array> {
  yield first
  for (const key of keys) {
    // Neither a local store nor a fast client yields to the event loop, so this loop does.
    await yieldToLoop()
    const bytes = await blobs.get(key)
    if (!bytes) throw new Unavailable(new Error(`export part ${key} is missing`))
    yield bytes
  }
}

/** Binds the routes of the account page and prepared exports to their handlers. */
export const mountAccount = (deps: AccountDeps): Mounted[] => mount(accountContract, accountHandlers, deps)
