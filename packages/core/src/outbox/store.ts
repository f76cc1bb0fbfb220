import type { channels, entryStatuses } from './rules.ts'

const minute = 60_000
const hour = 60 * minute

/** The waits after each attempt that went wrong, in milliseconds; after the last the entry is dead. Some 19 hours in all. */
export const retryWaitsMs = [minute / 2, 2 * minute, 10 * minute, hour, 5 * hour, 12 * hour] as const
/** How long an entry is one worker's. Longer than any mail server takes: a mail whose lease ran out is never sent again. */
export const leaseMs = 5 * minute

export type Channel = (typeof channels)[number]
export type EntryStatus = (typeof entryStatuses)[number]

/** What must go out after a commit. Stored in the batch of the change itself, so it is there exactly if the change is. */
export interface Entry {
  /** A UUID version 7 of its own, or of what it tells of: the same id is kept once. Receivers that know keys get it as one. */
  readonly id: string
  readonly channel: Channel
  /** Of a mail its address, else ''. */
  readonly recipient: string
  /** Of a mail its subject, one clean line; else ''. */
  readonly subject: string
  /** Of a mail its text, of an impression its address, of telemetry the report's id. */
  readonly payload: string
  readonly createdAt: number
}

/** An entry in a worker's hands. */
export interface Taken {
  readonly id: string
  readonly recipient: string
  readonly subject: string
  readonly payload: string
  readonly createdAt: number
  /** 1 for the first. */
  readonly attempt: number
}

/** Mails of one address, to go out as one: a single mail, or a digest, whose entries come without their payload. */
export interface MailClaim {
  readonly lease: string
  readonly digest: boolean
  readonly entries: readonly Taken[]
}

/** An entry as the operator sees it; never its payload. */
export interface Sighting {
  readonly id: string
  readonly channel: Channel
  readonly status: EntryStatus
  readonly recipient: string
  readonly subject: string
  readonly attempts: number
  /** Why the last attempt went wrong, or null. */
  readonly lastError: string | null
  readonly createdAt: number
  readonly dueAt: number
  readonly finishedAt: number | null
}

/** What became of entries: out; given up; nobody knows; or to be tried again at `dueAt`. */
export type Fate =
  | { readonly status: 'sent' }
  | { readonly status: 'dead' | 'unknown'; readonly error: string }
  | { readonly status: 'waiting'; readonly error: string; readonly dueAt: number }

/** What claims of mails go by. */
export interface MailPace {
  /** Mails to one address in any hour; when more are due they go as a digest. */
  readonly hourly: number
  /** How long mails gather for the next digest once the hour is full. */
  readonly gatherMs: number
  /** Entries of one digest. */
  readonly most: number
}

/** What must still go out. Of many workers at once one gets an entry. */
export interface OutboxStore {
  /** Adds an entry by itself; one whose id is there already is not added. Capabilities put theirs into the batch of their change. */
  add(entry: Entry): Promise<void>
  /** Whether anything may be due: a look that costs no write. */
  due(now: number): Promise<boolean>
  /**
   * Takes entries of a channel that retries until it hears of success, the longest due first, also those whose worker's
   * lease ran out. An entry that was added at a time that has not come, or whose lease lasts longer than a lease can, is due: the
   * clock was set back. Counts an attempt. Not for mail.
   */
  take(channel: Exclude<Channel, 'mail'>, lease: string, now: number, until: number, limit: number): Promise<Taken[]>
  /**
   * Takes the mail that has been due longest or, when more are due to its address than the hour has room for, all of them as
   * a digest; once the hour is full, not before the oldest gathered for `gatherMs`. First makes mails whose lease ran out
   * `unknown`. Null: nothing to send.
   */
  takeMail(lease: string, now: number, until: number, pace: MailPace): Promise<MailClaim | null>
  /**
   * Writes down what became of entries taken under this lease; those of another's lease stay as they are. A mail that became
   * `unknown` and turns out to be sent is `sent`. What is sent loses its payload.
   */
  settle(lease: string, ids: readonly string[], fate: Fate, now: number): Promise<void>
  /**
   * Returns the entries that are still being sent under this lease to waiting, and does not count the attempt: for a claim
   * whose answer was lost, so that nothing of it was sent.
   */
  release(lease: string): Promise<void>
  /** Makes retries due now whose time lies further ahead than the wait after their attempt: the clock was set back. */
  advanceRetries(now: number): Promise<void>
  /** Newest first. `cursor` is the last id of the page before. */
  list(status: EntryStatus | null, cursor: string | null, limit: number): Promise<Sighting[]>
  /** Deletes all that was finished before this time, in several transactions if there is much of it. */
  forget(before: number): Promise<void>
}
