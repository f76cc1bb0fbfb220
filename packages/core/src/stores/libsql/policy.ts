import {
  newcomer,
  type ListedWaitlistEntry,
  type PolicyExport,
  type PolicyStore,
  type Standing,
} from '../../contributors/policy/store.ts'
import { recordAudit } from './audit.ts'
import { jsonArgument, raw, type Database, type Raw } from './database.ts'
import { sql } from 'drizzle-orm'
import { insertOutboxEntries } from './outbox.ts'
import { prepare } from './statement.ts'
import { waitlist } from './tables/contributors.ts'
import { users } from './tables/sessions.ts'
import { deleteSomeText, writeOnce } from './bounded-writes.ts'

const owner = '(select num from users where id = ?)'

const statements = {
  standing: `select s.terms_version, s.terms_at, s.residency, s.paused, s.operator_paused,
      (select status from applications where owner = u.num order by num desc limit 1) as status,
      (select contact_at from profiles where owner = u.num) as contact_at
    from users u left join standings s on s.owner = u.num where u.id = ?`,
  // The ledger is written first, since it asks what the choice was before.
  logTerms: `insert into choices (owner, at, kind, fact)
    select u.num, ?, 'terms', ? from users u left join standings s on s.owner = u.num
    where u.id = ? and (s.terms_version is not ? or s.residency is not ?)`,
  acceptTerms: `insert into standings (owner, terms_version, terms_at, residency) select num, ?, ?, ? from users where id = ?
    on conflict (owner) do update set
      terms_at = case when terms_version is excluded.terms_version then terms_at else excluded.terms_at end,
      terms_version = excluded.terms_version, residency = excluded.residency`,
  logPause: `insert into choices (owner, at, kind, fact)
    select u.num, ?, 'pause', ? from users u left join standings s on s.owner = u.num where u.id = ? and coalesce(s.paused, 0) <> ?`,
  setPaused: `insert into standings (owner, paused) select num, ? from users where id = ?
    on conflict (owner) do update set paused = excluded.paused`,
  joinWaitlist: `insert into waitlist (owner, email, country, at) select num, ?, ?, ? from users where id = ?
    on conflict (owner) do update set email = excluded.email, country = excluded.country, at = excluded.at, notified_at = null
    returning 1`,
  listWaitlist: `select w.owner as num, u.id as userId, w.email, w.country, w.at as joinedAt, w.notified_at as notifiedAt
    from waitlist w join users u on u.num = w.owner where w.owner > ? order by w.owner limit ?`,
  listWaitlistOf: `select w.owner as num, u.id as userId, w.email, w.country, w.at as joinedAt, w.notified_at as notifiedAt
    from waitlist w join users u on u.num = w.owner where w.country = ? and w.owner > ? order by w.owner limit ?`,
  auditNotices: `select ?, null, json_object('notified', n) from (select count(*) as n from json_each(?) m cross join users u on u.id = m.value->>'userId'
    cross join waitlist w on w.owner = u.num and w.country = ? and w.notified_at is null) where n > 0`,
  markNotified: `update waitlist set notified_at = ? where country = ? and notified_at is null and owner in
    (select u.num from json_each(?) m cross join users u on u.id = m.value->>'userId')`,
  waitlist: `select email, country, at as joinedAt, notified_at as notifiedAt from waitlist where owner = ${owner}`,
  choices: `select at, kind, fact from choices where owner = ${owner} and kind in ('terms', 'pause', 'operator_pause') order by num`,
}

interface NoticeArgs {
  readonly mails: string
  readonly country: string
  readonly subject: string
  readonly text: string
  readonly now: number
}
const enqueueNotices = prepare<NoticeArgs>()(({ mails, country, subject, text, now }) =>
  insertOutboxEntries(
    {
      id: sql`m.value->>'id'`,
      owner: waitlist.owner,
      channel: sql`'mail'`,
      recipient: waitlist.email,
      subject,
      payload: text,
      createdAt: now,
    },
    sql`from json_each(${mails}) m cross join ${users} on ${users.id} = m.value->>'userId'
      cross join ${waitlist} on ${waitlist.owner} = ${users.num} and ${waitlist.country} = ${country}
        and ${waitlist.notifiedAt} is null where true`,
  ),
)

interface StandingRow {
  terms_version: string | null
  terms_at: number | null
  residency: number | null
  paused: number | null
  operator_paused: number | null
  status: Standing['status'] | null
  contact_at: number | null
}

function standingOf(row: StandingRow): Standing {
  return {
    termsVersion: row.terms_version,
    termsAcceptedAt: row.terms_at,
    residencyConfirmed: row.residency === 1,
    paused: row.paused === 1,
    operatorPaused: row.operator_paused === 1,
    status: row.status ?? 'not_applied',
    contactCompleted: row.contact_at !== null,
  }
}

/** The policy store over libSQL; its laws are in `policy/store.ts`. */
export function libsqlPolicy(db: Database): PolicyStore {
  /** Writes, and reads in the same transaction how the person stands then. */
  async function change(ownerId: string, queries: readonly Raw[]): Promise<Standing | null> {
    const row = (await db.write<StandingRow>([...queries, raw(statements.standing, [ownerId])])).at(-1)!.rows[0]
    return row ? standingOf(row) : null
  }

  return {
    async standing(ownerId) {
      const [row] = await db.read<StandingRow>(raw(statements.standing, [ownerId]))
      return row ? standingOf(row) : newcomer
    },
    acceptTerms(ownerId, { termsVersion, residencyConfirmed }, now) {
      const residency = residencyConfirmed ? 1 : 0
      return change(ownerId, [
        raw(statements.logTerms, [
          now,
          jsonArgument({ termsVersion, residencyConfirmed }),
          ownerId,
          termsVersion,
          residency,
        ]),
        raw(statements.acceptTerms, [termsVersion, now, residency, ownerId]),
      ])
    },
    setPaused(ownerId, paused, now) {
      const value = paused ? 1 : 0
      return change(ownerId, [
        raw(statements.logPause, [now, jsonArgument({ paused }), ownerId, value]),
        raw(statements.setPaused, [value, ownerId]),
      ])
    },
    async joinWaitlist(ownerId, { email, country }, now) {
      const [joined] = await db.write([raw(statements.joinWaitlist, [email, country, now, ownerId])])
      return joined!.changed === 1
    },
    async waitlist({ country, cursor, limit }) {
      const page = [cursor ?? 0, limit + 1]
      const rows = await db.read<ListedWaitlistEntry & { num: number }>(
        country === null ? raw(statements.listWaitlist, page) : raw(statements.listWaitlistOf, [country, ...page]),
      )
      const items = rows.slice(0, limit).map(({ userId, email, country: waitsFor, joinedAt, notifiedAt }) => ({
        userId,
        email,
        country: waitsFor,
        joinedAt,
        notifiedAt,
      }))
      return { items, next: rows.length > limit ? rows[limit - 1]!.num : null }
    },
    async notifyWaitlist({ country, mails, subject, text, audit }) {
      const list = jsonArgument(mails)
      const [, , marked] = await db.write([
        recordAudit(audit, 'waitlist.notify', statements.auditNotices, [country, list, country]),
        enqueueNotices({ mails: list, country, subject, text, now: audit.at }),
        raw(statements.markNotified, [audit.at, country, list]),
      ])
      return marked!.changed
    },
    async export(ownerId) {
      const [entries, chosen] = (await db.readAll([
        raw(statements.waitlist, [ownerId]),
        raw(statements.choices, [ownerId]),
      ])) as [NonNullable<PolicyExport['waitlist']>[], { at: number; kind: string; fact: string }[]]
      const entry = entries[0]
      return {
        terms: chosen
          .filter(({ kind }) => kind === 'terms')
          .map(({ at, fact }) => ({ ...JSON.parse(fact), acceptedAt: at })),
        pauses: chosen
          .filter(({ kind }) => kind !== 'terms')
          .map(({ at, kind, fact }) => ({
            by: kind === 'pause' ? 'contributor' : 'operator',
            ...JSON.parse(fact),
            changedAt: at,
          })),
        waitlist: entry
          ? { email: entry.email, country: entry.country, joinedAt: entry.joinedAt, notifiedAt: entry.notifiedAt }
          : null,
      }
    },
    async erase(ownerId) {
      return writeOnce(db, [
        raw(deleteSomeText('choices', 'num', `owner = ${owner} and kind in ('terms', 'pause', 'operator_pause')`), [
          ownerId,
        ]),
        raw(`delete from waitlist where owner = ${owner}`, [ownerId]),
        raw(`delete from standings where owner = ${owner}`, [ownerId]),
      ])
    },
  }
}
