import { lifetimes } from '../auth/rules.ts'
import { serveRetentionMs } from '../ads/rules.ts'
import { failedKeptMs } from '../ingest/rules.ts'
import { dayMs } from '../ids.ts'
import { retentionMs as mailMs } from '../outbox/rules.ts'

/** What the privacy text says of a service as it is configured. */
export interface PrivacyTerms {
  readonly capabilities: { readonly ads: boolean; readonly reports: boolean; readonly telemetry: boolean }
  /** How long telemetry, feedback, finished jobs and audit entries are kept, in milliseconds. */
  readonly telemetryMs: number
  readonly feedbackMs: number
  readonly jobMs: number
  readonly auditMs: number
  /** Days after its last change when an agent report is deleted. */
  readonly reportDays: number
  readonly brand: { readonly supportEmail?: string }
}

const days = (ms: number): number => Math.round(ms / dayMs)

/**
 * The privacy text as it stands when the operator gives none of their own: what this software keeps, in plain words.
 * Paragraphs are divided by empty lines; one that starts with `## ` is a heading.
 */
export const defaultPrivacy = ({
  capabilities,
  brand,
  ...kept
}: PrivacyTerms): string => `This page says what this service keeps about you, for how long, who gets it, and how you export and delete it.

The operator of this service decides about this data and chooses who stores it and who sends its e-mails. ${
  brand.supportEmail === undefined ? '' : `If you have a question, write to ${brand.supportEmail}.`
}

## What is kept, and for how long

Your account, until you delete it: your e-mail address, what you entered about your company and how to contact you, which terms you accepted and when, whether you live where uploads are open, your place on the waitlist, your blocked terms and your preferences.

Your sign-ins: the name of each browser and device, and when it was last used. A browser stays signed in for ${days(lifetimes.session)} days after its last use, ${days(lifetimes.sessionMax)} days at most, and a device for ${days(lifetimes.token)} days after its last use. Cookies serve this alone: they lead through a sign-in, keep you signed in, and recognize a browser that signed in before.

Your uploads, encrypted, until a program has processed them; those that fail, for ${failedKeptMs / (60 * 60 * 1000)} hours. What became of each trace of an upload is kept for ${days(kept.jobMs)} days.

Your conversations, after what the program recognizes as secrets and personal data was replaced, until you delete them or your account. Of a deleted one, a hash of its content and one of its name stay until you delete your account, so that it is not stored again.

Your earnings, until you delete your account. Amount, kind, time, sale and the reference of a payout stay then, no longer linked to you, because accounts must add up.

E-mails that the service sends you: the text until it is sent, recipient and subject for ${days(mailMs)} days after that. An e-mail that cannot be sent is kept whole for as long.

Your IP address and the e-mail address of a sign-in, for two days at most, to limit how often somebody tries. The log of this software holds no IP or e-mail address, only hashes.
${
  capabilities.telemetry
    ? `
What your client reports about its own work, for ${days(kept.telemetryMs)} days, and feedback that you send with it, for ${days(kept.feedbackMs)} days.
`
    : ''
}${
  capabilities.ads
    ? `
Which sponsor lines your devices got, for ${days(serveRetentionMs)} days; your devices, their counts by day and your votes on lines, until you delete your account.
`
    : ''
}${
  capabilities.reports
    ? `
Reports that an agent of yours sends, without your account, for ${kept.reportDays} days after their last change.
`
    : ''
}
What operators did, such as the review of your application, for ${days(kept.auditMs)} days.

## Who gets it

Buyers get copies of conversations after this replacement, with IDs that are random for each sale, and nothing else about you.

Operators see your account, your uploads and your earnings. They can read conversations that are for sale; each that they read, and each download, is recorded. Other systems of theirs may be told of events, such as a completed upload.
${
  capabilities.ads
    ? `
A network of sponsors, where the operator uses one, gets what your account page lists under Sponsors: never your IP address, e-mail address or conversations.
`
    : ''
}
## Export and delete

Your account page exports everything held about you as one JSON document, ends the sign-in of each browser and device, and deletes your account. You can also download each conversation, and exclude or delete it until it is sold for the first time.

If you delete your account, everything above is deleted, except what is named as staying. A copy that was sold stays with its buyer. What the operator backed up stays in the backup until that is overwritten.`
