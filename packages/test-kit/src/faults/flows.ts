import type { Flow } from './flow.ts'
import { adsFlows } from './flows/ads.ts'
import { datasetFlows } from './flows/dataset.ts'
import { ingestFlows } from './flows/ingest.ts'
import { ledgerFlows } from './flows/ledger.ts'
import { messageFlows } from './flows/messages.ts'
import { peopleFlows } from './flows/people.ts'

/** Flows that store or delete contents. They run a second time with every content in a blob. */
const contentFlows = [...ingestFlows, ...peopleFlows]
  .filter(({ name }) => ['ingest', 'delete', 'erasure'].includes(name))
  .map((flow): Flow => ({ ...flow, name: `${flow.name} in blobs`, options: { contents: 'blobs', contentBytes: 0 } }))

/** All flows in which faults are tried. Add a new flow to a file in `flows/`. */
export const flows: readonly Flow[] = [
  ...ingestFlows,
  ...contentFlows,
  ...datasetFlows,
  ...adsFlows,
  ...ledgerFlows,
  ...peopleFlows,
  ...messageFlows,
]
