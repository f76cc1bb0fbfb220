import {
  leaseMs,
  retryWaitsMs,
  type Channel,
  type Entry,
  type Fate,
  type MailPace,
  type OutboxStore,
  type Sighting,
  type Taken,
} from '../../outbox/store.ts'
import { clockSkewMs } from '../../ports.ts'
import type { SqlValue } from './client.ts'
import { jsonArgument, raw, type Database, type Raw, type Written } from './database.ts'
import { deleteSomeText, writeUntilDone, maxRowsPerWrite } from './bounded-writes.ts'

const hour = 60 * 60 * 1000

/** The start of a statement that enqueues; what follows selects the eight values. An id that is there already is kept once. */
export const enqueueInto =
  'insert or ignore into outbox (id, owner, channel, recipient, subject, payload, created_at, due_at)'

/**
 * The entry as a statement for the batch of the change that it tells of. `when` is SQL over what the statements before it
 * left, so that the entry is there exactly if the change is; `args` are for its `?`. `owner` is the id of the person whose
 * words are in it.
 *
 * ```ts
 * await db.write([raw(insertThing, args), enqueue(mail, { when: 'exists (select 1 from things where id = ?)', args: [id] })])
 * ```
 */
export function enqueue(
  { id, channel, recipient, subject, payload, createdAt }: Entry,
  guard: {
    readonly owner?: string
    readonly when?: string
    readonly args?: readonly SqlValue[]
  } = {},
): Raw {
  return raw(
    `${enqueueInto} select ?, (select num from users where id = ?), ?, ?, ?, ?, ?, ? where ${guard.when ?? 'true'}`,
    [id, guard.owner ?? null, channel, recipient, subject, payload, createdAt, createdAt, ...(guard.args ?? [])],
  )
}

/** Deletes the entries with a person's words, at most `sweepRows` of them: for the sweep that erases the person. */
export const unqueue = (ownerId: string): Raw =>
  raw(deleteSomeText('outbox', 'num', 'owner = (select num from users where id = ?)'), [ownerId])

const columns = `id, recipient, subject, payload, created_at as createdAt, attempts as attempt`

const open = "channel in ('mail', 'impression', 'telemetry') and finished_at is null"
// A lease that lasts longer than a lease can was given before the clock was set back. ?1 now
const expired = `lease_until not between ?1 and ?1 + ${2 * leaseMs}`
// Never tried, so due since it came, and that time lies ahead: the clock was set back.
const untried = `attempts = 0 and finished_at is null and created_at > ?1 + ${clockSkewMs} and due_at > ?1`
// A retry whose time lies further ahead than its wait. The first bound is for the index. ?1 now
const advance = `update outbox set due_at = ?1 where num in (select num from outbox where ${open} and status = 'waiting'
  and due_at > ?1 + ${retryWaitsMs[0] + clockSkewMs} and attempts > 0
  and due_at > ?1 + ${clockSkewMs} + json_extract('${JSON.stringify(retryWaitsMs)}', '$[' || (attempts - 1) || ']') limit ${maxRowsPerWrite})`
const due = `select 1 from outbox where ${open} and status = 'waiting' and due_at <= ?1
  union all select 1 from outbox where ${open} and status = 'sending' and ${expired}
  union all select 1 from outbox where ${untried} limit 1`
const bringForward = `update outbox set due_at = ?1 where num in (select num from outbox where ${untried} limit 500)`

// ?1 now, ?2 lease, ?3 until, ?4 channel, ?5 limit
const take = `update outbox set status = 'sending', lease = ?2, lease_until = ?3, taken_at = ?1, attempts = attempts + 1 where num in (
    select num from outbox where channel = ?4 and finished_at is null and ((status = 'waiting' and due_at <= ?1) or (status = 'sending' and ${expired}))
    order by due_at, num limit ?5)
  returning ${columns}`

const lost = `update outbox set status = 'unknown', finished_at = ?1, last_error = 'the worker ended while it was being mailed'
  where num in (select num from outbox where channel = 'mail' and status = 'sending' and finished_at is null and ${expired}
    limit ${maxRowsPerWrite})`

// ?1 lease, ?2 now, ?3 until, ?4 mails an hour, ?5 gather ms, ?6 most. A claim is one mail, whatever it holds; mails given
// back count no longer. Where there is room for all that is due to an address the oldest goes; else all go as one.
const takeMail = `update outbox set status = 'sending', lease = ?1, lease_until = ?3, taken_at = ?2, attempts = attempts + 1 where num in (
    with due as (
      select recipient, count(*) as n, min(due_at) as oldest from outbox
        where channel = 'mail' and status = 'waiting' and finished_at is null and due_at <= ?2 group by recipient),
    roomy as (
      select recipient, n, oldest, ?4 - (select count(distinct m.lease) from outbox m where m.channel = 'mail' and m.taken_at is not null
        and m.recipient = due.recipient and m.taken_at > ?2 - ${hour} and m.taken_at <= ?2 + ${clockSkewMs} and m.lease is not null) as room from due),
    pick as (select recipient, n, room from roomy where n <= room or room > 0 or oldest <= ?2 - ?5 order by oldest limit 1)
    select o.num from pick cross join outbox o on o.channel = 'mail' and o.status = 'waiting' and o.finished_at is null and o.due_at <= ?2 and o.recipient = pick.recipient
    order by o.due_at, o.num limit coalesce((select iif(n <= room, 1, ?6) from pick), 0))
  returning id, recipient, subject, '' as payload, created_at as createdAt, attempts as attempt`
// Only of a single mail: a digest goes by subjects.
const text = `select payload from outbox where channel = 'mail' and status = 'sending' and finished_at is null and lease = ?1 limit 2`

const mine = 'lease = ? and id in (select value from json_each(?))'

/** What must go out, in SQLite. */
export function libsqlOutbox(db: Database): OutboxStore {
  const write = async (text: string, args: SqlValue[]): Promise<void> => void (await db.write([raw(text, args)]))
  const inOrder = (rows: readonly Taken[]): Taken[] =>
    rows
      .map(({ id, recipient, subject, payload, createdAt, attempt }) => ({
        id,
        recipient,
        subject,
        payload,
        createdAt,
        attempt,
      }))
      .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))

  return {
    async add(entry) {
      await db.write([enqueue(entry)])
    },
    async due(now) {
      return (await db.read(raw(due, [now]))).length > 0
    },
    async take(channel: Channel, lease, now, until, limit) {
      const [, took] = await db.write<Taken>([raw(bringForward, [now]), raw(take, [now, lease, until, channel, limit])])
      return inOrder(took!.rows)
    },
    async takeMail(lease, now, until, { hourly, gatherMs, most }: MailPace) {
      const [, , took, texts] = (await db.write([
        raw(bringForward, [now]),
        raw(lost, [now]),
        raw(takeMail, [lease, now, until, hourly, gatherMs, most]),
        raw(text, [lease]),
      ])) as unknown as [unknown, unknown, Written<Taken>, Written<{ payload: string }>]
      const entries = inOrder(took.rows)
      if (entries.length === 0) return null
      if (entries.length > 1) return { lease, digest: true, entries }
      return { lease, digest: false, entries: [{ ...entries[0]!, payload: texts.rows[0]!.payload }] }
    },
    async settle(lease, ids, fate: Fate, now) {
      const list = jsonArgument(ids)
      if (fate.status === 'sent') {
        return write(
          `update outbox set status = 'sent', finished_at = ?, payload = '', last_error = null where ${mine} and status in ('sending', 'unknown')`,
          [now, lease, list],
        )
      }
      if (fate.status === 'waiting') {
        return write(
          `update outbox set status = 'waiting', due_at = ?, last_error = ?, lease = null, lease_until = null, taken_at = null
          where ${mine} and status = 'sending'`,
          [fate.dueAt, fate.error, lease, list],
        )
      }
      return write(
        `update outbox set status = ?, finished_at = ?, last_error = ? where ${mine} and status = 'sending'`,
        [fate.status, now, fate.error, lease, list],
      )
    },
    release: (lease) =>
      write(
        `update outbox set status = 'waiting', attempts = attempts - 1, lease = null, lease_until = null, taken_at = null
      where ${open} and status = 'sending' and lease = ?`,
        [lease],
      ),
    advanceRetries: (now) => writeUntilDone(db, [raw(advance, [now])]),
    list(status, cursor, limit) {
      const where = status === null ? 'id < ?' : 'id < ? and status = ?'
      return db.read<Sighting>(
        raw(
          `select id, channel, status, recipient, subject, attempts, last_error as lastError, created_at as createdAt,
        due_at as dueAt, finished_at as finishedAt from outbox where ${where} order by id desc limit ?`,
          [cursor ?? 'g', ...(status === null ? [] : [status]), limit],
        ),
      )
    },
    forget: (before) => writeUntilDone(db, [raw(deleteSomeText('outbox', 'num', 'finished_at < ?'), [before])]),
  }
}
