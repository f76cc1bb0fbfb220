import { and, asc, desc, eq, gt, inArray, isNull, lt, lte, sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import {
  expiredAuthorizationMs,
  guessWindowMs,
  type AuthStore,
  type DecideDeviceAuthorizationParams,
  type RenewCredentialParams,
  type SignInCode,
  type StartDeviceAuthorizationParams,
  type UpsertUserParams,
  type VerifySignInCodeParams,
} from '../../auth/store.ts'
import { recordAudit } from './audit.ts'
import { raiseIdentityRevision } from './blocked-terms.ts'
import { deleteSome, writeOnce } from './bounded-writes.ts'
import { jsonArgument, type Database } from './database.ts'
import { build, insertSelect, jsonValues, ownerNum, prepare } from './statement.ts'
import {
  credentials,
  deviceLogins,
  endedCredentials,
  operatorSessions,
  sessionSecrets,
  signInCodes,
  users,
} from './tables/sessions.ts'

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

const deleteExpiredCredentials = prepare<{ now: number }>()(({ now }) =>
  deleteSome(credentials, lte(credentials.expiresAt, now)),
)

const selectUserOfCredential = prepare<{ hash: string }>()(({ hash }) =>
  build
    .select({ id: users.id, email: users.email })
    .from(credentials)
    .innerJoin(users, eq(users.num, credentials.owner))
    .where(eq(credentials.hash, hash)),
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
/** Returns the address as it is stored: null when another user has it. */
const freeEmail = ({ id, email }: { id: Param; email: Param }): SQL =>
  sql`case when exists (select 1 from ${users} other where other.email = ${email} and other.id <> ${id}) then null else ${email} end`

/** It compares with the stored address, so it comes before `upsertUser`. */
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

const insertSignInCode = prepare<SignInCode>()((code) =>
  build.insert(signInCodes).values({
    challengeHash: code.challengeHash,
    codeHash: code.codeHash,
    address: code.address,
    browserHash: code.browserHash,
    guesses: 0,
    session: null,
    createdAt: code.createdAt,
    expiresAt: code.expiresAt,
  }),
)

const deleteOldSignInCodes = prepare<{ before: number }>()(({ before }) =>
  deleteSome(signInCodes, lte(signInCodes.createdAt, before)),
)

const deleteSignInCodesOfOwner = prepare<{ ownerId: string }>()(({ ownerId }) =>
  build
    .delete(signInCodes)
    .where(eq(signInCodes.address, sql`(select ${users.email} from ${users} where ${users.id} = ${ownerId})`)),
)

const otherCode = alias(signInCodes, 'other_code')

/**
 * Selects the codes whose wrong guesses count together with those of a row: of the same address, requested by the same
 * known browser or by unknown ones.
 */
const isCountedTogether = (windowStart: SQLWrapper) =>
  sql`${otherCode.address} = ${signInCodes.address} and ${otherCode.browserHash} is ${signInCodes.browserHash}
    and ${otherCode.createdAt} > ${windowStart}`

const wrongGuesses = (windowStart: SQLWrapper) =>
  sql`(select coalesce(sum(${otherCode.guesses} - (${otherCode.session} is not null)), 0)
    from ${signInCodes} other_code where ${isCountedTogether(windowStart)})`

type CompareCodeParams = Omit<
  VerifySignInCodeParams,
  'codeHashes' | 'userId' | 'session' | 'label' | 'replacedHash'
> & {
  readonly codeHashes: string
  readonly sessionHash: string
  readonly windowStart: number
}

/**
 * Counts a guess at a code that has guesses left. The right one sets the code's session, by which later statements find
 * it.
 */
const compareSignInCode = prepare<CompareCodeParams>()((params) =>
  build
    .update(signInCodes)
    .set({
      guesses: sql`${signInCodes.guesses} + 1`,
      session: sql`case when ${signInCodes.codeHash} in ${jsonValues(params.codeHashes)} then ${params.sessionHash} end`,
    })
    .where(
      and(
        eq(signInCodes.challengeHash, params.challengeHash),
        eq(signInCodes.address, params.address),
        isNull(signInCodes.session),
        lt(signInCodes.guesses, params.codeGuesses),
        gt(signInCodes.expiresAt, params.now),
        lt(wrongGuesses(params.windowStart), params.dailyGuesses),
      ),
    ),
)

interface SignedInParams {
  readonly challengeHash: string
  readonly sessionHash: string
}

const isSignedIn = ({ challengeHash, sessionHash }: { readonly [Name in keyof SignedInParams]: SQLWrapper }) =>
  sql`exists (select 1 from ${signInCodes}
    where ${signInCodes.challengeHash} = ${challengeHash} and ${signInCodes.session} = ${sessionHash})`

const insertUserOfAddress = prepare<SignedInParams & { userId: string; address: string; now: number }>()((params) =>
  insertSelect(
    users,
    { id: params.userId, email: params.address, createdAt: params.now, erasedAt: sql`null` },
    sql`where ${isSignedIn(params)} on conflict (email) do nothing`,
  ),
)

type InsertSessionParams = SignedInParams & {
  readonly id: string
  readonly address: string
  readonly label: string
  readonly now: number
  readonly expiresAt: number
}

const insertSession = prepare<InsertSessionParams>()((params) =>
  insertSelect(
    credentials,
    {
      hash: params.sessionHash,
      id: params.id,
      kind: sql`'session'`,
      owner: users.num,
      label: params.label,
      createdAt: params.now,
      usedAt: params.now,
      expiresAt: params.expiresAt,
    },
    sql`from ${users} where ${users.email} = ${params.address} and ${isSignedIn(params)}`,
  ),
)

const deleteReplacedSession = prepare<SignedInParams & { replacedHash: string | null }>()((params) =>
  build
    .delete(credentials)
    .where(and(eq(credentials.hash, params.replacedHash), eq(credentials.kind, 'session'), isSignedIn(params))),
)

type CountGuessesParams = Pick<CompareCodeParams, 'challengeHash' | 'address' | 'now' | 'windowStart'>

/**
 * Selects the wrong guesses that count for a code that can still be used, and the creation time of the oldest code with
 * one.
 */
const countGuesses = prepare<CountGuessesParams>()(
  ({ challengeHash, address, now, windowStart }) => sql<{ wrong: number; since: number | null }>`
    select ${wrongGuesses(windowStart)} as wrong, (select min(${otherCode.createdAt}) from ${signInCodes} other_code
      where ${isCountedTogether(windowStart)} and ${otherCode.guesses} > (${otherCode.session} is not null)) as since
    from ${signInCodes} where ${signInCodes.challengeHash} = ${challengeHash} and ${signInCodes.address} = ${address}
      and ${signInCodes.session} is null and ${signInCodes.expiresAt} > ${now}`,
)

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

const userExists = (id: SQLWrapper) => sql`exists (select 1 from ${users} where ${users.id} = ${id})`

const decideDeviceLogin = prepare<DecideDeviceAuthorizationParams>()(({ ownerId, userCodeHash, decision, now }) =>
  build
    .update(deviceLogins)
    .set({ status: sql`${decision}`, owner: ownerNum(ownerId) })
    .where(
      and(
        eq(deviceLogins.userHash, userCodeHash),
        eq(deviceLogins.status, 'pending'),
        gt(deviceLogins.expiresAt, now),
        userExists(ownerId),
      ),
    )
    .returning({ machine: deviceLogins.machine }),
)

const selectDeviceLoginStatus = prepare<{ ownerId: string; userCodeHash: string }>()(({ ownerId, userCodeHash }) =>
  build
    .select({ status: deviceLogins.status })
    .from(deviceLogins)
    .where(and(eq(deviceLogins.userHash, userCodeHash), userExists(ownerId))),
)

/**
 * Records a poll: an approved login is taken with this poll's token, a pending one polled too soon waits five seconds
 * longer.
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
  readonly id: string
  readonly expiresAt: number
  readonly deviceCodeHash: string
  readonly now: number
}

const insertTokenOfDeviceLogin = prepare<InsertTokenParams>()(({ hash, id, expiresAt, deviceCodeHash, now }) =>
  insertSelect(
    credentials,
    {
      hash,
      id,
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

const insertOperatorSession = prepare<{ hash: string; operator: string; createdAt: number; expiresAt: number }>()(
  ({ hash, operator, createdAt, expiresAt }) =>
    build.insert(operatorSessions).values({ hash, operator, createdAt, expiresAt }),
)

const deleteExpiredOperatorSessions = prepare<{ now: number }>()(({ now }) =>
  deleteSome(operatorSessions, lte(operatorSessions.expiresAt, now)),
)

const selectOperatorSession = prepare<{ hashes: string; now: number }>()(({ hashes, now }) =>
  build
    .select({ hash: operatorSessions.hash })
    .from(operatorSessions)
    .where(and(inArray(operatorSessions.hash, jsonValues(hashes)), gt(operatorSessions.expiresAt, now))),
)

const selectOperatorOfSession = prepare<{ hash: string }>()(({ hash }) =>
  build
    .select({ target: operatorSessions.operator, stateBefore: sql<null>`null`, stateAfter: sql<null>`null` })
    .from(operatorSessions)
    .where(eq(operatorSessions.hash, hash)),
)

const deleteOperatorSession = prepare<{ hash: string }>()(({ hash }) =>
  build.delete(operatorSessions).where(eq(operatorSessions.hash, hash)),
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
 * Returns the auth store over libSQL; `auth/store.ts` says what it guarantees. Every guard is part of a statement; a
 * batch is one immediate transaction, in which later statements find the work of earlier ones by the hash that only
 * this call has.
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
      await db.write([updateCredentialUse(params)])
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
      return stored.rows[0]!.secret
    },
    async createSignInCode(code) {
      await db.write([deleteOldSignInCodes({ before: code.createdAt - guessWindowMs }), insertSignInCode(code)])
    },
    async verifySignInCode({ codeHashes, session, label, replacedHash, userId, ...attempt }) {
      const { challengeHash, address, dailyGuesses, now } = attempt
      const windowStart = now - guessWindowMs
      const guess = { ...attempt, codeHashes: jsonArgument(codeHashes), sessionHash: session.hash, windowStart }
      const signedIn = { challengeHash, sessionHash: session.hash }
      const [compared, , , , , user, counted] = await db.write([
        compareSignInCode(guess),
        insertUserOfAddress({ ...signedIn, userId, address, now }),
        insertSession({ ...signedIn, id: session.id, address, label, now, expiresAt: session.expiresAt }),
        deleteReplacedSession({ ...signedIn, replacedHash }),
        deleteExpiredCredentials({ now }),
        selectUserOfCredential({ hash: session.hash }),
        countGuesses({ challengeHash, address, now, windowStart }),
      ])
      if (user.rows[0]) return { outcome: 'signed_in', user: user.rows[0] }
      const { wrong = 0, since = null } = counted.rows[0] ?? {}
      if (compared.changed === 1 || since === null || wrong < dailyGuesses) return { outcome: 'wrong' }
      return { outcome: 'too_many_guesses', until: since + guessWindowMs }
    },

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
    async pollDeviceToken({ deviceCodeHash, token, now }) {
      const [polled, , , issued] = await db.write([
        pollDeviceLogin({ deviceCodeHash, tokenHash: token.hash, now }),
        insertTokenOfDeviceLogin({ ...token, deviceCodeHash, now }),
        deleteExpiredCredentials({ now }),
        selectUserOfCredential({ hash: token.hash }),
      ])
      const login = polled.rows[0]
      if (!login) return { outcome: 'unknown' }
      if (issued.rows[0]) return { outcome: 'approved', userId: issued.rows[0].id }
      if (login.status === 'denied' || login.status === 'taken') return { outcome: login.status }
      if (login.expiresAt <= now) return { outcome: 'expired' }
      return login.early ? { outcome: 'slow_down', interval: login.wait } : { outcome: 'pending' }
    },

    async listCredentials({ ownerId, now, currentHash }) {
      const rows = await db.read(selectCredentialsOfOwner({ ownerId, now }))
      return rows.map(({ hash, kind, ...machine }) => ({
        ...machine,
        kind: kind === 'token' ? 'machine' : 'browser',
        isCurrent: hash === currentHash,
      }))
    },
    async revokeCredentialById(params) {
      const [deleted] = await db.write([deleteCredentialById(params)])
      return deleted.rows[0]?.hash ?? null
    },

    async startOperatorSession({ hash, expiresAt, audit }) {
      await db.write([
        deleteExpiredOperatorSessions({ now: audit.at }),
        insertOperatorSession({ hash, operator: audit.actor, createdAt: audit.at, expiresAt }),
        recordAudit(audit, 'operator.sign_in', selectOperatorOfSession({ hash })),
      ])
    },
    async findOperatorSession({ hashes, now }) {
      const [row] = await db.read(selectOperatorSession({ hashes: jsonArgument(hashes), now }))
      return row?.hash ?? null
    },
    async endOperatorSession({ hash, audit }) {
      await db.write([
        recordAudit(audit, 'operator.sign_out', selectOperatorOfSession({ hash })),
        deleteOperatorSession({ hash }),
      ])
    },

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
      // Repeated in one transaction with the user, so that no row that was added meanwhile outlives the user.
      await db.write([...queries, deleteSignInCodesOfOwner({ ownerId }), deleteUser({ id: ownerId })])
      return false
    },
  }
}
