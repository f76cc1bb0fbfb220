import { beginsWord, isLower } from '../../engine/character.ts'
import { isRandom } from '../../engine/randomness.ts'
import { isDocumented } from '../../engine/placeholder.ts'
import type { Hit } from '../../engine/findings.ts'

const REACH = 56
const TOKEN = /[\w-]{14,600}/g
const NAMED = /key|\baccess\b|token|secret|passw|pwd|auth|cred|api|\bid\b|_id\b/i
/** The name of an identifier before the string, such as the field `id` of a record. Such an identifier is not a secret. */
const IDENTIFIER =
  /\b(?:run|job|build|task|trace|span|request|session|deployment|project|message|parent|cluster|item|note|page|block|folder|node|record|document)[ _-]?id(?:\\{0,7}["'])?\s{0,2}[:=]?\s{0,2}\\{0,7}["'`]?$|[\s{,("']id(?:\\{0,7}["'])?\s{0,2}:\s{0,2}\\{0,7}["'`]$/i
/** The id of an object, or of a tool of an MCP server: `team_…`, `call_…`, `mcp__…__search`. */
const OBJECT =
  /^(?:mcp_|(?:team|org|user|usr|proj|project|prj|dpl|acct|cus|call|toolu|msg|fc|rs|req|resp|run|step|thread|asst|chatcmpl|item|evt|event|session|build|job|task|file)[_-])/i
/** The text between a word that begins with a service's name and a value that is assigned to this word. */
const ASSIGNED = /^\w{0,20}(?:\\{0,7}["'])?\s{0,2}(?:=|:|=>|:=)\s{0,2}(?:\\{0,7}["'`])?$/
const UUID = /^[\da-f]{8}-[\da-f]{4}-/i
/** The end of the name of a secret, or the option `--id` of a site. A UUID after another name is the id of an object. */
const SECRET =
  /(?:key|token|secret|passw\w*|pwd|auth\w*|credentials?)["'`\])]{0,3}\s{0,3}(?:[:=,]|=>|\|)?\s{0,3}["'`]?(?:\w+ )?$|--id[ =]$/i
/** The text between a service's name and a value that is directly assigned to this name. */
const GIVEN = /^["']?\s{0,2}(?:=|:|=>|:=)\s{0,2}["'`]?$/
/** The line before the name of a value, and the line after the value: a name and a hash. */
const PREVIOUS = /: ["']?([0-9a-f]{40,64})["']?,?\r?\n[ \t-]{0,16}["']?$/i
const NEXT = /^["']?,?\r?\n[ \t-]{0,16}["']?[^\s"':]{1,80}["']?: ["']?([0-9a-f]{40,64})(?![0-9a-f])/i
const SINGLE = /^[0-9a-f]{40}$|^[0-9a-f]{64}$|^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Returns whether the line before or after a value has a value of the same form, as in the checksums of a lock file. */
const isListed = (raw: string, before: string, rest: string): boolean =>
  (PREVIOUS.exec(before) ?? NEXT.exec(rest))?.[1]?.length === raw.length

/**
 * Finds keys without a characteristic prefix, such as 32 hexadecimal digits, after the name of their service. The
 * string must look random. Hashes and UUIDs count only near a word for keys.
 */
export function findVendor({ text, start, end, rule, found }: Hit): void {
  // A keyword inside a longer word does not refer to the service: `strip` in `strippable`.
  if (isLower(text, start - 1) && isLower(text, start) && !beginsWord(text, start)) return
  TOKEN.lastIndex = 0
  if (!TOKEN.test(text.slice(end, end + REACH + 14))) return
  // In one word such as `auth0auth0auth0`, only 32 names are tried, because each try reads the text after the name.
  const reach = found.reachOf('vendor')
  if (end < reach.end && ++reach.count > 32) return
  const window = text.slice(end, end + REACH + 600)
  TOKEN.lastIndex = 0
  for (let match = TOKEN.exec(window); match && match.index <= REACH; match = TOKEN.exec(window)) {
    const raw = match[0]
    if (end >= reach.end) reach.count = 0
    reach.end = Math.max(reach.end, end + match.index + raw.length)
    const before = window[match.index - 1] ?? ''
    const after = window[match.index + raw.length] ?? ''
    if (
      ('/+.#@~'.includes(before) && before) ||
      ('/+@(~'.includes(after) && after) ||
      (after === '.' && /^\.\w/.test(window.slice(match.index + raw.length, match.index + raw.length + 2)))
    )
      continue
    const gap = window.slice(0, match.index)
    if (IDENTIFIER.test(gap)) continue
    const named = NAMED.test(gap) || NAMED.test(text.slice(Math.max(0, start - 16), start))
    if (!named && !ASSIGNED.test(gap)) continue
    const rest = window.slice(match.index + raw.length, match.index + raw.length + 180)
    if (
      SINGLE.test(raw) &&
      !named &&
      (!GIVEN.test(gap) || isListed(raw, text.slice(Math.max(0, start - 90), start), rest))
    )
      continue
    if (/^AAAA[BC]3NzaC1/.test(raw) || OBJECT.test(raw) || (UUID.test(raw) && !SECRET.test(gap.slice(-28)))) continue
    if (/^sha\d|^\d+$|^\d{4}-\d\d/.test(raw) || !(isRandom(raw) || ((named || GIVEN.test(gap)) && SINGLE.test(raw))))
      continue
    // `DEEPSEEK_R1_V1` is the name of a constant.
    if (/^[A-Z]+(?:_[A-Z\d]{1,8})+$/.test(raw) && /[A-Z]{4}/.test(raw)) continue
    if (/example|placeholder|your[-_]|xxxx/i.test(raw) || isDocumented(raw)) continue
    found.push({ start: end + match.index, end: end + match.index + raw.length, rule, value: raw })
    return
  }
}
