import type { KnownIdentity, ScrubContext } from '../scrubber/index.ts'
import type { Stores } from '../stores.ts'

/** The stored data that may identify a person in a trace. */
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
 * The terms that are replaced in every trace of a person, and the identity revision (`BlockedTerms`) at which the terms
 * were read.
 */
export interface PersonalContext extends ScrubContext {
  readonly identity: KnownIdentity
  readonly blockedTerms: readonly string[]
  readonly identityRevision: number
}

/** Hosts that many people share. Their names do not identify a person, and occur in most traces of code. */
const SHARED_HOST =
  /(?:^|\.)(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org|linkedin\.com|x\.com|twitter\.com|facebook\.com|google\.com|notion\.so|npmjs\.com)$/

/** Sites on which the first part of a path names a person or an organization. */
const FORGE = /^(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org)$/
/** The path of a name on a forge. Some pages have a word before the name, such as `/orgs/NAME/people`. */
const NAME_ON_FORGE = /^\/(?:(?:orgs?|groups|users|enterprises|sponsors)\/)?([A-Za-z\d][\w.-]*)(?:\/|$)/
/** First parts of paths that name a page of the forge itself. */
const PAGE_OF_FORGE =
  /^(?:about|account|apps|blog|collections|contact|customer-stories|dashboard|docs|enterprises?|events|explore|features|groups|help|issues|join|login|marketplace|new|notifications|organizations|orgs?|pricing|product|pulls|readme|resources|search|security|settings|signup|site|snippets|solutions|sponsors|support|team|topics|trending|users|workspaces?)$/i

/** Returns the texts that the scrubber must replace in every trace of this person. */
export function knownIdentity({ accountEmail, contact, application }: PersonalRecords): KnownIdentity {
  const present = (values: readonly (string | null | undefined)[]): string[] => [
    ...new Set(values.filter((value): value is string => Boolean(value))),
  ]
  const urls = [application?.website, application?.directoryUrl].map(parseUrl)
  return {
    names: present([contact?.name]),
    emails: present([accountEmail, contact?.email, application?.email]),
    phones: present([contact?.phone]),
    organizations: present([application?.companyName, ...urls.map((url) => url && nameOnForge(url))]),
    hosts: present(urls.map((url) => (url && SHARED_HOST.test(url.host) ? null : url?.host))),
  }
}

/** Returns the host without `www.`, and the path. */
function parseUrl(text: string | null | undefined): { readonly host: string; readonly path: string } | null {
  if (!text || !URL.canParse(text)) return null
  const { hostname, pathname } = new URL(text)
  return { host: hostname.replace(/^www\./, ''), path: pathname }
}

/** Returns the person or organization that a page of a forge belongs to. */
function nameOnForge({ host, path }: { readonly host: string; readonly path: string }): string | null {
  const name = FORGE.test(host) ? NAME_ON_FORGE.exec(path)?.[1] : undefined
  return name === undefined || PAGE_OF_FORGE.test(name) ? null : name
}

/**
 * Reads the data of the service that may identify a person in a trace, and their blocked terms. The revision is read
 * first, so that a trace is stale if the data changes during the read.
 */
export async function readScrubContext(
  { auth, blockedTerms, contributors }: Pick<Stores, 'auth' | 'blockedTerms' | 'contributors'>,
  ownerId: string,
): Promise<PersonalContext> {
  const { terms, identityRevision } = await blockedTerms.findTerms({ ownerId })
  const [account, contact, application] = await Promise.all([
    auth.findUser({ id: ownerId }),
    contributors.findContact({ ownerId }),
    contributors.findApplication({ ownerId }),
  ])
  const identity = knownIdentity({ accountEmail: account?.email ?? null, contact, application })
  return { identity, blockedTerms: terms, identityRevision }
}
