import { blobsLaws, fixedClock, ingestStoreLaws } from '@tributary/test-kit'
import { memoryBlobs } from './blobs.ts'
import { memoryIngest } from './ingest.ts'
import { MemoryTraces } from './traces.ts'

ingestStoreLaws('memory', async () => {
  const traces = new MemoryTraces()
  const store = memoryIngest(traces)
  return { stores: [store, store], traces, async person() {}, async close() {} }
})

blobsLaws('memory', async () => {
  const clock = fixedClock()
  const blobs = memoryBlobs(clock)
  return { blobs: [blobs, blobs], clock, async close() {} }
})
