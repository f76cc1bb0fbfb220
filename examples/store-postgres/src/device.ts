import type { AuthStore } from '@tributary/core'
import { expiredAuthorizationMs } from '@tributary/core/stores'
import { and, eq, lte, type SQL } from 'drizzle-orm'
import { insertCredential } from './credentials.ts'
import { readFirst, type Database, type Postgres } from './database.ts'
import { credentials, deviceAuthorizations, users } from './tables.ts'

type Methods =
  | 'startDeviceAuthorization'
  | 'findDeviceAuthorization'
  | 'decideDeviceAuthorization'
  | 'findPolledAuthorization'
  | 'pollDeviceToken'

/** Ends approved authorizations: a later poll is answered as after a denial. Returns one item for each. */
export async function revokeApproved(tx: Postgres, condition: SQL | undefined): Promise<{ readonly hash: null }[]> {
  const isApproved = and(condition, eq(deviceAuthorizations.status, 'approved'))
  const ended = await tx.update(deviceAuthorizations).set({ status: 'denied' }).where(isApproved).returning()
  return ended.map(() => ({ hash: null }))
}

/**
 * Returns the methods of `AuthStore` for device authorizations (RFC 8628). A decision and a poll lock the
 * authorization.
 */
export function deviceAuthorizationMethods(db: Database): Pick<AuthStore, Methods> {
  return {
    startDeviceAuthorization: ({ deviceCodeHash, userCodeHash, interval, ...authorization }) =>
      db.transact(async (tx) => {
        const { expiresAt, userHash } = deviceAuthorizations
        await tx.delete(deviceAuthorizations).where(lte(expiresAt, authorization.createdAt - expiredAuthorizationMs))
        const inserted = await tx
          .insert(deviceAuthorizations)
          .values({ ...authorization, deviceHash: deviceCodeHash, userHash: userCodeHash, wait: interval })
          .onConflictDoNothing({ target: userHash })
          .returning({ userHash })
        return inserted.length === 1
      }),
    findDeviceAuthorization({ userCodeHash }) {
      const { machine, createdAt, expiresAt, status, userHash } = deviceAuthorizations
      return db.run((query) =>
        readFirst(
          query
            .select({ machine, createdAt, expiresAt, status })
            .from(deviceAuthorizations)
            .where(eq(userHash, userCodeHash)),
        ),
      )
    },
    decideDeviceAuthorization: ({ ownerId, sessionHash, userCodeHash, decision, now }) =>
      db.transact(async (tx) => {
        const isAsked = eq(deviceAuthorizations.userHash, userCodeHash)
        const user = await readFirst(tx.select().from(users).where(eq(users.id, ownerId)).for('share'))
        const asked = await readFirst(tx.select().from(deviceAuthorizations).where(isAsked).for('update'))
        const isSession = and(eq(credentials.hash, sessionHash ?? ''), eq(credentials.owner, user?.num ?? 0))
        const session = await readFirst(tx.select().from(credentials).where(isSession).for('share'))
        if (!asked || !user || (sessionHash !== null && !session)) return { outcome: 'unknown' }
        if (asked.status !== 'pending') return { outcome: 'already_decided' }
        if (asked.expiresAt <= now) return { outcome: 'expired' }
        await tx.update(deviceAuthorizations).set({ status: decision, owner: user.num }).where(isAsked)
        return { outcome: 'decided', machine: asked.machine }
      }),
    async findPolledAuthorization({ deviceCodeHash }) {
      const isPolled = eq(deviceAuthorizations.deviceHash, deviceCodeHash)
      const polled = await db.run((query) => readFirst(query.select().from(deviceAuthorizations).where(isPolled)))
      if (!polled) return null
      const { status, polledAt, wait } = polled
      return { status, nextPollAt: polledAt === null ? null : polledAt + wait * 1000 }
    },
    pollDeviceToken: ({ deviceCodeHash, token, now }) =>
      db.transact(async (tx) => {
        const isPolled = eq(deviceAuthorizations.deviceHash, deviceCodeHash)
        const polled = await readFirst(tx.select().from(deviceAuthorizations).where(isPolled).for('update'))
        if (!polled) return { outcome: 'unknown' }
        const { id, status, owner, machine: label, polledAt, wait } = polled
        if (status === 'denied' || status === 'taken') return { outcome: status }
        if (polled.expiresAt <= now) return { outcome: 'expired' }
        if (status === 'approved') {
          const user = await readFirst(tx.select({ id: users.id }).from(users).where(eq(users.num, owner!)))
          await tx.update(deviceAuthorizations).set({ status: 'taken' }).where(isPolled)
          await insertCredential(tx, { kind: 'token', owner: owner!, label, now }, { ...token, id: id ?? token.hash })
          return { outcome: 'approved', userId: user!.id }
        }
        const isEarly = polledAt !== null && now < polledAt + wait * 1000
        await tx
          .update(deviceAuthorizations)
          .set({ polledAt: now, wait: isEarly ? wait + 5 : wait })
          .where(isPolled)
        return isEarly ? { outcome: 'slow_down', interval: wait + 5 } : { outcome: 'pending' }
      }),
  }
}
