import {
  makeAuditContext,
  runContributorStoreContract,
  makeApplication,
  type ContributorsPlace,
} from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { libsqlContributors } from './contributors.ts'
import type { Database } from './database.ts'
import { libsqlOutbox } from './outbox.ts'
import { libsqlPolicy } from './policy.ts'
import { databaseKinds, openRemote, openTwoClients } from './two-clients.fixture.ts'

const openStores = (db: Database): ContributorsPlace['stores'][0] => ({
  policy: libsqlPolicy(db),
  contributors: libsqlContributors(db),
  outbox: libsqlOutbox(db),
})

for (const kind of databaseKinds) {
  runContributorStoreContract(kind, async () => {
    const { databases, addUser, close } = await openTwoClients(kind)
    return { stores: [openStores(databases[0]), openStores(databases[1])], person: addUser, close }
  })
}

test('every method of the contributor store takes one round trip', async () => {
  const { databases, remote, addUser, close } = await openRemote()
  const { policy, contributors } = openStores(databases[0])
  await addUser('ann')
  const ownerId = 'ann'
  const [application, audit] = [makeApplication(), makeAuditContext(1)]
  const steps: (() => Promise<unknown>)[] = [
    () => policy.getStanding({ ownerId }),
    () => policy.acceptTerms({ ownerId, termsVersion: 'v', residencyConfirmed: true, now: 1 }),
    () => policy.setPause({ ownerId, paused: true, now: 1 }),
    () => policy.listWaitlist({ cursor: null, limit: 50 }),
    () => policy.notifyWaitlist({ country: 'US', mails: [], subject: '', text: '', audit: makeAuditContext(1) }),
    () => policy.export({ ownerId }),
    () => contributors.submitApplication({ ownerId, application, now: 1 }),
    () =>
      contributors.reviewApplication({
        id: application.id,
        status: 'approved',
        reason: null,
        mail: { subject: 's', text: 't' },
        audit,
      }),
    () => contributors.setOperatorPause({ userId: ownerId, paused: true, audit: makeAuditContext(1) }),
    () => contributors.setConsent({ ownerId, consent: { attribution: true, pixel: true }, now: 1 }),
    () => contributors.listContributors({ cursor: null, limit: 50 }),
    () => contributors.export({ ownerId }),
    () => contributors.erase({ ownerId }),
    () => policy.erase({ ownerId }),
  ]
  for (const [i, step] of steps.entries()) {
    const before = remote.requests
    await step()
    expect([i, remote.requests - before]).toEqual([i, 1])
  }
  await close()
})
