import { byOperator, runContributorStoreContract, madeApplication, type ContributorsPlace } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { libsqlContributors } from './contributors.ts'
import type { Database } from './database.ts'
import { libsqlOutbox } from './outbox.ts'
import { libsqlPolicy } from './policy.ts'
import { databaseKinds, openRemote, openTwoClients } from './two-clients.fixture.ts'

const storesOn = (db: Database): ContributorsPlace['stores'][0] => ({
  policy: libsqlPolicy(db),
  contributors: libsqlContributors(db),
  outbox: libsqlOutbox(db),
})

for (const kind of databaseKinds) {
  runContributorStoreContract(kind, async () => {
    const { databases, addUser, close } = await openTwoClients(kind)
    return { stores: [storesOn(databases[0]), storesOn(databases[1])], person: addUser, close }
  })
}

test('each step is one round trip', async () => {
  const { databases, remote, addUser, close } = await openRemote()
  const { policy, contributors } = storesOn(databases[0])
  await addUser('ann')
  const sent = madeApplication()
  const steps: (() => Promise<unknown>)[] = [
    () => policy.standing('ann'),
    () => policy.acceptTerms('ann', { termsVersion: 'v', residencyConfirmed: true }, 1),
    () => policy.setPaused('ann', true, 1),
    () => policy.waitlist({ country: null, cursor: null, limit: 50 }),
    () => policy.notifyWaitlist({ country: 'US', mails: [], subject: '', text: '', audit: byOperator(1) }),
    () => policy.export('ann'),
    () => contributors.apply('ann', sent, 1),
    () => contributors.review(sent.id, { status: 'approved', reason: null }, byOperator(1)),
    () => contributors.setOperatorPaused('ann', true, byOperator(1)),
    () => contributors.setConsent('ann', { attribution: true, pixel: true }, 1),
    () => contributors.contributors({ cursor: null, limit: 50 }),
    () => contributors.export('ann'),
    () => contributors.erase('ann'),
    () => policy.erase('ann'),
  ]
  for (const [i, step] of steps.entries()) {
    const before = remote.requests
    await step()
    expect([i, remote.requests - before]).toEqual([i, 1])
  }
  await close()
})
