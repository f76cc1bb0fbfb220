import { and, eq, sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import { firstOf } from '../../lists.ts'
import type { LedgerStore, RecordCorrectionResult, RecordPayoutResult } from '../../ledger/store.ts'
import type { MailText } from '../../outbox/store.ts'
import { recordAudit, type AuditedChange } from './audit.ts'
import { type Database, writeNamed } from './database.ts'
import { selectAddress, insertOutboxEntries } from './outbox.ts'
import { build, insertSelect, ownerNum, prepare } from './statement.ts'
import { ledger } from './tables/ledger.ts'
import { users } from './tables/sessions.ts'
import { closeRequest, isApproved, payableBalance } from './payout-requests.ts'
import { entryColumns, noEntry, selectBalance } from './ledger-entries.ts'

interface PayoutArgs {
  readonly id: string
  readonly userId: string
  readonly micros: number
  readonly reference: string
  readonly now: number
}
type Placeholders<Args> = { readonly [Name in keyof Args]: SQLWrapper }
const isPerson = (userId: SQLWrapper): SQL => sql`${users.id} = ${userId} and ${users.erasedAt} is null`
/** Returns the condition under which a payout is recorded, for statements before the insert. */
const isPayable = ({ userId, micros, reference, now }: Placeholders<Omit<PayoutArgs, 'id'>>): SQL =>
  sql`${isPerson(userId)} and ${isApproved}
    and not exists (select 1 from ${ledger} where ${ledger.kind} = 'payout' and ${ledger.reference} = ${reference})
    and ${micros} <= ${payableBalance(now)}`

const selectPayoutAudit = prepare<PayoutArgs>()(
  (params) =>
    sql<AuditedChange>`select ${users.id}, null, json_object('id', ${params.id}, 'usd', ${params.micros} / 1e6,
      'reference', ${params.reference})
      from ${users} where ${isPayable(params)}`,
)
const enqueuePayoutMail = prepare<PayoutArgs & MailText & { requestId: string }>()((params) =>
  insertOutboxEntries(
    {
      id: params.id,
      owner: users.num,
      channel: sql`'mail'`,
      recipient: selectAddress(users.num),
      subject: params.subject,
      payload: params.text,
      createdAt: params.now,
      requestId: params.requestId,
    },
    sql`from ${users} where ${isPayable(params)} and ${selectAddress(users.num)} is not null`,
  ),
)
const insertPayout = prepare<PayoutArgs>()((params) =>
  insertSelect(
    ledger,
    {
      ...noEntry,
      id: params.id,
      owner: users.num,
      kind: sql`'payout'`,
      reference: params.reference,
      micros: sql`-${params.micros}`,
      at: params.now,
      availableAt: params.now,
    },
    sql`from ${users} where ${isPayable(params)}`,
  ),
)
const selectEntry = prepare<{ userId: string; kind: 'payout' | 'correction'; reference: string }>()(
  ({ userId, kind, reference }) =>
    build
      .select({ ...entryColumns, isOfPerson: sql<number | null>`${ledger.owner} = ${ownerNum(userId)}` })
      .from(ledger)
      .where(and(eq(ledger.kind, kind), eq(ledger.reference, reference))),
)
const selectPerson = prepare<{ userId: string }>()(({ userId }) =>
  build
    .select({ isApproved: sql<number>`${isApproved}` })
    .from(users)
    .where(isPerson(userId)),
)

interface CorrectionArgs {
  readonly id: string
  readonly userId: string
  readonly micros: number
  readonly reason: string
  readonly reference: string
  readonly now: number
}
const isNewCorrection = (reference: SQLWrapper): SQL =>
  sql`not exists (select 1 from ${ledger} where ${ledger.kind} = 'correction' and ${ledger.reference} = ${reference})`
const selectCorrectionChange = prepare<CorrectionArgs>()(
  ({ id, userId, micros, reference }) =>
    sql<AuditedChange>`select ${users.id}, null, json_object('id', ${id}, 'usd', ${micros} / 1e6)
      from ${users} where ${isPerson(userId)} and ${isNewCorrection(reference)}`,
)
const insertCorrection = prepare<CorrectionArgs>()(({ id, userId, micros, reason, reference, now }) =>
  insertSelect(
    ledger,
    {
      ...noEntry,
      id,
      owner: users.num,
      kind: sql`'correction'`,
      reference,
      micros,
      at: now,
      availableAt: now,
      reason,
    },
    sql`from ${users} where ${isPerson(userId)} and ${isNewCorrection(reference)}`,
  ),
)

/** Returns the methods of the ledger store that record payouts and corrections. */
export function libsqlLedgerChanges(db: Database): Pick<LedgerStore, 'recordPayout' | 'recordCorrection'> {
  return {
    async recordPayout({ id, userId, micros, reference, mail, audit }): Promise<RecordPayoutResult> {
      const params = { id, userId, micros, reference, now: audit.at }
      const { found, balances, people } = await writeNamed(db, {
        audit: recordAudit(audit, 'payout.record', selectPayoutAudit(params)),
        payoutMail: enqueuePayoutMail({ ...params, ...mail, requestId: audit.requestId }),
        payout: insertPayout(params),
        request: closeRequest(params),
        found: selectEntry({ userId, kind: 'payout', reference }),
        balances: selectBalance({ ownerId: userId, now: audit.at }),
        people: selectPerson({ userId }),
      })
      if (people.rows.length === 0) return { outcome: 'unknown' }
      if (found.rows.length === 0)
        return { outcome: firstOf(people.rows).isApproved === 1 ? 'insufficient_balance' : 'contributor_not_approved' }
      const { isOfPerson, ...entry } = firstOf(found.rows)
      if (isOfPerson !== 1 || entry.micros !== -micros) return { outcome: 'reference_used' }
      return { outcome: 'recorded', entry, balance: firstOf(balances.rows) }
    },
    async recordCorrection({ id, userId, micros, reason, reference: given, audit }): Promise<RecordCorrectionResult> {
      // Without a reference, the id is the reference.
      const reference = given ?? id
      const params = { id, userId, micros, reason, reference, now: audit.at }
      const { found, balances, people } = await writeNamed(db, {
        audit: recordAudit(audit, 'correction.record', selectCorrectionChange(params)),
        correction: insertCorrection(params),
        found: selectEntry({ userId, kind: 'correction', reference }),
        balances: selectBalance({ ownerId: userId, now: audit.at }),
        people: selectPerson({ userId }),
      })
      if (people.rows.length === 0) return { outcome: 'unknown' }
      const { isOfPerson, ...entry } = firstOf(found.rows)
      if (isOfPerson !== 1 || entry.micros !== micros) return { outcome: 'reference_used' }
      return { outcome: 'recorded', entry, balance: firstOf(balances.rows) }
    },
  }
}
