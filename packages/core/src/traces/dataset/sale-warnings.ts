import type * as z from 'zod'
import { timestamp } from '../../ids.ts'
import { type SaleItem, SalesQuery } from './contract.ts'
import { Failure } from '../../http/failures.ts'
import { type Html, messagesOf, time } from '../../ui/html.ts'
import { adminSalesMessages } from '../../messages/admin/sales.ts'
import type { Handed, List } from '../../admin/contract.ts'

const message = messagesOf(adminSalesMessages)

export type Sale = z.output<typeof SaleItem>

/**
 * Within this time, a second sale of the same number of traces to the same buyer may be an accidental repetition of the
 * first sale.
 */
const repeatMs = 60 * 60 * 1000

/**
 * Returns the reasons why a sale may be a mistake that the operator has to confirm: the same sale was just recorded, or
 * the price is 0.
 */
export async function findWarnings(
  { buyer, usd, traces }: { readonly buyer: string; readonly usd: string; readonly traces: number },
  { now, effectId }: { readonly now: number; readonly effectId: string | null },
  list: Handed<z.output<typeof SalesQuery>, List<Sale>>,
): Promise<readonly Html[]> {
  const from = timestamp(now - repeatMs)
  const recent = await list({ ...SalesQuery.parse({ limit: 200 }), buyer, from }, now)
  const isRepeat = (sale: Sale): boolean =>
    sale.id !== effectId &&
    sale.buyer === buyer &&
    sale.traceCount === traces &&
    Date.parse(sale.soldAt) > now - repeatMs
  const repeated = recent instanceof Failure ? undefined : recent.items.find(isRepeat)
  return [
    ...(repeated ? [message('admin.sales.repeated', { count: traces, time: time(repeated.soldAt) })] : []),
    ...(Number(usd) === 0 ? [message('admin.sales.free')] : []),
  ]
}
