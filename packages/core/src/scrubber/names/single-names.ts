import { isSingleName } from '../detectors/identity/forms.ts'
import { pushIdentity } from '../detectors/identity/learned-identity.ts'
import type { Finding } from '../engine/rule.ts'
import { AROUND, FIRST, isTownAt, PEOPLE_BEFORE, SINGLE_THRESHOLD, TITLES } from './evidence.ts'
import { foldName } from './lexicon.ts'
import { LINE_START, TIME_BEFORE, TIME_BEHIND, weighLabel, wordBefore } from './surroundings.ts'
import { tokenKind, type Token } from './tokens.ts'

export const RULE = { id: 'person-name', category: 'person', placeholder: 'PERSON' }

/** What people alone do: say, think, promise. */
const SAYS_BEHIND =
  /,? (?:(?:has|had|just|also|already|then|never|still|really) )?(?:says|said|thinks|thought|mentioned|told|asked|asks|suggested|suggests|approved|complained|promised|wants|wanted|agreed|agrees|replied|wrote|reviewed|noticed|reported|acknowledged|completed|unblocked|volunteered|escalated|resolved|rolled back|paired|writes|owns|hates|loves|insists|insisted|left the|joined the|needs to|\((?:my|our) |quit|is (?:right|wrong|sick|out|away|on (?:vacation|leave|call|holiday))|was (?:right|wrong|sick|out)|diz|disse|falou|dice|dijo|quiere|sagt|sagte|meint|meinte|will|hat (?:gesagt|mir)|dit|veut|pense|dice|vuole|ha detto|ha \p{Ll}+[aiu]to|s['’](?:en|est|occupe)|exported|merged|fixed|broke|deployed|reverted|from (?:billing|sales|support|finance|legal|marketing|accounting|ops|product|design|engineering|devops|infra|platform|security|operations|QA|HR|IT|PR|the \p{Ll}{2,12} team)|zegt|wil|säger|sier|siger)\b/uy
/** Somebody who is spoken to: `Jane, can you`. */
const ADDRESSED_BEHIND =
  /[,:] (?:can|could|would|will|please|you|your|did|do|does|have|are|thanks|thank|is it|let|kannst|könntest|peux|pouvez|puedes|podrías|você|puoi|kun|kan)\b/y
const SPEECH_START = /(?:^|[\n>]\s?|\\n|["“'] ?)$/

/** What stands behind a word that may be somebody's first name: a colon, a blank, a comma, a bracket. */
export const NEXT = new Set([...': ,)!?.*\n\\'].map((char) => char.charCodeAt(0)))

const isKnown = (kind: Token['kind']): boolean => kind === 'given' || kind === 'both'

/**
 * Adds a first name alone: that a chat shows with a time (`[10:05] Kazimir: looking`), that a title stands before, or
 * that says or is asked something. Returns whether it did.
 */
export function decideSingle(text: string, { start, end, word, kind }: Token, found: Finding[]): boolean {
  if (kind === 'word' || kind === 'initial' || (end < text.length && !NEXT.has(text.charCodeAt(end)))) return false
  const isGiven = isKnown(kind)
  const says = has(SAYS_BEHIND, text, end)
  // Another word than a first name wants both a title before it and a deed behind it.
  if (!isGiven && !says) return false
  const weight = weigh(text, start, end, word, kind, says)
  if (weight < SINGLE_THRESHOLD && !(isGiven && isSpeaker(text, start, end))) return false
  push(text, start, end, found)
  const isList = isLabelled(text, start, end)
  for (let last = end, n = 0; n < MOST_BESIDE; n++) {
    const other = (isList ? LISTED : BESIDE).exec(text.slice(last, last + 30))
    if (!other || tokenKind(other[1]!) === 'word') break
    last += other[0].length
    push(text, last - other[1]!.length, last, found)
  }
  return true
}

const has = (pattern: RegExp, text: string, at: number): boolean => {
  pattern.lastIndex = at
  return pattern.test(text)
}

/** One behind a label: `Present: Kazimir, Solveig`. */
const LISTED = /^(?:,| (?:and|und|y|et|e|og|och|en|&|\+)) (\p{Lu}\p{Ll}{2,20})(?![\p{L}\d_(-])/u
/** A member of an object: `Joi.string()`. */
const CALLED = /^\.\p{L}/u
const MOST_BESIDE = 8
/** Another name in one list: `Kazimir and Solveig`. */
const BESIDE = /^ (?:and|und|y|et|e|og|och|en|&|\+) (\p{Lu}\p{Ll}{2,20})(?![\p{L}\d_(.-])/u

function push(text: string, start: number, end: number, found: Finding[]): void {
  const name = text.slice(start, end).replace(/['’]s$/, '')
  if (!isSingleName(name) || isTownAt(text, start, name)) return
  pushIdentity('person', name, start, RULE, found)
  // In small letters a short one is rather a package: `pino`, `joi`.
  if (name.length < 6) found.at(-1)!.forms = () => [{ text: name, capitalized: true }]
}

/** `**Solveig**` above a list, as notes of a stand-up have it. */
const HEADING_BEFORE = /(?:^|\n|\\n)[ \t]*(?:#{1,4} )?\*\*$/
const HEADING_BEHIND = /^:?\*\*:?[ \t]*(?:\n|\\n){1,2}[ \t]*[-*•] /

function isSpeaker(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 60), start)
  if (HEADING_BEFORE.test(before) && HEADING_BEHIND.test(text.slice(end, end + 16))) return true
  if (!LINE_START.test(before)) return false
  return TIME_BEHIND.test(text.slice(end, end + 40)) || (TIME_BEFORE.test(before) && text.startsWith(': ', end))
}

function weigh(text: string, start: number, end: number, word: string, kind: Token['kind'], says: boolean): number {
  let weight = FIRST[kind]
  const lower = wordBefore(text, start).replace(/:$/, '')
  if (TITLES.has(foldName(lower))) weight += AROUND.title
  else if (isLabelled(text, start, end)) weight += AROUND.label
  else if (
    PEOPLE_BEFORE.has(lower) ||
    ((lower === 'by' || lower === 'to') && DONE_BEFORE.test(text.slice(Math.max(0, start - 14), start)))
  )
    weight += AROUND.behind
  if (says) weight += AROUND.behind
  else if (has(ADDRESSED_BEHIND, text, end) && (isSpeechStart(text, start) || GREETING.test(lower)))
    weight += AROUND.behind
  else if (kind === 'given' && /['’]s$/.test(word)) weight += AROUND.possessive
  return weight
}

/** Returns whether a word stands behind the label of a person: `Present: Solveig`. */
const isLabelled = (text: string, start: number, end: number): boolean =>
  !CALLED.test(text.slice(end, end + 2)) && weighLabel(text.slice(Math.max(0, start - 40), start)) === AROUND.label

const isSpeechStart = (text: string, at: number): boolean => SPEECH_START.test(text.slice(Math.max(0, at - 3), at))

/** What people did to a page, a file, a ticket. */
const DONE_BEFORE =
  /(?:edited|shared|created|approved|reviewed|merged|assigned|updated|uploaded|reported|requested|fix(?:ed)?|closed|modified|changed) by $|(?:kudos|props|shout-?out|credits?|congrats|hats off) to $/i
const GREETING = /^(?:hi|hello|hey|dear|hallo|hola|salut|bonjour|ciao)$/

/** A line of a list or of a chat that begins with one word and a colon. */
const SPEAKER_LINE = /(?:^|\n|\\n)([ \t]{0,8}(?:[-*•] )?)(\p{Lu}\p{Ll}+(?:-\p{Lu}\p{Ll}+)?): (?=\p{Ll})/gu
const MOST_LINES = 40

/**
 * Adds who begins the lines of a list or of a chat, where several do and the lexicon knows none as a word: `- Solveig:
 * done`, `- Tadhg: sick`.
 * @param at where a first name with a colon stands.
 */
export function decideLines(text: string, at: number, found: Finding[]): void {
  const from = Math.max(0, at - 600)
  const lines = [...text.slice(from, at + 600).matchAll(SPEAKER_LINE)].slice(0, MOST_LINES)
  const startOf = (line: RegExpExecArray): number => from + line.index + line[0].length - 2 - line[2]!.length
  const indent = lines.find((line) => startOf(line) === at)?.[1]
  const same = lines.filter((line) => line[1] === indent)
  if (new Set(same.map((line) => line[2])).size < 2 || same.some((line) => tokenKind(line[2]!) === 'word')) return
  for (const line of same) push(text, startOf(line), startOf(line) + line[2]!.length, found)
}
