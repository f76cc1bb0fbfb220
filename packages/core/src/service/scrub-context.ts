import { knownIdentity, type PersonalContext } from '../contributors/identity.ts'
import type { Stores } from '../stores.ts'

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
