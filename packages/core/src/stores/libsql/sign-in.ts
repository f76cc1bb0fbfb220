import { and, eq, gt, isNull, lt, lte, sql, type SQLWrapper } from 'drizzle-orm'
import { guessWindowMs, type AuthStore, type SignInCode, type VerifySignInCodeParams } from '../../auth/store.ts'
import { deleteSome } from './bounded-writes.ts'
import { jsonArgument, type Database, writeNamed } from './database.ts'
import { build, insertSelect, jsonValues, prepare } from './statement.ts'
import { accountJobs } from './tables/account.ts'
import { credentials, signInCodes, users } from './tables/sessions.ts'
import { deleteExpiredCredentials, selectUserOfCredential } from './credentials.ts'

const insertSignInCode = prepare<SignInCode>()((code) =>
  build.insert(signInCodes).values({
    challengeHash: code.challengeHash,
    codeHash: code.codeHash,
    address: code.address,
    guesses: 0,
    session: null,
    createdAt: code.createdAt,
    expiresAt: code.expiresAt,
  }),
)

const deleteOldSignInCodes = prepare<{ before: number }>()(({ before }) =>
  deleteSome(signInCodes, lte(signInCodes.createdAt, before)),
)

/** Sums the wrong guesses. A used code had one right guess, which is subtracted. */
const sumWrongGuesses = prepare<{ address: string; windowStart: number }>()(({ address, windowStart }) =>
  build
    .select({
      wrong: sql<number>`coalesce(sum(${signInCodes.guesses} - iif(${signInCodes.session} is not null, 1, 0)), 0)`,
    })
    .from(signInCodes)
    .where(and(eq(signInCodes.address, address), gt(signInCodes.createdAt, windowStart))),
)

type CompareCodeParams = Omit<
  VerifySignInCodeParams,
  'codeHashes' | 'userId' | 'session' | 'label' | 'replacedHash'
> & {
  readonly codeHashes: string
  readonly sessionHash: string
}

/**
 * Counts a guess at a code that has guesses left. The right guess stores the hash of the session in the code's row, and
 * later statements find the row by this hash.
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
    {
      id: params.userId,
      email: params.address,
      createdAt: params.now,
      erasedAt: sql`null`,
      unpaid: sql`null`,
      lifetime: sql`null`,
    },
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

/** Transfers the account export of the replaced session to the new session of the same person. */
const passExportOn = prepare<SignedInParams & { replacedHash: string | null; address: string }>()((params) =>
  build
    .update(accountJobs)
    .set({ credential: sql`${params.sessionHash}` })
    .where(
      and(
        eq(accountJobs.credential, params.replacedHash),
        eq(accountJobs.owner, sql`(select ${users.num} from ${users} where ${users.email} = ${params.address})`),
        isSignedIn(params),
      ),
    ),
)

/** Returns the methods of the auth store that send and compare sign-in codes. */
export function libsqlSignIn(
  db: Database,
): Pick<AuthStore, 'countWrongGuesses' | 'createSignInCode' | 'verifySignInCode'> {
  return {
    async countWrongGuesses({ address, now }) {
      const [sum] = await db.read(sumWrongGuesses({ address, windowStart: now - guessWindowMs }))
      return sum?.wrong ?? 0
    },
    async createSignInCode(code) {
      await db.write([deleteOldSignInCodes({ before: code.createdAt - guessWindowMs }), insertSignInCode(code)])
    },
    async verifySignInCode({ codeHashes, session, label, replacedHash, userId, ...attempt }) {
      const { challengeHash, address, now } = attempt
      const guess = { ...attempt, codeHashes: jsonArgument(codeHashes), sessionHash: session.hash }
      const signedIn = { challengeHash, sessionHash: session.hash }
      const { user } = await writeNamed(db, {
        compared: compareSignInCode(guess),
        userOfAddress: insertUserOfAddress({ ...signedIn, userId, address, now }),
        session: insertSession({ ...signedIn, id: session.id, address, label, now, expiresAt: session.expiresAt }),
        passedExport: passExportOn({ ...signedIn, replacedHash, address }),
        replacedSession: deleteReplacedSession({ ...signedIn, replacedHash }),
        expiredCredentials: deleteExpiredCredentials({ now }),
        user: selectUserOfCredential({ hash: session.hash }),
      })
      return user.rows[0] ? { outcome: 'signed_in', user: user.rows[0] } : { outcome: 'wrong' }
    },
  }
}
