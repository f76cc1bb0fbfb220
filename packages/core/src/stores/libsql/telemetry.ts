import { asc, eq, getTableColumns, inArray, isNotNull, isNull, lt, sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import { lastOf } from '../../lists.ts'
import type { NewFeedback, NewTelemetry, TelemetryStore } from '../../telemetry/store.ts'
import { recordAudit, type AuditedChange } from './audit.ts'
import { jsonArgument, writeNamed, type Database, type Query } from './database.ts'
import { deleteOwnersEntries, prepareEnqueue } from './outbox.ts'
import { deleteSome, writeOnce } from './bounded-writes.ts'
import { listClauses, readList, type ListColumns } from './list.ts'
import { build, insertSelect, jsonValues, ownerNum, prepare } from './statement.ts'
import { users } from './tables/sessions.ts'
import { cliFeedback, telemetry } from './tables/telemetry.ts'

const { num: _, owner: reportOwner, ...reportColumns } = getTableColumns(telemetry)
const { num: feedbackNum, owner: feedbackOwner, handledAt, ...feedbackColumns } = getTableColumns(cliFeedback)

const insertReport = prepare<NewTelemetry & { ownerId: string }>()((report) =>
  insertSelect(
    telemetry,
    {
      owner: users.num,
      id: report.id,
      deviceId: report.deviceId,
      cliVersion: report.cliVersion,
      platform: report.platform,
      arch: report.arch,
      command: report.command,
      sentAt: report.sentAt,
      diagnostics: report.diagnostics,
      events: report.events,
      receivedAt: report.receivedAt,
    },
    sql`from ${users} where ${users.id} = ${report.ownerId}`,
  ),
)

const insertFeedback = prepare<NewFeedback & { ownerId: string }>()((feedback) =>
  insertSelect(
    cliFeedback,
    {
      owner: users.num,
      id: feedback.id,
      message: feedback.message,
      email: feedback.email,
      cliVersion: feedback.cliVersion,
      platform: feedback.platform,
      arch: feedback.arch,
      deviceId: feedback.deviceId,
      command: feedback.command,
      receivedAt: feedback.receivedAt,
      handledAt: sql`null`,
    },
    sql`from ${users} where ${users.id} = ${feedback.ownerId} on conflict (id) do nothing`,
  ),
)

const selectReports = prepare<{ ids: string }>()(({ ids }) =>
  build
    .select(reportColumns)
    .from(telemetry)
    .where(inArray(telemetry.id, jsonValues(ids)))
    .orderBy(asc(telemetry.id)),
)

const selectReportsOfOwner = prepare<{ ownerId: string }>()(({ ownerId }) =>
  build
    .select(reportColumns)
    .from(telemetry)
    .where(eq(reportOwner, ownerNum(ownerId)))
    .orderBy(asc(telemetry.num)),
)

const feedbackList: ListColumns<'receivedAt'> = {
  num: feedbackNum,
  at: cliFeedback.receivedAt,
  sorts: { receivedAt: feedbackNum },
  ids: [cliFeedback.id],
  owner: feedbackOwner,
  addresses: [cliFeedback.email],
  text: [
    cliFeedback.id,
    cliFeedback.message,
    cliFeedback.email,
    cliFeedback.command,
    cliFeedback.cliVersion,
    cliFeedback.platform,
    users.email,
  ],
}
const listedFeedback = { userId: sql<string>`coalesce(${users.id}, '')`, ...feedbackColumns, handledAt }

const selectFeedback = prepare<{ id: string }>()(({ id }) =>
  build
    .select(listedFeedback)
    .from(cliFeedback)
    .leftJoin(users, eq(users.num, feedbackOwner))
    .where(eq(cliFeedback.id, id)),
)
interface HandleArgs {
  readonly id: string
  /** 1 to mark the message as handled, 0 to open it again. */
  readonly handled: number
}
const changesHandled = ({ id, handled }: { readonly [Name in keyof HandleArgs]: SQLWrapper }): SQL =>
  sql`${cliFeedback.id} = ${id} and (${handledAt} is not null) <> (${handled} = 1)`
const selectHandled = prepare<HandleArgs & { before: string; after: string }>()(
  ({ id, handled, before, after }) =>
    sql<AuditedChange>`select ${cliFeedback.id}, ${before}, ${after} from ${cliFeedback} where ${changesHandled({ id, handled })}`,
)
const setHandled = prepare<HandleArgs & { now: number }>()(({ id, handled, now }) =>
  build
    .update(cliFeedback)
    .set({ handledAt: sql`iif(${handled} = 1, ${now}, null)` })
    .where(changesHandled({ id, handled })),
)

const selectFeedbackOfOwner = prepare<{ ownerId: string }>()(({ ownerId }) =>
  build
    .select(feedbackColumns)
    .from(cliFeedback)
    .where(eq(feedbackOwner, ownerNum(ownerId)))
    .orderBy(asc(feedbackNum)),
)

const selectReportExists = prepare<{ id: string }>()(({ id }) =>
  build.select({ num: telemetry.num }).from(telemetry).where(eq(telemetry.id, id)),
)
const selectFeedbackExists = prepare<{ id: string }>()(({ id }) =>
  build.select({ num: feedbackNum }).from(cliFeedback).where(eq(cliFeedback.id, id)),
)

const deleteReportsBefore = prepare<{ before: number }>()(({ before }) =>
  deleteSome(telemetry, lt(telemetry.receivedAt, before)),
)
const deleteFeedbackBefore = prepare<{ before: number }>()(({ before }) =>
  deleteSome(cliFeedback, lt(cliFeedback.receivedAt, before)),
)
const deleteReportsOfOwner = prepare<{ ownerId: string }>()(({ ownerId }) =>
  deleteSome(telemetry, eq(reportOwner, ownerNum(ownerId))),
)
const deleteFeedbackOfOwner = prepare<{ ownerId: string }>()(({ ownerId }) =>
  deleteSome(cliFeedback, eq(feedbackOwner, ownerNum(ownerId))),
)

const enqueueReport = prepareEnqueue<{ reportId: string }>(
  ({ reportId }) => sql`exists (select 1 from ${telemetry} where ${telemetry.id} = ${reportId})`,
)
const enqueueFeedback = prepareEnqueue<{ feedbackId: string }>(
  ({ feedbackId }) => sql`exists (select 1 from ${cliFeedback} where ${cliFeedback.id} = ${feedbackId})`,
)

/** Returns the telemetry store over libSQL. `telemetry/store.ts` describes the guarantees. */
export function libsqlTelemetry(db: Database): TelemetryStore {
  /** Runs statements. The last statement selects the inserted row. Returns whether the row exists. */
  async function insert(...queries: Query[]): Promise<boolean> {
    return lastOf(await db.write(queries, { locks: [] })).rows.length === 1
  }

  return {
    recordReport({ ownerId, report, forward }) {
      const { id } = report
      const entries = forward ? [enqueueReport({ ...forward, ownerId, reportId: id })] : []
      return insert(insertReport({ ...report, ownerId }), ...entries, selectReportExists({ id }))
    },
    findReports: ({ ids }) => db.read(selectReports({ ids: jsonArgument(ids) })),
    deleteReports: (params) => writeOnce(db, [deleteReportsBefore(params)]),

    recordFeedback({ ownerId, feedback, mail }) {
      const { id } = feedback
      const entries = mail ? [enqueueFeedback({ ...mail, ownerId, feedbackId: id })] : []
      return insert(insertFeedback({ ...feedback, ownerId }), ...entries, selectFeedbackExists({ id }))
    },
    deleteFeedback: (params) => writeOnce(db, [deleteFeedbackBefore(params)]),
    listFeedback({ handled, ...params }) {
      const isHandled = handled === undefined ? undefined : handled ? isNotNull(handledAt) : isNull(handledAt)
      const { place, where, order, limit } = listClauses(feedbackList, params, isHandled)
      const query = build
        .select({ ...place, ...listedFeedback })
        .from(cliFeedback)
        .leftJoin(users, eq(users.num, feedbackOwner))
        .where(where)
        .orderBy(...order)
        .limit(limit)
      return readList(db, feedbackList, params, query, (feedback) => feedback)
    },
    async handleFeedback({ id, handled, audit }) {
      const change = { id, handled: Number(handled) }
      const states = { before: JSON.stringify({ handled: !handled }), after: JSON.stringify({ handled }) }
      const { found } = await writeNamed(db, {
        audit: recordAudit(audit, 'feedback.handle', selectHandled({ ...change, ...states })),
        set: setHandled({ ...change, now: audit.at }),
        found: selectFeedback({ id }),
      })
      return found.rows[0] ?? null
    },

    async export({ ownerId }) {
      const [reports, feedback] = await db.readAll([
        selectReportsOfOwner({ ownerId }),
        selectFeedbackOfOwner({ ownerId }),
      ])
      return { reports, feedback }
    },
    erase: ({ ownerId }) =>
      writeOnce(db, [
        deleteReportsOfOwner({ ownerId }),
        deleteFeedbackOfOwner({ ownerId }),
        deleteOwnersEntries({ ownerId }),
      ]),
  }
}
