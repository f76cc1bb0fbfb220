import { rememberWords } from '../../engine/remember.ts'
import { commonWords } from '../../rules/common-words.ts'
import {
  RESERVED_NAMES,
  ROLES,
  SERVICE_ACCOUNTS,
  SYSTEM_ACCOUNTS,
  TAGS,
  AUTOMATION,
  publicOwners,
} from '../../rules/nobody.ts'

export const isRole = (value: string): boolean => ROLES.test(value)

/** Returns whether an account may belong to a person. */
export const isPerson = (value: string): boolean =>
  !ROLES.test(value) && !SYSTEM_ACCOUNTS.test(value) && !SERVICE_ACCOUNTS.test(value)

/** Returns whether an account alone identifies a person: it is not a role, a service, a tag or an everyday word. */
export const isPersonalAccount = (value: string): boolean =>
  isPerson(value) && !TAGS.test(value) && !commonWords.has(value.toLowerCase()) && /[A-Za-z]/.test(value)

/** Returns whether the name of a service's subdomain is the name of a customer. */
export const isCustomer = (value: string): boolean =>
  value.length > 2 &&
  !RESERVED_NAMES.test(value) &&
  !commonWords.has(value.toLowerCase()) &&
  !publicOwners.has(value.toLowerCase())

/** Returns whether a value may be the account of a person or a company on a code host. A public project is excluded. */
export const isAccount = (value: string): boolean =>
  /^[A-Za-z\d][\w.-]{1,38}$/.test(value) &&
  !/^\d+$/.test(value) &&
  !isAutomation(value) &&
  !publicOwners.has(value.toLowerCase()) &&
  !/^(?:your|my|the|some|example|owner|user|org|test)[-_.]?(?:user|org|name|username|account|repo|team|project)?$/i.test(
    value,
  )

/** Returns whether an owner's name looks like the name of a company or a team. */
export const isOrganizationName = (value: string): boolean =>
  /(?:^|[-_.])(?:team|labs?|studios?|inc|hq|org|io|ai|dev|software|systems|tech|group|works|digital|interactive|company|corp|solutions|cloud|data)$/i.test(
    value,
  ) || /(?:labs|studio|hq|team|soft|tech|corp|works)$/i.test(value)

/** Returns whether a name belongs to a program or a role, or is a sample name in manuals. */
export const isAutomation = rememberWords((name) => AUTOMATION.test(name.trim()))
