import type { AuthStore, ListedCredential } from '@tributary/core'
import { guessWindowMs, newestFirst } from '@tributary/core/stores'
import { and, asc, desc, eq, gt, inArray, isNull, lte, ne, sql } from 'drizzle-orm'
import { ensureUser, insertCredential, revoke, upsertUser } from './credentials.ts'
import { readFirst, type Database } from './database.ts'
import { deviceAuthorizationMethods, revokeApproved } from './device.ts'
import { recordAudit } from './effects.ts'
import {
  credentials,
  deviceAuthorizations,
  operatorSessions,
  revokedCredentials,
  secrets,
  signInCodes,
  users,
} from './tables.ts'

const userFields = { id: users.id, email: users.email }

/** Returns the auth store over Postgres; `AuthStore` says what it guarantees. */
export function postgresAuth(db: Database): AuthStore {
  const selectOwner = (ownerId: string) =>
    sql<number>`(select ${users.num} from ${users} where ${users.id} = ${ownerId})`

  return {
    findCredential: ({ hash }) =>
      db.run((query) => {
        const { kind, createdAt, expiresAt, usedAt } = credentials
        return readFirst(
          query
            .select({ kind, user: userFields, createdAt, expiresAt, usedAt })
            .from(credentials)
            .innerJoin(users, eq(users.num, credentials.owner))
            .where(and(eq(credentials.hash, hash), isNull(users.erasedAt))),
        )
      }),
    async renewCredential({ hash, now, expiresAt }) {
      const isLive = and(eq(credentials.hash, hash), gt(credentials.expiresAt, now))
      await db.run((query) => query.update(credentials).set({ usedAt: now, expiresAt }).where(isLive))
    },
    async revokeCredential({ hash }) {
      await db.transact((tx) => revoke(tx, eq(credentials.hash, hash)))
    },
    findRevokedCredential: ({ hash, now }) =>
      db.run((query) =>
        readFirst(
          query
            .select({ userId: users.id })
            .from(revokedCredentials)
            .innerJoin(users, eq(users.num, revokedCredentials.owner))
            .where(and(eq(revokedCredentials.hash, hash), gt(revokedCredentials.expiresAt, now))),
        ),
      ),
    async deleteExpiredRevocations({ now }) {
      await db.run((query) => query.delete(revokedCredentials).where(lte(revokedCredentials.expiresAt, now)))
      return false
    },

    findUser: ({ id }) => db.run((query) => readFirst(query.select(userFields).from(users).where(eq(users.id, id)))),
    upsertUser: (user) => db.transact((tx) => upsertUser(tx, user)),

    async ensureSecret({ candidate }) {
      await db.run((query) => query.insert(secrets).values({ num: 1, secret: candidate }).onConflictDoNothing())
      return (await db.run((query) => readFirst(query.select().from(secrets))))!.secret
    },
    async countWrongGuesses({ address, now }) {
      const wrong = sql<number>`coalesce(sum(${signInCodes.wrongGuesses}), 0)::int`
      const isCounted = and(eq(signInCodes.address, address), gt(signInCodes.createdAt, now - guessWindowMs))
      return (await db.run((query) => readFirst(query.select({ wrong }).from(signInCodes).where(isCounted))))!.wrong
    },
    async createSignInCode(code) {
      await db.run((query) =>
        query.delete(signInCodes).where(lte(signInCodes.createdAt, code.createdAt - guessWindowMs)),
      )
      await db.run((query) => query.insert(signInCodes).values(code))
    },
    verifySignInCode: ({ address, challengeHash, now, session, label, ...params }) =>
      db.transact(async (tx) => {
        const isThis = eq(signInCodes.challengeHash, challengeHash)
        const isAsked = and(isThis, eq(signInCodes.address, address))
        // All calls with one code wait for each other.
        const code = await readFirst(tx.select().from(signInCodes).where(isAsked).for('update'))
        if (!code || code.isUsed || code.expiresAt <= now) return { outcome: 'wrong' }
        if (code.wrongGuesses >= params.codeGuesses) return { outcome: 'wrong' }
        if (!params.codeHashes.includes(code.codeHash)) {
          await tx
            .update(signInCodes)
            .set({ wrongGuesses: code.wrongGuesses + 1 })
            .where(isThis)
          return { outcome: 'wrong' }
        }
        await tx.update(signInCodes).set({ isUsed: true }).where(isThis)
        const { num: owner, ...user } = await ensureUser(tx, { id: params.userId, email: address, now })
        if (params.replacedHash !== null)
          await revoke(tx, and(eq(credentials.hash, params.replacedHash), eq(credentials.kind, 'session')))
        await insertCredential(tx, { kind: 'session', owner, label, now }, session)
        return { outcome: 'signed_in', user }
      }),

    ...deviceAuthorizationMethods(db),

    listCredentials: ({ ownerId, now, currentHash }) =>
      db.run(async (query) => {
        const rows = await query
          .select()
          .from(credentials)
          .where(and(eq(credentials.owner, selectOwner(ownerId)), gt(credentials.expiresAt, now)))
          .orderBy(desc(credentials.createdAt), desc(credentials.id))
        const signedIn = rows.map(({ id, hash, kind, label, createdAt, usedAt }): ListedCredential => ({
          id,
          kind: kind === 'token' ? 'machine' : 'browser',
          status: 'signed_in',
          label,
          createdAt,
          lastUsedAt: usedAt,
          isCurrent: hash === currentHash,
        }))
        const { owner, status, expiresAt } = deviceAuthorizations
        const approved = await query
          .select()
          .from(deviceAuthorizations)
          .where(and(eq(owner, selectOwner(ownerId)), eq(status, 'approved'), gt(expiresAt, now)))
        const waiting = approved.map(({ id, machine, createdAt }): ListedCredential => ({
          id: id!,
          kind: 'machine',
          status: 'approved',
          label: machine,
          createdAt,
          lastUsedAt: null,
          isCurrent: false,
        }))
        return [...waiting, ...signedIn].sort(newestFirst)
      }),
    revokeCredentialById: ({ ownerId, id }) =>
      db.transact(async (tx) => {
        const { owner } = deviceAuthorizations
        const [ended] = await revokeApproved(tx, and(eq(deviceAuthorizations.id, id), eq(owner, selectOwner(ownerId))))
        const [hash] = await revoke(tx, and(eq(credentials.id, id), eq(credentials.owner, selectOwner(ownerId))))
        return hash === undefined ? (ended ?? null) : { hash }
      }),
    revokeCredentials: ({ ownerId, kinds, keptHash }) =>
      db.transact(async (tx) => {
        const ended = await revokeApproved(tx, eq(deviceAuthorizations.owner, selectOwner(ownerId)))
        const hashes = await revoke(
          tx,
          and(
            eq(credentials.owner, selectOwner(ownerId)),
            kinds === 'all' ? undefined : eq(credentials.kind, 'session'),
            keptHash === null ? undefined : ne(credentials.hash, keptHash),
          ),
        )
        return [...hashes.map((hash) => ({ hash })), ...ended]
      }),

    startOperatorSession: ({ hash, expiresAt, audit }) =>
      db.transact(async (tx) => {
        await tx.delete(operatorSessions).where(lte(operatorSessions.expiresAt, audit.at))
        await tx.insert(operatorSessions).values({ hash, operator: audit.actor, expiresAt })
        await recordAudit(tx, audit, { action: 'operator.sign_in', target: audit.actor, before: null, after: null })
      }),
    async findOperatorSession({ hashes, now }) {
      if (hashes.length === 0) return null
      const isLive = and(inArray(operatorSessions.hash, [...hashes]), gt(operatorSessions.expiresAt, now))
      return (await db.run((query) => readFirst(query.select().from(operatorSessions).where(isLive))))?.hash ?? null
    },
    endOperatorSession: ({ hash, audit }) =>
      db.transact(async (tx) => {
        const [ended] = await tx.delete(operatorSessions).where(eq(operatorSessions.hash, hash)).returning()
        if (!ended) return
        const change = { action: 'operator.sign_out', target: ended.operator, before: null, after: null } as const
        await recordAudit(tx, audit, change)
      }),

    export: ({ ownerId }) =>
      db.run(async (query) => {
        const user = await readFirst(
          query
            .select({ num: users.num, ...userFields, createdAt: users.createdAt })
            .from(users)
            .where(eq(users.id, ownerId)),
        )
        if (!user) return null
        const { num: owner, ...exported } = user
        const { id, kind, label, createdAt, expiresAt } = credentials
        const stored = await query
          .select({ id, kind, label, createdAt, lastUsedAt: credentials.usedAt, expiresAt })
          .from(credentials)
          .where(eq(credentials.owner, owner))
          .orderBy(asc(createdAt), asc(id))
        const { machine, status } = deviceAuthorizations
        const deviceLogins = await query
          .select({ machine, status, createdAt: deviceAuthorizations.createdAt })
          .from(deviceAuthorizations)
          .where(eq(deviceAuthorizations.owner, owner))
          .orderBy(asc(deviceAuthorizations.createdAt))
        return {
          user: exported,
          machines: stored.filter((one) => one.kind === 'token').map(({ kind: _, ...machine }) => machine),
          sessions: stored.filter((one) => one.kind === 'session').map(({ kind: _, id: __, ...session }) => session),
          deviceLogins,
        }
      }),
    erase: ({ ownerId }) =>
      db.transact(async (tx) => {
        const user = await readFirst(tx.select().from(users).where(eq(users.id, ownerId)).for('update'))
        if (!user) return false
        for (const table of [credentials, revokedCredentials, deviceAuthorizations])
          await tx.delete(table).where(eq(table.owner, user.num))
        if (user.email !== null) await tx.delete(signInCodes).where(eq(signInCodes.address, user.email))
        await tx.delete(users).where(eq(users.num, user.num))
        return false
      }),
  }
}
