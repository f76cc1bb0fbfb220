import type { Language } from '../ui/messages.ts'
import { mailMessages } from '../messages/mails.ts'
import { quoteText } from '../outbox/rules.ts'
import type { MailText } from '../outbox/store.ts'

/** Builds the mail of a payout. */
export function buildPayoutMail(
  payout: { readonly usd: number; readonly reference: string; readonly earningsUrl: string },
  { text, usd }: Pick<Language, 'text' | 'usd'>,
): MailText {
  const amount = usd(payout.usd)
  return {
    subject: text(mailMessages, 'mail.payout.subject', { amount }),
    text: text(mailMessages, 'mail.payout.text', { amount, reference: payout.reference, link: payout.earningsUrl }),
  }
}

/** Builds the mail that confirms a payout request. */
export const buildRequestMail = (link: (path: string) => string, { text }: Pick<Language, 'text'>): MailText => ({
  subject: text(mailMessages, 'mail.payoutRequest.subject'),
  text: text(mailMessages, 'mail.payoutRequest.text', { link: link('/earnings'), account: link('/account') }),
})

/** Builds the mail that gives the reason why a payout request was rejected. */
export const buildRejectionMail = (
  { reason, earningsUrl }: { readonly reason: string; readonly earningsUrl: string },
  { text }: Pick<Language, 'text'>,
): MailText => ({
  subject: text(mailMessages, 'mail.payoutRejected.subject'),
  text: text(mailMessages, 'mail.payoutRejected.text', { reason: quoteText(reason), link: earningsUrl }),
})
