import type * as z from 'zod'
import { fail } from '../http/failures.ts'
import { placeOf } from '../http/fields.ts'
import type { Html } from '../ui/html.ts'
import type { Lazy } from '../lazy.ts'
import type { Languages } from '../ui/messages.ts'
import { mount } from '../http/mount.ts'
import type { Handlers, Mounted } from '../http/route.ts'
import { dateOfDay, dayMs, timestamp, utcDay } from '../ids.ts'
import { toDollars, toMicros } from '../money.ts'
import { ledgerContract, type Entry } from './contract.ts'
import { buildPayoutMail } from './mail.ts'
import { earningsPage } from './pages.ts'
import type { Balance, LedgerEntry, LedgerStore } from './store.ts'

export interface LedgerDeps {
  readonly store: LedgerStore
  readonly link: (path: string) => string
  readonly prefix: string
  readonly languages: Lazy<Languages>
  readonly settleMs: number
  readonly capabilities: { readonly ads: boolean }
  /** Null: the service sends no mails. */
  readonly mailer: object | null
  readonly brand: { readonly supportEmail?: string }
  /** Returns where the person stands on the way to the first upload, for the top of a page; null after it. */
  readonly progress: (ownerId: string) => Promise<Html | null>
  /** Returns the ids of a person's devices; the program hands it over. */
  readonly listDevices: (ownerId: string) => Promise<readonly string[]>
}

/** Entries of a page of /earnings, and days of its chart. */
const pageSize = 50
const shownDays = 30

/** Returns an entry as JSON shows it. */
export function entryView(entry: LedgerEntry): z.input<typeof Entry> {
  const { id, kind, micros, at, availableAt, saleId, traces, device, day } = entry
  const reference = entry.reference ?? entry.reason
  return {
    id,
    kind,
    usd: toDollars(micros),
    at: timestamp(at),
    availableAt: timestamp(availableAt),
    ...(saleId === null ? {} : { saleId }),
    ...(traces === null ? {} : { traces }),
    ...(device === null ? {} : { deviceId: device }),
    ...(day === null ? {} : { day: dateOfDay(day) }),
    ...(reference === null ? {} : { reference }),
  }
}

/** Returns a balance as JSON shows it. */
export const balanceView = ({ balance, pending, lifetime }: Balance) => ({
  balanceUsd: toDollars(balance),
  pendingUsd: toDollars(pending),
  lifetimeUsd: toDollars(lifetime),
})

export const ledgerHandlers: Handlers<typeof ledgerContract, LedgerDeps> = {
  async listEarnings({ user, query, now }, { store }) {
    const { balance, items, next } = await store.listEntries({
      ownerId: user.id,
      now,
      cursor: placeOf(query.cursor),
      limit: query.limit,
    })
    return {
      ok: true,
      ...balanceView(balance),
      items: items.map(entryView),
      nextCursor: next === null ? null : String(next),
    }
  },

  async earningsPage(
    { user, query, now },
    { store, prefix, settleMs, capabilities, mailer, brand, listDevices, progress },
  ) {
    const cursor = placeOf(query.cursor)
    const today = utcDay(now)
    const fromDay = today - shownDays + 1
    const [{ balance, items, newer, next }, days, devices, steps] = await Promise.all([
      store.listEntries({ ownerId: user.id, now, cursor, limit: pageSize }),
      store.listDayEarnings({ ownerId: user.id, fromDay }),
      listDevices(user.id),
      progress(user.id),
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
      settleDays: settleMs / dayMs,
      showsAds: capabilities.ads,
      supportEmail: brand.supportEmail,
      sendsMail: mailer !== null,
    })
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
    const { items, next } = await store.listBalances({ now, cursor: placeOf(query.cursor), limit: query.limit })
    return {
      ok: true,
      items: items.map(({ userId, email, ...balance }) => ({ userId, email, ...balanceView(balance) })),
      nextCursor: next === null ? null : String(next),
    }
  },
}

/** Binds the routes of earnings, payouts and corrections to their handlers. */
export const mountLedger = (deps: LedgerDeps): Mounted[] => mount(ledgerContract, ledgerHandlers, deps)
