import type { Lazy } from '../lazy.ts'
import type { Languages } from '../ui/messages.ts'
import { uuid7 } from '../ids.ts'
import { mailMessages } from '../messages/mails.ts'
import type { Random } from '../ports.ts'
import { toMicros } from '../money.ts'
import type { SaleShares } from './sale-shares.ts'

export interface SaleSharesOptions {
  /** The contributors' share of the price, 0 to 1. */
  readonly revenueShare: number
  /** The time in ms until a share is available. */
  readonly settleMs: number
  readonly random: Random
  readonly link: (path: string) => string
  readonly languages: Lazy<Languages>
}

/** Returns the shares that the contributors of a sale at this price and time get. */
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
