import { listClauses, readList, type ListColumns } from './list.ts'
import { firstOf } from '../../lists.ts'
import { desc, eq, sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import type { ContributorStore, NewApplication } from '../../contributors/store.ts'
import type { MailText } from '../../outbox/store.ts'
import { recordAudit } from './audit.ts'
import { raiseIdentityRevision } from './blocked-terms.ts'
import { type Database, writeNamed } from './database.ts'
import { hasChanged, prepareEvent } from './events.ts'
import { selectAddress, insertOutboxEntries } from './outbox.ts'
import { build, insertSelect, ownerNum, prepare } from './statement.ts'
import { applications } from './tables/contributors.ts'
import { users } from './tables/sessions.ts'
import { applicationColumns, applicationNum } from './contributor-lists.ts'

const applicationWithUserColumns = {
  ...applicationColumns,
  userId: sql<string>`(select ${users.id} from ${users} where ${users.num} = ${sql`${applications.owner}`})`,
}

const selectLatestApplication = prepare<{ ownerId: string }>()(({ ownerId }) =>
  build
    .select(applicationColumns)
    .from(applications)
    .where(eq(applications.owner, ownerNum(ownerId)))
    .orderBy(desc(applicationNum))
    .limit(1),
)

type InsertApplicationParams = NewApplication & {
  readonly ownerId: string
  readonly submittedAt: number
  readonly reviewedAt: number | null
}

/** Inserts an application, unless the owner has a pending or approved application. */
const insertApplication = prepare<InsertApplicationParams>()((application) =>
  insertSelect(
    applications,
    {
      id: application.id,
      owner: users.num,
      companyName: application.companyName,
      incubatorBatch: application.incubatorBatch,
      website: application.website,
      directoryUrl: application.directoryUrl,
      email: application.email,
      role: application.role,
      status: application.status,
      submittedAt: application.submittedAt,
      reviewedAt: application.reviewedAt,
      reviewReason: sql`null`,
    },
    sql`from ${users} where ${users.id} = ${application.ownerId} and not exists (
      select 1 from ${applications} where ${applications.owner} = ${users.num} and ${applications.status} <> 'rejected')`,
  ),
)

/** Returns the event of an application, unless the applicant is being erased. */
const eventOfApplication = ({ id }: { readonly id: SQLWrapper }, condition: SQL) => ({
  owner: applications.owner,
  subject: users.id,
  data: sql`json_object('userId', ${users.id}, 'applicationId', ${applications.id})`,
  from: sql`from ${applications} cross join ${users} on ${users.num} = ${applications.owner} and ${users.erasedAt} is null
    where ${applications.id} = ${id} and ${condition}`,
})
const enqueueSubmitted = prepareEvent<{ id: string }>((params) => eventOfApplication(params, hasChanged))
// The id is new, so an application with this id was inserted in this transaction.
const enqueueApproved = prepareEvent<{ id: string }>((params) =>
  eventOfApplication(params, eq(applications.status, sql`'approved'`)),
)
const enqueueReviewed = prepareEvent<{ id: string }>((params) => eventOfApplication(params, hasChanged))

const selectApplication = prepare<{ id: string }>()(({ id }) =>
  build.select(applicationColumns).from(applications).where(eq(applications.id, id)),
)

interface ReviewParams {
  readonly id: string
  readonly status: 'approved' | 'rejected'
  readonly reason: string | null
  readonly now: number
  /** The status that the application must have. */
  readonly from: 'pending' | 'rejected'
}

const later = alias(applications, 'later')
/** Returns the condition that an application has the status `from` and is the applicant's latest application. */
const isReviewable = ({ id, from }: { readonly id: SQLWrapper; readonly from: SQLWrapper }): SQL =>
  sql`${applications.id} = ${id} and ${applications.status} = ${from} and not exists (
    select 1 from ${applications} ${later} where ${later.owner} = ${applications.owner}
      and ${later.num} > ${applications.num})`

const selectReviewChange = prepare<Pick<ReviewParams, 'id' | 'status' | 'from'>>()(({ id, status, from }) =>
  build
    .select({
      target: applications.id,
      stateBefore: sql<string>`json_object('status', ${applications.status})`,
      stateAfter: sql<string>`json_object('status', ${status})`,
    })
    .from(applications)
    .where(isReviewable({ id, from })),
)

/** Enqueues the mail about a review. This statement must run before the statement that stores the review. */
const enqueueReviewMail = prepare<
  MailText & Pick<ReviewParams, 'id' | 'from' | 'now'> & { mailId: string; requestId: string }
>()(({ id, from, mailId, subject, text, now, requestId }) =>
  insertOutboxEntries(
    {
      id: mailId,
      owner: applications.owner,
      channel: sql`'mail'`,
      recipient: sql`coalesce(${selectAddress(applications.owner)}, ${applications.email})`,
      subject,
      payload: text,
      createdAt: now,
      requestId,
    },
    sql`from ${applications} where ${isReviewable({ id, from })}`,
  ),
)

const reviewApplication = prepare<ReviewParams>()(({ id, status, reason, now, from }) =>
  build
    .update(applications)
    .set({ status: sql`${status}`, reviewReason: sql`${reason}`, reviewedAt: sql`${now}` })
    .where(isReviewable({ id, from }))
    .returning(applicationWithUserColumns),
)

const applicationList: ListColumns<'submittedAt' | 'companyName'> = {
  num: applicationNum,
  at: applications.submittedAt,
  sorts: { submittedAt: applicationNum, companyName: applications.companyName },
  ids: [applications.id],
  owner: applications.owner,
  text: [
    applications.id,
    applications.companyName,
    applications.incubatorBatch,
    applications.website,
    applications.directoryUrl,
    applications.email,
    applications.role,
    users.email,
  ],
}

/** This statement must run after `insertApplication`, because it looks for the inserted application. */
const raiseForApplication = prepare<{ ownerId: string; id: string }>()(({ ownerId, id }) =>
  raiseIdentityRevision(sql`${users.id} = ${ownerId} and exists (
    select 1 from ${applications} where ${applications.id} = ${id} and ${applications.owner} = ${users.num})`),
)

/** Returns the methods of the contributor store that keep applications. */
export function libsqlApplications(
  db: Database,
): Pick<ContributorStore, 'findApplication' | 'submitApplication' | 'reviewApplication' | 'listApplications'> {
  return {
    async findApplication({ ownerId }) {
      const [row] = await db.read(selectLatestApplication({ ownerId }))
      return row ?? null
    },
    async submitApplication({ ownerId, application, now, submitted, approved }) {
      const reviewedAt = application.status === 'approved' ? now : null
      const { inserted, stored } = await writeNamed(db, {
        inserted: insertApplication({ ...application, ownerId, submittedAt: now, reviewedAt }),
        submitted: enqueueSubmitted({ id: application.id, event: submitted }),
        approved: enqueueApproved({ id: application.id, event: approved }),
        revision: raiseForApplication({ ownerId, id: application.id }),
        stored: selectApplication({ id: application.id }),
      })
      return inserted.changed === 1 ? firstOf(stored.rows) : null
    },
    async reviewApplication({ id, status, reason, reconsiders, mail, audit, event }) {
      const from = reconsiders ? 'rejected' : 'pending'
      const { reviewed, known } = await writeNamed(db, {
        audit: recordAudit(audit, 'application.review', selectReviewChange({ id, status, from })),
        reviewMail: enqueueReviewMail({
          id,
          from,
          mailId: audit.id,
          requestId: audit.requestId,
          ...mail,
          now: audit.at,
        }),
        reviewed: reviewApplication({ id, status, reason, now: audit.at, from }),
        reviewedEvent: enqueueReviewed({ id, event }),
        known: selectApplication({ id }),
      })
      const [application] = reviewed.rows
      if (application) return { outcome: 'reviewed', application }
      return { outcome: known.rows.length > 0 ? 'already_reviewed' : 'unknown' }
    },
    listApplications({ status, ...params }) {
      const { place, where, order, limit } = listClauses(
        applicationList,
        params,
        status && eq(applications.status, status),
      )
      const query = build
        .select({ ...place, ...applicationWithUserColumns })
        .from(applications)
        .leftJoin(users, eq(users.num, applications.owner))
        .where(where)
        .orderBy(...order)
        .limit(limit)
      return readList(db, applicationList, params, query, (application) => application)
    },
  }
}
