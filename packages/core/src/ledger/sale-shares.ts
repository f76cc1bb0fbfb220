import type { MailText } from '../outbox/store.ts'

/** The shares of a sale's contributors: one entry of the ledger each, divided by tokens (`divideByTokens`). */
export interface SaleShares {
  /** The share of all contributors, in micro-dollars. */
  readonly micros: number
  /** The time from which a payout may include the shares, in milliseconds since 1970. */
  readonly availableAt: number
  /** A fresh UUID version 7, from which the ids of the entries are made (`entryIdAt`). */
  readonly entryId: string
  /** The mail to each contributor whose first sale this is. */
  readonly firstSaleMail: MailText
}
