import { pushIdentity } from '../detectors/identity/learned-identity.ts'
import type { Finding } from '../engine/rule.ts'
import { isPrivateCompany } from '../rules/identity-shapes.ts'
import {
  COMPANY_NOUNS,
  COMPANY_THRESHOLD,
  COMPANY_WORDS_BEFORE,
  LEGAL_FORMS,
  RARE,
  TYPES_OF_COMPANY,
  WEAK_COMPANY_NOUNS,
  WEAK_WORDS_BEFORE,
} from './company-evidence.ts'
import { CREDIT } from './evidence.ts'
import { SPACE, type Token } from './tokens.ts'

const RULE = { id: 'company-name', category: 'organization', placeholder: 'ORG' }

/** `s.r.o.`, `d.o.o.`, `sp. z o.o.`, `, Inc.`, `& Co. KG` behind the last capitalized word. */
const LEGAL_BEHIND =
  /^(?: s\.r\.o\b|, ?s\.r\.o\b| d\.o\.o\b| sp\. ?z ?o\.o\b| a\.s\.| k\.s\.|,? (?:Inc|LLC|Ltd|L\.L\.C|GmbH|Corp)\b|,? S\.(?:A|L|r\.l|p\.A|à r\.l)\b| B\.V\b| N\.V\b| A\/S\b| & Co\b)/
const MAY_BE_LEGAL = new Set([...'sdakILGCSBNA&'].map((char) => char.charCodeAt(0)))

/**
 * Adds a company by its legal form, by a noun of companies, and by what stands before it: `Kestrelbay Logistics`, `our
 * client Voltmere AB`. Returns whether it did.
 */
export function decideCompany(text: string, tokens: readonly Token[], found: Finding[]): boolean {
  const last = tokens.at(-1)!
  const behind = mayBeLegal(text, last.end) ? (LEGAL_BEHIND.exec(text.slice(last.end, last.end + 12))?.[0] ?? '') : ''
  const to = behind ? tokens.length : nounOf(tokens)
  if (to < 1) return false
  for (let from = 0; from < to; from++) {
    const weight = weigh(text, tokens, from, to, behind !== '')
    if (weight < COMPANY_THRESHOLD) continue
    const { start } = tokens[from]!
    const end = behind ? last.end : tokens[to]!.end
    const name = text.slice(start, end).replace(/(?<=\p{L}{2})['’]s$/u, '')
    if (!isPrivateCompany(name)) continue
    pushIdentity('organization', name, start, RULE, found)
    found.at(-1)!.score = Math.min(0.99, 0.5 + (weight - COMPANY_THRESHOLD) / 100)
    return true
  }
  return false
}

/** Returns whether a legal form may stand behind a word. */
export function mayBeLegal(text: string, end: number): boolean {
  const code = text.charCodeAt(end)
  const at = code === SPACE ? end + 1 : code === 44 ? end + (text.charCodeAt(end + 1) === SPACE ? 2 : 1) : 0
  return at > 0 && MAY_BE_LEGAL.has(text.charCodeAt(at))
}

/** Returns the place of the noun or the legal form in a row, -1 where there is none. */
function nounOf(tokens: readonly Token[]): number {
  for (let i = tokens.length - 1; i > 0; i--) if (isNoun(tokens[i]!.word)) return i
  return tokens.length > 1 && TYPES_OF_COMPANY.has(tokens[0]!.word) ? tokens.length - 1 : -1
}

const NOUNS = new Set([...LEGAL_FORMS, ...COMPANY_NOUNS, ...WEAK_COMPANY_NOUNS].flatMap((word) => [word, `${word}.`]))
const isNoun = (word: string): boolean => NOUNS.has(word)

/** `I led the group at`, `we built the shop for`, `Head of Operations, `: work, and for whom. */
const WORKPLACE =
  /(?:(?<![\p{L}])(?:I|I['’]m|we|our|my|he|she|they|ich|wir|je|nous)\b[^.\n]{0,60} (?:at|for|with|bei|für|chez|pour|en|para|presso|per|voor|på|hos)|(?:Head|Lead|Manager|Engineer|Director|C[ETFO]O|Founder|Officer|Developer|Analyst|Consultant|President|Owner|Designer|Architect|Specialist|Coordinator|Assistant|Leiter|Leiterin|Directeur|Directrice|Gerente)\b[^\n]{0,30}(?:,| \||,? (?:at|@|bei|chez|en|de))) ?$/iu
/** `tech lead at Glimmerfold`: a name of one word. */
const JOB =
  /(?:work(?:s|ed|ing)?|employed|job|joined|engineer|developer|lead|manager|intern|internship|designer|analyst|consultant|last|previously|years|career) (?:at|bei|chez) $/i

/** Returns whether somebody works at what follows, or for it. */
const isWorkplace = (before: string): boolean => WORKPLACE.test(before)

/** Adds a company whose name is one word that no document uses, behind a job. Returns whether it did. */
export function decideWorkplace(text: string, { start, end, kind, word }: Token, found: Finding[]): boolean {
  if (kind !== 'unknown' && kind !== 'surname') return false
  if (text.charCodeAt(start - 2) !== 116 && text.charCodeAt(start - 2) !== 105 && text.charCodeAt(start - 2) !== 122)
    return false
  if (!JOB.test(text.slice(Math.max(0, start - 30), start)) || !isPrivateCompany(word)) return false
  pushIdentity('organization', text.slice(start, end), start, RULE, found)
  return true
}

const BEFORE = /([\p{L}'’]+)(?:,| is| called)?[:,]? ?[\s"'“(|*]{0,3}$/u
const CELL_START = /(?:^|[\n\t"'`|>]|\\[nrt"]| [|–—-] )$/
const CELL_END = /^(?:$|[\n\r\t"'`|<;)]|\\[nrt"]| [|–—-] )/

function weigh(text: string, tokens: readonly Token[], from: number, to: number, isLegal: boolean): number {
  const first = tokens[from]!
  const noun = isLegal ? '' : tokens[to]!.word.replace(/\.$/, '')
  const before = text.slice(Math.max(0, first.start - 60), first.start)
  if (CREDIT.test(before)) return 0
  // Two letters may be the beginning of other things.
  const isSure = isLegal || (LEGAL_FORMS.has(noun) && noun.length > 2)
  let weight = isSure ? Math.max(0, RARE[first.kind]) : RARE[first.kind]
  if (isLegal || LEGAL_FORMS.has(noun)) weight += 22
  else if (COMPANY_NOUNS.has(noun)) weight += 12
  else if (WEAK_COMPANY_NOUNS.has(noun)) weight += 4
  else if (from === 0 && TYPES_OF_COMPANY.has(first.word) && to > 0) weight = 8 + RARE[tokens[1]!.kind]
  const lower = BEFORE.exec(before)?.[1]?.toLowerCase() ?? ''
  if (COMPANY_WORDS_BEFORE.has(lower) || isWorkplace(before)) weight += 10
  else if (WEAK_WORDS_BEFORE.has(lower)) weight += 4
  else if (from > 0) weight -= 6
  const end = isLegal ? tokens.at(-1)!.end : tokens[to]!.end
  if (CELL_START.test(before) && CELL_END.test(text.slice(end, end + 3))) weight += 3
  return weight
}
