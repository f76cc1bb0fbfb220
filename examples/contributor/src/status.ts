import type { Api, Json } from './api.ts'
import { table } from './terminal.ts'

export interface Standing {
  readonly userId: string
  readonly policy: Json
  readonly access: Json
  readonly contact: Json
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
export async function standing(api: Api): Promise<Standing> {
  const { json: session } = await api.call('GET', '/api/cli/session')
  const { json: policy } = await api.call('GET', '/api/traces/upload-policy')
  const { json: access } = await api.call('GET', '/api/traces/access')
  const { json: contact } = await api.call('GET', '/api/traces/contact')
  const missing: { what: string; link: string | null }[] = []
  const { reason } = policy
  if (policy['eligible'] !== true && typeof reason === 'string') {
    const link =
      reason === 'us_upload_required'
        ? policy['waitlistUrl']
        : reason === 'terms_required' || reason === 'residency_required'
          ? policy['acceptanceUrl']
          : null
    missing.push({ what: reasons[reason] ?? reason, link: typeof link === 'string' ? link : null })
  }
  if (access['status'] !== 'approved') {
    const what = access['status'] === 'pending' ? 'your application waits for review' : 'apply as a contributor'
    missing.push({ what, link: String(access['applyUrl']) })
  }
  return { userId: String(session['userId']), policy, access, contact, missing }
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
    ['country', String(policy['country'] ?? 'unknown')],
    ['terms', policy['termsAccepted'] === true ? `accepted (${String(policy['termsVersion'])})` : 'not accepted'],
    ['contributor', String(access['status'])],
    ['contact', contact['completed'] === true ? 'complete' : `open: ${String(contact['contactUrl'])}`],
    ['uploads', missing.length === 0 ? 'open' : 'closed'],
  ]
  const body = table(['what', 'state'], rows)
  return missing.length === 0 ? body : `${body}\n\nBefore you can upload:\n${missingText(missing)}`
}
