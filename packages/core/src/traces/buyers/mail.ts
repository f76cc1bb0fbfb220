import { mailMessages } from '../../messages/mails.ts'
import type { MailText } from '../../outbox/store.ts'
import type { Language } from '../../ui/messages.ts'
import type { RemovalReason } from './store.ts'

/** Builds the mail that reminds a buyer of the traces whose deletion it has not confirmed. */
export const buildReminderMail = (
  { count, hasMore }: { readonly count: number; readonly hasMore: boolean },
  { link, text }: Pick<Language, 'text'> & { readonly link: (path: string) => string },
): MailText => ({
  subject: text(mailMessages, 'mail.reminder.subject'),
  text: text(mailMessages, hasMore ? 'mail.reminder.textMore' : 'mail.reminder.text', { count, link: link('/buyer') }),
})

/**
 * Builds the mail that asks a buyer to delete traces. The mail does not name the traces: the buyer signs in to see
 * them.
 */
export const buildRemovalMail = (
  reason: RemovalReason,
  { link, text }: Pick<Language, 'text'> & { readonly link: (path: string) => string },
): MailText => ({
  subject: text(mailMessages, 'mail.removal.subject'),
  text: text(mailMessages, 'mail.removal.text', {
    reason: text(mailMessages, `mail.removal.${reason}`),
    link: link('/buyer'),
    feed: link('/api/buyer/removals'),
  }),
})
