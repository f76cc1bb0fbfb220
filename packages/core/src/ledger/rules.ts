import { dateOfDay, timestamp, timestampOrNull } from '../ids.ts'
import { toDollars } from '../money.ts'
import type { LedgerEntry, PayoutRequest } from './store.ts'

/** Returns the JSON form of an entry. */
export function entryView(entry: LedgerEntry) {
  const { id, kind, micros, at, availableAt, saleId, traces, tokens, newTokens, device, day } = entry
  const reference = entry.reference ?? entry.reason
  return {
    id,
    kind,
    usd: toDollars(micros),
    at: timestamp(at),
    availableAt: timestamp(availableAt),
    ...(saleId === null ? {} : { saleId }),
    ...(traces === null ? {} : { traces }),
    ...(tokens === null || newTokens === null ? {} : { newTokens, tokens }),
    ...(device === null ? {} : { deviceId: device }),
    ...(day === null ? {} : { day: dateOfDay(day) }),
    ...(reference === null ? {} : { reference }),
  }
}

/** Returns the JSON form of a payout request. */
export const requestView = <Request extends PayoutRequest>({
  micros,
  requestedAt,
  decidedAt,
  ...request
}: Request) => ({
  ...request,
  usd: toDollars(micros),
  requestedAt: timestamp(requestedAt),
  decidedAt: timestampOrNull(decidedAt),
})

/**
 * Returns the n-th id (1 for the first, up to 1,048,575) that is made from a UUID version 7. The last 20 bits are the
 * counter.
 */
export function entryIdAt(entryId: string, n: number): string {
  return entryId.slice(0, -5) + n.toString(16).padStart(5, '0')
}

export type EntryState = 'paidOut' | 'partlyPaidOut' | 'pending' | 'available'
/** `left` is the amount in micro-dollars that payouts do not cover, for an entry that is partly paid out. */
export type EntryWithState = LedgerEntry & { readonly status: EntryState; readonly left?: number }

/**
 * Returns entries with their states, in the same order, newest first. Payouts cover the oldest entries first, so the
 * balance comes from the newest entries. All amounts are micro-dollars: `balance` can be paid out at `now`, and `newer`
 * is the sum of the entries on the previous pages, without payouts and pending sales. `hasPayouts` is true if there are
 * any payouts.
 */
export function addEntryStates(
  entries: readonly LedgerEntry[],
  {
    now,
    balance,
    newer,
    hasPayouts,
  }: { readonly now: number; readonly balance: number; readonly newer: number; readonly hasPayouts: boolean },
): EntryWithState[] {
  let unpaid = balance - newer
  return entries.map((entry) => {
    const { kind, micros, availableAt } = entry
    if (kind === 'payout') return { ...entry, status: 'paidOut' }
    if (kind === 'sale' && availableAt > now) return { ...entry, status: 'pending' }
    const left = unpaid
    unpaid -= micros
    // If there are no payouts, only a correction that reduces the balance can cover a part of an entry.
    if (hasPayouts && left > 0 && left < micros) return { ...entry, status: 'partlyPaidOut', left }
    return { ...entry, status: left > 0 ? 'available' : 'paidOut' }
  })
}

/** The numbers of tokens and traces of one contributor in a sale. */
export interface SoldPart {
  readonly tokens: number
  readonly traces: number
}

/**
 * Divides micro-dollars by tokens, or by traces when there are no tokens. Each part is rounded down. The largest part,
 * or the first of equally large parts, gets the remainder, so that the sum is exact.
 *
 * ```ts
 * divideByTokens(100, [{ tokens: 1, traces: 1 }, { tokens: 2, traces: 1 }]) // [33, 67]
 * ```
 */
export function divideByTokens(micros: number, parts: readonly SoldPart[]): number[] {
  const hasTokens = parts.some(({ tokens }) => tokens > 0)
  const weights = parts.map(({ tokens, traces }) => BigInt(hasTokens ? tokens : traces))
  const whole = weights.reduce((sum, weight) => sum + weight, 0n)
  const shares = weights.map((weight) => Number((BigInt(micros) * weight) / whole))
  const largest = weights.indexOf(weights.reduce((most, weight) => (weight > most ? weight : most), 0n))
  const rest = micros - shares.reduce((sum, share) => sum + share, 0)
  return shares.map((share, at) => (at === largest ? share + rest : share))
}
