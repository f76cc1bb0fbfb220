import type { Entry } from '../../outbox/store.ts'
import type { KeptFeedback, NewFeedback, NewTelemetry, TelemetryStore } from '../../telemetry/store.ts'
import { jsonArgument, raw, type Database, type Raw } from './database.ts'
import { enqueue, unqueue } from './outbox.ts'
import { deleteSome, sweepOnce, sweepRows } from './slices.ts'

const owner = '(select num from users where id = ?)'
const client = 'cli_version as cliVersion, platform, arch, command'
const report = `id, device_id as deviceId, ${client}, sent_at as sentAt, diagnostics, events, received_at as receivedAt`
const message = `id, message, email, ${client}, device_id as deviceId, received_at as receivedAt`

interface ReportRow extends Omit<NewTelemetry, 'diagnostics' | 'events'> {
  diagnostics: string
  events: string
}

const reportOf = ({
  id,
  deviceId,
  cliVersion,
  platform,
  arch,
  command,
  sentAt,
  diagnostics,
  events,
  receivedAt,
}: ReportRow): NewTelemetry => ({
  id,
  deviceId,
  cliVersion,
  platform,
  arch,
  command,
  sentAt,
  diagnostics: JSON.parse(diagnostics),
  events: JSON.parse(events),
  receivedAt,
})

const feedbackOf = ({
  id,
  message: said,
  email,
  cliVersion,
  platform,
  arch,
  command,
  deviceId,
  receivedAt,
}: NewFeedback): NewFeedback => ({
  id,
  message: said,
  email,
  cliVersion,
  platform,
  arch,
  command,
  deviceId,
  receivedAt,
})

/** The telemetry store over libSQL; its laws are in `telemetry/store.ts`. */
export function libsqlTelemetry(db: Database): TelemetryStore {
  /** The change and what must go out for it, in one transaction: the entry only if the row is there. False when it is not. */
  async function keep(change: Raw, ownerId: string, table: string, id: string, entry: Entry | null): Promise<boolean> {
    const told = entry
      ? [enqueue(entry, { owner: ownerId, when: `exists (select 1 from ${table} where id = ?)`, args: [id] })]
      : []
    const done = await db.write([change, ...told, raw(`select 1 from ${table} where id = ?`, [id])])
    return done.at(-1)!.rows.length === 1
  }

  return {
    record(
      ownerId,
      { id, deviceId, cliVersion, platform, arch, command, sentAt, diagnostics, events, receivedAt },
      forward,
    ) {
      const change = raw(
        `insert into telemetry (owner, id, device_id, cli_version, platform, arch, command, sent_at, diagnostics, events, received_at)
          select num, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? from users where id = ?`,
        [
          id,
          deviceId,
          cliVersion,
          platform,
          arch,
          command,
          sentAt,
          jsonArgument(diagnostics),
          jsonArgument(events),
          receivedAt,
          ownerId,
        ],
      )
      return keep(change, ownerId, 'telemetry', id, forward)
    },
    async reports(ids) {
      return (
        await db.read<ReportRow>(
          raw(`select ${report} from telemetry where id in (select value from json_each(?)) order by id`, [
            jsonArgument(ids),
          ]),
        )
      ).map(reportOf)
    },
    async forget(before) {
      const [gone] = await db.write([raw(deleteSome('telemetry', 'num', 'received_at < ?'), [before])])
      return gone!.changed === sweepRows
    },

    keepFeedback(
      ownerId,
      { id, message: said, email, cliVersion, platform, arch, deviceId, command, receivedAt },
      mail,
    ) {
      const change = raw(
        `insert into cli_feedback (owner, id, message, email, cli_version, platform, arch, device_id, command, received_at)
          select num, ?, ?, ?, ?, ?, ?, ?, ?, ? from users where id = ? on conflict (id) do nothing`,
        [id, said, email, cliVersion, platform, arch, deviceId, command, receivedAt, ownerId],
      )
      return keep(change, ownerId, 'cli_feedback', id, mail)
    },
    async deleteFeedback({ before }) {
      return sweepOnce(db, [raw(deleteSome('cli_feedback', 'num', 'received_at < ?'), [before])])
    },
    async feedback({ cursor, limit }) {
      const rows = await db.read<KeptFeedback & { num: number }>(
        raw(
          `select num, ${message}, coalesce((select u.id from users u where u.num = cli_feedback.owner), '') as userId
          from cli_feedback where num < ? order by num desc limit ?`,
          [cursor ?? Number.MAX_SAFE_INTEGER, limit + 1],
        ),
      )
      const kept = rows.slice(0, limit)
      return {
        items: kept.map((row) => ({ ...feedbackOf(row), userId: row.userId })),
        next: rows.length > limit ? kept.at(-1)!.num : null,
      }
    },

    async export(ownerId) {
      const [reports, feedback] = (await db.readAll([
        raw(`select ${report} from telemetry where owner = ${owner} order by num`, [ownerId]),
        raw(`select ${message} from cli_feedback where owner = ${owner} order by num`, [ownerId]),
      ])) as unknown as [ReportRow[], NewFeedback[]]
      return { reports: reports.map(reportOf), feedback: feedback.map(feedbackOf) }
    },
    async erase(ownerId) {
      const theirs = `owner = ${owner}`
      return sweepOnce(db, [
        raw(deleteSome('telemetry', 'num', theirs), [ownerId]),
        raw(deleteSome('cli_feedback', 'num', theirs), [ownerId]),
        unqueue(ownerId),
      ])
    },
  }
}
