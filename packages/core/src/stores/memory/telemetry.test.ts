import { runTelemetryStoreContract } from '@tributary/test-kit'
import { memoryOutbox, memoryTelemetry } from './index.ts'

runTelemetryStoreContract('memory', async () => {
  const people = new Set<string>()
  const outbox = memoryOutbox()
  const host = { telemetry: memoryTelemetry(outbox, async (id) => people.has(id)), outbox }
  return {
    stores: [host, host],
    async person(id) {
      people.add(id)
    },
  }
})
