import { findAddressed } from './addressed.ts'
import { findBirth, findBorn } from './birth.ts'
import { findEastern } from './east.ts'
import { findSuffix } from './suffix.ts'
import { GATES } from './character.ts'
import { findAccount, findAuthor, findOwner, findPrompt } from './person.ts'
import { findPlace } from './place.ts'
import { findRue, findStrasse, findStreet } from './street.ts'
import { findCookie, findCurl, findFlag } from './shell.ts'
import { findCredentials, findUrlUser, findUserInfo } from './address.ts'
import { findAssignment } from './assignment.ts'
import { findEmail, findSpelled } from './email.ts'
import { findHome } from './home.ts'
import { findColons, findDots, findHyphens, findIpv4 } from './network.ts'
import { findNumber, findPlus } from './number.ts'
import { findAsPassword, findPiped, findRemark } from './remark.ts'
import { findInsert } from './insert.ts'
import { findJwk } from './jwk.ts'
import { findPem } from './pem.ts'
import type { Finding, Rule } from './rule.ts'
import { findBehind, findDiscord, findNamed } from './behind.ts'
import { findResult } from './result.ts'
import { findSaid } from './said.ts'
import { findVendor } from './vendor.ts'

/** Called where a keyword of its rule ends; looks around it, bounded, and adds what it finds. */
export type Finder = (text: string, start: number, end: number, rule: Rule, found: Finding[]) => void

/** What a pattern cannot say well: looking back, counting, parsing. Named by a rule's `finder`. */
export const finders: Readonly<Record<string, Finder>> = {
  account: findAccount,
  asPassword: findAsPassword,
  assignment: findAssignment,
  author: findAuthor,
  addressed: findAddressed,
  birth: findBirth,
  born: findBorn,
  eastern: findEastern,
  suffix: findSuffix,
  cookie: findCookie,
  curl: findCurl,
  flag: findFlag,
  place: findPlace,
  prompt: findPrompt,
  street: findStreet,
  azuredevops: findBehind(/[A-Za-z0-9]{76}$/, 76),
  accountkey: findBehind(/(?<![A-Za-z0-9+/=-])[A-Za-z0-9+/]{86}$/, 88, false),
  azurekey: findBehind(/[A-Za-z0-9+/]{30,78}$/, 78, false),
  discord: findDiscord,
  ethereum: findNamed(/(?:priv(?:ate)?|secret|mnemonic|wallet|signer|deployer|accounts)[^\n]{0,40}$/i, 60),
  maxmind: findBehind(/[A-Za-z0-9]{6}_[A-Za-z0-9]{29}$/, 36),
  newrelic: findBehind(/[a-f0-9]{36}$/, 36),
  rapidapi: findBehind(/[a-z0-9]{8,26}$/i, 26, false),
  colons: findColons,
  credentials: findCredentials,
  email: findEmail,
  deepl: findBehind(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 36),
  ghost: findBehind(/(?<![0-9a-f])[0-9a-f]{24}$/, 25),
  home: findHome,
  owner: findOwner,
  userinfo: findUserInfo,
  insert: findInsert,
  jwk: findJwk,
  facebook: findBehind(/\d{15,17}$/, 18),
  piped: findPiped,
  remark: findRemark,
  result: findResult,
  said: findSaid,
  spelled: findSpelled,
  urluser: findUrlUser,
  wallet: findNamed(
    /(?:wallet|my address|eth(?:ereum)?(?: address)?|send (?:it |\w{1,6} )?to|recipient|payout)[^\n]{0,24}$/i,
    48,
  ),
  dots: findDots,
  hyphens: findHyphens,
  rue: findRue,
  strasse: findStrasse,
  ipv4: findIpv4,
  mailchimp: findBehind(/[0-9a-f]{32}$/, 32),
  number: findNumber,
  pem: findPem,
  plus: findPlus,
  telegram: findBehind(/\d{8,10}$/, 10, false),
  vendor: findVendor,
  terraform: findBehind(/[A-Za-z0-9]{14}$/, 14),
}

/** What must stand before the keyword for a finder to find anything: asked first, since full stops and hyphens are everywhere. */
export const priors: Readonly<Record<string, number>> = {
  facebook: GATES.digit,
  dots: GATES.hex,
  hyphens: GATES.hex,
  ipv4: GATES.digit,
  ghost: GATES.hex,
  discord: GATES.word,
}
