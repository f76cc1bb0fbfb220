import type { ListPage, ListParams } from '../http/list.ts'
import type { AuditContext } from '../audit/store.ts'
import type { NewEvent } from '../events/event.ts'
import type { MailText, RequestedMail } from '../outbox/store.ts'

export type ContributorStatus = 'not_applied' | 'pending' | 'approved' | 'rejected'
/**
 * Statuses by which contributors are listed. `paused` selects the contributors who are paused, by the operator or by
 * themselves, regardless of the status of their application.
 */
export type ContributorFilter = ContributorStatus | 'paused'
export type ApplicationStatus = Exclude<ContributorStatus, 'not_applied'>

/** The text of an application, which is stored unchanged because it is the applicant's own account data. */
export interface ApplicationText {
  readonly companyName: string
  readonly incubatorBatch: string | null
  readonly website: string
  readonly directoryUrl: string | null
  readonly email: string
  readonly role: string
}

/**
 * An application. Times are ms since 1970; the times of the review are null before the review. Every stored application
 * was submitted by an applicant who declared to be authorized.
 */
export interface Application extends ApplicationText {
  readonly id: string
  readonly status: ApplicationStatus
  readonly submittedAt: number
  readonly reviewedAt: number | null
  readonly reviewReason: string | null
}

/** An application to store. If applications are approved automatically, its status is `approved`. */
export interface NewApplication extends ApplicationText {
  readonly id: string
  readonly status: 'pending' | 'approved'
}

/** An application and its applicant, in the form that the operator sees. */
export interface ApplicationWithUser extends Application {
  readonly userId: string
}

export interface SubmitApplicationParams {
  readonly ownerId: string
  readonly application: NewApplication
  readonly now: number
  readonly submitted?: NewEvent<'application.submitted'> | undefined
  /** The event to store if the application is `approved`. */
  readonly approved?: NewEvent<'contributor.approved'> | undefined
}

export interface ReviewApplicationParams {
  readonly id: string
  readonly status: 'approved' | 'rejected'
  readonly reason: string | null
  /** Whether the review approves an application that was rejected. */
  readonly reconsiders?: boolean | undefined
  /** The mail to the applicant. */
  readonly mail: MailText
  readonly audit: AuditContext
  readonly event?: NewEvent<'contributor.approved' | 'contributor.rejected'> | undefined
}

export type ReviewApplicationResult =
  | { readonly outcome: 'reviewed'; readonly application: ApplicationWithUser }
  | { readonly outcome: 'already_reviewed' | 'unknown' }

export interface Contact {
  readonly name: string
  readonly email: string
  readonly phone: string | null
}

export interface SaveContactParams {
  readonly ownerId: string
  readonly contact: Contact
  /** Whether the call may replace another contact; the first contact is stored in any case. */
  readonly mayReplace: boolean
  /** The mail to the verified address of the account, if the contact changes. */
  readonly mail: RequestedMail & { readonly id: string }
  readonly now: number
}

/** `locked`: another contact is stored, and the call may not replace it; `unknown`: there is no such user. */
export type SaveContactResult = 'saved' | 'locked' | 'unknown'

/** A user's consent to data for ads. */
export interface Consent {
  readonly attribution: boolean
  readonly pixel: boolean
}

export const noConsent: Consent = { attribution: false, pixel: false }

export interface SetConsentParams {
  readonly ownerId: string
  readonly consent: Consent
  readonly now: number
}

/** A contributor, in the form that the operator sees. */
export interface Contributor {
  readonly userId: string
  readonly status: ContributorStatus
  /** The company in the latest application. */
  readonly companyName: string | null
  /** The verified address of the account. Null if an app's own sign-in has no address. */
  readonly email: string | null
  /** When the account was created, in ms. */
  readonly signedUpAt: number
  readonly termsVersion: string | null
  readonly residencyConfirmed: boolean
  readonly contactCompleted: boolean
  readonly paused: boolean
  readonly operatorPaused: boolean
}

export interface SetOperatorPauseParams {
  readonly userId: string
  readonly paused: boolean
  readonly audit: AuditContext
  /** The event that is stored if the pause begins. */
  readonly event?: NewEvent<'contributor.paused'> | undefined
}

/**
 * The filter of a list of contributors. The search covers the ID, the company, the verified address and the contact
 * address.
 */
export interface ListContributorsParams extends ListParams<'signedUpAt' | 'email'> {
  readonly status?: ContributorFilter | undefined
}

/** The filter of a list of applications, which are searched by their ID, applicant, and the texts of the applicant. */
export interface ListApplicationsParams extends ListParams<'submittedAt' | 'companyName'> {
  readonly status?: ApplicationStatus | undefined
}

/** Everything stored here about one user. Lists are oldest first. */
export interface ContributorExport {
  readonly applications: readonly Application[]
  readonly contact: (Contact & { readonly savedAt: number }) | null
  readonly consent: Consent
  readonly consents: readonly (Consent & { readonly changedAt: number })[]
}

interface Owner {
  readonly ownerId: string
}

/** The person who submitted an application. */
export interface Applicant {
  readonly applicationId: string
  readonly userId: string
  readonly companyName: string
  readonly reviewReason: string | null
  /** Whether this is the applicant's latest application. */
  readonly isLatest: boolean
  /**
   * The reason why the applicant's previous application was rejected. Empty if no reason was given, null if this is
   * their first application.
   */
  readonly earlierReason: string | null
}

/**
 * Applications, contacts and ad consent. Every method is one atomic step. For a user who does not exist (erased
 * meanwhile) nothing is written, and the writing methods return null or false.
 */
export interface ContributorStore {
  /** Returns the latest application, or null. */
  findApplication(params: Owner): Promise<Application | null>
  /**
   * Stores an application, or returns null when the user has a pending or approved application. Only one of several
   * concurrent calls succeeds.
   */
  submitApplication(params: Readonly<SubmitApplicationParams>): Promise<Application | null>
  /**
   * Reviews a pending application, once, with an audit entry, and enqueues a mail to the applicant. Only the first of
   * several concurrent reviews decides. The others get `already_reviewed`. With `reconsiders`, the call approves a
   * rejected application instead, unless the applicant has a later application.
   */
  reviewApplication(params: Readonly<ReviewApplicationParams>): Promise<ReviewApplicationResult>
  /** Returns applications of all users, newest first. */
  listApplications(params: Readonly<ListApplicationsParams>): Promise<ListPage<ApplicationWithUser>>

  /** Returns the contact, or null. */
  findContact(params: Owner): Promise<Contact | null>
  /**
   * Stores the contact, in place of an earlier contact if the call may replace it, and enqueues a mail to the account's
   * address if the contact changed.
   */
  saveContact(params: Readonly<SaveContactParams>): Promise<SaveContactResult>

  /** Returns the consent, or `noConsent` until the user sets it. */
  getConsent(params: Owner): Promise<Consent>
  /**
   * Stores the consent and, if it changed, records the choice and its time. Returns false when there is no such user.
   */
  setConsent(params: Readonly<SetConsentParams>): Promise<boolean>

  /**
   * Returns the users who have contributor data, latest sign-up first. `email` sorts by the verified address; users
   * without an address come before the others in ascending order.
   */
  listContributors(params: Readonly<ListContributorsParams>): Promise<ListPage<Contributor>>
  /** Returns a user in the form that the operator sees, or null. */
  findContributor(params: { readonly userId: string }): Promise<Contributor | null>
  /** Returns the verified account addresses of at most 200 users. Users without such an address are omitted. */
  listAddresses(params: {
    readonly userIds: readonly string[]
  }): Promise<readonly { readonly userId: string; readonly email: string }[]>
  /** Returns the id of the user with exactly this verified account address, or null. */
  findUserIdByAddress(params: { readonly address: string }): Promise<string | null>
  /** Returns the applicants of at most 200 applications. Applications that do not exist are omitted. */
  listApplicants(params: { readonly applicationIds: readonly string[] }): Promise<readonly Applicant[]>
  /**
   * Sets the operator's pause, with an audit entry if it changes; the user's own pause is not changed. Returns null
   * when there is no such user.
   */
  setOperatorPause(params: Readonly<SetOperatorPauseParams>): Promise<Contributor | null>

  /** Returns everything stored here about a user. */
  export(params: Owner): Promise<ContributorExport>
  /** Deletes the data of a person, a bounded number of rows at a time. Returns whether there may be more. */
  erase(params: Owner): Promise<boolean>
}

/** A part of an export that is JSON text already and is sent unchanged. */
export class JsonText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/**
 * The data that a capability stores about a user, for the export and the erasure of an account. An iterable export
 * becomes a list, so that no account has to fit into memory. Times are timestamps, or milliseconds under keys that end
 * in `At`, which the export contains as timestamps. Days are dates, and amounts are dollars.
 */
export interface AccountPart {
  readonly name: string
  export(ownerId: string): Promise<unknown> | AsyncIterable<unknown>
  /**
   * Erases a bounded number of records. Returns whether there may be more. An erasure gives the user another id
   * (`ownerId`) immediately. `formerId` is the previous id, for records that contain it, and `erasureId` is the id of
   * the erasure.
   */
  erase(ownerId: string, formerId: string, erasureId: string): Promise<boolean>
}
