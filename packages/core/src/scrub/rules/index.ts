import type { Rule } from '../rule.ts'
import { commandRules } from './commands.ts'
import { genericRules } from './generic.ts'
import { personalRules } from './personal.ts'
import { providerRules } from './providers.ts'

/** The whole table. Where two findings overlap, the one whose rule stands first names it. */
export const rules: readonly Rule[] = [...providerRules, ...genericRules, ...commandRules, ...personalRules]
