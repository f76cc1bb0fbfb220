import {
  noConsent,
  type Application,
  type Applied,
  type Asked,
  type Consent,
  type Contact,
  type Contributor,
  type ContributorStore,
  type Listed,
} from '../../contributors/store.ts'
import type { PolicyExport, Standing, WaitlistEntry } from '../../contributors/policy/store.ts'
import { memoryAudit, type MemoryAudit } from './audit.ts'

/** What is kept of one person; both stores of this folder that speak of contributors share it. */
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

interface Kept extends Applied {
  readonly num: number
}

/** The records by person, the applications in the order they came, and who is a person at all. */
export interface ContributorShelf {
  readonly records: Map<string, ContributorRecord>
  readonly applications: Map<string, Kept>
  /** Whether there is such a person. */
  readonly known: (ownerId: string) => Promise<boolean>
  /** The person's record, made if need be; null when there is no such person. */
  record(ownerId: string): Promise<ContributorRecord | null>
  latest(ownerId: string): Kept | null
}

export const emptyStanding: ContributorRecord['standing'] = {
  termsVersion: null,
  termsAcceptedAt: null,
  residencyConfirmed: false,
  paused: false,
  operatorPaused: false,
}

export function contributorShelf(known: (ownerId: string) => Promise<boolean>): ContributorShelf {
  const records = new Map<string, ContributorRecord>()
  const applications = new Map<string, Kept>()
  let last = 0
  return {
    records,
    applications,
    known,
    async record(ownerId) {
      if (!(await known(ownerId))) return null
      let record = records.get(ownerId)
      if (!record) {
        record = {
          num: ++last,
          standing: emptyStanding,
          terms: [],
          pauses: [],
          waitlist: null,
          contact: null,
          consent: noConsent,
          consents: [],
        }
        records.set(ownerId, record)
      }
      return record
    },
    latest: (ownerId) => [...applications.values()].findLast((one) => one.userId === ownerId) ?? null,
  }
}

const applicationOf = ({ num, userId, ...application }: Kept): Application => application
const appliedOf = ({ num, ...applied }: Kept): Applied => applied

/** A page of items, highest number first. */
function pageOf<Item, Shown>(
  all: readonly (Item & { num: number })[],
  { cursor, limit }: Asked,
  shown: (item: Item & { num: number }) => Shown,
): Listed<Shown> {
  const rest = all.filter(({ num }) => cursor === null || num < cursor).sort((a, b) => b.num - a.num)
  const kept = rest.slice(0, limit)
  return { items: kept.map(shown), next: rest.length > limit ? kept.at(-1)!.num : null }
}

/** The contributor store in Maps. After the look at the person nothing waits, which is what makes a method atomic. */
export function memoryContributors(
  shelf: ContributorShelf,
  audits: Pick<MemoryAudit, 'record'> = memoryAudit(),
): ContributorStore {
  let last = 0

  function contributorOf(userId: string, record: ContributorRecord): Contributor {
    const { termsVersion, residencyConfirmed, paused, operatorPaused } = record.standing
    const latest = shelf.latest(userId)
    return {
      userId,
      status: latest?.status ?? 'not_applied',
      companyName: latest?.companyName ?? null,
      email: record.contact?.email ?? latest?.email ?? null,
      termsVersion,
      residencyConfirmed,
      contactCompleted: record.contact !== null,
      paused,
      operatorPaused,
    }
  }

  return {
    async application(ownerId) {
      const latest = shelf.latest(ownerId)
      return latest && applicationOf(latest)
    },
    async apply(ownerId, application, now) {
      if (!(await shelf.record(ownerId))) return null
      const latest = shelf.latest(ownerId)
      if (latest && latest.status !== 'rejected') return null
      const reviewedAt = application.status === 'approved' ? now : null
      const kept: Kept = {
        ...application,
        num: ++last,
        userId: ownerId,
        submittedAt: now,
        reviewedAt,
        reviewReason: null,
      }
      shelf.applications.set(kept.id, kept)
      return applicationOf(kept)
    },
    async review(id, { status, reason }, audit) {
      const application = shelf.applications.get(id)
      if (!application) return { outcome: 'unknown' }
      if (application.status !== 'pending') return { outcome: 'already_reviewed' }
      const reviewed: Kept = { ...application, status, reviewReason: reason, reviewedAt: audit.at }
      audits.record(audit, 'application.review', id, { status: application.status }, { status })
      shelf.applications.set(id, reviewed)
      return { outcome: 'reviewed', application: appliedOf(reviewed) }
    },
    async applications(status, asked) {
      return pageOf(
        [...shelf.applications.values()].filter((one) => status === null || one.status === status),
        asked,
        appliedOf,
      )
    },

    async contact(ownerId) {
      const contact = shelf.records.get(ownerId)?.contact
      return contact ? { name: contact.name, email: contact.email, phone: contact.phone } : null
    },
    async saveContact(ownerId, { name, email, phone }, now) {
      const record = await shelf.record(ownerId)
      if (record) record.contact = { name, email, phone, savedAt: now }
      return record !== null
    },

    async consent(ownerId) {
      return shelf.records.get(ownerId)?.consent ?? noConsent
    },
    async setConsent(ownerId, { attribution, pixel }, now) {
      const record = await shelf.record(ownerId)
      if (!record) return false
      const { consent } = record
      if (consent.attribution !== attribution || consent.pixel !== pixel)
        record.consents.push({ attribution, pixel, changedAt: now })
      record.consent = { attribution, pixel }
      return true
    },

    async contributors(asked) {
      const all = [...shelf.records]
        .map(([userId, record]) => ({ userId, record, num: record.num }))
        .filter(({ userId, record }) => touched(record) || shelf.latest(userId))
      return pageOf(all, asked, ({ userId, record }) => contributorOf(userId, record))
    },
    async setOperatorPaused(userId, paused, audit) {
      const record = await shelf.record(userId)
      if (!record) return null
      if (record.standing.operatorPaused !== paused) {
        record.pauses.push({ by: 'operator', paused, changedAt: audit.at })
        audits.record(audit, 'contributor.pause', userId, { paused: !paused }, { paused })
      }
      record.standing = { ...record.standing, operatorPaused: paused }
      return contributorOf(userId, record)
    },

    async export(ownerId) {
      const record = shelf.records.get(ownerId)
      return {
        applications: [...shelf.applications.values()].filter(({ userId }) => userId === ownerId).map(applicationOf),
        contact: record?.contact ?? null,
        consent: record?.consent ?? noConsent,
        consents: [...(record?.consents ?? [])],
      }
    },
    async erase(ownerId) {
      for (const [id, { userId }] of shelf.applications) if (userId === ownerId) shelf.applications.delete(id)
      const record = shelf.records.get(ownerId)
      if (record) Object.assign(record, { contact: null, consent: noConsent, consents: [] })
      drop(shelf, ownerId)
      return false
    },
  }
}

/** Whether anything was done about contributing; the waitlist alone is no sign of it. */
const touched = ({ standing, contact, consents }: ContributorRecord): boolean =>
  standing !== emptyStanding || contact !== null || consents.length > 0

/** Forgets a record in which nothing is left. */
export function drop({ records }: ContributorShelf, ownerId: string): void {
  const record = records.get(ownerId)
  if (record && !touched(record) && record.waitlist === null) records.delete(ownerId)
}
