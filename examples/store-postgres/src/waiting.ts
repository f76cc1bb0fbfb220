import type { NotAdded } from '@tributary/core'
import { eq, sql, type SQL } from 'drizzle-orm'
import { readFirst, type Database, type Postgres } from './database.ts'
import { lockOwner } from './owner.ts'
import { jobs, uploads, users } from './tables.ts'

export const isOpen = sql`${jobs.status} in ('queued', 'parsing', 'ingesting')`

/** Returns the bytes of the uploads of a row of `users` that wait. */
const sumWaitingBytes = (now: number): SQL<number> =>
  sql`(select coalesce(sum(${jobs.bytes}), 0) from ${jobs} where ${jobs.owner} = ${users.num} and ${isOpen})
    + (select coalesce(sum(${uploads.bytes}), 0) from ${uploads}
      where ${uploads.owner} = ${users.num} and ${uploads.job} is null and ${uploads.expiresAt} > ${now})`.mapWith(
    Number,
  )

/** Returns the bytes of an owner's uploads that wait. */
export async function countWaitingBytes(query: Postgres, ownerId: string, now: number): Promise<number> {
  const bytes = sumWaitingBytes(now)
  return (await readFirst(query.select({ bytes }).from(users).where(eq(users.id, ownerId))))?.bytes ?? 0
}

interface Added {
  readonly ownerId: string
  readonly bytes: number
  readonly now: number
  readonly maxWaitingBytes?: number | undefined
}

/** Adds something of an owner, unless more bytes would wait than may. */
export function addWithinLimit(
  db: Database,
  { ownerId, bytes, now, maxWaitingBytes = Infinity }: Added,
  insert: (tx: Postgres, owner: number) => Promise<unknown>,
): Promise<NotAdded | null> {
  return db.transact(async (tx) => {
    const user = await lockOwner(tx, ownerId)
    if (!user) return 'unknown_owner'
    if ((await countWaitingBytes(tx, ownerId, now)) + bytes > maxWaitingBytes) return 'over_quota'
    await insert(tx, user.num)
    return null
  })
}
