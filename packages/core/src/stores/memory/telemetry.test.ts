import { runTelemetryStoreContract } from '@tributary/test-kit'
import { memoryAudit, memoryOutbox, memoryTelemetry } from './index.ts'

runTelemetryStoreContract('memory', async () => {
  const people = new Set<string>()
  const audit = memoryAudit()
  const outbox = memoryOutbox(audit)
  const host = {
    telemetry: memoryTelemetry(outbox, audit, async (id) => (people.has(id) ? { email: `${id}@example.com` } : null)),
    outbox,
    audit,
  }
  return {
    stores: [host, host],
    async person(id) {
      people.add(id)
    },
  }
})
