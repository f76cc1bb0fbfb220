import { knownIdentity, type PersonalContext } from '../contributors/identity.ts'
import type { Stores } from '../stores.ts'

/**
 * Reads what the service knows about a person that may name them in a trace, and their blocked terms. The revision is
 * read first, so that a change during the read makes a trace stale that is stored with it.
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
