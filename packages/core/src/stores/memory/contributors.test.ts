import { runContributorStoreContract } from '@tributary/test-kit'
import { contributorShelf, memoryContributors, memoryOutbox, memoryPolicy } from './index.ts'

runContributorStoreContract('memory', async () => {
  const people = new Set<string>()
  const shelf = contributorShelf(async (id) => people.has(id))
  const outbox = memoryOutbox()
  const stores = { policy: memoryPolicy(shelf, outbox), contributors: memoryContributors(shelf), outbox }
  return {
    stores: [stores, stores],
    async person(id) {
      people.add(id)
    },
  }
})
