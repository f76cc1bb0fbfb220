import type { Language } from '../ui/messages.ts'
import { mailMessages } from '../messages/mails.ts'
import { quoteText } from '../outbox/rules.ts'
import type { MailText } from '../outbox/store.ts'

/** Builds the mail to the account's address that says that the contact was changed. */
export const buildContactMail = (link: (path: string) => string, { text }: Pick<Language, 'text'>): MailText => ({
  subject: text(mailMessages, 'mail.contact.subject'),
  text: text(mailMessages, 'mail.contact.text', { contact: link('/contact'), account: link('/account') }),
})

/** Builds the mail that tells an applicant the decision, with the operator's reason for a rejection. */
export function buildReviewMail(
  review: {
    readonly status: 'approved' | 'rejected'
    readonly reason: string | null
    readonly link: (path: string) => string
  },
  { text }: Pick<Language, 'text'>,
): MailText {
  const { status, reason } = review
  if (status === 'approved') {
    const link = review.link('/traces')
    return {
      subject: text(mailMessages, 'mail.approved.subject'),
      text: text(mailMessages, 'mail.approved.text', { link }),
    }
  }
  const link = review.link('/apply')
  return {
    subject: text(mailMessages, 'mail.rejected.subject'),
    text:
      reason === null
        ? text(mailMessages, 'mail.rejected.text', { link })
        : text(mailMessages, 'mail.rejected.textReason', { link, reason: quoteText(reason) }),
  }
}
