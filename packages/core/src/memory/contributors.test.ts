import { contributorStoreLaws } from '@tributary/test-kit'
import { contributorShelf, memoryContributors, memoryPolicy } from './index.ts'

contributorStoreLaws('memory', async () => {
  const people = new Set<string>()
  const shelf = contributorShelf(async (id) => people.has(id))
  const stores = { policy: memoryPolicy(shelf), contributors: memoryContributors(shelf) }
  return {
    stores: [stores, stores],
    async person(id) {
      people.add(id)
    },
  }
})
