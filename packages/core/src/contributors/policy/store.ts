import type { AuditContext } from '../../admin/audit/store.ts'

/** What a person has agreed to and how they stand: all that the upload policy and E5 ask of the store. Times are ms since 1970. */
export interface Standing {
  /** The terms they accepted last, or null. */
  readonly termsVersion: string | null
  readonly termsAcceptedAt: number | null
  readonly residencyConfirmed: boolean
  /** Their own pause. */
  readonly paused: boolean
  /** The operator's, which stands beside it. */
  readonly operatorPaused: boolean
  /** Of their latest application. */
  readonly status: 'not_applied' | 'pending' | 'approved' | 'rejected'
  readonly contactCompleted: boolean
}

/** How somebody stands of whom nothing is known. */
export const newcomer: Standing = {
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

export interface WaitlistEntry {
  readonly email: string
  /** Two upper-case letters, or null. */
  readonly country: string | null
}

/** An entry of the waitlist as the operator sees it. */
export interface ListedWaitlistEntry extends WaitlistEntry {
  readonly userId: string
  readonly joinedAt: number
  /** When the mail that uploads are open was put into the outbox, or null. */
  readonly notifiedAt: number | null
}

export interface ListWaitlistParams {
  /** Two upper-case letters, or null for all entries. */
  readonly country: string | null
  readonly cursor: number | null
  readonly limit: number
}

export interface NotifyWaitlistParams {
  readonly country: string
  /** Whom to mail, each with the id of their outbox entry; 500 at most. */
  readonly mails: readonly { readonly userId: string; readonly id: string }[]
  readonly subject: string
  readonly text: string
  readonly audit: AuditContext
}

/** Everything held here about one person. The lists are what was chosen and when, oldest first. */
export interface PolicyExport {
  readonly terms: readonly (Terms & { readonly acceptedAt: number })[]
  readonly pauses: readonly {
    readonly by: 'contributor' | 'operator'
    readonly paused: boolean
    readonly changedAt: number
  }[]
  readonly waitlist: (WaitlistEntry & { readonly joinedAt: number; readonly notifiedAt: number | null }) | null
}

/**
 * Terms, residency, pause and the waitlist. Every method is one atomic step. A person without a row (erased meanwhile)
 * gets nothing written, and the writing methods say so with null or false.
 */
export interface PolicyStore {
  /** One read; `newcomer` for somebody of whom nothing is known. */
  standing(ownerId: string): Promise<Standing>
  /** Records what was accepted and when. The same again changes nothing and keeps the first time. */
  acceptTerms(ownerId: string, terms: Terms, now: number): Promise<Standing | null>
  /** The person's own pause; the operator's stays as it is. */
  setPaused(ownerId: string, paused: boolean, now: number): Promise<Standing | null>
  /** One entry a person; a later one replaces it and has not been notified. */
  joinWaitlist(ownerId: string, entry: WaitlistEntry, now: number): Promise<boolean>
  /** Lists the waitlist, first come first; `next` is the cursor of the following page, or null. */
  waitlist(
    params: ListWaitlistParams,
  ): Promise<{ readonly items: readonly ListedWaitlistEntry[]; readonly next: number | null }>
  /**
   * Marks those of the named people who wait for `country` and were not notified yet as notified, and puts one mail to each into the
   * outbox, with one entry in the audit, in one step. Returns how many. Repeating it mails nobody twice.
   */
  notifyWaitlist(params: NotifyWaitlistParams): Promise<number>
  export(ownerId: string): Promise<PolicyExport>
  /** Deletes all of it, a bounded number of rows at a time; true when there may be more. Fine if there is none. */
  erase(ownerId: string): Promise<boolean>
}
