import type { PackId } from '../engine/scrubber-types.ts'
import { countries } from './countries.ts'
import { identity } from './identity.ts'
import type { PackSource, RulePack } from './pack.ts'
import { services } from './services.ts'

/** Every pack, loaded with this module. */
export const allPacks: PackSource = {
  loaded: new Map(Object.entries({ services, identity, countries }) as [PackId, RulePack][]),
  load: async () => {},
}
