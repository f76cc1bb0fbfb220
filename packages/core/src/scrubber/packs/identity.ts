import { findField } from '../detectors/identity/field.ts'
import {
  findAccountId,
  findAccountName,
  findAuthorName,
  findCloudId,
  findHostName,
  findNamedGroups,
  findNameParts,
  findOrganization,
  findPersonName,
} from '../detectors/identity/learned-identity.ts'
import {
  findAccountList,
  findAccountRows,
  findImageOwners,
  findListedPeople,
  findLoggedNames,
  findProcessOwners,
  findShortlog,
  findWindowsAccounts,
} from '../detectors/identity/listed-people.ts'
import { scoreSecret } from '../detectors/secrets/score.ts'
import { tableFinders } from '../detectors/tables/layouts.ts'
import { identityAccountRules } from '../rules/identity-accounts.ts'
import { identityFieldRules } from '../rules/identity-fields.ts'
import { identityHostRules } from '../rules/identity-hosts.ts'
import { identityPeopleRules } from '../rules/identity-people.ts'
import { identityPrintedRules } from '../rules/identity-printed.ts'
import { identityRecordRules } from '../rules/identity-records.ts'
import { identityShapeRules } from '../rules/identity-shapes.ts'
import { identityToolRules } from '../rules/identity-tools.ts'
import { identityRules } from '../rules/identity.ts'
import { mentionRules } from '../rules/mentions.ts'
import { tableRules } from '../rules/tables.ts'
import type { RulePack } from './pack.ts'

const BOUNDED = { isBounded: true } as const

/** Who wrote a trace and who is named in it, by output of tools, fields, hosts and accounts; and cells of tables. */
export const identity: RulePack = {
  sections: [
    { rank: 90, rules: tableRules },
    { rank: 130, rules: identityRules },
    { rank: 140, rules: identityToolRules },
    { rank: 150, rules: mentionRules },
    { rank: 160, rules: identityHostRules },
    { rank: 170, rules: identityAccountRules },
    { rank: 180, rules: identityPeopleRules },
    { rank: 190, rules: identityRecordRules },
    { rank: 200, rules: identityFieldRules },
    { rank: 210, rules: identityShapeRules },
    { rank: 215, rules: identityPrintedRules },
  ],
  finders: {
    accountId: findAccountId,
    accountList: findAccountList,
    accountName: findAccountName,
    accountRows: findAccountRows,
    authorName: findAuthorName,
    cloudId: findCloudId,
    field: findField,
    hostName: findHostName,
    imageOwners: findImageOwners,
    loggedNames: findLoggedNames,
    nameParts: findNameParts,
    namedGroups: findNamedGroups,
    organization: findOrganization,
    peopleList: findListedPeople,
    personName: findPersonName,
    processOwners: findProcessOwners,
    shortlog: findShortlog,
    windowsAccounts: findWindowsAccounts,
    ...tableFinders(scoreSecret),
  },
  // What is named by `findBy` is never read from the middle of a word.
  gates: {
    accountId: BOUNDED,
    accountName: BOUNDED,
    authorName: BOUNDED,
    cloudId: BOUNDED,
    hostName: BOUNDED,
    namedGroups: BOUNDED,
    organization: BOUNDED,
    personName: BOUNDED,
  },
}
