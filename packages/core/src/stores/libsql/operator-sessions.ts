import { and, eq, gt, inArray, lte, sql } from 'drizzle-orm'
import type { AuthStore } from '../../auth/store.ts'
import { recordAudit } from './audit.ts'
import { deleteSome } from './bounded-writes.ts'
import { jsonArgument, type Database } from './database.ts'
import { build, jsonValues, parenthesize, prepare } from './statement.ts'
import { operatorPasskeys, operatorSessions } from './tables/sessions.ts'

const insertOperatorSession = prepare<{ hash: string; operator: string; createdAt: number; expiresAt: number }>()(
  ({ hash, operator, createdAt, expiresAt }) =>
    build.insert(operatorSessions).values({ hash, operator, createdAt, expiresAt }),
)

const deleteExpiredOperatorSessions = prepare<{ now: number }>()(({ now }) =>
  deleteSome(operatorSessions, lte(operatorSessions.expiresAt, now)),
)

const selectOperatorSession = prepare<{ hashes: string; now: number }>()(({ hashes, now }) =>
  build
    .select({
      hash: operatorSessions.hash,
      operator: operatorSessions.operator,
      startedAt: operatorSessions.createdAt,
      needsPasskey: parenthesize<number>(sql`select ${operatorSessions.passkey} is null and exists (
        select 1 from ${operatorPasskeys} where ${operatorPasskeys.operator} = ${operatorSessions.operator})`),
    })
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

/** Returns the methods of the auth store that manage the sessions of operators. */
export function libsqlOperatorSessions(
  db: Database,
): Pick<AuthStore, 'startOperatorSession' | 'findOperatorSession' | 'endOperatorSession'> {
  return {
    async startOperatorSession({ hash, expiresAt, audit }) {
      await db.write([
        deleteExpiredOperatorSessions({ now: audit.at }),
        insertOperatorSession({ hash, operator: audit.actor, createdAt: audit.at, expiresAt }),
        recordAudit(audit, 'operator.sign_in', selectOperatorOfSession({ hash })),
      ])
    },
    async findOperatorSession({ hashes, now }) {
      const [row] = await db.read(selectOperatorSession({ hashes: jsonArgument(hashes), now }))
      return row ? { ...row, needsPasskey: row.needsPasskey === 1 } : null
    },
    async endOperatorSession({ hash, audit }) {
      await db.write([
        recordAudit(audit, 'operator.sign_out', selectOperatorOfSession({ hash })),
        deleteOperatorSession({ hash }),
      ])
    },
  }
}
