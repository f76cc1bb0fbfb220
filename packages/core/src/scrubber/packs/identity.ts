import { findOwnerOfAddress } from '../detectors/identity/address-owner.ts'
import { formsOfAuthor, spellings } from '../detectors/identity/author-forms.ts'
import { findHome } from '../detectors/identity/home-directory.ts'
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
import {
  findAccount,
  findAuthor,
  findOwner,
  findPrompt,
  findListedAccounts,
  findLoggedNames,
  findShortlog,
  findLabelledPerson,
} from '../detectors/identity/person.ts'
import { emailFinder } from '../detectors/personal/email.ts'
import { scoreSecret } from '../detectors/secrets/score.ts'
import { tableFinders } from '../detectors/tables/layouts.ts'
import { expandRules } from '../engine/rule.ts'
import { gitRules, forgeRules } from '../rules/identity-git.ts'
import { loginRules } from '../rules/identity-logins.ts'
import { machineRules, userRules } from '../rules/identity-machines.ts'
import { nameRules, labelRules } from '../rules/identity-names.ts'
import { toolRules } from '../rules/identity-tools.ts'
import { tableRules, COLUMN_BEGINNINGS, COLUMN_ENDS, COLUMNS_OF_PEOPLE } from '../rules/tables.ts'
import type { RulePack } from './pack.ts'

const BEFORE = [',', '\t', ';', '|', ',"', ';"', ', ']
const BEFORE_PEOPLE = [',', '\t', ';']
const AFTER = [',', '\t', ';', '|', '",', '";']

/** The keywords of delimited tables: the names of columns, each with a delimiter before or after the name. */
const delimitedKeywords: readonly string[] = [
  ...COLUMN_BEGINNINGS.split(',').flatMap((word) => BEFORE.map((delimiter) => `${delimiter}${word}`)),
  ...COLUMNS_OF_PEOPLE.split(',').flatMap((word) => BEFORE_PEOPLE.map((delimiter) => `${delimiter}${word}`)),
  ...COLUMN_ENDS.split(',').flatMap((word) => AFTER.map((delimiter) => `${word}${delimiter}`)),
]

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
