import { runAdStoreContract, runProgramStoreContract } from '@tributary/test-kit'
import { memoryAds } from './ads.ts'
import { memoryOutbox } from './outbox.ts'
import { memoryProgram } from './program.ts'

const isKnown = async (id: string): Promise<boolean> => ['ann', 'bob', 'cat'].includes(id)

runAdStoreContract('memory', async () => {
  const program = memoryProgram()
  const outbox = memoryOutbox()
  const approved = new Set<string>()
  const isApproved = (id: string): boolean => approved.has(id)
  const store = memoryAds({ ownerOf: program.ownerOf, isApproved, known: isKnown, outbox })
  return {
    stores: [store, store],
    claim: (ownerId, deviceId) => program.claimDevice({ ownerId, deviceId, now: 0, maxDevices: null }),
    async approve(ownerId) {
      approved.add(ownerId)
    },
    async queued() {
      const taken = await outbox.claim({ channel: 'impression', lease: 'test', now: 9e15, until: 9e15, limit: 1000 })
      return taken.map(({ id, payload }) => [id, payload] as const).sort()
    },
    async close() {},
  }
})

runProgramStoreContract('memory', async () => {
  const store = memoryProgram()
  return { stores: [store, store], async close() {} }
})
