import { percent } from '../ui/format.ts'
import { html, messagesOf, money, type Html } from '../ui/html.ts'
import { dayMs } from '../ids.ts'
import { homeMessages } from '../messages/home.ts'
import { toDollars } from '../money.ts'

const message = messagesOf(homeMessages)

/** The shares of sales and sponsor lines that contributors get, and the least balance for a payout request. */
export interface ShareTerms {
  /** The part of the price of a sale that contributors get, 0 to 1. */
  readonly revenueShare: number
  /** The part of the price of impressions that the owner of the device gets, 0 to 1. */
  readonly adShare: number
  /** The time in ms until a share of a sale is available. */
  readonly settleMs: number
  /** The minimum balance for a payout request, in micro-dollars. */
  readonly minPayoutMicros: number
  readonly capabilities: { readonly ads: boolean }
}

/** Renders the balance from which a contributor can request a payout. */
export const minPayoutText = (micros: number): Html =>
  message('home.minPayoutText', { amount: money(toDollars(micros)) })

/** Renders the shares of contributors in sales and sponsor lines, and the least balance for a payout request. */
export function shareList({ revenueShare, adShare, settleMs, minPayoutMicros, capabilities }: ShareTerms): Html {
  const days = settleMs / dayMs
  const available = days === 0 ? message('home.availableAtOnce') : message('home.availableAfter', { count: days })
  return html`<ul>
    <li>
      <strong>${message('home.sales')}</strong> ${message('home.salesText', { share: percent(revenueShare) })}
      ${available}
    </li>
    ${
      capabilities.ads
        ? html`<li>
            <strong>${message('home.lines')}</strong> ${message('home.linesText', { share: percent(adShare) })}
          </li>`
        : null
    }
    ${
      minPayoutMicros > 0
        ? html`<li><strong>${message('home.minPayout')}</strong> ${minPayoutText(minPayoutMicros)}</li>`
        : null
    }
  </ul>`
}
