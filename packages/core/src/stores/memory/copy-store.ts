import type { CopyStore } from '../../traces/copies/store.ts'
import { leastCopierTraces } from '../../traces/copies/rules.ts'
import type { MemoryTraces } from './traces.ts'

/** Makes the store of copies in memory, where no trace is from before there were fingerprints. */
export const memoryCopyStore = (traces: MemoryTraces): CopyStore => ({
  async findSimilarTraces(params) {
    return traces.findSimilar(params)
  },

  async readMessages({ id }) {
    return traces.contentOf(id)
  },

  async getCopyStats({ ownerId }) {
    const { copiedTraces, copiedTokens } = traces.countCopies(ownerId)
    return { copiedTraces, copiedTokens }
  },

  async listCopiers({ cursor, limit }) {
    const copiers = traces.listOwners().flatMap((userId, at) => {
      const { traces: total, copiedTraces } = traces.countCopies(userId)
      const isCopier = total >= leastCopierTraces && copiedTraces * 2 >= total
      return isCopier && (cursor === null || at + 1 < cursor)
        ? [{ num: at + 1, userId, traces: total, copiedTraces }]
        : []
    })
    const page = copiers.reverse().slice(0, limit)
    const items = page.map(({ num: _, ...copier }) => copier)
    return { items, next: copiers.length > limit ? page.at(-1)!.num : null }
  },

  async listUnfilledTraces() {
    return { after: 0, traces: [] }
  },

  async fillCopies() {
    return false
  },
})
