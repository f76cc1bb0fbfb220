import { timestamp } from '../../ids.ts'
import { type Html, messagesOf, time } from '../../ui/html.ts'
import { adminSalesMessages } from '../../messages/admin/sales.ts'
import type { DatasetStore } from './store.ts'

const message = messagesOf(adminSalesMessages)

/**
 * The time in ms within which a second sale of the same number of traces to the same buyer may be an accidental
 * repetition.
 */
const repeatMs = 60 * 60 * 1000

/**
 * Returns the reasons why a sale may be a mistake that the operator has to confirm: the same sale was just recorded, or
 * the price is 0.
 */
export async function findWarnings(
  { buyer, usd, traces }: { readonly buyer: string; readonly usd: string; readonly traces: number },
  { now, effectId }: { readonly now: number; readonly effectId: string | null },
  findSimilarSale: DatasetStore['findSimilarSale'],
): Promise<readonly Html[]> {
  const similar = await findSimilarSale({ buyer, traceCount: traces, since: now - repeatMs, exceptId: effectId })
  return [
    ...(similar ? [message('admin.sales.repeated', { count: traces, time: time(timestamp(similar.soldAt)) })] : []),
    ...(Number(usd) === 0 ? [message('admin.sales.free')] : []),
  ]
}
