import type { Client } from '@tributary/core/client'
import { formatApplication, readValue, type Service } from './service.ts'
import { formatTable, type CommandResult } from './terminal.ts'

type ValueOf<Name extends keyof Client> = Extract<Awaited<ReturnType<Client[Name]>>, { ok: true }>['value']

export interface Status {
  readonly userId: string
  readonly email: string | null
  readonly policy: ValueOf<'uploadPolicy'>
  readonly access: ValueOf<'access'>
  readonly contact: ValueOf<'contact'>
  /** The steps that a person must complete before uploading, with the page of each step. */
  readonly missing: readonly { readonly what: string; readonly link: string | null }[]
}

const reasons: Readonly<Record<string, string>> = {
  country_unknown: 'the service cannot tell which country you are in',
  us_upload_required: 'uploads are not open in your country yet; join the waitlist',
  residency_required: 'accept the terms, and confirm where you live',
  terms_required: 'accept the terms',
  contributor_paused: 'your contributions are paused',
}

/**
 * Reads who is signed in and whether uploads are open, from the upload policy, the access, the contact and the account.
 * Does not read traces.
 */
export async function readStatus({ client }: Service): Promise<Status> {
  const { userId, email } = readValue(await client.readAccount({}))
  const policy = readValue(await client.uploadPolicy())
  const access = readValue(await client.access())
  const contact = readValue(await client.contact())
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
  return { userId, email, policy, access, contact, missing }
}

/** Formats the steps that are left, one on each line. */
export function formatMissing(missing: Status['missing']): string {
  return missing.map(({ what, link }) => `  - ${what}${link ? `\n    ${link}` : ''}`).join('\n')
}

export async function showStatus(service: Service): Promise<CommandResult> {
  const state = await readStatus(service)
  const { userId, email, policy, access, contact, missing } = state
  const rows = [
    ['service', service.base],
    ['account', email ?? userId],
    ['country', policy.country ?? 'unknown'],
    ['terms', policy.termsAccepted ? `accepted (${policy.termsVersion})` : 'not accepted'],
    ['application', formatApplication(access.status)],
    ['contact', contact.completed ? 'complete' : `open: ${contact.contactUrl}`],
    ['uploads', missing.length === 0 ? 'open' : 'closed'],
  ]
  const table = formatTable(['what', 'state'], rows)
  const text = missing.length === 0 ? table : `${table}\n\nBefore you can upload:\n${formatMissing(missing)}`
  return {
    json: { ...state },
    text,
    nextSteps: missing.length === 0 ? ['setup', 'preview'] : ['open terms', 'open apply'],
  }
}
