import { asc, desc, eq, getTableColumns, inArray, lt, sql } from 'drizzle-orm'
import type { NewFeedback, NewTelemetry, TelemetryStore } from '../../telemetry/store.ts'
import { jsonArgument, type Database, type Query } from './database.ts'
import { deleteOutboxOf, prepareEnqueue } from './outbox.ts'
import { deleteSome, writeOnce } from './bounded-writes.ts'
import { build, insertSelect, jsonValues, ownerNum, prepare } from './statement.ts'
import { users } from './tables/sessions.ts'
import { cliFeedback, telemetry } from './tables/telemetry.ts'

const { num: _, owner: reportOwner, ...reportColumns } = getTableColumns(telemetry)
const { num: feedbackNum, owner: feedbackOwner, ...feedbackColumns } = getTableColumns(cliFeedback)

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

const selectFeedbackPage = prepare<{ before: number; limit: number }>()(({ before, limit }) =>
  build
    .select({ num: feedbackNum, userId: sql<string>`coalesce(${users.id}, '')`, ...feedbackColumns })
    .from(cliFeedback)
    .leftJoin(users, eq(users.num, feedbackOwner))
    .where(lt(feedbackNum, before))
    .orderBy(desc(feedbackNum))
    .limit(limit),
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

/** Returns the telemetry store over libSQL; `telemetry/store.ts` says what it guarantees. */
export function libsqlTelemetry(db: Database): TelemetryStore {
  /** Runs statements of which the last selects the inserted row. Returns whether it exists. */
  async function insert(...queries: Query[]): Promise<boolean> {
    return (await db.write(queries, { locks: [] })).at(-1)!.rows.length === 1
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
    async listFeedback({ cursor, limit }) {
      const rows = await db.read(selectFeedbackPage({ before: cursor ?? Number.MAX_SAFE_INTEGER, limit: limit + 1 }))
      const page = rows.slice(0, limit)
      return {
        items: page.map(({ num, ...feedback }) => feedback),
        next: rows.length > limit ? page.at(-1)!.num : null,
      }
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
        deleteOutboxOf({ ownerId }),
      ]),
  }
}
