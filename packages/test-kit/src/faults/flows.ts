import type { Flow } from './flow.ts'
import { adsFlows } from './flows/ads.ts'
import { ingestFlows } from './flows/ingest.ts'
import { ledgerFlows } from './flows/ledger.ts'
import { messageFlows } from './flows/messages.ts'
import { peopleFlows } from './flows/people.ts'
import { salesFlows } from './flows/sales.ts'

/** Every flow that faults are tried on. A new one is an entry in a file of `flows/`. */
export const flows: readonly Flow[] = [
  ...ingestFlows,
  ...salesFlows,
  ...adsFlows,
  ...ledgerFlows,
  ...peopleFlows,
  ...messageFlows,
]
