import type { Rule } from '../rule.ts'
import { commandRules } from './commands.ts'
import { frameRules } from './frames.ts'
import { genericRules } from './generic.ts'
import { languageRules } from './languages.ts'
import { moreProviderRules } from './more.ts'
import { paperRules } from './papers.ts'
import { personalRules } from './personal.ts'
import { providerRules } from './providers.ts'
import { toolRules } from './tools.ts'
import { webhookRules } from './webhooks.ts'

/** The whole table. Where two findings overlap, the one whose rule stands first names it. */
export const rules: readonly Rule[] = [
  ...providerRules,
  ...moreProviderRules,
  ...webhookRules,
  ...genericRules,
  ...commandRules,
  ...toolRules,
  ...frameRules,
  ...languageRules,
  ...personalRules,
  ...paperRules,
]
