import { findLabelledPerson } from '../detectors/identity/labelled-person.ts'
import {
  findAccountId,
  findAccountName,
  findAuthorName,
  findCloudId,
  findCustomer,
  findHostName,
  findNamedGroups,
  findNameParts,
  findOrganization,
  findPersonalAccount,
  findPersonName,
} from '../detectors/identity/learned-identity.ts'
import { findListedAccounts, findLoggedNames, findShortlog } from '../detectors/identity/listed-people.ts'
import { scoreSecret } from '../detectors/secrets/score.ts'
import { tableFinders } from '../detectors/tables/layouts.ts'
import { forgeRules } from '../rules/identity-forges.ts'
import { gitRules } from '../rules/identity-git.ts'
import { labelRules } from '../rules/identity-labels.ts'
import { loginRules } from '../rules/identity-logins.ts'
import { machineRules } from '../rules/identity-machines.ts'
import { nameRules } from '../rules/identity-names.ts'
import { toolRules } from '../rules/identity-tools.ts'
import { tableRules } from '../rules/tables.ts'
import type { RulePack } from './pack.ts'

const BOUNDED = { isBounded: true } as const

/** The rules for authors and named people: output of tools, fields, hosts and accounts, and cells of tables. */
export const identity: RulePack = {
  sections: [
    { rank: 90, rules: tableRules },
    { rank: 130, rules: gitRules },
    { rank: 135, rules: forgeRules },
    { rank: 140, rules: loginRules },
    { rank: 150, rules: machineRules },
    { rank: 155, rules: toolRules },
    { rank: 160, rules: nameRules },
    { rank: 210, rules: labelRules },
  ],
  finders: {
    accountId: findAccountId,
    accountName: findAccountName,
    authorName: findAuthorName,
    cloudId: findCloudId,
    customer: findCustomer,
    hostName: findHostName,
    labelledPerson: findLabelledPerson,
    listedAccounts: findListedAccounts,
    loggedNames: findLoggedNames,
    nameParts: findNameParts,
    namedGroups: findNamedGroups,
    organization: findOrganization,
    personalAccount: findPersonalAccount,
    personName: findPersonName,
    shortlog: findShortlog,
    ...tableFinders(scoreSecret),
  },
  // The rules of `findBy` never start in the middle of a word.
  gates: {
    accountId: BOUNDED,
    accountName: BOUNDED,
    authorName: BOUNDED,
    cloudId: BOUNDED,
    customer: BOUNDED,
    hostName: BOUNDED,
    namedGroups: BOUNDED,
    organization: BOUNDED,
    personalAccount: BOUNDED,
    personName: BOUNDED,
  },
}
