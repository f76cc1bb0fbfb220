import { findLabelledAddress } from './personal/labelled-address.ts'
import { findBirthDate, findBirthAfterVerb } from './personal/date-of-birth.ts'
import { findEasternAddress } from './personal/eastern-address.ts'
import { findStreetSuffix } from './personal/street-suffix.ts'
import { GATES } from '../engine/character.ts'
import { findField } from './identity/field.ts'
import { findAccount, findAuthor, findOwner, findPrompt } from './identity/person.ts'
import { findCoordinates } from './personal/coordinates.ts'
import { findRomanceStreet, findGermanStreet, findStreet } from './personal/street.ts'
import { findCookie, findCurl, findFlag } from './secrets/shell.ts'
import { findCredentials, findUrlUser, findUserInfo } from './secrets/url-credentials.ts'
import { findKubernetesSecret } from './secrets/kubernetes-secret.ts'
import { assignmentFinder } from './secrets/assignment.ts'
import { findEmail, findSpelled } from './personal/email.ts'
import { findHome } from './identity/home-directory.ts'
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
} from './identity/learned-identity.ts'
import {
  findAccountList,
  findListedPeople,
  findLoggedNames,
  findProcessOwners,
  findShortlog,
  findWindowsAccounts,
} from './identity/listed-people.ts'
import { findColons, findDots, findHyphens, findIpv4 } from './personal/network.ts'
import { findNumber, findPlus } from './personal/number.ts'
import { findAsPassword, findPiped, findCommentLabel } from './secrets/comment-label.ts'
import { findJwk } from './secrets/jwk.ts'
import { findPem } from './secrets/pem.ts'
import type { Finder } from '../engine/rule.ts'
import type { FinderGate } from '../engine/scanner.ts'
import { findAroundMarker, findDiscord, findAfterWord } from './secrets/marker.ts'
import { findTerraformResult } from './secrets/terraform-state.ts'
import { proseCredentialFinder } from './secrets/prose-credential.ts'
import { scoreSecret } from './secrets/score.ts'
import { findVendor } from './secrets/vendor-key.ts'
import { tableFinders } from './tables/layouts.ts'

/**
 * The functions that rules name as their `finder`: what a pattern cannot express well, such as looking back, counting
 * and parsing.
 */
export const finders: Readonly<Record<string, Finder>> = {
  account: findAccount,
  field: findField,
  accountId: findAccountId,
  accountList: findAccountList,
  accountName: findAccountName,
  authorName: findAuthorName,
  cloudId: findCloudId,
  hostName: findHostName,
  namedGroups: findNamedGroups,
  nameParts: findNameParts,
  organization: findOrganization,
  personName: findPersonName,
  peopleList: findListedPeople,
  processOwners: findProcessOwners,
  loggedNames: findLoggedNames,
  shortlog: findShortlog,
  windowsAccounts: findWindowsAccounts,
  asPassword: findAsPassword,
  assignment: assignmentFinder(scoreSecret),
  author: findAuthor,
  addressed: findLabelledAddress,
  birth: findBirthDate,
  born: findBirthAfterVerb,
  eastern: findEasternAddress,
  suffix: findStreetSuffix,
  kubernetesSecret: findKubernetesSecret,
  cookie: findCookie,
  curl: findCurl,
  flag: findFlag,
  place: findCoordinates,
  prompt: findPrompt,
  street: findStreet,
  azuredevops: findAroundMarker(/[A-Za-z0-9]{76}$/, 76),
  accountkey: findAroundMarker(/(?<![A-Za-z0-9+/=-])[A-Za-z0-9+/]{86}$/, 88, false),
  azurekey: findAroundMarker(/[A-Za-z0-9+/]{30,78}$/, 78, false),
  discord: findDiscord,
  ethereum: findAfterWord(/(?:priv(?:ate)?|secret|mnemonic|wallet|signer|deployer|accounts)[^\n]{0,40}$/i, 60),
  maxmind: findAroundMarker(/[A-Za-z0-9]{6}_[A-Za-z0-9]{29}$/, 36),
  newrelic: findAroundMarker(/[a-f0-9]{36}$/, 36),
  rapidapi: findAroundMarker(/[a-z0-9]{8,26}$/i, 26, false),
  colons: findColons,
  credentials: findCredentials,
  email: findEmail,
  deepl: findAroundMarker(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 36),
  ghost: findAroundMarker(/(?<![0-9a-f])[0-9a-f]{24}$/, 25),
  home: findHome,
  owner: findOwner,
  userinfo: findUserInfo,
  jwk: findJwk,
  facebook: findAroundMarker(/\d{15,17}$/, 18),
  piped: findPiped,
  commentLabel: findCommentLabel,
  result: findTerraformResult,
  proseCredential: proseCredentialFinder(scoreSecret),
  spelled: findSpelled,
  urluser: findUrlUser,
  wallet: findAfterWord(
    /(?:wallet|my address|eth(?:ereum)?(?: address)?|send (?:it |\w{1,6} )?to|recipient|payout)[^\n]{0,24}$/i,
    48,
  ),
  dots: findDots,
  hyphens: findHyphens,
  rue: findRomanceStreet,
  strasse: findGermanStreet,
  ipv4: findIpv4,
  mailchimp: findAroundMarker(/[0-9a-f]{32}$/, 32),
  number: findNumber,
  pem: findPem,
  plus: findPlus,
  telegram: findAroundMarker(/\d{8,10}$/, 10, false),
  vendor: findVendor,
  terraform: findAroundMarker(/[A-Za-z0-9]{14}$/, 14),
  ...tableFinders(scoreSecret),
}

/** By finder. Those of `findBy` read no word from its middle. */
export const finderGates: Readonly<Record<string, FinderGate>> = {
  facebook: { prior: GATES.digit },
  dots: { prior: GATES.hex, ahead: [5, '.'] },
  hyphens: { prior: GATES.hex, ahead: [3, '-'] },
  ipv4: { prior: GATES.digit },
  ghost: { prior: GATES.hex },
  discord: { prior: GATES.word, ahead: [7, '.'] },
  ...Object.fromEntries(
    'accountId accountName authorName cloudId hostName namedGroups organization personName scriptName'
      .split(' ')
      .map((finder) => [finder, { isBounded: true }]),
  ),
}
