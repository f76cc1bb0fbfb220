import { runBlobsContract, fixedClock, runCopyStoreContract, runIngestStoreContract } from '@tributary/test-kit'
import { memoryBlobs } from './blobs.ts'
import { memoryCopyStore } from './copy-store.ts'
import { memoryIngest } from './ingest.ts'
import { MemoryTraces } from './traces.ts'

runIngestStoreContract('memory', async () => {
  const traces = new MemoryTraces()
  const store = memoryIngest(traces)
  return {
    stores: [store, store],
    traces,
    async person() {},
    storeFormerTraces: async (ownerId, given) => traces.seedTraces(ownerId, given),
    async close() {},
  }
})

runCopyStoreContract('memory', async () => {
  const traces = new MemoryTraces()
  const [store, copies] = [memoryIngest(traces), memoryCopyStore(traces)]
  return { stores: [store, store], copies: [copies, copies], traces, async person() {}, async close() {} }
})

runBlobsContract('memory', async () => {
  const clock = fixedClock()
  const blobs = memoryBlobs(clock)
  return { blobs: [blobs, blobs], clock, async close() {} }
})
