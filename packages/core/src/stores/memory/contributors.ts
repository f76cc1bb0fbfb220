import { listPage, type MemoryList } from './list.ts'
import {
  noConsent,
  type Application,
  type ApplicationWithUser,
  type Consent,
  type Contact,
  type Contributor,
  type ContributorStore,
  type ListApplicationsParams,
} from '../../contributors/store.ts'
import type { PolicyExport, Standing, WaitlistEntry } from '../../contributors/policy/store.ts'
import { memoryAudit, type MemoryAudit } from './audit.ts'
import { memoryOutbox, type MemoryOutbox } from './outbox.ts'
import { MemoryScrubContexts } from './blocked-terms.ts'

/** The data of one user in the contributor and the policy store. */
export interface ContributorRecord {
  readonly num: number
  standing: Pick<Standing, 'termsVersion' | 'termsAcceptedAt' | 'residencyConfirmed' | 'paused' | 'operatorPaused'>
  terms: PolicyExport['terms'][number][]
  pauses: PolicyExport['pauses'][number][]
  waitlist: (WaitlistEntry & { joinedAt: number; notifiedAt: number | null }) | null
  contact: (Contact & { savedAt: number }) | null
  consent: Consent
  consents: (Consent & { changedAt: number })[]
}

interface ApplicationRow extends ApplicationWithUser {
  readonly num: number
}

/** The records that the contributor and the policy store share, and the applications in the order of submission. */
export interface ContributorRecords {
  readonly byUser: Map<string, ContributorRecord>
  readonly applications: Map<string, ApplicationRow>
  /** Returns the user's record and creates it if needed; null when there is no such user. */
  ensure(userId: string): Promise<ContributorRecord | null>
  latestApplication(userId: string): ApplicationRow | null
}

export const emptyStanding: ContributorRecord['standing'] = {
  termsVersion: null,
  termsAcceptedAt: null,
  residencyConfirmed: false,
  paused: false,
  operatorPaused: false,
}

/** Returns the shared records of the contributor and the policy store. */
export function contributorRecords(isUser: (userId: string) => Promise<boolean>): ContributorRecords {
  const byUser = new Map<string, ContributorRecord>()
  const applications = new Map<string, ApplicationRow>()
  let lastNum = 0
  return {
    byUser,
    applications,
    async ensure(userId) {
      if (!(await isUser(userId))) return null
      let record = byUser.get(userId)
      if (!record) {
        record = {
          num: ++lastNum,
          standing: emptyStanding,
          terms: [],
          pauses: [],
          waitlist: null,
          contact: null,
          consent: noConsent,
          consents: [],
        }
        byUser.set(userId, record)
      }
      return record
    },
    latestApplication: (userId) =>
      [...applications.values()].findLast((application) => application.userId === userId) ?? null,
  }
}

const applicationOf = ({ num, userId, ...application }: ApplicationRow): Application => application
const withUser = ({ num, ...application }: ApplicationRow): ApplicationWithUser => application

/** The lookups of account addresses that the contributor store needs. */
export interface MemoryAddresses {
  /** Returns the address that a user's mails go to, or null. */
  readonly addressOf: (userId: string) => Promise<string | null>
  /** Returns the verified address of a user's account, or null. */
  readonly verifiedAddressOf: (userId: string) => Promise<string | null>
  /** Returns the user whose account has exactly this address, or null. */
  readonly findByAddress: (address: string) => Promise<string | null>
  /** Returns when a user signed up, in milliseconds. */
  readonly signedUpAt: (userId: string) => number
}

const noAddresses: MemoryAddresses = {
  addressOf: async () => null,
  verifiedAddressOf: async () => null,
  findByAddress: async () => null,
  signedUpAt: () => 0,
}

/** Returns the contributor store in Maps. A method is atomic because it awaits nothing after the lookup of the user. */
export function memoryContributors(
  records: ContributorRecords,
  audits: Pick<MemoryAudit, 'record'> = memoryAudit(),
  outbox: Pick<MemoryOutbox, 'enqueueEvent' | 'enqueueNow'> = memoryOutbox(),
  contexts: Pick<MemoryScrubContexts, 'raise'> = new MemoryScrubContexts(),
  { addressOf, verifiedAddressOf, findByAddress, signedUpAt }: MemoryAddresses = noAddresses,
): ContributorStore {
  let lastNum = 0

  async function contributorOf(userId: string, record: ContributorRecord): Promise<Contributor> {
    const { termsVersion, residencyConfirmed, paused, operatorPaused } = record.standing
    const latest = records.latestApplication(userId)
    return {
      userId,
      status: latest?.status ?? 'not_applied',
      companyName: latest?.companyName ?? null,
      email: await verifiedAddressOf(userId),
      termsVersion,
      residencyConfirmed,
      contactCompleted: record.contact !== null,
      paused,
      operatorPaused,
    }
  }

  return {
    async findApplication({ ownerId }) {
      const latest = records.latestApplication(ownerId)
      return latest && applicationOf(latest)
    },
    async submitApplication({ ownerId, application, now, submitted, approved }) {
      if (!(await records.ensure(ownerId))) return null
      const latest = records.latestApplication(ownerId)
      if (latest && latest.status !== 'rejected') return null
      const row: ApplicationRow = {
        ...application,
        num: ++lastNum,
        userId: ownerId,
        submittedAt: now,
        reviewedAt: application.status === 'approved' ? now : null,
        reviewReason: null,
      }
      records.applications.set(row.id, row)
      const source = { ownerId, subject: ownerId, data: { userId: ownerId, applicationId: row.id } }
      outbox.enqueueEvent(submitted, source)
      if (row.status === 'approved') outbox.enqueueEvent(approved, source)
      contexts.raise(ownerId)
      return applicationOf(row)
    },
    async reviewApplication({ id, status, reason, reconsiders, mail, audit, event }) {
      const application = records.applications.get(id)
      if (!application) return { outcome: 'unknown' }
      const isLatest = records.latestApplication(application.userId)?.id === id
      if (application.status !== (reconsiders ? 'rejected' : 'pending') || !isLatest)
        return { outcome: 'already_reviewed' }
      const reviewed: ApplicationRow = { ...application, status, reviewReason: reason, reviewedAt: audit.at }
      audits.record(audit, 'application.review', id, { status: application.status }, { status })
      records.applications.set(id, reviewed)
      const { userId } = reviewed
      outbox.enqueueEvent(event, { ownerId: userId, subject: userId, data: { userId, applicationId: id } })
      const recipient = (await addressOf(userId)) ?? reviewed.email
      const { subject, text: payload } = mail
      outbox.enqueueNow({ id: audit.id, channel: 'mail', recipient, subject, payload, createdAt: audit.at }, userId)
      return { outcome: 'reviewed', application: withUser(reviewed) }
    },
    async listApplications({ status, ...params }) {
      const found = [...records.applications.values()].filter((one) => status === undefined || one.status === status)
      const accounts = new Map<string, string | null>()
      for (const { userId } of found) accounts.set(userId, await verifiedAddressOf(userId))
      const list: MemoryList<ApplicationRow, NonNullable<ListApplicationsParams['sort']>> = {
        num: ({ num }) => num,
        at: ({ submittedAt }) => submittedAt,
        sorts: { submittedAt: ({ num }) => num, companyName: ({ companyName }) => companyName },
        whole: ({ id, userId, email }) => [id, userId, email, accounts.get(userId)],
        text: (one) => [
          one.id,
          one.companyName,
          one.incubatorBatch,
          one.website,
          one.directoryUrl,
          one.email,
          one.role,
          accounts.get(one.userId),
        ],
      }
      const { items, next } = listPage(found, list, params)
      return { items: items.map(withUser), next }
    },

    async findContact({ ownerId }) {
      const contact = records.byUser.get(ownerId)?.contact
      return contact ? { name: contact.name, email: contact.email, phone: contact.phone } : null
    },
    async saveContact({ ownerId, contact, mayReplace, mail: { id, subject, text: payload }, now }) {
      const [record, recipient] = [await records.ensure(ownerId), await verifiedAddressOf(ownerId)]
      const { name, email, phone } = contact
      if (!record) return 'unknown'
      const before = record.contact
      if (before?.name !== name || before.email !== email || before.phone !== phone) {
        if (before && !mayReplace) return 'locked'
        contexts.raise(ownerId)
        if (recipient !== null)
          outbox.enqueueNow({ id, channel: 'mail', recipient, subject, payload, createdAt: now }, ownerId)
      }
      record.contact = { name, email, phone, savedAt: now }
      return 'saved'
    },

    async getConsent({ ownerId }) {
      return records.byUser.get(ownerId)?.consent ?? noConsent
    },
    async setConsent({ ownerId, consent: { attribution, pixel }, now }) {
      const record = await records.ensure(ownerId)
      if (!record) return false
      const before = record.consent
      if (before.attribution !== attribution || before.pixel !== pixel) {
        record.consents.push({ attribution, pixel, changedAt: now })
      }
      record.consent = { attribution, pixel }
      return true
    },

    async findContributor({ userId }) {
      const record = await records.ensure(userId)
      return record ? contributorOf(userId, record) : null
    },
    async listContributors({ status, ...params }) {
      const rows = await Promise.all(
        [...records.byUser]
          .filter(([userId, record]) => hasContributorData(record) || records.latestApplication(userId))
          .map(async ([userId, record]) => ({
            num: record.num,
            contributor: await contributorOf(userId, record),
            given: [records.byUser.get(userId)?.contact?.email, records.latestApplication(userId)?.email],
          })),
      )
      const hasStatus = ({ contributor: one }: (typeof rows)[number]): boolean =>
        status === 'paused' ? one.paused || one.operatorPaused : status === undefined || one.status === status
      const list: MemoryList<(typeof rows)[number], 'signedUpAt'> = {
        num: ({ num }) => num,
        at: ({ contributor }) => signedUpAt(contributor.userId),
        sorts: { signedUpAt: ({ num }) => num },
        whole: ({ contributor: { userId, email }, given }) => [userId, email, ...given],
        text: ({ contributor: { userId, email, companyName }, given }) => [userId, email, companyName, ...given],
      }
      const { items, next } = listPage(rows.filter(hasStatus), list, params)
      return { items: items.map(({ contributor }) => contributor), next }
    },
    async listAddresses({ userIds }) {
      const found = await Promise.all(
        userIds.map(async (userId) => ({ userId, email: await verifiedAddressOf(userId) })),
      )
      return found.flatMap(({ userId, email }) => (email === null ? [] : [{ userId, email }]))
    },
    findUserIdByAddress: ({ address }) => findByAddress(address),
    async listApplicants({ applicationIds }) {
      return [...records.applications.values()]
        .filter(({ id }) => applicationIds.includes(id))
        .map(({ id, userId, companyName, reviewReason }) => ({
          applicationId: id,
          userId,
          companyName,
          reviewReason,
          isLatest: records.latestApplication(userId)?.id === id,
        }))
    },
    async setOperatorPause({ userId, paused, audit, event }) {
      const record = await records.ensure(userId)
      if (!record) return null
      if (record.standing.operatorPaused !== paused) {
        record.pauses.push({ by: 'operator', paused, changedAt: audit.at })
        audits.record(audit, 'contributor.pause', userId, { paused: !paused }, { paused })
        const data = { userId, by: 'operator' as const }
        if (paused) outbox.enqueueEvent(event, { ownerId: userId, subject: userId, data })
      }
      record.standing = { ...record.standing, operatorPaused: paused }
      return contributorOf(userId, record)
    },

    async export({ ownerId }) {
      const record = records.byUser.get(ownerId)
      return {
        applications: [...records.applications.values()].filter(({ userId }) => userId === ownerId).map(applicationOf),
        contact: record?.contact ?? null,
        consent: record?.consent ?? noConsent,
        consents: [...(record?.consents ?? [])],
      }
    },
    async erase({ ownerId }) {
      for (const [id, { userId }] of records.applications) if (userId === ownerId) records.applications.delete(id)
      const record = records.byUser.get(ownerId)
      if (record) Object.assign(record, { contact: null, consent: noConsent, consents: [] })
      deleteIfEmpty(records, ownerId)
      return false
    },
  }
}

/** Returns whether a record makes its user a contributor; a waitlist entry alone does not. */
const hasContributorData = ({ standing, contact, consents }: ContributorRecord): boolean =>
  standing !== emptyStanding || contact !== null || consents.length > 0

/** Deletes the record of a user in which nothing is left. */
export function deleteIfEmpty({ byUser }: ContributorRecords, userId: string): void {
  const record = byUser.get(userId)
  if (record && !hasContributorData(record) && record.waitlist === null) byUser.delete(userId)
}
