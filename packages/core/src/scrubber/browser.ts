/** The entry `@tributary/core/scrub` in browser bundles. It loads rule packs when a scrubber needs them. */
import { packsOnDemand } from './packs/on-demand.ts'
import { scrubberFactory, warmUpFactory } from './scrubber.ts'

export * from './shared-exports.ts'
export const createScrubber = scrubberFactory(packsOnDemand)
export const warmUpScrubber = warmUpFactory(packsOnDemand)
