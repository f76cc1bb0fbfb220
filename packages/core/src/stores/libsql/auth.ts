import { and, asc, desc, eq, gt, isNull, lte, sql, type SQL } from 'drizzle-orm'
import { firstOf } from '../../lists.ts'
import {
  newestFirst,
  type AuthStore,
  type ListedCredential,
  type RenewCredentialParams,
  type RevokeCredentialsParams,
  type UpsertUserParams,
} from '../../auth/store.ts'
import { raiseIdentityRevision } from './blocked-terms.ts'
import { deleteSome, writeOnce } from './bounded-writes.ts'
import { recordAudit, type AuditedChange } from './audit.ts'
import { type Database, writeNamed } from './database.ts'
import { build, insertSelect, ownerNum, prepare } from './statement.ts'
import { credentials, deviceLogins, endedCredentials, sessionSecrets, signInCodes, users } from './tables/sessions.ts'
import { libsqlSignIn } from './sign-in.ts'
import {
  libsqlDeviceAuthorization,
  isApprovedLogin,
  revokeDeviceLogin,
  revokeDeviceLogins,
  selectApprovedDeviceLogins,
} from './device-authorization.ts'
import { libsqlOperatorSessions } from './operator-sessions.ts'
import { libsqlPasskeys } from './passkeys.ts'

const selectCredential = prepare<{ hash: string }>()(({ hash }) =>
  build
    .select({
      kind: credentials.kind,
      userId: users.id,
      email: users.email,
      createdAt: credentials.createdAt,
      expiresAt: credentials.expiresAt,
      usedAt: credentials.usedAt,
    })
    .from(credentials)
    .innerJoin(users, eq(users.num, credentials.owner))
    .where(and(eq(credentials.hash, hash), isNull(users.erasedAt))),
)

const updateCredentialUse = prepare<RenewCredentialParams>()(({ hash, now, expiresAt }) =>
  build
    .update(credentials)
    .set({ usedAt: sql`${now}`, expiresAt: sql`${expiresAt}` })
    .where(and(eq(credentials.hash, hash), gt(credentials.expiresAt, now))),
)

const deleteCredential = prepare<{ hash: string }>()(({ hash }) =>
  build.delete(credentials).where(eq(credentials.hash, hash)),
)

const deleteCredentialById = prepare<{ ownerId: string; id: string }>()(({ ownerId, id }) =>
  build
    .delete(credentials)
    .where(and(eq(credentials.id, id), eq(credentials.owner, ownerNum(ownerId))))
    .returning({ hash: credentials.hash }),
)

const selectSignedOut = prepare<{ ownerId: string }>()(
  ({ ownerId }) => sql<AuditedChange>`select ${ownerId}, null, json_object('ended', ended) from (
    select (select count(*) from ${credentials} where ${credentials.owner} = ${ownerNum(ownerId)}) + (
      select count(*) from ${deviceLogins} where ${isApprovedLogin(ownerId)}) as ended) where ended > 0`,
)
const deleteCredentials = prepare<Omit<RevokeCredentialsParams, 'audit'>>()(({ ownerId, kinds, keptHash }) =>
  build
    .delete(credentials)
    .where(
      and(
        eq(credentials.owner, ownerNum(ownerId)),
        sql`(${kinds} = 'all' or ${credentials.kind} = 'session')`,
        sql`${credentials.hash} is not ${keptHash}`,
      ),
    )
    .returning({ hash: credentials.hash }),
)

const selectUserOfRevokedCredential = prepare<{ hash: string; now: number }>()(({ hash, now }) =>
  build
    .select({ userId: users.id })
    .from(endedCredentials)
    .innerJoin(users, eq(users.num, endedCredentials.owner))
    .where(and(eq(endedCredentials.hash, hash), gt(endedCredentials.expiresAt, now))),
)

const deleteExpiredRevocations = prepare<{ now: number }>()(({ now }) =>
  deleteSome(endedCredentials, lte(endedCredentials.expiresAt, now)),
)

const selectUser = prepare<{ id: string }>()(({ id }) =>
  build.select({ id: users.id, email: users.email, createdAt: users.createdAt }).from(users).where(eq(users.id, id)),
)

type Param = SQL | ReturnType<typeof sql.placeholder>
/** Returns the address to store: null if another user has the address. */
const freeEmail = ({ id, email }: { id: Param; email: Param }): SQL =>
  sql`case when exists (select 1 from ${users} other where other.email = ${email} and other.id <> ${id}) then null else ${email} end`

/** This statement compares `email` with the stored address, so it must run before `upsertUser`. */
const raiseForEmail = prepare<Omit<UpsertUserParams, 'now'>>()((user) =>
  raiseIdentityRevision(sql`${users.id} = ${user.id} and ${users.email} is not ${freeEmail(user)}`),
)
const upsertUser = prepare<UpsertUserParams>()(({ id, email, now }) =>
  insertSelect(
    users,
    {
      id,
      email: freeEmail({ id, email }),
      createdAt: now,
      erasedAt: sql`null`,
      unpaid: sql`null`,
      lifetime: sql`null`,
    },
    sql`where true on conflict (id) do update set email = excluded.email`,
  ),
)

const insertSecret = prepare<{ candidate: string; now: number }>()(({ candidate, now }) =>
  build.insert(sessionSecrets).values({ num: 1, secret: candidate, madeAt: now }).onConflictDoNothing(),
)

const selectSecret = prepare()(() =>
  build.select({ secret: sessionSecrets.secret }).from(sessionSecrets).where(eq(sessionSecrets.num, 1)),
)

const deleteSignInCodesOfOwner = prepare<{ ownerId: string }>()(({ ownerId }) =>
  build
    .delete(signInCodes)
    .where(eq(signInCodes.address, sql`(select ${users.email} from ${users} where ${users.id} = ${ownerId})`)),
)

const credentialColumns = {
  kind: credentials.kind,
  id: credentials.id,
  label: credentials.label,
  createdAt: credentials.createdAt,
  lastUsedAt: credentials.usedAt,
}

const selectCredentialsOfOwner = prepare<{ ownerId: string; now: number }>()(({ ownerId, now }) =>
  build
    .select({ hash: credentials.hash, ...credentialColumns })
    .from(credentials)
    .where(and(eq(credentials.owner, ownerNum(ownerId)), gt(credentials.expiresAt, now)))
    .orderBy(desc(credentials.createdAt), desc(credentials.id)),
)

const exportCredentials = prepare<{ ownerId: string }>()(({ ownerId }) =>
  build
    .select({ ...credentialColumns, expiresAt: credentials.expiresAt })
    .from(credentials)
    .where(eq(credentials.owner, ownerNum(ownerId)))
    .orderBy(asc(credentials.createdAt), asc(credentials.id)),
)

const exportDeviceLogins = prepare<{ ownerId: string }>()(({ ownerId }) =>
  build
    .select({ machine: deviceLogins.machine, status: deviceLogins.status, createdAt: deviceLogins.createdAt })
    .from(deviceLogins)
    .where(eq(deviceLogins.owner, ownerNum(ownerId)))
    .orderBy(asc(deviceLogins.createdAt)),
)

const deleteCredentialsOfOwner = prepare<{ ownerId: string }>()(({ ownerId }) =>
  deleteSome(credentials, eq(credentials.owner, ownerNum(ownerId))),
)
const deleteDeviceLoginsOfOwner = prepare<{ ownerId: string }>()(({ ownerId }) =>
  deleteSome(deviceLogins, eq(deviceLogins.owner, ownerNum(ownerId))),
)
const deleteRevocationsOfOwner = prepare<{ ownerId: string }>()(({ ownerId }) =>
  deleteSome(endedCredentials, eq(endedCredentials.owner, ownerNum(ownerId))),
)
const deleteUser = prepare<{ id: string }>()(({ id }) => build.delete(users).where(eq(users.id, id)))

/**
 * Returns the auth store over libSQL. `auth/store.ts` describes the guarantees. Every guard is part of a statement; a
 * batch is one immediate transaction. Later statements of a batch find the rows of earlier statements by a hash that is
 * unique to this call.
 */
export function libsqlAuth(db: Database): AuthStore {
  return {
    async findCredential({ hash }) {
      const [row] = await db.read(selectCredential({ hash }))
      if (!row) return null
      const { userId, email, ...credential } = row
      return { ...credential, user: { id: userId, email } }
    },
    async renewCredential(params) {
      await db.write([updateCredentialUse(params)], { locks: [] })
    },
    async revokeCredential({ hash }) {
      await db.write([deleteCredential({ hash })])
    },

    async findRevokedCredential(params) {
      const [row] = await db.read(selectUserOfRevokedCredential(params))
      return row ?? null
    },
    deleteExpiredRevocations: ({ now }) => writeOnce(db, [deleteExpiredRevocations({ now })]),

    async findUser({ id }) {
      const [user] = await db.read(selectUser({ id }))
      return user ? { id: user.id, email: user.email } : null
    },
    async upsertUser(params) {
      await db.write([raiseForEmail(params), upsertUser(params)])
    },

    async ensureSecret(params) {
      const [, stored] = await db.write([insertSecret(params), selectSecret({})])
      return firstOf(stored.rows).secret
    },
    ...libsqlSignIn(db),
    ...libsqlDeviceAuthorization(db),

    async listCredentials({ ownerId, now, currentHash }) {
      const [stored, approved] = await db.readAll([
        selectCredentialsOfOwner({ ownerId, now }),
        selectApprovedDeviceLogins({ ownerId, now }),
      ])
      const signedIn = stored.map(({ hash, kind, ...machine }): ListedCredential => ({
        ...machine,
        kind: kind === 'token' ? 'machine' : 'browser',
        status: 'signed_in',
        isCurrent: hash === currentHash,
      }))
      const waiting = approved.map((machine): ListedCredential => ({
        ...machine,
        kind: 'machine',
        status: 'approved',
        lastUsedAt: null,
        isCurrent: false,
      }))
      return [...waiting, ...signedIn].sort(newestFirst)
    },
    async revokeCredentialById(params) {
      const [deleted, ended] = await db.write([deleteCredentialById(params), revokeDeviceLogin(params)])
      return deleted.rows[0] ?? ended.rows[0] ?? null
    },
    async revokeCredentials({ audit, ...params }) {
      const { deleted, ended } = await writeNamed(db, {
        ...(audit && { audit: recordAudit(audit, 'contributor.sign_out', selectSignedOut(params)) }),
        deleted: deleteCredentials(params),
        ended: revokeDeviceLogins(params),
      })
      return [...deleted.rows, ...ended.rows]
    },
    ...libsqlOperatorSessions(db),
    ...libsqlPasskeys(db),

    async export({ ownerId }) {
      const [[user], stored, logins] = await db.readAll([
        selectUser({ id: ownerId }),
        exportCredentials({ ownerId }),
        exportDeviceLogins({ ownerId }),
      ])
      if (!user) return null
      return {
        user,
        machines: stored.filter(({ kind }) => kind === 'token').map(({ kind: _, ...machine }) => machine),
        sessions: stored.filter(({ kind }) => kind === 'session').map(({ kind: _, id: __, ...session }) => session),
        deviceLogins: logins,
      }
    },
    async erase({ ownerId }) {
      const queries = [
        deleteCredentialsOfOwner({ ownerId }),
        deleteDeviceLoginsOfOwner({ ownerId }),
        deleteRevocationsOfOwner({ ownerId }),
      ]
      if (await writeOnce(db, queries)) return true
      // These statements run again, in one transaction with the deletion of the user, to delete the rows that were
      // added meanwhile.
      await db.write([...queries, deleteSignInCodesOfOwner({ ownerId }), deleteUser({ id: ownerId })])
      return false
    },
  }
}
