import type { AuditContext } from '../admin/audit/store.ts'

export type ContributorStatus = 'not_applied' | 'pending' | 'approved' | 'rejected'
export type ApplicationStatus = Exclude<ContributorStatus, 'not_applied'>

/** What an applicant writes. Their own account data: kept as written. */
export interface ApplicationText {
  readonly companyName: string
  readonly incubatorBatch: string | null
  readonly website: string
  readonly directoryUrl: string | null
  readonly email: string
  readonly role: string
}

/** An application. Times are ms since 1970; the review's are null until it was reviewed. The applicant always authorized it. */
export interface Application extends ApplicationText {
  readonly id: string
  readonly status: ApplicationStatus
  readonly submittedAt: number
  readonly reviewedAt: number | null
  readonly reviewReason: string | null
}

/** An application on its way in. `approved` when nobody is asked. */
export interface NewApplication extends ApplicationText {
  readonly id: string
  readonly status: 'pending' | 'approved'
}

/** An application with its applicant, as the operator sees it. */
export interface Applied extends Application {
  readonly userId: string
}

export interface Verdict {
  readonly status: 'approved' | 'rejected'
  readonly reason: string | null
}

export type Reviewed =
  | { readonly outcome: 'reviewed'; readonly application: Applied }
  | { readonly outcome: 'already_reviewed' | 'unknown' }

export interface Contact {
  readonly name: string
  readonly email: string
  readonly phone: string | null
}

/** What the person allows the ads (decisions section 9). */
export interface Consent {
  readonly attribution: boolean
  readonly pixel: boolean
}

export const noConsent: Consent = { attribution: false, pixel: false }

/** A contributor as the operator sees them. */
export interface Contributor {
  readonly userId: string
  readonly status: ContributorStatus
  /** Of the latest application. */
  readonly companyName: string | null
  /** The contact's, else the latest application's. */
  readonly email: string | null
  readonly termsVersion: string | null
  readonly residencyConfirmed: boolean
  readonly contactCompleted: boolean
  readonly paused: boolean
  readonly operatorPaused: boolean
}

/** A page of a list. `cursor` is the `next` of the page before; null starts. */
export interface Asked {
  readonly cursor: number | null
  readonly limit: number
}

export interface Listed<Item> {
  readonly items: readonly Item[]
  /** Null when there is no more. */
  readonly next: number | null
}

/** Everything held here about one person. Lists are oldest first. */
export interface ContributorExport {
  readonly applications: readonly Application[]
  readonly contact: (Contact & { readonly savedAt: number }) | null
  readonly consent: Consent
  readonly consents: readonly (Consent & { readonly changedAt: number })[]
}

/**
 * Applications, contacts and ad consent. Every method is one atomic step. A person without a row (erased meanwhile) gets
 * nothing written, and the writing methods say so with null or false.
 */
export interface ContributorStore {
  /** The latest application, or null. */
  application(ownerId: string): Promise<Application | null>
  /**
   * Keeps an application unless the person has one that is pending or approved. Null when they have, or when there is no
   * such person. Of any number of calls at once one is kept.
   */
  apply(ownerId: string, application: NewApplication, now: number): Promise<Application | null>
  /** Decides a pending application, once, with an entry in the audit: of any number of reviews at once the first decides and the others are `already_reviewed`. */
  review(id: string, verdict: Verdict, audit: AuditContext): Promise<Reviewed>
  /** Everyone's applications, newest first, of one status or all. */
  applications(status: ApplicationStatus | null, asked: Asked): Promise<Listed<Applied>>

  contact(ownerId: string): Promise<Contact | null>
  /** Replaces an earlier one. */
  saveContact(ownerId: string, contact: Contact, now: number): Promise<boolean>

  /** `noConsent` until they say otherwise. */
  consent(ownerId: string): Promise<Consent>
  /** Keeps the choice, and writes down what was chosen and when, unless it is what it was. */
  setConsent(ownerId: string, consent: Consent, now: number): Promise<boolean>

  /** Those who did anything about contributing, each once, newest people first. */
  contributors(asked: Asked): Promise<Listed<Contributor>>
  /** The operator's pause, with an entry in the audit if it changes; the person's own stays as it is. Null when there is no such person. */
  setOperatorPaused(userId: string, paused: boolean, audit: AuditContext): Promise<Contributor | null>

  export(ownerId: string): Promise<ContributorExport>
  /** Deletes all of it, a bounded number of rows at a time; true when there may be more. Fine if there is none. */
  erase(ownerId: string): Promise<boolean>
}

/** A piece of an export that is JSON text already, and goes out as it is. */
export class JsonText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/**
 * What a capability holds about a person, handed over so that an account can be exported and erased as a whole. An
 * export may come in pieces, which become a list, so that no account has to fit into memory. Times are numbers of
 * milliseconds under keys that end in `At`; they go out as timestamps.
 */
export interface AccountPart {
  readonly name: string
  export(ownerId: string): Promise<unknown> | AsyncIterable<unknown>
  /**
   * Erases a bounded number of records; true when there may be more. An erasure gives the person another id at once (`ownerId`),
   * so that the one from before leads nowhere; `formerId` is for records that name that one.
   */
  erase(ownerId: string, formerId: string): Promise<boolean>
}
