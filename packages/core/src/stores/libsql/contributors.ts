import { listClauses, readList, type ListColumns } from './list.ts'
import { and, asc, eq, isNotNull, sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import {
  noConsent,
  type Consent,
  type Contact,
  type Contributor,
  type ContributorFilter,
  type ContributorStore,
} from '../../contributors/store.ts'
import type { MailText } from '../../outbox/store.ts'
import { recordAudit } from './audit.ts'
import { raiseIdentityRevision } from './blocked-terms.ts'
import { deleteSome, writeOnce } from './bounded-writes.ts'
import { jsonArgument, type Database, writeNamed } from './database.ts'
import { prepareEvent } from './events.ts'
import { insertOutboxEntries } from './outbox.ts'
import { build, insertSelect, jsonValues, ownerNum, prepare, type Placeholders } from './statement.ts'
import { applications, choices, profiles, standings } from './tables/contributors.ts'
import { users } from './tables/sessions.ts'
import { applicationColumns, applicationNum } from './contributor-lists.ts'
import { libsqlApplications } from './applications.ts'

const selectApplicationsOfOwner = prepare<{ ownerId: string }>()(({ ownerId }) =>
  build
    .select(applicationColumns)
    .from(applications)
    .where(eq(applications.owner, ownerNum(ownerId)))
    .orderBy(asc(applicationNum)),
)

const selectContact = prepare<{ ownerId: string }>()(({ ownerId }) =>
  build
    .select({
      name: sql<string>`${profiles.name}`,
      email: sql<string>`${profiles.email}`,
      phone: profiles.phone,
      savedAt: sql<number>`${profiles.contactAt}`,
    })
    .from(profiles)
    .where(and(eq(profiles.owner, ownerNum(ownerId)), isNotNull(profiles.contactAt))),
)

interface ContactArgs extends Contact {
  readonly ownerId: string
  readonly mayReplace: number
}

const hasContact = sql`select 1 from ${profiles} where ${profiles.owner} = ${users.num} and ${profiles.contactAt} is not null`
const isSame = ({ name, email, phone }: Placeholders<Contact>): SQL =>
  sql`${profiles.name} = ${name} and ${profiles.email} = ${email} and ${profiles.phone} is ${phone}`
/**
 * Returns the condition that a contact may be stored: the user has no contact or the same contact, or the contact may
 * be replaced.
 */
const isContactAllowed = (params: Placeholders<ContactArgs>): SQL =>
  sql`${users.id} = ${params.ownerId} and (${params.mayReplace} = 1 or not exists (${hasContact} and not (${isSame(params)})))`
/** Returns the condition that a contact changes, for the statements that run before `upsertContact`. */
const changesContact = (params: Placeholders<ContactArgs>): SQL =>
  sql`${isContactAllowed(params)} and not exists (${hasContact} and ${isSame(params)})`

const raiseForContact = prepare<ContactArgs>()((params) => raiseIdentityRevision(changesContact(params)))

const enqueueContactMail = prepare<
  ContactArgs & MailText & { mailId: string; requestId: string | null; now: number }
>()((params) =>
  insertOutboxEntries(
    {
      id: params.mailId,
      owner: users.num,
      channel: sql`'mail'`,
      recipient: users.email,
      subject: params.subject,
      payload: params.text,
      createdAt: params.now,
      requestId: params.requestId,
    },
    sql`from ${users} where ${changesContact(params)} and ${users.email} is not null`,
  ),
)

const upsertContact = prepare<ContactArgs & { now: number }>()((params) =>
  insertSelect(
    profiles,
    {
      owner: users.num,
      name: params.name,
      email: params.email,
      phone: params.phone,
      contactAt: params.now,
      attribution: sql`0`,
      pixel: sql`0`,
    },
    sql`from ${users} where ${isContactAllowed(params)}
      on conflict (owner) do update set name = excluded.name, email = excluded.email, phone = excluded.phone,
        contact_at = excluded.contact_at`,
  ),
)

const selectUser = prepare<{ ownerId: string }>()(({ ownerId }) =>
  build.select({ num: users.num }).from(users).where(eq(users.id, ownerId)),
)

const selectConsent = prepare<{ ownerId: string }>()(({ ownerId }) =>
  build
    .select({ attribution: profiles.attribution, pixel: profiles.pixel })
    .from(profiles)
    .where(eq(profiles.owner, ownerNum(ownerId))),
)

interface ConsentArgs {
  readonly ownerId: string
  readonly attribution: number
  readonly pixel: number
}

/** Records a changed consent. It compares with the stored consent, so it must run before `upsertConsent`. */
const insertConsentChoice = prepare<ConsentArgs & { fact: string; now: number }>()((params) =>
  insertSelect(
    choices,
    { owner: users.num, at: params.now, kind: sql`'consent'`, fact: params.fact },
    sql`from ${users} left join ${profiles} on ${profiles.owner} = ${users.num} where ${users.id} = ${params.ownerId}
      and (coalesce(${profiles.attribution}, 0) <> ${params.attribution} or coalesce(${profiles.pixel}, 0) <> ${params.pixel})`,
  ),
)

const upsertConsent = prepare<ConsentArgs>()(({ ownerId, attribution, pixel }) =>
  insertSelect(
    profiles,
    {
      owner: users.num,
      name: sql`null`,
      email: sql`null`,
      phone: sql`null`,
      contactAt: sql`null`,
      attribution,
      pixel,
    },
    sql`from ${users} where ${users.id} = ${ownerId}
      on conflict (owner) do update set attribution = excluded.attribution, pixel = excluded.pixel`,
  ),
)

const selectConsentChoices = prepare<{ ownerId: string }>()(({ ownerId }) =>
  build
    .select({ at: choices.at, fact: choices.fact })
    .from(choices)
    .where(and(eq(choices.owner, ownerNum(ownerId)), eq(choices.kind, 'consent')))
    .orderBy(asc(choices.num)),
)

const selectContributorRows = <Place extends { readonly value?: SQL<string | number> }>(place: Place) =>
  build
    .select({
      ...place,
      num: users.num,
      userId: users.id,
      status: sql<Contributor['status']>`coalesce(${applications.status}, 'not_applied')`,
      companyName: applications.companyName,
      email: users.email,
      signedUpAt: users.createdAt,
      termsVersion: standings.termsVersion,
      residency: standings.residency,
      contactAt: profiles.contactAt,
      paused: standings.paused,
      operatorPaused: standings.operatorPaused,
    })
    .from(users)
    .leftJoin(standings, eq(standings.owner, users.num))
    .leftJoin(profiles, eq(profiles.owner, users.num))
    .leftJoin(
      applications,
      sql`${applicationNum} = (select max(num) from ${applications} latest where latest.owner = ${users.num})`,
    )

const selectContributor = prepare<{ userId: string }>()(({ userId }) =>
  selectContributorRows({}).where(eq(users.id, userId)),
)

const contributorList: ListColumns<'signedUpAt' | 'email'> = {
  num: users.num,
  at: users.createdAt,
  sorts: { signedUpAt: users.num, email: sql`coalesce(${users.email}, '')` },
  textSorts: ['email'],
  ids: [users.id],
  addresses: [users.email],
  text: [users.id, users.email, profiles.email, applications.email, applications.companyName],
}
const isContributor = sql`${users.erasedAt} is null
  and (${standings.owner} is not null or ${profiles.owner} is not null or ${applicationNum} is not null)`
const hasStatus = (status: ContributorFilter): SQL =>
  status === 'paused'
    ? sql`(${standings.paused} = 1 or ${standings.operatorPaused} = 1)`
    : sql`coalesce(${applications.status}, 'not_applied') = ${status}`

const selectAddresses = prepare<{ userIds: string }>()(
  ({ userIds }) => sql<{ userId: string; email: string }>`select ${users.id} as "userId", ${users.email} as "email"
    from ${users} where ${users.id} in ${jsonValues(userIds)} and ${users.email} is not null`,
)

const selectUserIdByAddress = prepare<{ address: string }>()(({ address }) =>
  build.select({ userId: users.id }).from(users).where(eq(users.email, address)),
)

const selectApplicants = prepare<{ applicationIds: string }>()(({ applicationIds }) =>
  build
    .select({
      applicationId: applications.id,
      userId: users.id,
      companyName: applications.companyName,
      reviewReason: applications.reviewReason,
      isLatest: sql<number>`${applicationNum} = (select max(num) from ${applications} latest
        where latest.owner = ${users.num})`,
      earlierReason: sql<string | null>`(select coalesce(earlier.review_reason, '') from ${applications} earlier
        where earlier.owner = ${users.num} and earlier.num < ${applicationNum} order by earlier.num desc limit 1)`,
    })
    .from(applications)
    .innerJoin(users, eq(users.num, applications.owner))
    .where(sql`${applications.id} in ${jsonValues(applicationIds)}`),
)

interface PauseArgs {
  readonly userId: string
  readonly paused: number
}

/**
 * Returns the SQL condition that the operator's pause of the user differs from `paused`. The statement that uses it
 * must read `users` and `standings`, and must run before `upsertOperatorPause`.
 */
const changesPause = ({ userId, paused }: { readonly [Name in keyof PauseArgs]: SQLWrapper }) =>
  sql`${users.id} = ${userId} and coalesce(${standings.operatorPaused}, 0) <> ${paused}`

const selectPauseChange = prepare<PauseArgs>()(({ userId, paused }) =>
  build
    .select({
      target: users.id,
      stateBefore: sql<string>`json_object('paused', json(iif(${paused} = 1, 'false', 'true')))`,
      stateAfter: sql<string>`json_object('paused', json(iif(${paused} = 1, 'true', 'false')))`,
    })
    .from(users)
    .leftJoin(standings, eq(standings.owner, users.num))
    .where(changesPause({ userId, paused })),
)

const insertPauseChoice = prepare<PauseArgs & { fact: string; now: number }>()(({ userId, paused, fact, now }) =>
  insertSelect(
    choices,
    { owner: users.num, at: now, kind: sql`'operator_pause'`, fact },
    sql`from ${users} left join ${standings} on ${standings.owner} = ${users.num} where ${changesPause({ userId, paused })}`,
  ),
)

/**
 * This statement must run before `upsertOperatorPause`, because it reads the row that `upsertOperatorPause` changes.
 */
const enqueuePaused = prepareEvent<{ userId: string }>(({ userId }) => ({
  owner: users.num,
  subject: users.id,
  data: sql`json_object('userId', ${users.id}, 'by', 'operator')`,
  from: sql`from ${users} left join ${standings} on ${standings.owner} = ${users.num}
    where ${changesPause({ userId, paused: sql`1` })}`,
}))

const upsertOperatorPause = prepare<PauseArgs>()(({ userId, paused }) =>
  insertSelect(
    standings,
    {
      owner: users.num,
      termsVersion: sql`null`,
      termsAt: sql`null`,
      residency: sql`0`,
      paused: sql`0`,
      operatorPaused: paused,
      copiesDay: sql`null`,
    },
    sql`from ${users} where ${users.id} = ${userId}
      on conflict (owner) do update set operator_paused = excluded.operator_paused`,
  ),
)

const deleteConsentChoices = prepare<{ ownerId: string }>()(({ ownerId }) =>
  deleteSome(choices, and(eq(choices.owner, ownerNum(ownerId)), eq(choices.kind, 'consent'))),
)
const deleteApplications = prepare<{ ownerId: string }>()(({ ownerId }) =>
  deleteSome(applications, eq(applications.owner, ownerNum(ownerId))),
)
const deleteProfile = prepare<{ ownerId: string }>()(({ ownerId }) =>
  build.delete(profiles).where(eq(profiles.owner, ownerNum(ownerId))),
)

const consentOf = (row: { attribution: number; pixel: number } | undefined): Consent =>
  row ? { attribution: row.attribution === 1, pixel: row.pixel === 1 } : noConsent

type ContributorRow = Omit<Contributor, 'residencyConfirmed' | 'contactCompleted' | 'paused' | 'operatorPaused'> & {
  readonly residency: number | null
  readonly contactAt: number | null
  readonly paused: number | null
  readonly operatorPaused: number | null
}

const contributorOf = ({
  userId,
  status,
  companyName,
  email,
  signedUpAt,
  termsVersion,
  ...row
}: ContributorRow): Contributor => ({
  userId,
  status,
  companyName,
  email,
  signedUpAt,
  termsVersion,
  residencyConfirmed: row.residency === 1,
  contactCompleted: row.contactAt !== null,
  paused: row.paused === 1,
  operatorPaused: row.operatorPaused === 1,
})

/** Returns the contributor store over libSQL. `contributors/store.ts` describes the guarantees. */
export function libsqlContributors(db: Database): ContributorStore {
  return {
    ...libsqlApplications(db),

    async findContact({ ownerId }) {
      const [contact] = await db.read(selectContact({ ownerId }))
      return contact ? { name: contact.name, email: contact.email, phone: contact.phone } : null
    },
    async saveContact({ ownerId, contact: { name, email, phone }, mayReplace, mail: { id: mailId, ...mail }, now }) {
      const args = { ownerId, name, email, phone, mayReplace: Number(mayReplace) }
      const { saved, found } = await writeNamed(db, {
        contactMail: enqueueContactMail({ ...args, ...mail, requestId: mail.requestId ?? null, mailId, now }),
        revision: raiseForContact(args),
        saved: upsertContact({ ...args, now }),
        found: selectUser({ ownerId }),
      })
      if (saved.changed === 1) return 'saved'
      return found.rows.length > 0 ? 'locked' : 'unknown'
    },

    async getConsent({ ownerId }) {
      const [row] = await db.read(selectConsent({ ownerId }))
      return consentOf(row)
    },
    async setConsent({ ownerId, consent: { attribution, pixel }, now }) {
      const args = { ownerId, attribution: Number(attribution), pixel: Number(pixel) }
      const [, saved] = await db.write([
        insertConsentChoice({ ...args, fact: jsonArgument({ attribution, pixel }), now }),
        upsertConsent(args),
      ])
      return saved.changed === 1
    },

    async findContributor({ userId }) {
      const [row] = await db.read(selectContributor({ userId }))
      return row ? contributorOf(row) : null
    },
    listContributors({ status, ...params }) {
      const { place, where, order, limit } = listClauses(
        contributorList,
        params,
        isContributor,
        status && hasStatus(status),
      )
      const query = selectContributorRows({ value: place.value })
        .where(where)
        .orderBy(...order)
        .limit(limit)
      return readList(db, contributorList, params, query, contributorOf)
    },
    listAddresses: ({ userIds }) => db.read(selectAddresses({ userIds: jsonArgument(userIds) })),
    async findUserIdByAddress({ address }) {
      const [row] = await db.read(selectUserIdByAddress({ address }))
      return row?.userId ?? null
    },
    async listApplicants({ applicationIds }) {
      const rows = await db.read(selectApplicants({ applicationIds: jsonArgument(applicationIds) }))
      return rows.map((row) => ({ ...row, isLatest: row.isLatest === 1 }))
    },
    async setOperatorPause({ userId, paused, audit, event }) {
      const args = { userId, paused: Number(paused) }
      const { contributor } = await writeNamed(db, {
        audit: recordAudit(audit, 'contributor.pause', selectPauseChange(args)),
        pauseChoice: insertPauseChoice({ ...args, fact: jsonArgument({ paused }), now: audit.at }),
        pausedEvent: enqueuePaused({ userId, event: paused ? event : undefined }),
        operatorPause: upsertOperatorPause(args),
        contributor: selectContributor({ userId }),
      })
      const [row] = contributor.rows
      return row ? contributorOf(row) : null
    },

    async export({ ownerId }) {
      const [submitted, [contact], [consent], consentChoices] = await db.readAll([
        selectApplicationsOfOwner({ ownerId }),
        selectContact({ ownerId }),
        selectConsent({ ownerId }),
        selectConsentChoices({ ownerId }),
      ])
      return {
        applications: submitted,
        contact: contact ?? null,
        consent: consentOf(consent),
        consents: consentChoices.map(({ at, fact }) => ({ ...JSON.parse(fact), changedAt: at })),
      }
    },
    erase: ({ ownerId }) =>
      writeOnce(db, [deleteConsentChoices({ ownerId }), deleteApplications({ ownerId }), deleteProfile({ ownerId })]),
  }
}
