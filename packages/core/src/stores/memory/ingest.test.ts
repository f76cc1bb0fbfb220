import { runBlobsContract, fixedClock, runIngestStoreContract } from '@tributary/test-kit'
import { memoryBlobs } from './blobs.ts'
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

runBlobsContract('memory', async () => {
  const clock = fixedClock()
  const blobs = memoryBlobs(clock)
  return { blobs: [blobs, blobs], clock, async close() {} }
})
