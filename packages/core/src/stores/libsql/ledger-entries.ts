import { eq, sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import { build, ownerNum, prepare } from './statement.ts'
import { ledger } from './tables/ledger.ts'

/** The columns of an entry as its owner sees it. */
export const entryColumns = {
  id: ledger.id,
  kind: ledger.kind,
  micros: ledger.micros,
  at: ledger.at,
  availableAt: ledger.availableAt,
  saleId: ledger.saleId,
  traces: ledger.traces,
  tokens: ledger.tokens,
  newTokens: ledger.newTokens,
  device: ledger.device,
  day: ledger.day,
  reference: sql<string | null>`case ${ledger.kind} when 'payout' then ${ledger.reference} end`,
  reason: ledger.reason,
}
/** The value null for each column that only some kinds of entries have. */
export const noEntry = {
  saleId: sql`null`,
  traces: sql`null`,
  tokens: sql`null`,
  newTokens: sql`null`,
  device: sql`null`,
  day: sql`null`,
  reason: sql`null`,
}

/**
 * Returns the condition that an entry is pending. Only a sale can be pending: a payout always counts, even if the clock
 * was set back afterwards.
 */
export const isPending = (now: SQLWrapper): SQL => sql`(${ledger.kind} = 'sale' and ${ledger.availableAt} > ${now})`
/** Sums are reals, because an integer above 2^53 could not be read. */
export const sumIf = (condition: SQL): SQL<number> =>
  sql<number>`coalesce(cast(sum(${ledger.micros}) filter (where ${condition}) as real), 0)`
/** Returns the sums of a balance. */
export const balanceColumns = (now: SQLWrapper) => ({
  balance: sumIf(sql`not ${isPending(now)}`),
  pending: sumIf(isPending(now)),
  lifetime: sumIf(sql`${ledger.kind} <> 'payout'`),
})
/** Selects the balance of an owner. */
export const selectBalance = prepare<{ ownerId: string; now: number }>()(({ ownerId, now }) =>
  build
    .select(balanceColumns(now))
    .from(ledger)
    .where(eq(ledger.owner, ownerNum(ownerId))),
)

/** Returns the id of the n-th row that a statement selects, as `entryIdAt` does. */
export const makeRowId = (entryId: SQLWrapper): SQL =>
  sql`substr(${entryId}, 1, 31) || printf('%05x', row_number() over ())`
/** Returns the condition that `makeRowId` made the id of an entry from this `entryId`. */
export const isMadeFrom = (entryId: SQLWrapper): SQL =>
  sql`${ledger.id} between substr(${entryId}, 1, 31) || '00000' and substr(${entryId}, 1, 31) || 'fffff'`
