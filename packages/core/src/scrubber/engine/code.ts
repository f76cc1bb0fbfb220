// Recognizes code, accounts and mail addresses by the characters around a part of a text, so that rules for prose do not
// replace identifiers.

import { commonWords } from '../rules/common-words.ts'
import { isAlnum } from './character.ts'

/** The maximum numbers of characters that are read before and after a part of a line. */
const BEFORE = 160
const BEHIND = 80

/** Top-level domains: `acme.io` is a host, not a property of an object. */
const TOP_LEVEL =
  /^\.(?:[\w-]+\.)*(?:com|org|net|io|dev|ai|app|eu|de|fr|uk|us|es|it|nl|pl|ch|at|se|no|fi|dk|cz|pt|br|jp|cn|kr|in|co|me|tv|xyz|cloud|tech|local|lan|home|internal|corp|localdomain|fritz)(?![\w(])/i
/** The extensions of files that are not code. Such a file may have the name of its author. */
const DATA_FILE =
  /^\.(?:png|jpe?g|gif|svg|webp|md|txt|json|ya?ml|csv|log|pdf|zip|t?gz|tar|html?|css|lock|toml|ini|env|db|sqlite|pem|key|pub|crt|conf|cfg|bak|git)(?![\w(])/i
/** The rest of the name of a launch agent, which begins with a host in reverse order: `com.acme.tool.plist`. */
const LAUNCH_AGENT = /^\.[\w.-]{1,60}\.plist(?![\w(])/
const KEYWORD_BEFORE =
  /(?:^|[^\w.])(?:import|require|func|function|def|fn|struct|enum|interface|const|var|namespace|impl|trait|defmodule|defstruct|#include|export|extends|implements|instanceof|typeof)\s+(?:\{ ?)?["'`<]?$/
const DECLARED_BEFORE =
  /^\+?\s*(?:package|module|namespace|class|type|use|let|val|mod|from|using|alias)\s+(?:[\w\\]+\\)?$/
const ARTICLE_BEFORE =
  /(?:^|[\s("'`*])(?:the|a|an|this|each|every|any|no|der|die|das|den|eine?|une?|les?|las?|los|il|het|een)\s+[`"']?$/
const SIGIL_BEFORE = /(?:::|->|\$\{?|[\w)\]]\.|&|(?:^|[^*])\*)$/
const ASSIGNED_BEHIND = /^\s{0,12}(?::=|\+=|-=|==|!=|=>|=(?![=\w]))/
/** The options or the subcommand of a command at the beginning of a line: `--force`, `apps:create`. */
const ARGUMENT_BEHIND = /^ (?:--?[a-z][\w-]*|[a-z][\w-]*:[a-z][\w-]*)(?=[\s="'`]|$)/
const CALLED_BEHIND = /^(?:\(|\[|::|->|\?\.|!\(|<\w[\w, ]{0,30}>\()/
const DECLARED_BEHIND =
  /^"?\s?(?:==|>=|~>|\^)v?\d|^@v?\d+\.\d+(?:\.\d+)?(?![\d.])|^"\s?:\s?"[\^~>=v]{0,2}\d|^\s+(?:struct|interface|func|class|=>)\b/
const IMPORT_LINE =
  /^[+-]?\s*\d*[\s→|]*(?:import\b|from\s+\S+\s+import\b|require\b|use\s+[\w:\\]+|(?:const|let|var)\s.{0,60}=\s*(?:await\s+)?(?:require|import)\s?\(|export\s.{0,60}from\b|#include\b|package\s|(?:[\w.]+\s+|_ )?"[\w.-]+\.\w+\/[\w./-]+"\s*$|[\w.-]+\.\w+\/[\w./-]+ v\d|go:\s|<?(?:groupId|artifactId)>|implementation\b)/
const HEADING_LINE = /^\s{0,3}(?:#{2,6}\s|#\s+[\p{Lu}\d`*])/u
/** Results of tests: `ok  tide/pkg 0.4s`, `ok 1 - tide`, `PASS src/tide.test.ts`. */
const TEST_LINE =
  /^\s*(?:=== (?:RUN|PAUSE|CONT)\b|--- (?:PASS|FAIL|SKIP)\b|(?:ok|FAIL|PASS|\?)\s+(?:\d|\S*[./]\w)\S*\s)/
/** Other lines that test runners and stack traces print. */
const PRINTED_LINE =
  /^\s*(?:at \S+ \(|File "[^"]+", line \d|[✓✔✗✘×]\s|test \S+ \.\.\. |goroutine \d|\S+\.(?:go|rs|ts|js|py|rb|ex|java|c|cc|cpp|h|kt|cs|php|swift):\d+)/

const lineBefore = (text: string, start: number): string => {
  const window = text.slice(Math.max(0, start - BEFORE), start)
  const escaped = window.lastIndexOf('\\n')
  return window.slice(Math.max(window.lastIndexOf('\n') + 1, escaped < 0 ? 0 : escaped + 2))
}

/** Returns whether a part belongs to a host, a mail address or the name of a launch agent: `acme` in `mail.acme.io`. */
function isInHostOrAddress(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 64), start).replace(/^.*[^\w.@%+-]/s, '')
  const after = text.slice(end, end + 64)
  return (
    /@|%40/.test(before) ||
    /^[\w.+-]*@[\w-]+\./.test(after) ||
    LAUNCH_AGENT.test(after) ||
    TOP_LEVEL.test(after.replace(/[^\w.-][^]*/, '').replace(/^[^.]*/, '')) ||
    text.slice(0, start - before.length).endsWith('://')
  )
}

/** The maximum distance from a part to the ends of the identifier that contains it. */
const IN_WORD = 64
const isWordAt = (text: string, at: number): boolean => isAlnum(text, at) || text[at] === '_'

/** Returns the start and the end of the identifier that contains a part: `store_deliver` for `store`. */
function wordAround(text: string, start: number, end: number): readonly [number, number] {
  let [from, to] = [start, end]
  while (start - from < IN_WORD && isWordAt(text, from - 1)) from--
  while (to - end < IN_WORD && isWordAt(text, to)) to++
  return [from, to]
}

/** The number of characters before a part that may be a keyword of a language, or an article, with blanks and a quote. */
const NEAR_BEFORE = 32

/** Returns whether a part of a text is used as an identifier, a declared name, a package's name or a common noun. */
export function isIdentifier(text: string, start: number, end: number, before = lineBefore(text, start)): boolean {
  const behind = text.slice(end, end + BEHIND)
  if (CALLED_BEHIND.test(behind) || ASSIGNED_BEHIND.test(behind) || DECLARED_BEHIND.test(behind)) return true
  if (ARGUMENT_BEHIND.test(behind) && /(?:^|[$#|;&`(>]) *$/.test(before)) return true
  const near = before.slice(-NEAR_BEFORE)
  if (KEYWORD_BEFORE.test(near) || DECLARED_BEFORE.test(before)) return true
  if (text[start] === text.charAt(start).toLowerCase() && ARTICLE_BEFORE.test(near)) return true
  const [from, to] = wordAround(text, start, end)
  if (text[to] === '(' || (from < start && KEYWORD_BEFORE.test(lineBefore(text, from).slice(-NEAR_BEFORE)))) return true
  const isMember = (/^\.[A-Za-z_]/.test(behind) && !DATA_FILE.test(behind)) || SIGIL_BEFORE.test(near)
  return isMember && !isInHostOrAddress(text, start, end)
}

/** Returns whether a hyphen or an underscore joins a part of a text to another word: `argo-server`, `ARGO_HOME`. */
export const isInCompound = (text: string, start: number, end: number): boolean =>
  /[\p{L}\p{N}][-_]$/u.test(text.slice(Math.max(0, start - 3), start)) ||
  /^[-_][\p{L}\p{N}]/u.test(text.slice(end, end + 3))

/** Returns whether a part of a text is a word in lower case next to another word. */
export function isOrdinaryWord(text: string, start: number, end: number): boolean {
  if (!/^\p{Ll}.*\p{L}$/su.test(text.slice(start, end))) return false
  const [before, behind] = [text.slice(Math.max(0, start - 3), start), text.slice(end, end + 3)]
  if (!/(?:^|[\s(])$/.test(before) || !/^[.,;:!?)]{0,2}(?:\s|$)/.test(behind)) return false
  return /\p{L}[,;:]? $/u.test(before) || /^ \p{L}/u.test(behind)
}

/** Returns whether a part of a text is in a heading of Markdown, but not in a path or in `-home-jane`. */
export const isInHeading = (text: string, start: number, end: number): boolean =>
  !/[/\\]$|-(?:home|Users)-$/.test(text.slice(Math.max(0, start - 7), start)) &&
  HEADING_LINE.test(lineBefore(text, start) + text.charAt(start)) &&
  !/^['’]s\b/.test(text.slice(end, end + 3))

const COPYRIGHT = /(?:copyright|\(c\)|©|&copy;)[^\n]{0,120}$/i
/** Returns whether a part that begins at `start` belongs to the copyright holder in a license header. */
export const isInCopyright = (text: string, start: number): boolean =>
  COPYRIGHT.test(text.slice(Math.max(0, start - 140), start))

/** Returns whether a part of a text is in a line that imports or requires a package. */
export function isInImport(text: string, start: number, end: number, before = lineBefore(text, start)): boolean {
  const rest = text.slice(end, end + BEHIND)
  const line = before + text.slice(start, end) + rest.slice(0, rest.search(/\n|\\n|$/))
  return IMPORT_LINE.test(line)
}

/** Returns whether a part of a text is in the name of a namespace: `namespace JaneRoe\Tides;`. */
export const isInNamespace = (text: string, start: number, end: number): boolean =>
  (text[end] === '\\' || text[start - 1] === '\\') && /^\s*(?:namespace|use) [\w\\]*$/.test(lineBefore(text, start))

/** Returns whether a part of a text is code, or the output of a test runner or of a stack trace. */
export const isCode = (text: string, start: number, end: number): boolean => {
  const before = lineBefore(text, start)
  return (
    isIdentifier(text, start, end, before) ||
    TEST_LINE.test(before) ||
    PRINTED_LINE.test(before) ||
    isInImport(text, start, end, before) ||
    (text[start - 1] === '@' && /^[\w.]*(?:\(|\/)/.test(text.slice(end, end + 40)))
  )
}

/** Returns whether a part of a text is in the output of a test runner: `--- PASS: TestWatch/.git`. */
export const isTestOutput = (text: string, start: number): boolean => TEST_LINE.test(lineBefore(text, start))

/** The number of characters that are read before and after an account. */
const NEAR = 100
/** `github.com/`, `api.github.com/repos/`, `git@github.com:`, `/users/`, `"login": "` */
const ADDRESS_BEFORE =
  /(?:(?:github|githubusercontent|gitlab|bitbucket|codeberg|gitea)\.(?:com|org)(?::\d{1,5})?(?:\\{0,3}\/|:|%2F)(?:(?:repos|users|orgs)(?:\\{0,3}\/|%2F))?|\/(?:repos|users|orgs)\\{0,3}\/|"login\\{0,7}"\s?:\s?\\{0,7}")$/
/** `.github.io`, `/tides.git`, ` <jroe@corp.io>`, `", "email":` */
const ADDRESS_BEHIND =
  /^(?:\.git(?:hub|lab)\.io|\/[\w.-]{1,80}\.git(?![\w-])| (?:<|&lt;)(?:[\w.+-]{1,64}@|\[EMAIL_)|\\{0,7}",\s{0,16}\\{0,7}"email\\{0,7}"\s?:)/
/** A path from a home directory up to a folder. It may also be inside the name of a folder: `-home-jane-`. */
export const IN_HOME =
  /(?:~|[/\\](?:home|Users)[/\\]{1,4}[\w.-]{1,32}|-(?:home|Users)-[\w.]{1,32})(?:[/\\-]{1,4}[\w.]{1,40}){0,4}[/\\-]{1,4}$/
const SEPARATE = /(?:^|[\s("'`*[,])(@?)$/
/** The rest of `jroe/tides` and `jroe:fix/tides`, but not of a file: `jroe/tides.ts`. */
const PROJECT_BEHIND =
  /^(?:\/(?![\w.-]{0,80}\.[a-z]{1,4}(?![\w.-]))[\w.-]{1,80}(?![\w./-])|:(?:main|master|[\w.-]{1,80}\/[\w.-]))/

/**
 * Returns whether a text names an account of a code host: in the address of a repository or of a profile, as an author
 * with a mail address, or, unless the account is a common word, as a folder of a home directory, an owner
 * (`jroe/tides`) or a mention (`@jroe`).
 */
export function namesAccount(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - NEAR), start)
  const behind = text.slice(end, end + NEAR)
  if (ADDRESS_BEFORE.test(before) || ADDRESS_BEHIND.test(behind)) return true
  if (commonWords.has(text.slice(start, end).toLowerCase())) return false
  const separate = SEPARATE.exec(before)
  if (!separate) return /^[/\\]/.test(behind) && IN_HOME.test(before)
  return separate[1] === '@' ? !/^[\w-]*[/(]|^\.\w/.test(behind) : PROJECT_BEHIND.test(behind)
}

const LOCAL_PART = /[\w.+-]{0,64}$/

const REST_OF_ADDRESS = /^[\w.+-]{0,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![\w-])/

/**
 * Returns the mail address that contains a part of a text, such as `john` in `john.roe@corp.example`. The whole address
 * is then replaced. Returns null if there is no address, or if the part is the user before the host of a URL.
 */
export function addressAround(text: string, start: number, end: number): readonly [start: number, end: number] | null {
  const rest = REST_OF_ADDRESS.exec(text.slice(end, end + 400))
  if (!rest) return null
  const [localPart = ''] = LOCAL_PART.exec(text.slice(Math.max(0, start - 64), start)) ?? []
  const from = start - localPart.length
  return text.slice(Math.max(0, from - 3), from) === '://' ? null : [from, end + rest[0].length]
}
