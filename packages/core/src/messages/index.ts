import { adminMessages } from './admin/frame.ts'
import { applicationsMessages } from './admin/applications.ts'
import { campaignsMessages } from './admin/campaigns.ts'
import { adminContributorsMessages } from './admin/contributors.ts'
import { adminFeedbackMessages } from './admin/feedback.ts'
import { adminJobsMessages } from './admin/jobs.ts'
import { overviewMessages } from './admin/overview.ts'
import { passkeyMessages } from './admin/passkeys.ts'
import { payoutsMessages } from './admin/payouts.ts'
import { reportsMessages } from './admin/reports.ts'
import { webhooksMessages } from './admin/webhooks.ts'
import { auditMessages } from './admin/audit.ts'
import { outboxMessages } from './admin/outbox.ts'
import { adminSalesMessages } from './admin/sales.ts'
import { adminWaitlistMessages } from './admin/waitlist.ts'
import { accountMessages } from './account.ts'
import { authMessages } from './auth.ts'
import { buyersMessages } from './buyers.ts'
import { contributorMessages } from './contributors.ts'
import { devMessages } from './dev.ts'
import { docsMessages } from './docs.ts'
import { earningsMessages } from './earnings.ts'
import { failureMessages } from './failures.ts'
import { homeMessages } from './home.ts'
import { jobMessages } from './jobs.ts'
import { layoutMessages } from './layout.ts'
import { mailMessages } from './mails.ts'
import { policyMessages } from './policy.ts'
import { sponsorMessages } from './sponsor.ts'
import { sourceMessages } from './sources.ts'
import { traceMessages } from './traces.ts'

/**
 * Every text of pages, failures and mails in English. `{name}` stands for a value, and `{brand}` for the brand's name.
 * A key that ends with `_one` or `_other` is the form of a text for a count.
 */
export const englishMessages = {
  ...layoutMessages,
  ...homeMessages,
  ...failureMessages,
  ...mailMessages,
  ...authMessages,
  ...contributorMessages,
  ...policyMessages,
  ...traceMessages,
  ...jobMessages,
  ...accountMessages,
  ...earningsMessages,
  ...buyersMessages,
  ...sponsorMessages,
  ...adminMessages,
  ...passkeyMessages,
  ...outboxMessages,
  ...adminWaitlistMessages,
  ...auditMessages,
  ...applicationsMessages,
  ...campaignsMessages,
  ...adminContributorsMessages,
  ...adminFeedbackMessages,
  ...adminJobsMessages,
  ...overviewMessages,
  ...payoutsMessages,
  ...reportsMessages,
  ...webhooksMessages,
  ...adminSalesMessages,
  ...docsMessages,
  ...devMessages,
  ...sourceMessages,
} as const

type EnglishKey = keyof typeof englishMessages
type PluralKey = EnglishKey extends infer Key ? (Key extends `${infer Base}_other` ? Base : never) : never

/** The key of a text. A text for a count has one form for each plural category of a language (Unicode's CLDR). */
export type MessageKey = EnglishKey | `${PluralKey}_${Intl.LDMLPluralRule}`

/** The texts of one language. A text that is left out is shown in English. */
export type Messages = Readonly<Partial<Record<MessageKey, string>>>

/**
 * Throws when a language has a text whose key does not exist, or a text with a placeholder that the English text does
 * not have. Without this check, a misspelled key would leave a text untranslated.
 */
export function checkTranslations(translations: Readonly<Record<string, Messages>>): void {
  const english: Readonly<Record<string, string>> = englishMessages
  for (const [tag, texts] of Object.entries(translations))
    for (const [key, text] of Object.entries(texts)) {
      const plural = `${key.replace(/_(?:zero|one|two|few|many)$/, '')}_other`
      const original = english[key] ?? english[plural]
      if (original === undefined) throw new Error(`messages.${tag}: there is no message ${key}`)
      const known = new Set([...namesIn(original), ...namesIn(english[plural] ?? ''), 'brand'])
      const unknown = namesIn(text).find((name) => !known.has(name))
      if (unknown !== undefined) throw new Error(`messages.${tag}: ${key} has no value {${unknown}}`)
    }
}

const namesIn = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
