import type { Rule } from '../engine/rule.ts'
import { commandRules } from './commands.ts'
import { fileRules } from './files-and-calls.ts'
import { frameRules } from './contexts.ts'
import { genericRules } from './generic.ts'
import { languageRules } from './prose.ts'
import { moreProviderRules } from './young-services.ts'
import { paperRules } from './documents.ts'
import { identityRules } from './identity.ts'
import { identityAccountRules } from './identity-accounts.ts'
import { identityFieldRules } from './identity-fields.ts'
import { identityHostRules } from './identity-hosts.ts'
import { identityPeopleRules } from './identity-people.ts'
import { identityRecordRules } from './identity-records.ts'
import { identityShapeRules } from './identity-shapes.ts'
import { identityToolRules } from './identity-tools.ts'
import { mentionRules } from './mentions.ts'
import { personalRules } from './personal.ts'
import { providerRules } from './providers.ts'
import { tableRules } from './tables.ts'
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
  ...fileRules,
  ...tableRules,
  ...languageRules,
  ...personalRules,
  ...identityRules,
  ...identityToolRules,
  ...mentionRules,
  ...identityHostRules,
  ...identityAccountRules,
  ...identityPeopleRules,
  ...identityRecordRules,
  ...identityFieldRules,
  ...identityShapeRules,
  ...paperRules,
]
