import {
  noConsent,
  type Application,
  type Applied,
  type Contributor,
  type ContributorStore,
  type Listed,
} from '../../contributors/store.ts'
import { recordAudit } from './audit.ts'
import { jsonArgument, raw, type Database } from './database.ts'
import { deleteSomeText, writeOnce } from './bounded-writes.ts'

const owner = '(select num from users where id = ?)'
const columns =
  'id, company_name as companyName, incubator_batch as incubatorBatch, website, directory_url as directoryUrl, email, role, ' +
  'status, submitted_at as submittedAt, reviewed_at as reviewedAt, review_reason as reviewReason'
const whose = '(select id from users where num = applications.owner) as userId'
const contributor = `u.num, u.id as userId, coalesce(a.status, 'not_applied') as status, a.company_name as companyName,
  coalesce(p.email, a.email) as email, s.terms_version as termsVersion, coalesce(s.residency, 0) as residency,
  p.contact_at as contactAt, coalesce(s.paused, 0) as paused, coalesce(s.operator_paused, 0) as operatorPaused
  from users u left join standings s on s.owner = u.num left join profiles p on p.owner = u.num
  left join applications a on a.num = (select max(num) from applications where owner = u.num)`

const statements = {
  application: `select ${columns} from applications where owner = ${owner} order by num desc limit 1`,
  apply: `insert into applications
      (owner, id, company_name, incubator_batch, website, directory_url, email, role, status, submitted_at, reviewed_at)
    select num, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? from users where id = ?
      and not exists (select 1 from applications where owner = users.num and status <> 'rejected') returning ${columns}`,
  review: `update applications set status = ?, review_reason = ?, reviewed_at = ? where id = ? and status = 'pending' returning ${columns}, ${whose}`,
  auditReview: `select id, json_object('status', status), json_object('status', ?) from applications where id = ? and status = 'pending'`,
  applications: `select num, ${columns}, ${whose} from applications where num < ? order by num desc limit ?`,
  applicationsBy: `select num, ${columns}, ${whose} from applications where status = ? and num < ? order by num desc limit ?`,
  contact: `select name, email, phone, contact_at from profiles where owner = ${owner} and contact_at is not null`,
  saveContact: `insert into profiles (owner, name, email, phone, contact_at) select num, ?, ?, ?, ? from users where id = ?
    on conflict (owner) do update set name = excluded.name, email = excluded.email, phone = excluded.phone, contact_at = excluded.contact_at
    returning 1`,
  consent: `select attribution, pixel from profiles where owner = ${owner}`,
  // The ledgers are written first, since they ask what the choice was before.
  logConsent: `insert into choices (owner, at, kind, fact)
    select u.num, ?, 'consent', ? from users u left join profiles p on p.owner = u.num
    where u.id = ? and (coalesce(p.attribution, 0) <> ? or coalesce(p.pixel, 0) <> ?)`,
  setConsent: `insert into profiles (owner, attribution, pixel) select num, ?, ? from users where id = ?
    on conflict (owner) do update set attribution = excluded.attribution, pixel = excluded.pixel returning 1`,
  consents: `select at, fact from choices where owner = ${owner} and kind = 'consent' order by num`,
  contributors: `select ${contributor} where u.num < ? and u.erased_at is null and (s.owner is not null or p.owner is not null or a.num is not null)
    order by u.num desc limit ?`,
  contributor: `select ${contributor} where u.id = ?`,
  logPause: `insert into choices (owner, at, kind, fact)
    select u.num, ?, 'operator_pause', ? from users u left join standings s on s.owner = u.num
    where u.id = ? and coalesce(s.operator_paused, 0) <> ?`,
  auditPause: `select u.id, json_object('paused', json(iif(?1, 'false', 'true'))), json_object('paused', json(iif(?1, 'true', 'false')))
    from users u left join standings s on s.owner = u.num where u.id = ?2 and coalesce(s.operator_paused, 0) <> ?1`,
  pause: `insert into standings (owner, operator_paused) select num, ? from users where id = ?
    on conflict (owner) do update set operator_paused = excluded.operator_paused`,
}

const start = Number.MAX_SAFE_INTEGER
type Numbered<Row> = Row & { num: number }
interface ContributorRow extends Omit<
  Contributor,
  'residencyConfirmed' | 'contactCompleted' | 'paused' | 'operatorPaused'
> {
  num: number
  residency: number
  contactAt: number | null
  paused: number
  operatorPaused: number
}

function applicationOf(row: Application): Application {
  const {
    id,
    companyName,
    incubatorBatch,
    website,
    directoryUrl,
    email,
    role,
    status,
    submittedAt,
    reviewedAt,
    reviewReason,
  } = row
  return {
    id,
    companyName,
    incubatorBatch,
    website,
    directoryUrl,
    email,
    role,
    status,
    submittedAt,
    reviewedAt,
    reviewReason,
  }
}

const appliedOf = (row: Applied): Applied => ({ ...applicationOf(row), userId: row.userId })

function contributorOf(row: ContributorRow): Contributor {
  const { userId, status, companyName, email, termsVersion } = row
  return {
    userId,
    status,
    companyName,
    email,
    termsVersion,
    residencyConfirmed: row.residency === 1,
    contactCompleted: row.contactAt !== null,
    paused: row.paused === 1,
    operatorPaused: row.operatorPaused === 1,
  }
}

/** A page of rows that were asked for with one more than the limit. */
function pageOf<Row extends { num: number }, Item>(
  rows: readonly Row[],
  limit: number,
  item: (row: Row) => Item,
): Listed<Item> {
  const kept = rows.slice(0, limit)
  return { items: kept.map(item), next: rows.length > limit ? kept.at(-1)!.num : null }
}

/** The contributor store over libSQL; its laws are in `contributors/store.ts`. */
export function libsqlContributors(db: Database): ContributorStore {
  return {
    async application(ownerId) {
      const [row] = await db.read<Application>(raw(statements.application, [ownerId]))
      return row ? applicationOf(row) : null
    },
    async apply(ownerId, { id, companyName, incubatorBatch, website, directoryUrl, email, role, status }, now) {
      const reviewedAt = status === 'approved' ? now : null
      const [kept] = await db.write<Application>([
        raw(statements.apply, [
          id,
          companyName,
          incubatorBatch,
          website,
          directoryUrl,
          email,
          role,
          status,
          now,
          reviewedAt,
          ownerId,
        ]),
      ])
      const row = kept!.rows[0]
      return row ? applicationOf(row) : null
    },
    async review(id, { status, reason }, audit) {
      const [, reviewed, known] = await db.write<Applied>([
        recordAudit(audit, 'application.review', statements.auditReview, [status, id]),
        raw(statements.review, [status, reason, audit.at, id]),
        raw('select 1 from applications where id = ?', [id]),
      ])
      const row = reviewed!.rows[0]
      if (row) return { outcome: 'reviewed', application: appliedOf(row) }
      return { outcome: known!.rows.length > 0 ? 'already_reviewed' : 'unknown' }
    },
    async applications(status, { cursor, limit }) {
      const before = cursor ?? start
      const rows = await db.read<Numbered<Applied>>(
        status === null
          ? raw(statements.applications, [before, limit + 1])
          : raw(statements.applicationsBy, [status, before, limit + 1]),
      )
      return pageOf(rows, limit, appliedOf)
    },

    async contact(ownerId) {
      const [row] = await db.read<{ name: string; email: string; phone: string | null }>(
        raw(statements.contact, [ownerId]),
      )
      return row ? { name: row.name, email: row.email, phone: row.phone } : null
    },
    async saveContact(ownerId, { name, email, phone }, now) {
      const [saved] = await db.write([raw(statements.saveContact, [name, email, phone, now, ownerId])])
      return saved!.changed === 1
    },

    async consent(ownerId) {
      const [row] = await db.read<{ attribution: number; pixel: number }>(raw(statements.consent, [ownerId]))
      return row ? { attribution: row.attribution === 1, pixel: row.pixel === 1 } : noConsent
    },
    async setConsent(ownerId, { attribution, pixel }, now) {
      const values = [attribution ? 1 : 0, pixel ? 1 : 0]
      const [, set] = await db.write([
        raw(statements.logConsent, [now, jsonArgument({ attribution, pixel }), ownerId, ...values]),
        raw(statements.setConsent, [...values, ownerId]),
      ])
      return set!.changed === 1
    },

    async contributors({ cursor, limit }) {
      const rows = await db.read<ContributorRow>(raw(statements.contributors, [cursor ?? start, limit + 1]))
      return pageOf(rows, limit, contributorOf)
    },
    async setOperatorPaused(userId, paused, audit) {
      const value = paused ? 1 : 0
      const [, , , seen] = await db.write<ContributorRow>([
        recordAudit(audit, 'contributor.pause', statements.auditPause, [value, userId]),
        raw(statements.logPause, [audit.at, jsonArgument({ paused }), userId, value]),
        raw(statements.pause, [value, userId]),
        raw(statements.contributor, [userId]),
      ])
      const row = seen!.rows[0]
      return row ? contributorOf(row) : null
    },

    async export(ownerId) {
      const [applied, contacts, consents, chosen] = (await db.readAll([
        raw(`select ${columns} from applications where owner = ${owner} order by num`, [ownerId]),
        raw(statements.contact, [ownerId]),
        raw(statements.consent, [ownerId]),
        raw(statements.consents, [ownerId]),
      ])) as unknown as [
        Application[],
        { name: string; email: string; phone: string | null; contact_at: number }[],
        { attribution: number; pixel: number }[],
        { at: number; fact: string }[],
      ]
      const [contact, consent] = [contacts[0], consents[0]]
      return {
        applications: applied.map(applicationOf),
        contact: contact
          ? { name: contact.name, email: contact.email, phone: contact.phone, savedAt: contact.contact_at }
          : null,
        consent: consent ? { attribution: consent.attribution === 1, pixel: consent.pixel === 1 } : noConsent,
        consents: chosen.map(({ at, fact }) => ({ ...JSON.parse(fact), changedAt: at })),
      }
    },
    async erase(ownerId) {
      return writeOnce(db, [
        raw(deleteSomeText('choices', 'num', `owner = ${owner} and kind = 'consent'`), [ownerId]),
        raw(deleteSomeText('applications', 'num', `owner = ${owner}`), [ownerId]),
        raw(`delete from profiles where owner = ${owner}`, [ownerId]),
      ])
    },
  }
}
