import type { Finder, Finding, Rule } from '../../engine/rule.ts'
import { classifyAuthor, pushIdentity } from './learned-identity.ts'
import { readOnce } from '../../engine/remember.ts'
import { reachOf } from '../../engine/scan-progress.ts'
import { isPersonName } from './forms.ts'

const BREAK = /\r?\n|\\{1,8}(?:r\\{1,8})?n/
/** How far a list is read, in characters and lines. */
const LIST_LIMIT = 1200
const MOST_LINES = 200

function pushNamed(value: string, start: number, rule: Rule, found: Finding[]): void {
  const kind = readOnce(found, classifyAuthor, value, classifyAuthor)
  if (kind) pushIdentity(kind[0], value, start, { id: rule.id, ...kind[1] }, found)
}

/** Calls `read` for each line from `at` on, until it returns false. Returns where it stopped. */
function eachLine(text: string, at: number, read: (line: string, start: number) => boolean): number {
  for (let from = at, n = 0; from < text.length && n < MOST_LINES; n++) {
    const window = text.slice(from, from + 400)
    const end = BREAK.exec(window)
    const line = end ? window.slice(0, end.index) : window
    if (!read(line, from) || !end) return from
    from += end.index + end[0].length
    at = from
  }
  return at
}

const NAMES =
  /(?<=^|[\s"'`,;:={[-])(\p{Lu}[\p{L}\p{M}'’.-]{1,30}(?: (?:\p{Lu}[\p{L}\p{M}'’.-]{0,30}|van|von|de|der|da|di|la|le)){1,3})(?=["'`,;\r\n\\(<]|\s[(<]|$)/gu
const LIST_END = /\]|(?:\r?\n|\\n)\s{0,8}(?:\r?\n|\\n|$|[^\s\p{Lu}"'{}[\\-])/u

/** The people behind `attendees:`, `authors = [` and the like: with commas, in lines with dashes, or in quotes. */
export const findListedPeople: Finder = (text, start, _end, rule, found) => {
  const reach = reachOf(found, 'people')
  if (start < reach.end) return
  const pattern = rule.pattern!
  pattern.lastIndex = start
  if (!pattern.test(text)) return
  const from = pattern.lastIndex
  const window = text.slice(from, from + LIST_LIMIT)
  const end = LIST_END.exec(window)?.index ?? window.length
  reach.end = from + end
  for (const match of window.slice(0, end).matchAll(NAMES))
    if (readOnce(found, isPersonName, match[1]!, isPersonName)) pushNamed(match[1]!, from + match.index, rule, found)
}

const COUNTED =
  /^([+ ]{0,3}\s{0,12}\d{1,7}(?:\s|\\{1,8}t){1,8})([\p{L}][\p{L}\p{M}\d_'’. -]{1,60}?)(?: <[^>]{1,80}>)?\s*$/u

/** `git shortlog -s`: a number and a name in each line. */
export const findShortlog: Finder = (text, start, _end, rule, found) => {
  const reach = reachOf(found, 'shortlog')
  if (start < reach.end) return
  const pattern = rule.pattern!
  pattern.lastIndex = start
  if (!pattern.test(text)) return
  reach.end = eachLine(text, pattern.lastIndex, (line, from) => {
    const match = COUNTED.exec(line)
    if (match) pushNamed(match[2]!, from + match[1]!.length, rule, found)
    return match !== null
  })
}

/**
 * Finds the account of each line behind the match of a rule's pattern, as long as `line` matches; that of lines alone
 * which `only` matches too.
 */
const findInLines =
  (reachName: string, line: RegExp, only?: RegExp): Finder =>
  (text, start, _end, rule, found) => {
    const reach = reachOf(found, reachName)
    if (start < reach.end) return
    const pattern = rule.pattern!
    pattern.lastIndex = start
    if (!pattern.test(text)) return
    reach.end = eachLine(text, pattern.lastIndex, (printed, from) => {
      const account = line.exec(printed)?.[1]
      if (!account) return false
      if (only?.test(printed) === false) return true
      const kind = rule.valid?.(account) === false ? null : classifyAuthor(account)
      if (kind) pushIdentity(kind[0], account, from + printed.indexOf(account), { id: rule.id, ...kind[1] }, found)
      return true
    })
  }

/** An account at the beginning of each row of a table with blanks between, or before a colon. */
export const findAccountRows = findInLines(
  'account-rows',
  /^[+ ]{0,3}([A-Za-z\d][\w.-]{1,38})(?:: \S|\s{1,40}[|A-Za-z\d]).{0,200}$/,
)
/** The owners of images: `jroe/tides   1.4   9f2c1d3e4a5b`. */
export const findImageOwners = findInLines(
  'image-owners',
  /^\+?([a-z\d][\w-]{0,38})(?:\/\S{1,120})? {2,60}\S.{0,200}$/,
  /^\+?[\w-]+\//,
)

/** `ps aux`: an account and a number in each line below the heads of the columns. */
export const findProcessOwners = findInLines('processes', /^\+?([a-z_][\w.-]{1,31})\+? +\d{1,7} /)
/** An account in each line of a YAML list, as in OWNERS files of Kubernetes. */
export const findAccountList = findInLines(
  'accounts',
  /^\+?\s{0,12}- ["']?@?([A-Za-z\d][\w.-]{1,38})(?:@[\w.-]{3,60})?["']?\s*$/,
  /- ["']?@?[\w.-]+["']?\s*$/,
)

/** What Windows itself adds to the accounts of a machine. */
const BUILT_IN = /^(?:Administrator|DefaultAccount|Guest|WDAGUtilityAccount|krbtgt|sshd|HelpAssistant)$/i

/** `net user`: accounts in columns below a ruler, up to the line that says that the command is done. */
export const findWindowsAccounts: Finder = (text, start, _end, rule, found) => {
  const pattern = rule.pattern!
  pattern.lastIndex = start
  if (!pattern.test(text)) return
  eachLine(text, pattern.lastIndex, (line, from) => {
    if (line.includes('command completed') || line.trim() === '') return false
    for (const { 0: name, index } of line.matchAll(/[^ ]+(?: [^ ]+){0,3}/g))
      if (!BUILT_IN.test(name)) pushNamed(name, from + index, rule, found)
    return true
  })
}

const FORMAT = /format[=:]\\{0,3}["']?(?:format:)?([^"'\n\\]{0,120}%[ac][nN][^"'\n\\]{0,120})/y
/** What a field of a log's format prints. */
const FIELDS: readonly (readonly [field: RegExp, prints: string])[] = [
  [/^%[ac][nN]/, '([^\\n]{2,60}?)'],
  [/^%[hHpPtT]/, '[0-9a-f ]{4,128}'],
  [/^%[ac][eEl]/, '\\S{1,100}'],
  [/^%x09/, '\\t'],
  [/^%C(?:\([^)]{1,30}\)|\w{3,7})/, ''],
  [/^%[a-zA-Z]\w?/, '.{0,200}?'],
]

/** The names in the lines of a log whose format says where they stand: `git log --format="%h %an %s"`. */
export const findLoggedNames: Finder = (text, start, _end, rule, found) => {
  const reach = reachOf(found, 'log')
  if (start < reach.end) return
  FORMAT.lastIndex = start
  const match = FORMAT.exec(text)
  const end = match && BREAK.exec(text.slice(FORMAT.lastIndex, FORMAT.lastIndex + 200))
  if (!end) return
  const line = new RegExp(`^[+ ]?${lineOf(match[1]!)}\\s*$`, 'd')
  reach.end = eachLine(text, FORMAT.lastIndex + end.index + end[0].length, (printed, from) => {
    const name = line.exec(printed)
    if (name?.[1]) pushNamed(name[1].trim(), from + name.indices![1]![0], rule, found)
    return name !== null
  })
}

function lineOf(format: string): string {
  let source = ''
  for (let rest = format.replaceAll('%%', '%'); rest !== '';) {
    const field = FIELDS.find(([pattern]) => pattern.test(rest))
    const length = field ? field[0].exec(rest)![0].length : 1
    source += field ? field[1] : rest[0]!.replace(/[^\w\s]/, '\\$&')
    rest = rest.slice(length)
  }
  return source
}
