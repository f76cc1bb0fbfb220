import type { Lazy } from '../http/lazy.ts'
import type { Languages } from '../http/messages.ts'
import { uuid7 } from '../ids.ts'
import { mailMessages } from '../messages/mails.ts'
import type { MailText } from '../outbox/store.ts'
import type { Random } from '../ports.ts'
import { toMicros } from '../money.ts'

/** What the contributors of a sale get: one entry of the ledger each, divided by tokens (`divideByTokens`). */
export interface SaleShares {
  /** The share of all contributors, in micro-dollars. */
  readonly micros: number
  /** When a payout may include it, in milliseconds since 1970. */
  readonly availableAt: number
  /** A fresh UUID version 7, from which the ids of the entries are made (`entryIdAt`). */
  readonly entryId: string
  /** To each contributor whose first sale it is. */
  readonly firstSaleMail: MailText
}

export interface SaleSharesOptions {
  /** The contributors' share of the price, 0 to 1. */
  readonly revenueShare: number
  /** Milliseconds until a share is available. */
  readonly settleMs: number
  readonly random: Random
  readonly link: (path: string) => string
  readonly languages: Lazy<Languages>
}

/** Returns what the contributors of a sale at this price and time get. */
export async function sharesOfSale(
  { usd, soldAt }: { readonly usd: number; readonly soldAt: number },
  { revenueShare, settleMs, random, link, languages }: SaleSharesOptions,
): Promise<SaleShares> {
  const { text } = (await languages()).first
  return {
    micros: Math.round(toMicros(usd) * revenueShare),
    availableAt: soldAt + settleMs,
    entryId: uuid7(soldAt, random),
    firstSaleMail: {
      subject: text(mailMessages, 'mail.firstSale.subject'),
      text: text(mailMessages, 'mail.firstSale.text', { link: link('/earnings') }),
    },
  }
}
