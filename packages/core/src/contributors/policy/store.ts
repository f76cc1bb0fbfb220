import type { ListPage, ListParams } from '../../http/list.ts'
import type { AuditContext } from '../../audit/store.ts'
import type { NewEvent } from '../../events/event.ts'

/**
 * The terms that a user accepted, and their status: all that the upload policy and `POST /api/ingest` read. Times are
 * ms since 1970.
 */
export interface Standing {
  /** The version of the terms that the user accepted last, or null. */
  readonly termsVersion: string | null
  readonly termsAcceptedAt: number | null
  readonly residencyConfirmed: boolean
  /** Whether the user paused their own uploads. */
  readonly paused: boolean
  /** Whether an operator paused the user's uploads, independently of `paused`. */
  readonly operatorPaused: boolean
  /** The status of the latest application. */
  readonly status: 'not_applied' | 'pending' | 'approved' | 'rejected'
  readonly contactCompleted: boolean
}

/** The standing of a user without contributor data. */
export const initialStanding: Standing = {
  termsVersion: null,
  termsAcceptedAt: null,
  residencyConfirmed: false,
  paused: false,
  operatorPaused: false,
  status: 'not_applied',
  contactCompleted: false,
}

export interface Terms {
  readonly termsVersion: string
  readonly residencyConfirmed: boolean
}

export interface AcceptTermsParams extends Terms {
  readonly ownerId: string
  readonly now: number
}

export interface SetPauseParams {
  readonly ownerId: string
  readonly paused: boolean
  readonly now: number
  /** The event that is stored if the pause begins. */
  readonly event?: NewEvent<'contributor.paused'> | undefined
}

export interface WaitlistEntry {
  readonly email: string
  /** The country as two upper-case letters, or null. */
  readonly country: string | null
}

export interface JoinWaitlistParams extends WaitlistEntry {
  readonly ownerId: string
  readonly now: number
}

/** An entry of the waitlist in the form that the operator sees. */
export interface ListedWaitlistEntry extends WaitlistEntry {
  readonly userId: string
  readonly joinedAt: number
  /** The time at which the mail that uploads are open was put into the outbox, or null. */
  readonly notifiedAt: number | null
}

/** The filter of a list of entries, which are searched by the user and the address. */
export interface ListWaitlistParams extends ListParams<'joinedAt'> {
  /** The country as two upper-case letters. */
  readonly country?: string | undefined
  /** Whether the entries were notified. Absent: both notified and other entries are listed. */
  readonly notified?: boolean | undefined
}

/** The number of people who wait for a country and were not notified yet. */
export interface WaitlistCount {
  readonly country: string | null
  readonly waiting: number
}

export interface NotifyWaitlistParams {
  readonly country: string
  /** At most 500 users to mail, each with the id of their outbox entry. */
  readonly mails: readonly { readonly userId: string; readonly id: string }[]
  readonly subject: string
  readonly text: string
  readonly audit: AuditContext
}

export interface RemoveFromWaitlistParams {
  readonly ownerId: string
  readonly audit: AuditContext
}

/** Everything stored here about one user. The lists have each choice and its time, oldest first. */
export interface PolicyExport {
  readonly terms: readonly (Terms & { readonly acceptedAt: number })[]
  readonly pauses: readonly {
    readonly by: 'contributor' | 'operator'
    readonly paused: boolean
    readonly changedAt: number
  }[]
  readonly waitlist: (WaitlistEntry & { readonly joinedAt: number; readonly notifiedAt: number | null }) | null
}

interface Owner {
  readonly ownerId: string
}

/**
 * Terms, residency, pause and the waitlist. Every method is one atomic step. For a user who does not exist (erased
 * meanwhile) nothing is written, and the writing methods return null or false.
 */
export interface PolicyStore {
  /** Returns the standing in one read, or `initialStanding` for a user without contributor data. */
  getStanding(params: Owner): Promise<Standing>
  /**
   * Records which terms were accepted and when. Accepting the same terms again changes nothing and keeps the first
   * time.
   */
  acceptTerms(params: Readonly<AcceptTermsParams>): Promise<Standing | null>
  /** Sets the user's own pause; the operator's pause is not changed. */
  setPause(params: Readonly<SetPauseParams>): Promise<Standing | null>
  /**
   * Stores the user's waitlist entry, as not notified, in place of an earlier entry. A user who was notified about the
   * same country at the same address within the last day stays notified, because the request may be a repetition.
   */
  joinWaitlist(params: Readonly<JoinWaitlistParams>): Promise<boolean>
  /** Deletes the user's waitlist entry. Does nothing if there is no entry. */
  leaveWaitlist(params: Owner): Promise<void>
  /** Returns the user's entry of the waitlist, or null. */
  findWaitlistEntry(params: Owner): Promise<PolicyExport['waitlist']>
  /** Returns the versions of the terms that the user accepted, oldest first. */
  listAcceptedTerms(params: Owner): Promise<PolicyExport['terms']>
  /** Lists the waitlist. */
  listWaitlist(params: Readonly<ListWaitlistParams>): Promise<ListPage<ListedWaitlistEntry>>
  /**
   * Counts the people who wait for each country and were not notified yet, largest count first. A null country means
   * people without a country.
   */
  countWaitlist(): Promise<WaitlistCount[]>
  /**
   * Marks the given users who wait for `country` as notified, except users who were notified before. In the same
   * transaction, enqueues a mail to each marked user in the outbox and writes one audit entry. Returns the number of
   * marked users. A repeated call does not mail a person twice.
   */
  notifyWaitlist(params: Readonly<NotifyWaitlistParams>): Promise<number>
  /**
   * Deletes the user's waitlist entry, with an audit entry, for an operator. Returns whether there was a waitlist
   * entry.
   */
  removeFromWaitlist(params: Readonly<RemoveFromWaitlistParams>): Promise<boolean>
  /** Returns everything stored here about a user. */
  export(params: Owner): Promise<PolicyExport>
  /** Deletes the data of a person, a bounded number of rows at a time. Returns whether there may be more. */
  erase(params: Owner): Promise<boolean>
}
