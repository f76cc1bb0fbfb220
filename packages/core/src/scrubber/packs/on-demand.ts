import type { PackId } from '../engine/scrubber-types.ts'
import type { PackSource, RulePack } from './pack.ts'

const imports: Readonly<Record<PackId, () => Promise<RulePack>>> = {
  services: async () => (await import('./services.ts')).services,
  identity: async () => (await import('./identity.ts')).identity,
  countries: async () => (await import('./countries.ts')).countries,
}
const loaded = new Map<PackId, RulePack>()

/** Packs that a bundler writes to separate files. Each pack is loaded when the first scrubber needs it. */
export const packsOnDemand: PackSource = {
  loaded,
  load: async (id) => void loaded.set(id, await imports[id]()),
}
