import { runReportStoreContract } from '@tributary/test-kit'
import { memoryOutbox, memoryReports } from './index.ts'

runReportStoreContract('memory', async () => {
  const outbox = memoryOutbox()
  const host = { reports: memoryReports(outbox), outbox }
  return { stores: [host, host] }
})
