import { base } from './base.ts'
import { allPacks } from './all.ts'
import { rulesOf } from './pack.ts'

/** The whole table. Where two findings overlap, the rule that is first in the table names the merged finding. */
export const rules = rulesOf([base, ...allPacks.loaded.values()])
