import { randomUuid } from '../../ids.ts'
import type { Random } from '../../ports.ts'
import type { AuditContext } from '../../audit/store.ts'
import type { MakeEvent } from '../../events/event.ts'
import type { SaleShares } from '../../ledger/sale-shares.ts'
import { idsLeft } from '../rules.ts'
import type { DatasetFilter, DatasetStore, DatasetTotals, FinishSaleParams, Sale } from './store.ts'

export interface SalesDeps {
  readonly dataset: DatasetStore
  readonly random: Random
  readonly makeEvent: MakeEvent
  /** Returns what the contributors of a sale get; the ledger hands it over. */
  readonly sharesOf: (sale: Pick<Sale, 'usd' | 'soldAt'>) => SaleShares | Promise<SaleShares>
}

/** Returns a sale with what follows from it. */
const withEffects = async (
  sale: Sale,
  audit: AuditContext,
  { makeEvent, sharesOf }: SalesDeps,
): Promise<FinishSaleParams> => ({
  sale,
  shares: await sharesOf(sale),
  audit,
  event: makeEvent('sale.recorded', sale.soldAt),
})

/** Sells the listed traces that may be sold; returns those and the rest, in the order listed. */
export async function sellListedTraces(
  {
    sale,
    traceIds,
    audit,
  }: { readonly sale: Sale; readonly traceIds: readonly string[]; readonly audit: AuditContext },
  deps: SalesDeps,
): Promise<{ soldIds: string[]; skippedIds: string[] }> {
  const items = traceIds.map((id) => ({ id, buyerId: randomUuid(deps.random) }))
  const soldIds = await deps.dataset.recordSale({ ...(await withEffects(sale, audit, deps)), items })
  return { soldIds, skippedIds: idsLeft(traceIds, soldIds) }
}

/**
 * Does what is left of a sale by filter and makes it visible. A call that was interrupted is continued by the next one:
 * the same request with its idempotency key, or a worker.
 */
export async function completeSale(saleId: string, deps: SalesDeps): Promise<void> {
  const { dataset, random } = deps
  for (;;) {
    const step = await dataset.readPendingSale({ saleId })
    if (!step) return
    const { sale, audit, after, next, isDone, ids } = step
    const items = ids.map((id) => ({ id, buyerId: randomUuid(random) }))
    if (isDone) await dataset.finishSale(await withEffects(sale, audit, deps))
    else await dataset.addSaleItems({ saleId, after, next, items })
  }
}

/** What a person saw before they confirmed a sale: the totals of the traces up to a place (`findLastPlace`). */
export interface ReviewedTotals extends DatasetTotals {
  readonly until: number
}

/**
 * Sells the traces that were reviewed. When other traces match by now, because some were excluded, deleted or changed,
 * it sells nothing and returns `isChanged`. A call that was interrupted is continued.
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
    const { traces, tokens } = await dataset.countSellableTraces({ filter, until })
    if (traces !== reviewed.traces || tokens !== reviewed.tokens) return { isChanged: true }
    await dataset.startSale({ sale, filter, until, audit })
  }
  await completeSale(sale.id, deps)
  const { traces, tokens } = (await dataset.findSale({ saleId: sale.id }))!
  return { isChanged: false, traces, tokens }
}

/** How long a sale by filter is left to the request that started it, in milliseconds. */
const requestMs = 60_000

/** Completes sales whose request did not: its host stopped, or its database did not answer. */
export async function completeAbandonedSales(now: number, deps: SalesDeps): Promise<void> {
  for (const saleId of await deps.dataset.listPendingSales({ startedBefore: now - requestMs }))
    await completeSale(saleId, deps)
}
