import { and, asc, eq, ne, or, sql, type SQL } from 'drizzle-orm'
import { firstOf } from '../../lists.ts'
import type { AddPasskeyParams, PasskeyStore, SetChallengeParams, StoredPasskey } from '../../auth/passkeys/store.ts'
import { recordAudit, type AuditedChange } from './audit.ts'
import { writeNamed, type Database } from './database.ts'
import { hasChanged } from './events.ts'
import { build, insertSelect, prepare, type Param } from './statement.ts'
import { operatorPasskeys, operatorSessions } from './tables/sessions.ts'

/** Returns the condition that a session is live. */
const isLive = (hash: Param, now: Param): SQL =>
  sql`${operatorSessions.hash} = ${hash} and ${operatorSessions.expiresAt} > ${now}`

const updateChallenge = prepare<SetChallengeParams>()(({ sessionHash, purpose, challenge, expiresAt, now }) =>
  build
    .update(operatorSessions)
    .set({
      challenge: sql`${challenge}`,
      challengePurpose: sql`${purpose}`,
      challengeExpiresAt: sql`${expiresAt}`,
    })
    .where(isLive(sessionHash, now)),
)

const takeChallenge = prepare<{ sessionHash: string; purpose: string; now: number }>()(
  ({ sessionHash, purpose, now }) =>
    build
      .update(operatorSessions)
      .set({ challengeExpiresAt: 0 })
      .where(
        sql`${isLive(sessionHash, now)} and ${operatorSessions.challengePurpose} = ${purpose}
          and ${operatorSessions.challengeExpiresAt} > ${now}`,
      )
      .returning({ challenge: operatorSessions.challenge }),
)

const selectPasskeys = prepare<{ operator: string | null }>()(({ operator }) =>
  build
    .select()
    .from(operatorPasskeys)
    .where(or(sql`${operator} is null`, eq(operatorPasskeys.operator, operator)))
    .orderBy(asc(operatorPasskeys.operator), asc(operatorPasskeys.createdAt), asc(operatorPasskeys.id)),
)

/** The state that decides whether a passkey is added. */
interface Addition {
  readonly isOwn: number
  readonly isKnown: number
  readonly passkeys: number
}
type NewPasskey = Omit<AddPasskeyParams['passkey'], 'transports'> &
  Pick<AddPasskeyParams, 'sessionHash' | 'limit'> & { readonly transports: string; readonly now: number }

const isOwnSession = (sessionHash: Param, operator: Param, now: Param): SQL =>
  sql`exists (select 1 from ${operatorSessions}
    where ${isLive(sessionHash, now)} and ${operatorSessions.operator} = ${operator})`
const isKnown = (credentialId: Param): SQL =>
  sql`exists (select 1 from ${operatorPasskeys} where ${operatorPasskeys.credentialId} = ${credentialId})`
const selectCount = (operator: Param): SQL =>
  sql`(select count(*) from ${operatorPasskeys} where ${operatorPasskeys.operator} = ${operator})`

const selectAddition = prepare<NewPasskey>()(
  ({ sessionHash, operator, credentialId, now }) =>
    sql<Addition>`select ${isOwnSession(sessionHash, operator, now)} as "isOwn", ${isKnown(credentialId)} as "isKnown",
      ${selectCount(operator)} as "passkeys"`,
)
const insertPasskey = prepare<NewPasskey>()(
  ({ id, operator, credentialId, publicKey, counter, transports, rpId, label, sessionHash, limit, now }) =>
    insertSelect(
      operatorPasskeys,
      {
        id,
        operator,
        credentialId,
        publicKey,
        counter,
        transports,
        rpId,
        label,
        createdAt: now,
        usedAt: sql`null`,
      },
      sql`where ${isOwnSession(sessionHash, operator, now)} and not ${isKnown(credentialId)}
        and ${selectCount(operator)} < ${limit}`,
    ),
)
/** This statement must run directly after the statement that confirms the session, because it reads `changes()`. */
const selectAdded = prepare<{ id: string }>()(
  ({ id }) => sql<AuditedChange>`select ${operatorPasskeys.operator}, null,
    json_object('id', ${operatorPasskeys.id}, 'label', ${operatorPasskeys.label})
    from ${operatorPasskeys} where ${operatorPasskeys.id} = ${id} and ${hasChanged}`,
)
/** This statement must run directly after the insert, because it reads `changes()`. */
const confirmByNew = prepare<{ id: string; sessionHash: string }>()(({ id, sessionHash }) =>
  build
    .update(operatorSessions)
    .set({ passkey: sql`${id}` })
    .where(and(hasChanged, eq(operatorSessions.hash, sessionHash))),
)

interface Use {
  readonly id: string
  readonly counter: number
  readonly sessionHash: string
  readonly nextSessionHash: string
  readonly now: number
}
/**
 * Returns the condition that a passkey may confirm a session: it belongs to the operator of the session, and its
 * counter grew.
 */
const mayConfirm = ({ id, counter, sessionHash, now }: { readonly [Name in keyof Use]: Param }): SQL =>
  sql`${operatorPasskeys.id} = ${id}
    and (${operatorPasskeys.counter} < ${counter} or (${operatorPasskeys.counter} = 0 and ${counter} = 0))
    and ${operatorPasskeys.operator} = (select ${operatorSessions.operator} from ${operatorSessions}
      where ${isLive(sessionHash, now)})`
const selectUse = prepare<Use>()(
  ({ id, counter, sessionHash, nextSessionHash, now }) => sql<AuditedChange>`select ${operatorPasskeys.operator}, null,
    json_object('id', ${operatorPasskeys.id}, 'label', ${operatorPasskeys.label})
    from ${operatorPasskeys} where ${mayConfirm({ id, counter, sessionHash, nextSessionHash, now })}`,
)
const updateCounter = prepare<Use>()(({ id, counter, sessionHash, nextSessionHash, now }) =>
  build
    .update(operatorPasskeys)
    .set({ counter: sql`${counter}`, usedAt: sql`${now}` })
    .where(mayConfirm({ id, counter, sessionHash, nextSessionHash, now })),
)
/** This statement must run after the update of the counter, which shows whether the passkey may confirm the session. */
const confirmSession = prepare<Use>()(({ id, sessionHash, nextSessionHash, now }) =>
  build
    .update(operatorSessions)
    .set({ hash: sql`${nextSessionHash}`, passkey: sql`${id}` })
    .where(and(hasChanged, isLive(sessionHash, now))),
)

interface Removal {
  readonly id: string
  readonly operator: string | null
}
const isRemoved = ({ id, operator }: { readonly [Name in keyof Removal]: Param }): SQL =>
  sql`${operatorPasskeys.id} = ${id} and (${operator} is null or ${operatorPasskeys.operator} = ${operator})`
const selectRemoved = prepare<Removal>()(
  ({ id, operator }) => sql<AuditedChange>`select ${operatorPasskeys.operator},
    json_object('id', ${operatorPasskeys.id}, 'label', ${operatorPasskeys.label}), null
    from ${operatorPasskeys} where ${isRemoved({ id, operator })}`,
)
const endConfirmedSessions = prepare<Removal & { readonly sessionHash: string }>()(({ id, operator, sessionHash }) =>
  build.delete(operatorSessions).where(
    and(
      sql`${operatorSessions.passkey} = (select ${operatorPasskeys.id} from ${operatorPasskeys}
        where ${isRemoved({ id, operator })})`,
      ne(operatorSessions.hash, sessionHash),
    ),
  ),
)
const deletePasskey = prepare<Removal>()(({ id, operator }) =>
  build.delete(operatorPasskeys).where(isRemoved({ id, operator })),
)

/** Returns the methods of the auth store that manage the passkeys of operators. */
export function libsqlPasskeys(db: Database): PasskeyStore {
  return {
    async setChallenge(params) {
      const [{ changed }] = await db.write([updateChallenge(params)])
      return changed > 0
    },
    async takeChallenge({ sessionHash, purpose, now }) {
      const [{ rows }] = await db.write([takeChallenge({ sessionHash, purpose, now })])
      return rows[0]?.challenge ?? null
    },
    async listPasskeys({ operator }) {
      const rows = await db.read(selectPasskeys({ operator }))
      return rows.map(({ transports, ...row }): StoredPasskey => ({ ...row, transports: JSON.parse(transports) }))
    },
    async addPasskey({ passkey, sessionHash, limit, audit }) {
      const { id } = passkey
      const transports = JSON.stringify(passkey.transports)
      const row = { ...passkey, transports, sessionHash, limit, now: audit.at }
      const { found, added } = await writeNamed(db, {
        found: selectAddition(row),
        added: insertPasskey(row),
        confirmed: confirmByNew({ id, sessionHash }),
        recorded: recordAudit(audit, 'operator.add_passkey', selectAdded({ id })),
      })
      if (added.changed > 0) return 'added'
      const { isOwn, isKnown: exists } = firstOf(found.rows)
      return isOwn === 0 ? 'no_session' : exists === 0 ? 'too_many' : 'exists'
    },
    async usePasskey({ id, counter, sessionHash, nextSessionHash, audit }) {
      const use = { id, counter, sessionHash, nextSessionHash, now: audit.at }
      const { updated } = await writeNamed(db, {
        recorded: recordAudit(audit, 'operator.use_passkey', selectUse(use)),
        updated: updateCounter(use),
        confirmed: confirmSession(use),
      })
      return updated.changed > 0
    },
    async removePasskey({ id, operator, sessionHash, audit }) {
      const { removed } = await writeNamed(db, {
        recorded: recordAudit(audit, 'operator.remove_passkey', selectRemoved({ id, operator })),
        ended: endConfirmedSessions({ id, operator, sessionHash }),
        removed: deletePasskey({ id, operator }),
      })
      return removed.changed > 0
    },
  }
}
