import { commonWords } from '../../rules/common-words.ts'
import { NO_EASTERN_NAME } from '../../rules/personal-labels.ts'
import { isAutomation } from './accounts.ts'
import { PARTICLE } from './forms.ts'

const CAPITAL = /^\p{Lu}/u
/** Words of teams, roles, products and legal forms, which do not occur in names of people. */
const NO_NAME = new Set(
  `copyright copyrights thanks signed reviewed written maintained created developed powered sent team support the
author authors inc llc ltd gmbh corp foundation group bot button data table name user users project system
service services server platform engineering department company software security admin manager developer
developers contributor contributors community lab labs university institute type string value test error view
page list item model class component provider context handler config option options version release request
response header footer menu icon image input form field label title text file date time key code api app web
cloud open source public private new all none not and or of for to in on by with from this that is are your my
our first last full required unknown default example sample submit cancel save delete license apache mozilla
google microsoft amazon claude copilot sonnet opus haiku gpt see add use if no yes please note todo fix update
set get click here help home settings account active pending done high low medium critical january february
march april june july august september october november december monday tuesday wednesday thursday friday
saturday sunday north south east west street road avenue bank credit card united states kingdom york london
paris berlin san los github gitlab actions docker node react python java linux windows visual studio internal
external global local remote main master core base common general product design marketing sales finance legal
human resources customer success operations ops platforms technologies technology holdings network networks
systems solutions interactive works infrastructure backend frontend mobile quality assurance research machine
learning science business intelligence reviewer reviewers owner owners maintainer maintainers assignee assignees
member members guest client order payment invoice price total country city state address phone email mail
password login social security sign log out up down program programme limited computing laboratory laboratories fisheries vets center centre animal hospital clinic museum society association
club school college agency ministry council federation union studio hotel restaurant engineer designer architect
analyst consultant student teacher intern workflow validation architecture integration billing pipeline tenant sdk install copa mundial empresa pruebas administrator username hostname operator application
applications mail delivery subsystem`.split(/\s/),
)

/** Returns whether a value contains a word that does not occur in names of people: `GitHub`, `APIs`. */
const holdsNoName = (value: string): boolean => {
  const words = `${value} ${value.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')}`.split(/\.?(?:[ -]|$)/)
  if (/(?:^|[ -])(?:[iI]n [pP]rogress(?=$|[ -])|\p{Lu}{3}\p{L}*\p{Ll})/u.test(value)) return true
  if (/ (?:AG|KG|AB|OY|Oy|BV|NV|SRL|SARL|PLC|LLP|KK)\.?$/.test(value)) return true
  return words.some((word) => NO_NAME.has(word.toLowerCase()))
}
const NAME_CHARACTERS = /^[\p{L}\p{M}'’. -]{3,64}$/u
const SMALL = /\p{Ll}/u
const TWO_LETTERS = /\p{L}\P{L}*\p{L}|[\u{10000}-\u{10ffff}]/u

/**
 * Returns whether a value has the form of a person's name: two to five words, all capitalized except particles such as
 * `van`. `Roe, Jane` also has this form.
 */
export function isPersonName(written: string): boolean {
  const value = written.includes(',') ? written.replace(/^([^,]+), ([^,]+)$/, '$2 $1') : written
  if (!value.includes(' ') || !NAME_CHARACTERS.test(value) || !SMALL.test(value)) return false
  const words = value.split(/ +/)
  if (words.length < 2 || words.length > 5) return false
  let capitalized = 0
  for (const [i, word] of words.entries()) {
    if (!CAPITAL.test(word)) {
      if (!PARTICLE.test(word)) return false
    } else if (TWO_LETTERS.test(word)) capitalized++
    // A longer word with a full stop ends a sentence.
    if (i < words.length - 1 && word.length > 4 && word.endsWith('.')) return false
  }
  return capitalized > 1 && !holdsNoName(value) && !isAutomation(value)
}

/**
 * Returns whether a value may be a person's only name, if the context shows that the value is a name: `user.name =
 * tlindqvist`.
 */
export const isSingleName = (value: string): boolean =>
  /^[\p{L}][\p{L}\p{M}\d._-]{2,38}$/u.test(value) && !commonWords.has(value.toLowerCase()) && !isAutomation(value)

/** Returns whether a text is one to three capitalized words that may be names, such as two last names. */
export const areNames = (value: string): boolean => {
  const words = value.split(' ')
  return words.length < 4 && words.every((word) => isSingleName(word) && /^\p{Lu}/u.test(word))
}

/** Returns whether a few characters of East Asia may be a name. Specifications have words such as `必須` in its place. */
export const isEasternName = (value: string): boolean => !NO_EASTERN_NAME.test(value)

/** The number of characters before a value in which its abbreviation is searched. */
const REACH = 400

/**
 * Returns whether a value at an index is the long form of an abbreviation before it: `TCP`, then `Transmission
 * Control Protocol`.
 */
export function isLongForm(value: string, text: string, at: number): boolean {
  const initials = value.replace(/(\S)\S* ?/g, '$1')
  return initials.length > 2 && text.slice(Math.max(0, at - REACH), at).includes(initials)
}
