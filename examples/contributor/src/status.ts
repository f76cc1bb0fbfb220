import type { Client } from '@tributary/core/client'
import { valueOf, type Service } from './service.ts'
import { table } from './terminal.ts'

type ValueOf<Name extends keyof Client> = Extract<Awaited<ReturnType<Client[Name]>>, { ok: true }>['value']

export interface Standing {
  readonly userId: string
  readonly policy: ValueOf<'uploadPolicy'>
  readonly access: ValueOf<'access'>
  readonly contact: ValueOf<'contact'>
  /** What stands between this person and an upload, with the link that settles it. Empty: nothing. */
  readonly missing: readonly { readonly what: string; readonly link: string | null }[]
}

const reasons: Record<string, string> = {
  country_unknown: 'the service cannot tell which country you are in',
  us_upload_required: 'uploads are not open in your country yet; join the waitlist',
  residency_required: 'confirm where you live',
  terms_required: 'accept the terms',
  contributor_paused: 'your contributions are paused',
}

/** Who is logged in and whether uploads are open: E14, E11, E12 and E13. No trace is read for it. */
export async function standing({ client }: Service): Promise<Standing> {
  const { userId } = valueOf(await client.session())
  const policy = valueOf(await client.uploadPolicy())
  const access = valueOf(await client.access())
  const contact = valueOf(await client.contact())
  const missing: { what: string; link: string | null }[] = []
  const { reason } = policy
  if (!policy.eligible && reason !== null) {
    const link =
      reason === 'us_upload_required'
        ? policy.waitlistUrl
        : reason === 'terms_required' || reason === 'residency_required'
          ? policy.acceptanceUrl
          : null
    missing.push({ what: reasons[reason] ?? reason, link })
  }
  if (access.status !== 'approved') {
    const what = access.status === 'pending' ? 'your application is waiting for review' : 'apply as a contributor'
    missing.push({ what, link: access.applyUrl })
  }
  return { userId, policy, access, contact, missing }
}

/** What is missing, a line each. */
export function missingText(missing: Standing['missing']): string {
  return missing.map(({ what, link }) => `  - ${what}${link ? `\n    ${link}` : ''}`).join('\n')
}

/** The standing for a reader. */
export function standingText(base: string, { userId, policy, access, contact, missing }: Standing): string {
  const rows = [
    ['service', base],
    ['user', userId],
    ['country', policy.country ?? 'unknown'],
    ['terms', policy.termsAccepted ? `accepted (${policy.termsVersion})` : 'not accepted'],
    ['contributor', access.status],
    ['contact', contact.completed ? 'complete' : `open: ${contact.contactUrl}`],
    ['uploads', missing.length === 0 ? 'open' : 'closed'],
  ]
  const body = table(['what', 'state'], rows)
  return missing.length === 0 ? body : `${body}\n\nBefore you can upload:\n${missingText(missing)}`
}
