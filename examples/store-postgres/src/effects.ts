import {
  divideByTokens,
  type AuditContext,
  type AuditEntry,
  type EventData,
  type EventType,
  type FinishSaleParams,
  type NewEvent,
} from '@tributary/core'
import { entryIdAt } from '@tributary/core/stores'
import { inArray } from 'drizzle-orm'
import type { Postgres } from './database.ts'
import { auditEntries, ledger, outbox, users } from './tables.ts'

/** Adds an entry to the audit, in the transaction of the action. */
export async function recordAudit(
  tx: Postgres,
  audit: AuditContext,
  change: Pick<AuditEntry, 'action' | 'target' | 'before' | 'after'>,
): Promise<void> {
  await tx.insert(auditEntries).values({ entry: { ...audit, ...change } })
}

/** Adds an event to the outbox, in the transaction of its effect. `owner` is whose data is in it. */
export async function enqueueEvent<Type extends EventType>(
  tx: Postgres,
  event: NewEvent<Type> | undefined,
  { owner, subject, data }: { owner: number | null; subject: string; data: EventData<NoInfer<Type>> },
): Promise<void> {
  if (!event?.isHeard) return
  const { id, type, createdAt } = event
  const payload = JSON.stringify({ id, type, createdAt: new Date(createdAt).toISOString(), data })
  await tx
    .insert(outbox)
    .values({ id, owner, channel: 'event', recipient: '', subject: type, payload, createdAt, orderKey: subject })
    .onConflictDoNothing()
}

/** Divides the contributors' share of a sale among the owners of its traces, and mails those whose first sale it is. */
export async function addShares(
  tx: Postgres,
  { sale, shares }: Pick<FinishSaleParams, 'sale' | 'shares'>,
  sold: readonly { readonly owner: number | null; readonly newTokens: number }[],
): Promise<void> {
  const parts = new Map<number, { tokens: number; traces: number }>()
  for (const { owner, newTokens } of sold) {
    if (owner === null) continue
    const { tokens, traces } = parts.get(owner) ?? { tokens: 0, traces: 0 }
    parts.set(owner, { tokens: tokens + newTokens, traces: traces + 1 })
  }
  if (parts.size === 0) return
  const owners = [...parts.keys()]
  const micros = divideByTokens(shares.micros, [...parts.values()])
  const earlier = await tx.selectDistinct({ owner: ledger.owner }).from(ledger).where(inArray(ledger.owner, owners))
  await tx.insert(ledger).values(
    owners.map((owner, at) => ({
      id: entryIdAt(shares.entryId, at + 1),
      owner,
      saleId: sale.id,
      micros: micros[at]!,
      at: sale.soldAt,
      availableAt: shares.availableAt,
      traces: parts.get(owner)!.traces,
    })),
  )
  const known = new Set(earlier.map(({ owner }) => owner))
  const people = await tx.select({ owner: users.num, email: users.email }).from(users).where(inArray(users.num, owners))
  const mails = people.flatMap(({ owner, email }) =>
    email === null || known.has(owner)
      ? []
      : [
          {
            id: entryIdAt(shares.entryId, owners.indexOf(owner) + 1),
            owner,
            channel: 'mail' as const,
            recipient: email,
            subject: shares.firstSaleMail.subject,
            payload: shares.firstSaleMail.text,
            createdAt: sale.soldAt,
          },
        ],
  )
  if (mails.length > 0) await tx.insert(outbox).values(mails).onConflictDoNothing()
}
