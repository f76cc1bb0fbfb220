import type { ListPage, ListParams } from '../http/list.ts'
import type { AuditContext } from '../audit/store.ts'

/**
 * The destination of an entry: a mail, a sponsor network's impression URL, a telemetry sink, the app's
 * `onEvent`, or a webhook.
 */
export const channels = ['mail', 'impression', 'telemetry', 'event', 'webhook'] as const
export type Channel = (typeof channels)[number]
/** The channels whose entries `claim` claims; `WebhookStore` claims deliveries to webhooks. */
export type RetriedChannel = Exclude<Channel, 'mail' | 'webhook'>
/**
 * The status of an entry: `waiting` until it is due, `sending` while a worker holds it, `sent`, `dead` after the last
 * attempt, or `unknown`. A mail is `unknown` if it may have been sent: its worker stopped between claim and
 * acknowledgement, or the mail server closed the connection. An `unknown` mail is never sent again: a second copy to a
 * person is worse than a check by an operator.
 */
export const entryStatuses = ['waiting', 'sending', 'sent', 'dead', 'unknown'] as const
export type EntryStatus = (typeof entryStatuses)[number]
/** The statuses of entries that were not delivered, or may not have been delivered, and are not tried again. */
export const undeliveredStatuses = ['dead', 'unknown'] as const
export type UndeliveredStatus = (typeof undeliveredStatuses)[number]

/**
 * A message that must be sent after a commit. It is stored in the transaction of the change itself, so either both are
 * stored or neither is.
 */
export interface OutboxEntry {
  /**
   * A new UUID version 7, or the id of the record that the entry reports. An id is stored only once. Receivers that
   * support idempotency keys get the id as the key.
   */
  readonly id: string
  readonly channel: Channel
  /** The address of a mail, the id of a webhook, or else ''. */
  readonly recipient: string
  /** The subject of a mail (one sanitized line), the type of an event, or else ''. */
  readonly subject: string
  /**
   * The text of a mail, the URL of an impression, the report id of telemetry, or the JSON of an event for the app or a
   * webhook.
   */
  readonly payload: string
  readonly createdAt: number
  /**
   * Entries of one channel and recipient with the same key are delivered one after the other, in the order of their
   * commits.
   */
  readonly orderKey?: string | null
  /** The id of the request that enqueued the entry. Default: none. */
  readonly requestId?: string | null | undefined
}

/** The subject and the text of a mail. */
export interface MailText {
  readonly subject: string
  readonly text: string
}

/** A mail that a request enqueues. */
export interface RequestedMail extends MailText {
  /** The id of the request. Default: not known. */
  readonly requestId?: string | undefined
}

/** A mail that a request sent to the mail server, and that the server did not accept or perhaps did not accept. */
export interface RefusedMail {
  readonly id: string
  readonly recipient: string
  /** One line without the information that the mail contained, such as a code. */
  readonly subject: string
  readonly status: UndeliveredStatus
  readonly error: string
  readonly requestId: string
  readonly now: number
}

/** An entry that a worker has claimed. */
export interface ClaimedEntry {
  readonly id: string
  readonly recipient: string
  readonly subject: string
  readonly payload: string
  readonly createdAt: number
  /** The number of the attempt, starting at 1. */
  readonly attempt: number
}

/** Mails to one address that are sent as one mail: a single entry, or a digest, whose entries have no payload. */
export interface MailClaim {
  readonly lease: string
  readonly digest: boolean
  readonly entries: readonly ClaimedEntry[]
}

/** An entry as the operator sees it, without its payload. */
export interface ListedOutboxEntry {
  readonly id: string
  readonly channel: Channel
  readonly status: EntryStatus
  readonly recipient: string
  readonly subject: string
  readonly attempts: number
  /** The reason why the last attempt failed, or null. */
  readonly lastError: string | null
  /** The id of the request that enqueued the entry, or null. */
  readonly requestId: string | null
  /** Whether `resend` sends the entry again. */
  readonly canResend: boolean
  readonly createdAt: number
  readonly dueAt: number
  readonly finishedAt: number | null
}

/** The limits on the mails to one address. */
export interface MailLimits {
  /** The maximum number of mails to one address in any hour. If more are due, they are sent as a digest. */
  readonly perHour: number
  /** The time for which mails wait for the next digest once the limit of the hour is reached, in milliseconds. */
  readonly digestAfterMs: number
  /** The maximum number of entries of one digest. */
  readonly maxDigestEntries: number
}

export interface ClaimEntriesParams {
  readonly channel: RetriedChannel
  /** The random lease that identifies this claim. */
  readonly lease: string
  readonly now: number
  /** The time at which the lease expires. */
  readonly until: number
  readonly limit: number
}

export interface ClaimMailParams {
  readonly lease: string
  readonly now: number
  readonly until: number
  readonly limits: MailLimits
}

/** Entries that were claimed under a lease. */
export interface ClaimedIds {
  readonly lease: string
  readonly ids: readonly string[]
}

/**
 * The result of an attempt to deliver to a webhook: the status of the answer, or the reason why there was no answer.
 */
export interface AttemptResult {
  readonly at: number
  readonly status: number | null
  readonly error: string | null
}

/** The stored result of an attempt. Mails store no result. */
interface KeptAttempt {
  readonly result?: AttemptResult | undefined
}

export interface AcknowledgeEntriesParams extends ClaimedIds, KeptAttempt {
  readonly now: number
}

export interface RetryEntriesParams extends ClaimedIds, KeptAttempt {
  readonly error: string
  /** The time from which the next attempt may start. */
  readonly dueAt: number
}

export interface FailEntriesParams extends ClaimedIds, KeptAttempt {
  /** `unknown`: a mail that may have been sent. */
  readonly status: 'dead' | 'unknown'
  readonly error: string
  readonly now: number
}

/** The number of entries that one action of an operator changes at a time. */
export const maxEntriesPerAction = 1_000

/**
 * The entries that an action of an operator changes: those with the given ids and status, or all entries with the
 * status.
 */
export interface ChangeEntriesParams<Status extends UndeliveredStatus> {
  readonly status: Status
  /** At most `maxEntriesPerAction` ids. Null means all entries, `maxEntriesPerAction` at a time, oldest ids first. */
  readonly ids: readonly string[] | null
  /** Entries that finished later stay unchanged, because the operator has not seen them. Milliseconds since 1970. */
  readonly until: number
  readonly audit: AuditContext
}

/** The filter of a list of entries. A search covers their ID, request, recipient, subject and last error. */
export interface ListOutboxParams extends ListParams<'createdAt' | 'recipient'> {
  readonly status?: EntryStatus | undefined
  readonly channel?: Channel | undefined
}

/**
 * The outbox. Every method is atomic. Only one of several concurrent claims gets an entry. `acknowledge`, `retry` and
 * `fail` do not change entries that are claimed under another lease.
 */
export interface OutboxStore {
  /** Adds a single entry, unless its id exists. Other stores add their entries in the transaction of their change. */
  enqueue(entry: OutboxEntry): Promise<void>
  /**
   * Records a mail that was not sent through the outbox, so that the operator finds it. The entry has no text, so the
   * mail is not sent again. The entry is deleted together with the account that has the mail's address.
   */
  recordRefusedMail(params: Readonly<RefusedMail>): Promise<void>
  /** Returns whether any entry other than a delivery to a webhook may be due. Does not write. */
  hasDue(params: { readonly now: number }): Promise<boolean>
  /**
   * Claims due entries of a channel that is retried until it succeeds, including entries whose lease expired. Entries
   * that have been due longest come first. An entry is not claimed while an earlier entry with the same order key is
   * unfinished. A claim counts as an attempt. An entry that was created in the future, or whose lease ends too far in
   * the future, counts as due, because the clock was set back.
   */
  claim(params: Readonly<ClaimEntriesParams>): Promise<ClaimedEntry[]>
  /**
   * Claims the mail that has been due longest. When more mails to its address are due than the hourly limit allows,
   * this method claims all of them as a digest. Once the hourly limit is reached, mails are claimed only after the
   * oldest has waited `digestAfterMs`. First sets mails whose lease expired to `unknown`. Returns null when there is
   * nothing to send.
   */
  claimMail(params: Readonly<ClaimMailParams>): Promise<MailClaim | null>
  /**
   * Sets entries to `sent` and deletes their payload, except the payload of a webhook. This also works for a mail that
   * became `unknown` and was sent after all.
   */
  acknowledge(params: Readonly<AcknowledgeEntriesParams>): Promise<void>
  /** Sets entries whose delivery failed to `waiting`. Their mails no longer count towards the hourly limit. */
  retry(params: Readonly<RetryEntriesParams>): Promise<void>
  /** Marks entries as failed, so that they are not tried again. */
  fail(params: Readonly<FailEntriesParams>): Promise<void>
  /**
   * Sets entries that are claimed under this lease to `waiting`, without counting the attempt. It is used when the
   * reply to a claim was lost, so that none of its entries was sent.
   */
  release(params: { readonly lease: string }): Promise<void>
  /**
   * Makes a retry due at `now` if its time is further ahead than its delay plus the allowed clock difference. That
   * happens when the clock was set back.
   */
  advanceRetries(params: { readonly now: number }): Promise<void>
  /**
   * Makes dead entries due again with a full number of attempts, and writes one audit entry. Skips deliveries to a
   * disabled webhook and mails without a text. Returns the number of changed entries. Concurrent calls count each entry
   * once.
   */
  resend(params: Readonly<ChangeEntriesParams<'dead'>>): Promise<number>
  /**
   * Deletes entries that are not tried again, and writes one audit entry. Returns the number of deleted entries.
   * Concurrent calls count each entry once.
   */
  deleteUndelivered(params: Readonly<ChangeEntriesParams<UndeliveredStatus>>): Promise<number>
  /** Counts the entries of each status except `sent`. */
  countUnsent(): Promise<Readonly<Record<Exclude<EntryStatus, 'sent'>, number>>>
  /** Lists entries, newest first. */
  list(params: Readonly<ListOutboxParams>): Promise<ListPage<ListedOutboxEntry>>
  /** Deletes entries that finished before a time, in several transactions if there are many. */
  deleteFinished(params: { readonly before: number }): Promise<void>
}
