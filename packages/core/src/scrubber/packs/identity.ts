import { findOwnerOfAddress } from '../detectors/identity/address-owner.ts'
import { findHome } from '../detectors/identity/home-directory.ts'
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
  findUserField,
} from '../detectors/identity/learned-identity.ts'
import { findListedAccounts, findLoggedNames, findShortlog } from '../detectors/identity/listed-people.ts'
import { formsOfAuthor } from '../detectors/identity/author-forms.ts'
import { spellings } from '../detectors/identity/spellings.ts'
import { findAccount, findAuthor, findOwner, findPrompt } from '../detectors/identity/person.ts'
import { emailFinder } from '../detectors/personal/email.ts'
import { scoreSecret } from '../detectors/secrets/score.ts'
import { delimitedKeywords } from '../detectors/tables/column-keywords.ts'
import { tableFinders } from '../detectors/tables/layouts.ts'
import { expandRules } from '../engine/rule.ts'
import { forgeRules } from '../rules/identity-forges.ts'
import { gitRules } from '../rules/identity-git.ts'
import { labelRules } from '../rules/identity-labels.ts'
import { loginRules } from '../rules/identity-logins.ts'
import { machineRules } from '../rules/identity-machines.ts'
import { nameRules } from '../rules/identity-names.ts'
import { toolRules } from '../rules/identity-tools.ts'
import { userRules } from '../rules/identity-users.ts'
import { tableRules } from '../rules/tables.ts'
import type { RulePack } from './pack.ts'

const BOUNDED = { isBounded: true } as const

/** The rules for authors and named people: in the output of tools, in fields, hosts and accounts, and in tables. */
export const identity: RulePack = {
  sections: [
    { rank: 90, rules: expandRules(tableRules, { 'delimited-table': delimitedKeywords }) },
    { rank: 110, rules: expandRules(userRules) },
    { rank: 130, rules: expandRules(gitRules) },
    { rank: 135, rules: expandRules(forgeRules) },
    { rank: 140, rules: expandRules(loginRules) },
    { rank: 150, rules: expandRules(machineRules) },
    { rank: 155, rules: expandRules(toolRules) },
    { rank: 160, rules: expandRules(nameRules) },
    { rank: 210, rules: expandRules(labelRules) },
  ],
  finders: {
    account: findAccount,
    author: findAuthor,
    email: emailFinder(findOwnerOfAddress),
    home: findHome,
    owner: findOwner,
    prompt: findPrompt,
    userField: findUserField,
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
  // Finders from `findBy` find nothing in the middle of a word.
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
  formsOfAuthor,
  spellings,
}
