import { and, eq, gt, isNotNull, lte, sql, type SQLWrapper } from 'drizzle-orm'
import {
  expiredAuthorizationMs,
  type AuthStore,
  type DecideDeviceAuthorizationParams,
  type StartDeviceAuthorizationParams,
} from '../../auth/store.ts'
import { deleteSome } from './bounded-writes.ts'
import { type Database, writeNamed } from './database.ts'
import { build, insertSelect, ownerNum, prepare } from './statement.ts'
import { credentials, deviceLogins, users } from './tables/sessions.ts'
import { deleteExpiredCredentials, selectUserOfCredential } from './credentials.ts'

const insertDeviceLogin = prepare<StartDeviceAuthorizationParams>()((params) =>
  build
    .insert(deviceLogins)
    .values({
      deviceHash: params.deviceCodeHash,
      userHash: params.userCodeHash,
      machine: params.machine,
      status: 'pending',
      wait: params.interval,
      polledAt: null,
      early: 0,
      createdAt: params.createdAt,
      expiresAt: params.expiresAt,
      owner: null,
      token: null,
      id: params.id,
    })
    .onConflictDoNothing({ target: deviceLogins.userHash }),
)

const deleteOldDeviceLogins = prepare<{ before: number }>()(({ before }) =>
  deleteSome(deviceLogins, lte(deviceLogins.expiresAt, before)),
)

const selectDeviceLogin = prepare<{ userCodeHash: string }>()(({ userCodeHash }) =>
  build
    .select({
      machine: deviceLogins.machine,
      createdAt: deviceLogins.createdAt,
      expiresAt: deviceLogins.expiresAt,
      status: deviceLogins.status,
    })
    .from(deviceLogins)
    .where(eq(deviceLogins.userHash, userCodeHash)),
)

const selectPolledLogin = prepare<{ deviceCodeHash: string }>()(({ deviceCodeHash }) =>
  build
    .select({
      status: deviceLogins.status,
      nextPollAt: sql<number | null>`${deviceLogins.polledAt} + ${deviceLogins.wait} * 1000`,
    })
    .from(deviceLogins)
    .where(eq(deviceLogins.deviceHash, deviceCodeHash)),
)

const userExists = (id: SQLWrapper) => sql`exists (select 1 from ${users} where ${users.id} = ${id})`

/** Returns the condition that a session exists. It may have been revoked after the request was sent. */
const sessionExists = (hash: SQLWrapper) =>
  sql`(${hash} is null or exists (select 1 from ${credentials} where ${credentials.hash} = ${hash}))`

const decideDeviceLogin = prepare<DecideDeviceAuthorizationParams>()(
  ({ ownerId, sessionHash, userCodeHash, decision, now }) =>
    build
      .update(deviceLogins)
      .set({ status: sql`${decision}`, owner: ownerNum(ownerId) })
      .where(
        and(
          eq(deviceLogins.userHash, userCodeHash),
          eq(deviceLogins.status, 'pending'),
          gt(deviceLogins.expiresAt, now),
          userExists(ownerId),
          sessionExists(sessionHash),
        ),
      )
      .returning({ machine: deviceLogins.machine }),
)

type FindStatusParams = Pick<DecideDeviceAuthorizationParams, 'ownerId' | 'sessionHash' | 'userCodeHash'>

const selectDeviceLoginStatus = prepare<FindStatusParams>()(({ ownerId, sessionHash, userCodeHash }) =>
  build
    .select({ status: deviceLogins.status })
    .from(deviceLogins)
    .where(and(eq(deviceLogins.userHash, userCodeHash), userExists(ownerId), sessionExists(sessionHash))),
)

/**
 * Records a poll. If the login is approved, this poll gets the token. If the login is pending and was polled too soon,
 * the client must wait five seconds longer.
 */
const pollDeviceLogin = prepare<{ deviceCodeHash: string; tokenHash: string; now: number }>()(({
  deviceCodeHash,
  tokenHash,
  now,
}) => {
  const { status, expiresAt, polledAt, wait, token } = deviceLogins
  const isApproved = sql`${status} = 'approved' and ${expiresAt} > ${now}`
  const isEarly = sql`${status} = 'pending' and ${now} < ${polledAt} + ${wait} * 1000`
  return build
    .update(deviceLogins)
    .set({
      token: sql`case when ${isApproved} then ${tokenHash} else ${token} end`,
      status: sql`case when ${isApproved} then 'taken' else ${status} end`,
      early: sql`case when ${isEarly} then 1 else 0 end`,
      wait: sql`case when ${isEarly} then ${wait} + 5 else ${wait} end`,
      polledAt: sql`${now}`,
    })
    .where(eq(deviceLogins.deviceHash, deviceCodeHash))
    .returning({ status, early: deviceLogins.early, wait, expiresAt })
})

type InsertTokenParams = {
  readonly hash: string
  readonly expiresAt: number
  readonly deviceCodeHash: string
  readonly now: number
}

const insertTokenOfDeviceLogin = prepare<InsertTokenParams>()(({ hash, expiresAt, deviceCodeHash, now }) =>
  insertSelect(
    credentials,
    {
      hash,
      // A row has no id if it was stored before the column existed.
      id: sql`coalesce(${deviceLogins.id}, ${hash})`,
      kind: sql`'token'`,
      owner: deviceLogins.owner,
      label: deviceLogins.machine,
      createdAt: now,
      usedAt: sql`null`,
      expiresAt,
    },
    sql`from ${deviceLogins} where ${deviceLogins.deviceHash} = ${deviceCodeHash} and ${deviceLogins.token} = ${hash}`,
  ),
)

/** Selects the approved authorizations of an owner whose token has not been fetched. */
export const selectApprovedDeviceLogins = prepare<{ ownerId: string; now: number }>()(({ ownerId, now }) =>
  build
    .select({
      // Rows that have not expired always have an id.
      id: sql<string>`${deviceLogins.id}`,
      label: deviceLogins.machine,
      createdAt: deviceLogins.createdAt,
    })
    .from(deviceLogins)
    .where(and(isApprovedLogin(ownerId), gt(deviceLogins.expiresAt, now), isNotNull(deviceLogins.id))),
)

export const isApprovedLogin = (ownerId: SQLWrapper) =>
  and(eq(deviceLogins.owner, ownerNum(ownerId)), eq(deviceLogins.status, 'approved'))

const revokedColumns = { hash: sql<null>`null` }

/** Ends the approved authorizations of an owner. A later poll gets the same answer as after a denial. */
export const revokeDeviceLogins = prepare<{ ownerId: string }>()(({ ownerId }) =>
  build.update(deviceLogins).set({ status: 'denied' }).where(isApprovedLogin(ownerId)).returning(revokedColumns),
)

/** Ends one approved authorization of an owner. */
export const revokeDeviceLogin = prepare<{ ownerId: string; id: string }>()(({ ownerId, id }) =>
  build
    .update(deviceLogins)
    .set({ status: 'denied' })
    .where(and(isApprovedLogin(ownerId), eq(deviceLogins.id, id)))
    .returning(revokedColumns),
)

/** Returns the methods of the auth store that authorize devices. */
export function libsqlDeviceAuthorization(
  db: Database,
): Pick<
  AuthStore,
  | 'startDeviceAuthorization'
  | 'findDeviceAuthorization'
  | 'decideDeviceAuthorization'
  | 'findPolledAuthorization'
  | 'pollDeviceToken'
> {
  return {
    async startDeviceAuthorization(params) {
      const [, inserted] = await db.write([
        deleteOldDeviceLogins({ before: params.createdAt - expiredAuthorizationMs }),
        insertDeviceLogin(params),
      ])
      return inserted.changed === 1
    },
    async findDeviceAuthorization({ userCodeHash }) {
      const [row] = await db.read(selectDeviceLogin({ userCodeHash }))
      return row ?? null
    },
    async decideDeviceAuthorization(params) {
      const [decided, stored] = await db.write([decideDeviceLogin(params), selectDeviceLoginStatus(params)])
      if (decided.rows[0]) return { outcome: 'decided', machine: decided.rows[0].machine }
      const status = stored.rows[0]?.status
      if (status === undefined) return { outcome: 'unknown' }
      return { outcome: status === 'pending' ? 'expired' : 'already_decided' }
    },
    async findPolledAuthorization({ deviceCodeHash }) {
      const [row] = await db.read(selectPolledLogin({ deviceCodeHash }))
      return row ?? null
    },
    async pollDeviceToken({ deviceCodeHash, token, now }) {
      const { polled, issued } = await writeNamed(
        db,
        {
          polled: pollDeviceLogin({ deviceCodeHash, tokenHash: token.hash, now }),
          tokenOfDeviceLogin: insertTokenOfDeviceLogin({ ...token, deviceCodeHash, now }),
          expiredCredentials: deleteExpiredCredentials({ now }),
          issued: selectUserOfCredential({ hash: token.hash }),
        },
        { locks: [`device/${deviceCodeHash}`] },
      )
      const login = polled.rows[0]
      if (!login) return { outcome: 'unknown' }
      if (issued.rows[0]) return { outcome: 'approved', userId: issued.rows[0].id }
      if (login.status === 'denied' || login.status === 'taken') return { outcome: login.status }
      if (login.expiresAt <= now) return { outcome: 'expired' }
      return login.early ? { outcome: 'slow_down', interval: login.wait } : { outcome: 'pending' }
    },
  }
}
