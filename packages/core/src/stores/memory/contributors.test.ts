import { runContributorStoreContract } from '@tributary/test-kit'
import { contributorRecords, memoryContributors, memoryOutbox, memoryPolicy } from './index.ts'

runContributorStoreContract('memory', async () => {
  const users = new Map<string, string | null>()
  const records = contributorRecords(async (id) => users.has(id))
  const outbox = memoryOutbox()
  const addresses = {
    addressOf: async (id: string) => users.get(id) ?? records.byUser.get(id)?.contact?.email ?? null,
    verifiedAddressOf: async (id: string) => users.get(id) ?? null,
    findByAddress: async (address: string) => [...users].find(([, email]) => email === address)?.[0] ?? null,
    signedUpAt: () => 0,
  }
  const stores = {
    policy: memoryPolicy(records, outbox, undefined, addresses.verifiedAddressOf),
    contributors: memoryContributors(records, undefined, outbox, undefined, addresses),
    outbox,
  }
  return {
    stores: [stores, stores],
    async person(id, email) {
      users.set(id, email ?? null)
    },
  }
})
