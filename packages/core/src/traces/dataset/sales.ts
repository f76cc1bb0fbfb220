import { randomUuids } from '../../ids.ts'
import type { Random } from '../../ports.ts'
import type { AuditContext } from '../../audit/store.ts'
import type { MakeEvent } from '../../events/event.ts'
import type { SaleShares } from '../../ledger/sale-shares.ts'
import { listRemainingIds } from '../rules.ts'
import {
  listBoughtOverlaps,
  compareLength,
  countNewTokens,
  isWorthSelling,
  type SaleCandidate,
} from '../copies/rules.ts'
import type {
  CandidatePage,
  DatasetFilter,
  DatasetStore,
  DatasetTotals,
  FinishSaleParams,
  LeftOut,
  Sale,
  SaleItem,
  SaleOffer,
  SellableTotals,
  SkippedTrace,
} from './store.ts'

export interface SalesDeps {
  readonly dataset: DatasetStore
  readonly random: Random
  readonly yieldToEventLoop: () => Promise<void>
  readonly makeEvent: MakeEvent
  /** Returns the shares of the contributors in a sale. The ledger provides this function. */
  readonly computeShares: (sale: Pick<Sale, 'usd' | 'soldAt'>) => SaleShares | Promise<SaleShares>
}

/** Returns a sale with the effects that are stored together with the sale. */
const withEffects = async (
  sale: Sale,
  audit: AuditContext,
  { makeEvent, computeShares: sharesOf }: SalesDeps,
): Promise<FinishSaleParams> => ({
  sale,
  shares: await sharesOf(sale),
  audit,
  event: makeEvent('sale.recorded', sale.soldAt),
})

/** The candidates that a sale includes, and the candidates that it leaves out as copies. */
interface Choice {
  readonly chosen: (SaleCandidate & { readonly newTokens: number })[]
  readonly copies: SaleCandidate[]
}

/**
 * Chooses the candidates that have enough new tokens. The longest traces of a contributor are considered first. If a
 * longer trace is left out, shorter traces are sold instead.
 */
function choose(candidates: readonly SaleCandidate[]): Choice {
  const chosen: Choice['chosen'] = []
  const leftOut = new Set<number>()
  for (const candidate of candidates.toSorted(compareLength)) {
    const newTokens = countNewTokens(candidate, leftOut)
    if (isWorthSelling(candidate, newTokens)) chosen.push({ ...candidate, newTokens })
    else leftOut.add(candidate.num)
  }
  return { chosen, copies: candidates.filter(({ num }) => leftOut.has(num)) }
}

/** Returns the chosen candidates with new ids for the buyer. */
function toItems(chosen: Choice['chosen'], random: Random): SaleItem[] {
  const buyerIds = randomUuids(chosen.length, random)
  return chosen.map(({ id, newTokens }, at) => ({ id, buyerId: buyerIds[at]!, newTokens }))
}

const sumTokens = (traces: readonly { readonly tokenCount: number }[]): number =>
  traces.reduce((sum, { tokenCount }) => sum + tokenCount, 0)

const countLeftOut = (copies: readonly SaleCandidate[], skipped: readonly SkippedTrace[] = []): LeftOut => ({
  copies: { traces: copies.length, tokens: sumTokens(copies) },
  skipped: [...skipped, ...copies.map(({ id }) => ({ id, reason: 'copy' as const }))],
})

/** The buyer to whom traces are offered. If `saleId` is set, the buyer may already have bought them in this sale. */
interface Offer {
  readonly offer: SaleOffer
  readonly buyer: string
  readonly saleId?: string
}

/** Yields the pages of an offer. */
async function* readCandidates(
  offered: Offer,
  { dataset, yieldToEventLoop }: Pick<SalesDeps, 'dataset' | 'yieldToEventLoop'>,
): AsyncGenerator<CandidatePage> {
  let cursor: number | null = null
  do {
    const page: CandidatePage = await dataset.listSaleCandidates({ ...offered, cursor })
    yield page
    cursor = page.next
    await yieldToEventLoop()
  } while (cursor !== null)
}

/** Counts the traces that a sale to a buyer would contain, and sells nothing. */
export async function countSale(
  offered: Offer,
  deps: Pick<SalesDeps, 'dataset' | 'yieldToEventLoop'>,
): Promise<SellableTotals> {
  const totals = { traces: 0, tokens: 0, soldBefore: 0, copies: { traces: 0, tokens: 0 } }
  for await (const { candidates, unique, bought } of readCandidates(offered, deps)) {
    const { chosen, copies } = choose(candidates)
    totals.traces += chosen.length + unique.traces
    totals.tokens += sumTokens(chosen) + unique.tokens
    totals.soldBefore += chosen.filter(({ isSold }) => isSold).length + unique.soldBefore
    totals.copies.traces += copies.length + bought.traces
    totals.copies.tokens += sumTokens(copies) + bought.tokens
  }
  return totals
}

/**
 * Sells the listed traces that may be sold and are not copies. Returns the sold and the skipped traces, each in the
 * order of the list.
 */
export async function sellListedTraces(
  {
    sale,
    traceIds,
    audit,
  }: { readonly sale: Sale; readonly traceIds: readonly string[]; readonly audit: AuditContext },
  deps: SalesDeps,
): Promise<{ soldIds: string[]; skippedIds: string[]; copies: DatasetTotals }> {
  const { dataset, random } = deps
  const recorded = await dataset.findSale({ saleId: sale.id })
  const choice: Choice = { chosen: [], copies: [] }
  // A repeated call for the same sale chooses the same traces again.
  const offered = { offer: { ids: traceIds }, buyer: sale.buyer, saleId: sale.id }
  for await (const { candidates } of readCandidates(offered, deps)) {
    const { chosen, copies } = choose(candidates)
    choice.chosen.push(...chosen)
    choice.copies.push(...copies)
  }
  const leftOut = countLeftOut(choice.copies, await dataset.listSkipReasons({ ids: traceIds }))
  const byId = new Map(toItems(choice.chosen, random).map((item) => [item.id, item]))
  const items = [...new Set(traceIds)].flatMap((traceId) => byId.get(traceId) ?? [])
  const boughtOverlaps = listBoughtOverlaps(choice.chosen)
  const effects = await withEffects(sale, audit, deps)
  const sold = new Set(await dataset.recordSale({ ...effects, items, boughtOverlaps, leftOut }))
  const soldIds = [...new Set(traceIds)].filter((traceId) => sold.has(traceId))
  return { soldIds, skippedIds: listRemainingIds(traceIds, soldIds), copies: recorded?.copies ?? leftOut.copies }
}

/**
 * Does the remaining steps of a sale by filter and makes the sale visible. An interrupted call is continued by the next
 * call: by the same request with its idempotency key, or by a worker.
 */
export async function completeSale(saleId: string, deps: SalesDeps): Promise<void> {
  const { dataset, random } = deps
  for (;;) {
    const step = await dataset.readPendingSale({ saleId })
    if (!step) return
    // A local store answers without yielding to the event loop.
    await deps.yieldToEventLoop()
    if (step.isDone) await dataset.finishSale(await withEffects(step.sale, step.audit, deps))
    else {
      const { chosen, copies } = choose(step.candidates)
      const places = step.unique.traces > 0 ? step.next - step.after : 0
      const [items, uniqueBuyerIds] = [toItems(chosen, random), randomUuids(places, random)]
      await dataset.addSaleItems({ step, items, uniqueBuyerIds, leftOut: countLeftOut(copies) })
    }
    await deps.yieldToEventLoop()
  }
}

/**
 * The totals that an operator saw before confirming a sale. They count the traces up to the position `until`
 * (`findLastPlace`).
 */
export interface ReviewedTotals extends DatasetTotals {
  readonly until: number
}

/**
 * Sells the reviewed traces. If different traces match now, because some were excluded, deleted or changed, sells
 * nothing and returns `isChanged`. Continues a call that was interrupted.
 */
export async function sellReviewedTraces(
  params: {
    readonly sale: Sale
    readonly filter: DatasetFilter
    readonly reviewed: ReviewedTotals
    readonly audit: AuditContext
  },
  deps: SalesDeps,
): Promise<(DatasetTotals & { readonly isChanged: false }) | { readonly isChanged: true }> {
  const { sale, filter, reviewed, audit } = params
  const { dataset } = deps
  const { until } = reviewed
  const isStarted =
    (await dataset.readPendingSale({ saleId: sale.id })) ?? (await dataset.findSale({ saleId: sale.id }))
  if (!isStarted) {
    const { traces, tokens } = await countSale({ offer: { filter, until }, buyer: sale.buyer }, deps)
    if (traces !== reviewed.traces || tokens !== reviewed.tokens) return { isChanged: true }
    await dataset.startSale({ sale, filter, until, audit })
  }
  await completeSale(sale.id, deps)
  const { traces, tokens } = (await dataset.findSale({ saleId: sale.id }))!
  return { isChanged: false, traces, tokens }
}

/** The time, in milliseconds, for which only the request that started a sale by filter may continue it. */
const requestMs = 60_000

/** Completes sales whose request was interrupted, because its host stopped or its database did not answer. */
export async function completeAbandonedSales(now: number, deps: SalesDeps): Promise<void> {
  for (const saleId of await deps.dataset.listPendingSales({ startedBefore: now - requestMs }))
    await completeSale(saleId, deps)
}
