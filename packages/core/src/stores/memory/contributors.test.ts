import { runContributorStoreContract } from '@tributary/test-kit'
import { contributorRecords, memoryContributors, memoryOutbox, memoryPolicy } from './index.ts'

runContributorStoreContract('memory', async () => {
  const userIds = new Set<string>()
  const records = contributorRecords(async (id) => userIds.has(id))
  const outbox = memoryOutbox()
  const findAddress = async (id: string): Promise<string | null> => records.byUser.get(id)?.contact?.email ?? null
  const stores = {
    policy: memoryPolicy(records, outbox),
    contributors: memoryContributors(records, undefined, outbox, undefined, findAddress),
    outbox,
  }
  return {
    stores: [stores, stores],
    async person(id) {
      userIds.add(id)
    },
  }
})
