import { quoteText } from '../outbox/rules.ts'
import type { MailText } from '../outbox/store.ts'

/** Builds the mail that tells an applicant the decision, with the operator's reason of a rejection. */
export function buildReviewMail(review: {
  readonly status: 'approved' | 'rejected'
  readonly reason: string | null
  readonly link: (path: string) => string
}): MailText {
  const { status, reason, link } = review
  if (status === 'approved')
    return {
      subject: 'Your application was approved',
      text: `Your application to contribute traces was approved. You can upload now.

Go to your traces: ${link('/traces')}
`,
    }
  return {
    subject: 'Your application was not approved',
    text: `We reviewed your application to contribute traces and did not approve it.
${reason === null ? '' : `\nReason:\n\n${quoteText(reason)}\n`}
You can apply again: ${link('/apply')}
`,
  }
}
