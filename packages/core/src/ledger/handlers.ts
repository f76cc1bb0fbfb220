import { listParams } from '../http/list.ts'
import { fail } from '../http/failures.ts'
import { readCursor } from '../http/fields.ts'
import type { ClientTerms } from '../ui/client-commands.ts'
import type { Html } from '../ui/html.ts'
import type { Lazy } from '../lazy.ts'
import type { Languages } from '../ui/messages.ts'
import { redirect, mount, type Handlers, type Mounted } from '../http/route.ts'
import { dayMs, timestamp, utcDay, uuid7 } from '../ids.ts'
import { toDollars, toMicros } from '../money.ts'
import { ledgerContract } from './contract.ts'
import { buildPayoutMail, buildRejectionMail, buildRequestMail } from './mail.ts'
import { earningsPage } from './pages.ts'
import { entryView, requestView } from './rules.ts'
import type { Balance, LedgerStore, RecordedPayout, RequestPayoutResult } from './store.ts'
import type { Random } from '../ports.ts'

export interface LedgerDeps extends ClientTerms {
  readonly store: LedgerStore
  readonly prefix: string
  readonly languages: Lazy<Languages>
  readonly settleMs: number
  readonly revenueShare: number
  readonly adShare: number
  /** The minimum balance for a payout request, in micro-dollars. */
  readonly minPayoutMicros: number
  readonly random: Random
  readonly capabilities: { readonly ads: boolean }
  /** Null means that the service sends no mails. */
  readonly mailer: object | null
  /** Returns the remaining steps until the person's first upload, for the top of a page. Null after the upload. */
  readonly progress: (ownerId: string) => Promise<Html | null>
  /** Returns the ids of a person's devices. The program provides this function. */
  readonly listDevices: (ownerId: string) => Promise<readonly string[]>
}

/** The number of entries on a page of /earnings, and of days in its chart. */
const pageSize = 50
const shownDays = 30

/** Returns the JSON form of a balance. */
export const balanceView = ({ balance, pending, lifetime }: Balance) => ({
  balanceUsd: toDollars(balance),
  pendingUsd: toDollars(pending),
  lifetimeUsd: toDollars(lifetime),
})

async function requestPayout(
  ownerId: string,
  { now, requestId }: { readonly now: number; readonly requestId: string },
  { store, link, languages, random, minPayoutMicros: minMicros }: LedgerDeps,
): Promise<RequestPayoutResult> {
  const mail = { requestId, ...buildRequestMail(link, (await languages()).first) }
  return store.requestPayout({ id: uuid7(now, random), ownerId, minMicros, mail, now })
}

export const ledgerHandlers: Handlers<typeof ledgerContract, LedgerDeps> = {
  async listEarnings({ user, query, now }, { store }) {
    const { balance, items, next } = await store.listEntries({
      ownerId: user.id,
      now,
      cursor: readCursor(query.cursor),
      limit: query.limit,
    })
    return {
      ok: true,
      ...balanceView(balance),
      items: items.map(entryView),
      nextCursor: next === null ? null : String(next),
    }
  },

  async earningsPage({ user, query, now }, deps) {
    const { store, prefix, capabilities, mailer, brand, listDevices, progress, ...options } = deps
    const cursor = readCursor(query.cursor)
    const today = utcDay(now)
    const fromDay = today - shownDays + 1
    const [{ balance, items, newer, next }, days, devices, steps, request] = await Promise.all([
      store.listEntries({ ownerId: user.id, now, cursor, limit: pageSize }),
      store.listDayEarnings({ ownerId: user.id, fromDay }),
      listDevices(user.id),
      progress(user.id),
      store.findPayoutRequest({ ownerId: user.id }),
    ])
    return earningsPage({
      prefix,
      email: user.email,
      progress: steps,
      now,
      balance,
      entries: items,
      newer,
      next: next === null ? null : String(next),
      isFirstPage: cursor === null,
      days,
      fromDay,
      today,
      devices,
      settleDays: options.settleMs / dayMs,
      revenueShare: options.revenueShare,
      adShare: options.adShare,
      minPayoutMicros: options.minPayoutMicros,
      request,
      showsAds: capabilities.ads,
      supportEmail: brand.supportEmail,
      client: deps,
      sendsMail: mailer !== null,
    })
  },

  async requestPayout({ user, now, requestId }, deps) {
    const result = await requestPayout(user.id, { now, requestId }, deps)
    if (result.outcome !== 'requested') return fail(result.outcome === 'unknown' ? 'unauthorized' : result.outcome)
    return { ok: true, request: { id: result.request.id, usd: toDollars(result.request.micros), status: 'open' } }
  },

  async requestPayoutForm({ user, now, requestId }, deps) {
    // The page shows the request, or the reason why it is not possible.
    await requestPayout(user.id, { now, requestId }, deps)
    return redirect('/earnings')
  },

  async listPayoutRequests({ query: { status, ...query } }, { store }) {
    const { items, next } = await store.listPayoutRequests({ ...listParams(query), status })
    return { ok: true, items: items.map(requestView), nextCursor: next }
  },

  async rejectPayoutRequest({ params: { id }, body: { reason }, audit }, { store, link, languages }) {
    const mail = buildRejectionMail({ reason, earningsUrl: link('/earnings') }, (await languages()).first)
    const result = await store.rejectPayoutRequest({ id, reason, mail, audit })
    if (result.outcome !== 'rejected') return fail(result.outcome === 'unknown' ? 'not_found' : 'already_decided')
    return { ok: true, request: { id, usd: toDollars(result.request.micros), status: 'rejected', reason } }
  },

  async recordPayout({ body, effectId: id, audit }, { store, link, languages }) {
    const { userId, usd, reference } = body
    const { first: texts } = await languages()
    const mail = buildPayoutMail({ usd, reference, earningsUrl: link('/earnings') }, texts)
    const result = await store.recordPayout({ id, userId, micros: toMicros(usd), reference, mail, audit })
    if (result.outcome === 'unknown') return fail('not_found')
    if (result.outcome !== 'recorded') return fail(result.outcome)
    return { ok: true, entry: entryView(result.entry), balanceUsd: toDollars(result.balance.balance) }
  },

  async recordCorrection({ body, effectId: id, audit }, { store }) {
    const { userId, usd, reason, reference = null } = body
    const result = await store.recordCorrection({ id, userId, micros: toMicros(usd), reason, reference, audit })
    if (result.outcome !== 'recorded') return fail(result.outcome === 'unknown' ? 'not_found' : result.outcome)
    return { ok: true, entry: entryView(result.entry), balanceUsd: toDollars(result.balance.balance) }
  },

  async listBalances({ query, now }, { store }) {
    const { items, next } = await store.listBalances({ ...listParams(query), now })
    return {
      ok: true,
      items: items.map(({ userId, email, ...balance }) => ({
        userId,
        email,
        unpaidUsd: toDollars(balance.balance + balance.pending),
        ...balanceView(balance),
      })),
      nextCursor: next,
    }
  },

  async listPayouts({ query }, { store }) {
    const { items, next } = await store.listPayouts(listParams(query))
    return { ok: true, items: items.map(payoutView), nextCursor: next }
  },
}

/** Returns the JSON form of a payout. */
export const payoutView = ({ micros, at, ...payout }: RecordedPayout) => ({
  ...payout,
  usd: toDollars(micros),
  at: timestamp(at),
})

/** Binds the routes of earnings, payouts and corrections to their handlers. */
export const mountLedger = (deps: LedgerDeps): Mounted[] => mount(ledgerContract, ledgerHandlers, deps)
