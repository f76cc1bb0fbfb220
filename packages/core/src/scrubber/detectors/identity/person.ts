import { beginsWord, isAlnum } from '../../engine/character.ts'
import { matchRule, type Hit, type Finder } from '../../engine/findings.ts'
import { isPerson, isAutomation, isPersonalAccount } from './accounts.ts'
import { NO_HOST, pushIdentity, classifyAuthor, placeOf } from './learned-identity.ts'
import { isPersonName, isEasternName, isLongForm } from './person-name.ts'

const AUTHOR = /[ \t]{0,4}(\p{Lu}[\p{L}'’.-]{0,30}(?: \p{Lu}[\p{L}'’.-]{0,30}){0,3}) <[^\s<>]{1,120}@/uy

/** Finds the person in a git author line or trailer, where a mail address in angle brackets follows the name. */
export function findAuthor({ text, end, rule, found }: Hit): void {
  AUTHOR.lastIndex = end
  const [whole = '', name] = AUTHOR.exec(text) ?? []
  if (!name || /^(?:GitHub|Your Name|Name|First Last|Author|The )/.test(name) || isAutomation(name)) return
  if (/<(?:mailer-daemon|postmaster)@$/i.test(whole)) return
  const kind = isPersonName(name) || !name.includes(' ') ? 'person' : 'id'
  pushIdentity({ kind, value: name, start: end + whole.indexOf(name), rule }, found)
}

const ROLE =
  /^(?:root|user|user_?name|git|hg|ubuntu|(?:[a-z]{2,20}-)?admin|ec2-user|pi|node|app|vscode|runner|debian|centos|vagrant|docker|postgres|you|me|dev|developer|test|guest|deploy|jenkins|www-data|nobody|azureuser|opc|coder|gitpod|codespace|kali|arch|host|name|foo)$/i
const HOST =
  /@((?=[\w.-]*[A-Za-z])[\w-]{2,63}(?:\.[\w-]{1,63}){0,5})(?=: ?~(?:[\s/\]"]|$)|:[~/](?:\S| (?=(?:[\p{L}\d'.-]{1,24} ){0,4}[\p{L}\d'.-]{1,24}\/)){0,80}[$#%] ?| ~[\w./ ()-]{0,60}> |:[~/][\w./-]{0,80} ?[$#%>]|[ :](?:~|\/[\w./-]{0,80})?\]?[$#%](?: |$|\n)| [A-Z]:\\|: Permission denied| (?:MINGW|MSYS|CYGWIN)| \[\d\d:\d\d:\d\d\] | ~?[\w./ -]{0,60}(?:\r?\n|\\n)(?:[╰└]─+|-> )[$%>❯]| ~?[^\n={}>]{0,40} ?[%$] | [~\w./-]{1,40} # )/uy
/**
 * A host that is probably a machine: its name contains a kind of machine, a number or a local domain. Before `.local`, one
 * word in lower case is rather a service of containers: `cluster.local`.
 */
const MACHINE =
  /@((?!localhost\.localdomain)(?!(?:alpha|beta|rc|canary|next|pre|release|snapshot|nightly|hotfix|latest|stable|main|master|v?\d)(?![A-Za-z]))(?:(?:[A-Za-z][A-Za-z\d]{0,30}-){0,4}(?:laptop|desktop|pc|mac|i?mac|macbook(?:-(?:air|pro))?|mac-?mini|mbp?\d*|mbp|thinkpad|xps|nuc|nb|lt|ws|box|devbox|srv|server|vm|vdi|ubuntu|fedora|arch|nixos|debian|win|latitude|elitebook|probook|zenbook|legion|dell|surface|notebook|workstation|t14s?|fw13)-?\d{0,4}|(?:[a-z][a-z\d]{0,20}-){1,3}\d{2,4}|[A-Z][A-Z\d]{1,10}(?:-[A-Z\d]{1,10}){1,3}|[A-Za-z][\w-]{1,62}(?=\.(?:lan|fritz\.box|localdomain)(?![\w.-]))|(?=[a-z]*[-A-Z\d])[A-Za-z][\w-]{1,62}(?=\.local(?![\w.-]))))(?=(?:\.(?:local|lan|fritz\.box|localdomain))?(?:[\s"'`)\]>,;]|\\[nt]|\.\s|:\n|[.:]?$))/uy
/** A machine that is named after its user: `jane@acme-jane`. In `tide@tide`, a package may have the name of its source. */
const NAMESAKE = /(?<=(?:^|[\s"'`(<])([a-z]{3,20}))@((?!\1(?![\w-]))(?:[a-z\d]{1,20}-)?\1-?[a-z\d]{0,20})(?![\w.@/-])/y

/** Finds `jane@laptop:~/work$`: the account and the machine in a shell's prompt. */
export function findPrompt({ text, start, rule, found }: Hit): void {
  const next = text.charCodeAt(start + 1) | 32
  if (!(next >= 97 && next <= 122) && !isAlnum(text, start + 1)) return
  HOST.lastIndex = MACHINE.lastIndex = NAMESAKE.lastIndex = start
  const host = (HOST.exec(text) ?? MACHINE.exec(text))?.[1] ?? NAMESAKE.exec(text)?.[2]
  if (!host) return
  let from = start
  while (from > 0 && start - from < 33 && (isAlnum(text, from - 1) || '._-'.includes(text.charAt(from - 1)))) from--
  while (from < start && !beginsWord(text, from)) from++
  // In `\\njane@host`, the `n` belongs to the escape.
  if (text[from - 1] === '\\' && 'nrt'.includes(text.charAt(from))) from++
  if (from === start || '/:@$%#'.includes(text[from - 1] ?? ' ')) return
  const user = text.slice(from, start)
  // A package at its source: `/plugin install tide@harbor`.
  if (/(?:install|add|update|remove|enable|disable) $/.test(text.slice(Math.max(0, from - 8), from))) return
  // The first part is an id: `shutdown-1771299850400@engine-arch`.
  if (/\d{7}/.test(user)) return
  if (!NO_HOST.test(host))
    pushIdentity(
      {
        kind: 'host',
        value: host,
        start: start + 1,
        rule: { id: rule.id, category: 'host_name', placeholder: 'HOST' },
      },
      found,
    )
  if (!ROLE.test(user)) pushIdentity({ kind: 'account', value: user, start: from, rule }, found)
}

const ACCOUNT = /=([a-z_][a-z0-9_.-]{1,31})(?=\s|$|\\|["';&])/y

/** The number of characters that are read before and after a user in a unit of systemd. */
const UNIT = 600
/** Returns whether a unit of systemd starts a program outside homes. Such a unit has the user of a service. */
function isInServiceUnit(text: string, start: number): boolean {
  const unit = text.slice(Math.max(0, start - UNIT), start + UNIT)
  return /(?:^|\n|\\n)ExecStart=/.test(unit) && !/\/(?:home|Users)\//.test(unit)
}

/** Finds `USER=jane` and similar variables in an environment. */
export function findAccount({ text, start, end, rule, found }: Hit): void {
  if (text[start] !== 'U' && text[start] !== 'L' && text[start] !== 'S') return
  // An image creates its user for a service: `ENV USER=container`.
  if (
    !beginsWord(text, start) ||
    text[start - 1] === '_' ||
    /ENV {1,2}$/.test(text.slice(Math.max(0, start - 5), start))
  )
    return
  ACCOUNT.lastIndex = end - 1
  const value = ACCOUNT.exec(text)?.[1]
  if (!value || ROLE.test(value) || (text[start + 1] === 's' && isInServiceUnit(text, start))) return
  pushIdentity({ kind: 'account', value, start: end, rule }, found)
}

/**
 * Finds the name of a file's owner, of a user id or of the current user in a tool's output, with the rule's pattern.
 * The name is then also searched alone.
 */
export function findOwner({ text, start, rule, found }: Hit): void {
  const [whole = '', first, second] = matchRule({ text, start, rule }) ?? []
  const value = first ?? second
  if (!value || !isPerson(value)) return
  pushIdentity({ kind: 'account', value, start: start + whole.length - value.length, rule }, found)
}

const BREAK = /\r?\n|\\{1,8}(?:r\\{1,8})?n/
/** A line number, a time, a diff sign or a quotation mark before a line of a list. */
const PREFIX = /^(?: {0,8}\d{1,6}(?:→|\t|\\{1,4}t)|\d{4}-\d\d-\d\d[T ]\S{8,30} )?(?:[+>] ?)?/
/** The maximum number of lines that are read from a list. */
const MOST_LINES = 200

function pushNamed(value: string, start: number, { rule, found }: Pick<Hit, 'rule' | 'found'>): void {
  const kind = classifyAuthor(value)
  if (kind) pushIdentity({ kind: kind[0], value, start, rule: { ...placeOf(rule), ...kind[1] } }, found)
}

/** Calls `read` for each line from `at` on, until `read` returns false. Returns the index of the end. */
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

const COUNTED =
  /^((?: {0,8}\d{1,6}(?:→|\t|\\{1,4}t)|\d{4}-\d\d-\d\dT\S{8,30} )?[+> ]{0,8}\s{0,12}\d{1,7}(?:\s|\\{1,8}t){1,8})([\p{L}][\p{L}\p{M}\d_'’. -]{1,60}?)(?: <[^>]{1,80}>)?\s*$/u

/** `git shortlog -s`: a number and a name in each line. */
export const findShortlog: Finder = ({ text, start, rule, found }) => {
  const reach = found.reachOf('shortlog')
  if (start < reach.end) return
  const head = matchRule({ text, start, rule })
  if (!head) return
  reach.end = eachLine(text, start + head[0].length, (line, from) => {
    const [, count, name] = COUNTED.exec(line) ?? []
    if (count && name) pushNamed(name, from + count.length, { rule, found })
    return name !== undefined
  })
}

/** The lists of accounts: a pattern for the line above the list, and a pattern that captures one account. */
const LISTS: readonly (readonly [head: RegExp, line: RegExp])[] = [
  // `ps aux`, `lsof -i`
  [/(?:USER|UID) {2,12}(?:PID|TTY)[^\n\\]{0,120}(?:\\{1,4}n|\r?\n)/y, /^ *([a-z_][\w.-]{1,31})\+? +\d{1,7} /],
  // `top`, and `squeue` of Slurm
  [/USER {6}PR [^\n\\]{0,120}(?:\\{1,4}n|\r?\n)/y, /^ *\d{1,8} ([a-z_][\w.-]{1,31})\+? +(?:rt|-?\d)/],
  [/USER ST [^\n\\]{0,120}(?:\\{1,4}n|\r?\n)/y, /^ *\d{1,12}\S* +\S+ +\S+ +([a-z_][\w.-]{1,31}) +[A-Z]/],
  [
    /COMMAND {1,8}PID {1,8}USER[^\n\\]{0,80}(?:\\{1,4}n|\r?\n)/y,
    /^(?:\d{1,6} +){0,2}(?!\d+ )\S{1,20} +\d{1,7} +([a-z_][\w.-]{1,31}) /,
  ],
  // `pg_stat_activity`, and the accounts of MySQL
  [/usename {1,60}\|[^\n\\]{0,200}(?:\\{1,4}n|\r?\n)[-+> ]{5,300}(?:\\{1,4}n|\r?\n)/y, /^ *([a-z_][\w.-]{1,62}) *\|/],
  [/user {1,60}\| host {1,60}\|(?:\\{1,4}n|\r?\n)[-+> ]{5,300}(?:\\{1,4}n|\r?\n)/y, /^ *\| *([a-z_][\w.-]{1,62}) *\|/],
  // `\du` of psql
  [
    /Role name {1,60}\|[^\n\\]{0,200}(?:\\{1,4}n|\r?\n)[-+]{5,300}(?:\\{1,4}n|\r?\n)/y,
    /^ ([a-z_][\w.-]{1,62}) {1,60}\|/,
  ],
  // `gh api repos/OWNER/NAME/contributors --jq '.[].login'`
  [/\.login["']?[ \t]{0,3}(?:\\{1,4}n|\r?\n)/y, /^([A-Za-z\d][\w-]{1,38}(?:\[bot\])?)$/],
  // OWNERS files of Kubernetes, and the configuration of Dependabot
  [/(?:approvers|reviewers|assignees):[ \t]{0,3}(?:\\{1,4}n|\r?\n)/y, /^\s{0,12}- ["']?([A-Za-z\d][\w-]{1,38})["']?$/],
  // `SHOW PROCESSLIST`
  [
    /Id {1,8}\| User {1,60}\| Host[^\n\\]{0,300}(?:\\{1,4}n|\r?\n)[-+]{5,400}(?:\\{1,4}n|\r?\n)/y,
    /^\| {1,8}\d{1,12} \| ([A-Za-z_][\w.-]{1,31}) {1,60}\|/,
  ],
  // `svn blame FILE`
  [
    /svn (?:blame|annotate|praise|ann) [^\n\\]{1,160}(?:\\{1,4}n|\r?\n)/y,
    /^\s{0,8}\d{1,7}\s{1,16}([A-Za-z][\w.-]{1,37}) /,
  ],
]

/** Finds the accounts in lists that tools print, one account in each line. */
export const findListedAccounts: Finder = ({ text, start, rule, found }) => {
  const reach = found.reachOf('accounts')
  if (start < reach.end) return
  for (const [head, row] of LISTS) {
    head.lastIndex = start
    if (!head.test(text)) continue
    reach.end = eachLine(text, head.lastIndex, (line, from) => {
      const account = row.exec(line.replace(PREFIX, ''))?.[1]
      if (account && isPersonalAccount(account)) pushNamed(account, from + line.indexOf(account), { rule, found })
      return account !== undefined
    })
  }
}

const FORMAT = /format[=:]\\{0,3}["']?(?:format:)?([^"'\n\\]{0,120}%[ac][nN][^"'\n\\]{0,120})/y
/** The fields of a log format, each with the source of the regular expression that matches its output. */
const FIELDS: readonly (readonly [field: RegExp, prints: string])[] = [
  [/^%[ac][nN]/, '([^\\n]{2,60}?)'],
  [/^%[hHpPtT]/, '[0-9a-f ]{4,128}'],
  [/^%[ac][eEl]/, '\\S{1,100}'],
  [/^%x09/, '\\t'],
  [/^%C(?:\([^)]{1,30}\)|\w{3,7})/, ''],
  [/^%[a-zA-Z]\w?/, '.{0,200}?'],
]

/** Finds the names in the lines of a log, at the positions in its format: `git log --format="%h %an %s"`. */
export const findLoggedNames: Finder = ({ text, start, rule, found }) => {
  const reach = found.reachOf('log')
  if (start < reach.end) return
  FORMAT.lastIndex = start
  const format = FORMAT.exec(text)?.[1]
  const end = format && BREAK.exec(text.slice(FORMAT.lastIndex, FORMAT.lastIndex + 200))
  if (!end) return
  const line = new RegExp(`${PREFIX.source}[ *|\\\\/]*${lineOf(format)}\\s*$`, 'd')
  reach.end = eachLine(text, FORMAT.lastIndex + end.index + end[0].length, (printed, from) => {
    const name = line.exec(printed)
    const place = name?.indices?.[1]
    if (name?.[1] && place) pushNamed(name[1].trim(), from + place[0], { rule, found })
    return name !== null || /^[ *|\\/]+$/.test(printed)
  })
}

function lineOf(format: string): string {
  let source = ''
  for (let rest = format.replaceAll('%%', '%'); rest !== '';) {
    const [pattern, prints] = FIELDS.find(([field]) => field.test(rest)) ?? [/^[^]/, null]
    const [written = ''] = pattern.exec(rest) ?? []
    source += prints ?? written.replace(/[^\w\s]/, '\\$&')
    rest = rest.slice(written.length)
  }
  return source
}

/** The text between a label and its value: `: `, `": "`, ` = `, `** `, `(s): `. */
const JOIN =
  /(?:\(s\))?\\{0,7}["'`*_\]]{0,3}[ \t]{0,12}(?:[:：]|=>?|>)[*_]{0,2}[ \t]{0,4}(?:(?:\r?\n|\\n)[ \t]{0,12}- )?\[?(?:\s|\\n){0,16}/uy
/** A word of a name. It does not end with an apostrophe, because such an apostrophe is a closing quote. */
const WORD = String.raw`\p{Lu}[\p{L}\p{M}'’.-]{0,30}(?<!['’])`
const PARTICLE = String.raw`(?:van|von|de|der|den|da|di|del|dos|la|le|al|el|bin|ibn|zu|ter|y)`
/**
 * The parts of the regular expression for a full name: two words with capital letters, two words of a script without
 * letter case, or an East Asian name.
 */
const QUOTE = '\\\\{0,7}["\'`]'
const BEHIND = String.raw`(?=\1?(?:$|[\s"'\\,;<>|)}\]（(*]|\.(?:\s|$)))`
const CAPITALIZED = String.raw`${WORD}(?: (?:${WORD}|${PARTICLE}(?= ))){1,3}|${WORD}, ${WORD}(?: ${WORD})?`
const EASTERN = String.raw`[\p{Script=Han}々]{1,4} ?[\p{Script=Han}\p{Script=Katakana}\p{Script=Hiragana}]{1,4}|[가-힣]{2,4}`
const UNCASED = String.raw`(?:[\p{Script=Arabic}\p{M}]{2,20}|[\p{Script=Devanagari}\p{M}]{2,20}) [\p{Script=Arabic}\p{Script=Devanagari}\p{M}]{2,20}`
/** The field `name` at the beginning of a record in a list: `[{ "name": `. */
const FIELD = String.raw`(?:(?:\{\s{0,16})?\\{0,7}["']?name\\{0,7}["']?\s?[:=]\s?)?`
const NAME = new RegExp(`${FIELD}@?(${QUOTE})?(${CAPITALIZED}|(?:${EASTERN})(?! [\`A-Z])|${UNCASED})${BEHIND}`, 'uy')
const NEXT =
  /\\{0,7}["'`]?(?: \([^()\n]{1,40}\)| <[^<>\n]{1,80}>)?\\{0,7}["'`]?(?:(?:,|\\n|\s){1,16}\\{0,7}["']?(?:e?-?mail|role|affiliation|url)\\{0,7}["']?\s?[:=]\s?\\{0,7}["']?[^\s"'\\]{1,80}\\{0,7}["']?){0,2}(?:\s{0,16}\})?(?:[,;、]| and| &| und| et| y|(?:\r?\n|\\n)[ \t]{0,12}-)(?:\s|\\n){0,12}/uy
const MOST = 8
/** The beginning of a further word that does not join two names. */
const GOES_ON = /^ (?!(?:and|und|et|y|e|i|og|och|en) )\p{Ll}{2}/u
const HEADING = /^[^\n]{1,60}\n([=~^`-])\1{3}/
const LONGEST_HEADING = 66
const PUBLISHED = /Home-page: \S{0,120}(?:\s|\\n)$/

/** Finds the people after a label: `Reviewer: Jane Roe`, `"authors": ["Jane Roe", "Max Doe"]`, `作者：杨娟`. */
export const findLabelledPerson: Finder = (hit) => {
  const { text, start, end, found } = hit
  if (start > 0 && /[\p{L}\p{N}]/u.test(text.charAt(start - 1)) && text[start - 2] !== '\\') return
  // The label is in a key of a translation catalog: `"heading.contact"`.
  if (text[start - 1] === '.' && !/^ ?=/.test(text.slice(end, end + 2))) return
  // The label is the last word of such a key: `"headline.new_client"`, `['_manager']`, `<string name="no_sender"`.
  if (/(?:[a-z]\.\w+_|["']_(?:\w+_)?|<string name="\w*)$/.test(text.slice(Math.max(0, start - 40), start))) return
  // The author of a published package, as pip prints its description.
  if (/^author$/i.test(text.slice(start, end)) && PUBLISHED.test(text.slice(Math.max(0, start - 140), start))) return
  // The label is an adjective: `entities_present: [Meteor Shower]`.
  if (text[start - 1] === '_' && /^present/i.test(text.slice(start, end))) return
  // The label is in the name of a constant: `SERVICE_DISPLAY_NAME = "Work Station"`.
  if (/[A-Z\d]_[A-Z]$/.test(text.slice(Math.max(0, start - 2), start + 1))) return
  // The label is the name of a type: `struct Author: Equatable, Codable`.
  if (
    /\b(?:struct|class|enum|protocol|extension|interface|type|trait) $/.test(text.slice(Math.max(0, start - 10), start))
  )
    return
  JOIN.lastIndex = end
  if (!JOIN.test(text)) return
  let at = JOIN.lastIndex
  // A text without quotes is rather a label after a key with dots, and as the name to display: `displayName: Build All`.
  const isDisplayed = /^display/i.test(text.slice(start, start + 7))
  const isLabel = text[start - 1] === '.' || isDisplayed
  if (isLabel && !/["'`\\]/.test(text.slice(at - 1, at + 1))) return
  // A description explains a setting, a product or a command. A record of a person does not have one.
  if (isDisplayed && /^[^{}]{0,160}description["']?\s?[:=]/i.test(text.slice(at, at + 180))) return
  // A line of marks below a line makes it a heading.
  if (text[at - 1] === '\n' && HEADING.test(text.slice(at, at + LONGEST_HEADING))) return
  if (found.isReadAlready({ start, end: at }, 'labelled-person', 4)) return
  for (let count = 0; count < MOST; count++) {
    const name = nameAt(hit, at)
    if (name === 0) return
    NEXT.lastIndex = name
    if (!NEXT.test(text)) return
    at = NEXT.lastIndex
  }
}

/** Adds the name that begins here. Returns the index at which the name ends, or 0 if there is no name. */
function nameAt({ text, rule, found }: Hit, at: number): number {
  NAME.lastIndex = at
  const match = NAME.exec(text)
  const value = match?.[2]
  if (!match || !value) return 0
  if (/\p{Lu}/u.test(value) ? !isPersonName(value) : !isEasternName(value)) return 0
  // A comma ends a greeting in a catalog: `dear_customer: "Caro Cliente,"`.
  if (match[1] && text.startsWith(`,${match[1]}`, NAME.lastIndex)) return 0
  if (isLongForm(value, text, at)) return 0
  // A quoted sentence begins with two words that look like a name: `"displayName": "Defective ALDOB does not bind"`.
  if (match[1] && GOES_ON.test(text.slice(NAME.lastIndex, NAME.lastIndex + 6))) return 0
  pushIdentity(
    { kind: 'person', value, start: NAME.lastIndex - value.length, rule: { ...rule, ...placeOf(rule) } },
    found,
  )
  return NAME.lastIndex
}
