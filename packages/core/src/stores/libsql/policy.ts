import { listClauses, readList, type ListColumns } from './list.ts'
import { lastOf } from '../../lists.ts'
import { and, asc, eq, inArray, isNotNull, isNull, ne, sql, type SQLWrapper } from 'drizzle-orm'
import {
  initialStanding,
  type AcceptTermsParams,
  type JoinWaitlistParams,
  type WaitlistCount,
  type PolicyExport,
  type PolicyStore,
  type Standing,
} from '../../contributors/policy/store.ts'
import { recordAudit } from './audit.ts'
import { deleteSome, writeOnce } from './bounded-writes.ts'
import { jsonArgument, type Database, type Query, writeNamed } from './database.ts'
import { prepareEvent } from './events.ts'
import { insertOutboxEntries } from './outbox.ts'
import { build, insertSelect, ownerNum, prepare } from './statement.ts'
import { applications, choices, profiles, standings, waitlist } from './tables/contributors.ts'
import { users } from './tables/sessions.ts'

const selectStanding = prepare<{ ownerId: string }>()(({ ownerId }) =>
  build
    .select({
      termsVersion: standings.termsVersion,
      termsAt: standings.termsAt,
      residency: standings.residency,
      paused: standings.paused,
      operatorPaused: standings.operatorPaused,
      status: sql<Standing['status'] | null>`(select ${applications.status} from ${applications}
        where ${applications.owner} = ${users.num} order by ${applications.num} desc limit 1)`,
      contactAt: sql<
        number | null
      >`(select ${profiles.contactAt} from ${profiles} where ${profiles.owner} = ${users.num})`,
    })
    .from(users)
    .leftJoin(standings, eq(standings.owner, users.num))
    .where(eq(users.id, ownerId)),
)

interface TermsArgs extends Omit<AcceptTermsParams, 'residencyConfirmed'> {
  readonly residency: number
}

/** Records accepted terms that differ from the stored terms. This statement must run before `upsertTerms`. */
const insertTermsChoice = prepare<TermsArgs & { fact: string }>()((params) =>
  insertSelect(
    choices,
    { owner: users.num, at: params.now, kind: sql`'terms'`, fact: params.fact },
    sql`from ${users} left join ${standings} on ${standings.owner} = ${users.num} where ${users.id} = ${params.ownerId}
      and (${standings.termsVersion} is not ${params.termsVersion} or ${standings.residency} is not ${params.residency})`,
  ),
)

const upsertTerms = prepare<TermsArgs>()(({ ownerId, termsVersion, residency, now }) =>
  insertSelect(
    standings,
    {
      owner: users.num,
      termsVersion,
      termsAt: now,
      residency,
      paused: sql`0`,
      operatorPaused: sql`0`,
      copiesDay: sql`null`,
    },
    sql`from ${users} where ${users.id} = ${ownerId} on conflict (owner) do update set
      terms_at = iif(${standings.termsVersion} is excluded.terms_version, ${standings.termsAt}, excluded.terms_at),
      terms_version = excluded.terms_version, residency = excluded.residency`,
  ),
)

interface PauseArgs {
  readonly ownerId: string
  readonly paused: number
}

/** Records a pause that differs from the stored pause. This statement must run before `upsertPause`. */
const insertPauseChoice = prepare<PauseArgs & { fact: string; now: number }>()(({ ownerId, paused, fact, now }) =>
  insertSelect(
    choices,
    { owner: users.num, at: now, kind: sql`'pause'`, fact },
    sql`from ${users} left join ${standings} on ${standings.owner} = ${users.num}
      where ${users.id} = ${ownerId} and coalesce(${standings.paused}, 0) <> ${paused}`,
  ),
)

/** This statement must run before `upsertPause`, because it reads the row that `upsertPause` changes. */
const enqueuePaused = prepareEvent<{ ownerId: string }>(({ ownerId }) => ({
  owner: users.num,
  subject: users.id,
  data: sql`json_object('userId', ${users.id}, 'by', 'contributor')`,
  from: sql`from ${users} left join ${standings} on ${standings.owner} = ${users.num}
    where ${users.id} = ${ownerId} and coalesce(${standings.paused}, 0) = 0`,
}))

const upsertPause = prepare<PauseArgs>()(({ ownerId, paused }) =>
  insertSelect(
    standings,
    {
      owner: users.num,
      termsVersion: sql`null`,
      termsAt: sql`null`,
      residency: sql`0`,
      paused,
      operatorPaused: sql`0`,
      copiesDay: sql`null`,
    },
    sql`from ${users} where ${users.id} = ${ownerId} on conflict (owner) do update set paused = excluded.paused`,
  ),
)

const upsertWaitlistEntry = prepare<JoinWaitlistParams>()(({ ownerId, email, country, now }) =>
  insertSelect(
    waitlist,
    { owner: users.num, email, country, at: now, notifiedAt: sql`null` },
    sql`from ${users} where ${users.id} = ${ownerId} on conflict (owner) do update set
      notified_at = iif(${waitlist.email} = excluded.email and ${waitlist.country} is excluded.country
        and excluded.at < ${waitlist.notifiedAt} + 86400000, ${waitlist.notifiedAt}, null),
      email = excluded.email, country = excluded.country, at = excluded.at`,
  ),
)

const waitlistColumns = {
  email: waitlist.email,
  country: waitlist.country,
  joinedAt: waitlist.at,
  notifiedAt: waitlist.notifiedAt,
}

const waitlistList: ListColumns<'joinedAt'> = {
  num: waitlist.owner,
  at: waitlist.at,
  sorts: { joinedAt: waitlist.at },
  ids: [],
  owner: waitlist.owner,
  addresses: [waitlist.email],
  text: [users.id, users.email, waitlist.email],
}

const selectWaitlistCounts = prepare()(
  () => sql<WaitlistCount>`select ${waitlist.country} as "country", count(*) as "waiting" from ${waitlist}
    where ${waitlist.notifiedAt} is null group by ${waitlist.country}
    order by count(*) desc, coalesce(${waitlist.country}, '')`,
)

const selectWaitlistEntry = prepare<{ ownerId: string }>()(({ ownerId }) =>
  build
    .select(waitlistColumns)
    .from(waitlist)
    .where(eq(waitlist.owner, ownerNum(ownerId))),
)

/**
 * Selects the users in a JSON list of mails who wait for a country and have not been notified. `cross join` fixes the
 * order of the joins.
 */
const isUnnotified = ({ mails, country }: { readonly mails: SQLWrapper; readonly country: SQLWrapper }) =>
  sql`from json_each(${mails}) mail cross join ${users} on ${users.id} = mail.value->>'userId'
    cross join ${waitlist} on ${waitlist.owner} = ${users.num} and ${waitlist.country} = ${country}
      and ${waitlist.notifiedAt} is null where true`

interface NotifyArgs {
  readonly mails: string
  readonly country: string
  readonly now: number
}

const selectNotifyChange = prepare<Omit<NotifyArgs, 'now'>>()(
  ({ mails, country }) => sql<{ target: string; stateBefore: null; stateAfter: string }>`
    select ${country}, null, json_object('notified', notified) from (select count(*) as notified ${isUnnotified({ mails, country })})
    where notified > 0`,
)

const enqueueMails = prepare<NotifyArgs & { subject: string; text: string; requestId: string }>()(
  ({ mails, country, subject, text, now, requestId }) =>
    insertOutboxEntries(
      {
        id: sql`mail.value->>'id'`,
        owner: waitlist.owner,
        channel: sql`'mail'`,
        recipient: waitlist.email,
        subject,
        payload: text,
        createdAt: now,
        requestId,
      },
      isUnnotified({ mails, country }),
    ),
)

const markNotified = prepare<NotifyArgs>()(({ mails, country, now }) =>
  build
    .update(waitlist)
    .set({ notifiedAt: sql`${now}` })
    .where(
      and(
        eq(waitlist.country, country),
        sql`${waitlist.notifiedAt} is null`,
        inArray(
          waitlist.owner,
          sql`(select ${users.num} from json_each(${mails}) mail cross join ${users} on ${users.id} = mail.value->>'userId')`,
        ),
      ),
    ),
)

const selectPolicyChoices = prepare<{ ownerId: string }>()(({ ownerId }) =>
  build
    .select({ at: choices.at, kind: choices.kind, fact: choices.fact })
    .from(choices)
    .where(and(eq(choices.owner, ownerNum(ownerId)), ne(choices.kind, 'consent')))
    .orderBy(asc(choices.num)),
)

const deletePolicyChoices = prepare<{ ownerId: string }>()(({ ownerId }) =>
  deleteSome(choices, and(eq(choices.owner, ownerNum(ownerId)), ne(choices.kind, 'consent'))),
)
const selectRemovedEntry = prepare<{ ownerId: string }>()(
  ({ ownerId }) => sql<{ target: string; stateBefore: string; stateAfter: null }>`
    select ${ownerId}, json_object('country', ${waitlist.country}), null from ${waitlist}
    where ${waitlist.owner} = ${ownerNum(ownerId)}`,
)
const deleteWaitlistEntry = prepare<{ ownerId: string }>()(({ ownerId }) =>
  build.delete(waitlist).where(eq(waitlist.owner, ownerNum(ownerId))),
)
const deleteStanding = prepare<{ ownerId: string }>()(({ ownerId }) =>
  build.delete(standings).where(eq(standings.owner, ownerNum(ownerId))),
)

interface StandingRow extends Pick<Standing, 'termsVersion'> {
  readonly termsAt: number | null
  readonly residency: number | null
  readonly paused: number | null
  readonly operatorPaused: number | null
  readonly status: Standing['status'] | null
  readonly contactAt: number | null
}

const toStanding = (row: StandingRow): Standing => ({
  termsVersion: row.termsVersion,
  termsAcceptedAt: row.termsAt,
  residencyConfirmed: row.residency === 1,
  paused: row.paused === 1,
  operatorPaused: row.operatorPaused === 1,
  status: row.status ?? 'not_applied',
  contactCompleted: row.contactAt !== null,
})

/** Selects the acceptances of terms from a user's choices. */
const listTerms = (
  choices: readonly { readonly kind: string; readonly at: number; readonly fact: string }[],
): PolicyExport['terms'] =>
  choices.filter(({ kind }) => kind === 'terms').map(({ at, fact }) => ({ ...JSON.parse(fact), acceptedAt: at }))

/** Returns the policy store over libSQL. `policy/store.ts` describes the guarantees. */
export function libsqlPolicy(db: Database): PolicyStore {
  /** Writes a recorded choice and its effects, and reads the standing in the same transaction. */
  async function change(ownerId: string, ...queries: readonly Query[]): Promise<Standing | null> {
    const results = await db.write<StandingRow>([...queries, selectStanding({ ownerId })])
    const [standing] = lastOf(results).rows
    return standing ? toStanding(standing) : null
  }

  return {
    async getStanding({ ownerId }) {
      const [row] = await db.read(selectStanding({ ownerId }))
      return row ? toStanding(row) : initialStanding
    },
    acceptTerms({ ownerId, termsVersion, residencyConfirmed, now }) {
      const args = { ownerId, termsVersion, residency: Number(residencyConfirmed), now }
      const fact = jsonArgument({ termsVersion, residencyConfirmed })
      return change(ownerId, insertTermsChoice({ ...args, fact }), upsertTerms(args))
    },
    setPause({ ownerId, paused, now, event }) {
      const args = { ownerId, paused: Number(paused) }
      return change(
        ownerId,
        insertPauseChoice({ ...args, fact: jsonArgument({ paused }), now }),
        enqueuePaused({ ownerId, event: paused ? event : undefined }),
        upsertPause(args),
      )
    },
    async joinWaitlist(params) {
      const [joined] = await db.write([upsertWaitlistEntry(params)])
      return joined.changed === 1
    },
    async leaveWaitlist({ ownerId }) {
      await db.write([deleteWaitlistEntry({ ownerId })])
    },
    async findWaitlistEntry(params) {
      const [entry] = await db.read(selectWaitlistEntry(params))
      return entry ?? null
    },
    async listAcceptedTerms(params) {
      return listTerms(await db.read(selectPolicyChoices(params)))
    },
    listWaitlist({ country, notified, ...params }) {
      const { place, where, order, limit } = listClauses(
        waitlistList,
        params,
        country === undefined ? undefined : eq(waitlist.country, country),
        notified === undefined ? undefined : notified ? isNotNull(waitlist.notifiedAt) : isNull(waitlist.notifiedAt),
      )
      const query = build
        .select({ ...place, userId: users.id, ...waitlistColumns })
        .from(waitlist)
        .innerJoin(users, eq(users.num, waitlist.owner))
        .where(where)
        .orderBy(...order)
        .limit(limit)
      return readList(db, waitlistList, params, query, (entry) => entry)
    },
    countWaitlist: () => db.read(selectWaitlistCounts({})),
    async removeFromWaitlist({ ownerId, audit }) {
      const [, removed] = await db.write([
        recordAudit(audit, 'waitlist.remove', selectRemovedEntry({ ownerId })),
        deleteWaitlistEntry({ ownerId }),
      ])
      return removed.changed > 0
    },
    async notifyWaitlist({ country, mails, subject, text, audit }) {
      const args = { mails: jsonArgument(mails), country, now: audit.at }
      const { marked } = await writeNamed(db, {
        audit: recordAudit(audit, 'waitlist.notify', selectNotifyChange(args)),
        mails: enqueueMails({ ...args, subject, text, requestId: audit.requestId }),
        marked: markNotified(args),
      })
      return marked.changed
    },
    async export({ ownerId }) {
      const [[entry], recorded] = await db.readAll([selectWaitlistEntry({ ownerId }), selectPolicyChoices({ ownerId })])
      return {
        terms: listTerms(recorded),
        pauses: recorded
          .filter(({ kind }) => kind !== 'terms')
          .map(({ at, kind, fact }) => ({
            by: kind === 'pause' ? 'contributor' : 'operator',
            ...JSON.parse(fact),
            changedAt: at,
          })),
        waitlist: entry ?? null,
      }
    },
    erase: ({ ownerId }) =>
      writeOnce(db, [deletePolicyChoices({ ownerId }), deleteWaitlistEntry({ ownerId }), deleteStanding({ ownerId })]),
  }
}
