import { matchRule, type Hit } from '../../engine/findings.ts'
import { beginsWord, isAlnum } from '../../engine/character.ts'
import { isPersonName } from './person-name.ts'
import { NO_HOST, pushIdentity } from './learned-identity.ts'
import { isPerson } from './accounts.ts'
import { isAutomation } from './automation.ts'

const NAME = /[ \t]{0,4}(\p{Lu}[\p{L}'’.-]{0,30}(?: \p{Lu}[\p{L}'’.-]{0,30}){0,3}) <[^\s<>]{1,120}@/uy

/** Finds the person in a git author line or trailer, where a mail address in angle brackets follows the name. */
export function findAuthor({ text, end, rule, found }: Hit): void {
  NAME.lastIndex = end
  const [whole = '', name] = NAME.exec(text) ?? []
  if (!name || /^(?:GitHub|Your Name|Name|First Last|Author|The )/.test(name) || isAutomation(name)) return
  if (/<(?:mailer-daemon|postmaster)@$/i.test(whole)) return
  const kind = isPersonName(name) || !name.includes(' ') ? 'person' : 'id'
  pushIdentity({ kind, value: name, start: end + whole.indexOf(name), rule }, found)
}

const ROLE =
  /^(?:root|user|user_?name|git|hg|ubuntu|(?:[a-z]{2,20}-)?admin|ec2-user|pi|node|app|vscode|runner|debian|centos|vagrant|docker|postgres|you|me|dev|developer|test|guest|deploy|jenkins|www-data|nobody|azureuser|opc|coder|gitpod|codespace|kali|arch|host|name|foo)$/i
const HOST =
  /@((?=[\w.-]*[A-Za-z])[\w-]{2,63}(?:\.[\w-]{1,63}){0,5})(?=: ?~(?:[\s/\]"]|$)|:[~/](?:\S| (?=\p{Lu}[^\s/]*\/)){0,80}[$#%] ?| ~[\w./ ()-]{0,60}> |:[~/][\w./-]{0,80} ?[$#%>]|[ :](?:~|\/[\w./-]{0,80})?\]?[$#%](?: |$|\n)| [A-Z]:\\|: Permission denied| (?:MINGW|MSYS|CYGWIN)| \[\d\d:\d\d:\d\d\] | ~?[\w./ -]{0,60}(?:\r?\n|\\n)(?:[╰└]─+|-> )[$%>❯]| ~?[^\n={}>]{0,40} ?[%$] | [~\w./-]{1,40} # )/uy
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
