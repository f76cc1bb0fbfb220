import type { Language } from '../ui/messages.ts'
import { mailMessages } from '../messages/mails.ts'
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
