import { base } from './base.ts'
import { allPacks } from './all.ts'
import { rulesOf } from './pack.ts'

/**
 * All rules, in the order of the table. Where two findings overlap, the merged finding gets the rule that is first in
 * the table.
 */
export const rules = rulesOf([base, ...allPacks.loaded.values()])
