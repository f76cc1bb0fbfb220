import type { KnownIdentity, ScrubContext } from '../scrubber/index.ts'

/** The stored data of a person that may identify them in a trace. */
export interface PersonalRecords {
  readonly accountEmail: string | null
  readonly contact: { readonly name: string; readonly email: string; readonly phone: string | null } | null
  readonly application: {
    readonly companyName: string
    readonly website: string
    readonly directoryUrl: string | null
    readonly email: string
  } | null
}

/**
 * The terms that are replaced in every trace of a person, and the identity revision (`BlockedTerms`) at which they were
 * read.
 */
export interface PersonalContext extends ScrubContext {
  readonly identity: KnownIdentity
  readonly blockedTerms: readonly string[]
  readonly identityRevision: number
}

/** Hosts that many people share: their names identify no person and occur in most traces of code. */
const SHARED_HOST =
  /(?:^|\.)(?:github\.com|gitlab\.com|bitbucket\.org|linkedin\.com|x\.com|twitter\.com|facebook\.com|google\.com|notion\.so|npmjs\.com)$/

/** Returns the texts that the scrubber must replace in every trace of this person. */
export function knownIdentity({ accountEmail, contact, application }: PersonalRecords): KnownIdentity {
  const present = (values: readonly (string | null | undefined)[]): string[] => [
    ...new Set(values.filter((value): value is string => Boolean(value))),
  ]
  return {
    names: present([contact?.name]),
    emails: present([accountEmail, contact?.email, application?.email]),
    phones: present([contact?.phone]),
    organizations: present([application?.companyName]),
    hosts: present([application?.website, application?.directoryUrl].map(hostOf)),
  }
}

function hostOf(url: string | null | undefined): string | null {
  const host = url && URL.canParse(url) ? new URL(url).hostname.replace(/^www\./, '') : null
  return host === null || SHARED_HOST.test(host) ? null : host
}
