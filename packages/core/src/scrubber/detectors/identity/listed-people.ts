import { matchRule, type Finder, type Hit } from '../../engine/findings.ts'
import { classifyAuthor, placeOf, pushIdentity } from './learned-identity.ts'
import { isPersonalAccount } from './accounts.ts'

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
