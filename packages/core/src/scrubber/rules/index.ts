import { base } from '../packs/base.ts'
import { allPacks } from '../packs/all.ts'
import { rulesOf } from '../packs/pack.ts'

/** The whole table. Where two findings overlap, the one whose rule is first names it. */
export const rules = rulesOf([base, ...allPacks.loaded.values()])
