import type { MailText } from '../outbox/store.ts'
import { formatUsd } from '../money.ts'

/** Builds the mail of a payout. */
export function buildPayoutMail(payout: {
  readonly usd: number
  readonly reference: string
  readonly earningsUrl: string
}): MailText {
  const amount = formatUsd(payout.usd)
  return {
    subject: `Your payout of ${amount} was sent`,
    text: `We sent you a payout of ${amount}.

Amount: ${amount}
Reference: ${payout.reference}

Depending on your bank, it can take a few days to arrive.

View your earnings: ${payout.earningsUrl}
`,
  }
}
