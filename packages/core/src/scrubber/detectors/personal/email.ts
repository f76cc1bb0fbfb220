import { beginsWord, isAlnum } from '../../engine/character.ts'
import { isInCopyright } from '../../engine/code.ts'
import type { Finder, Hit } from '../../engine/findings.ts'

const DOMAIN =
  /@((?:[\p{Script=Latin}\d](?:[\p{Script=Latin}\d-]{0,61}[\p{Script=Latin}\d])?\.){1,8}[A-Za-z][A-Za-z\d-]{1,62})/uy
/** Domains that RFC 2606 and RFC 6761 reserve, of mailing lists, and of mailboxes that no person reads. */
const NOBODY_DOMAIN =
  /^(?:(?:example|exemplo|exemple|ejemplo|beispiel|esempio)\.[a-z]{2,3}|(?:(?:acme|corp|company|domain|mail|my\w*|your\w*|some\w*|foo|bar|host|server|test|example|app|site|demo|sample|[a-z])\.)?(?:example|test))$|(?:^|\.)(?:example\.(?:com|org|net|edu)|invalid|tld|localhost|local|internal|users\.noreply\.github\.com|noreply\.[\w.-]+|sentry\.io|(?:your|my)?domain\.com|email\.com|vger\.kernel\.org|googlegroups\.com|lists\.[\w-]+\.[\w.-]+)$/i
const NOBODY =
  /^(?:no-?reply|do-?not-?reply|mailer-daemon|postmaster|git|user(?:[._-]?name|\d+)?|anonymous|your[._-]?(?:name|e?mail|login|user_?name|app)|first_?name.last_?name|git\+git|votre|you|me|name|email|example|tests?|root|hg|svn|admin|foo|bar|someone|somebody|(?:john|jane)[._-]?doe\d*|this|super|return|break|continue)$/i
/** Mailboxes of software makers, from which programs send mail or commit. */
const OF_MAKER =
  /^(?:support|security|notifications?|hello|info|actions)@(?:github|gitlab|npmjs|anthropic|openai|google|microsoft|apple)\.com$|^aider@aider\.|^cursoragent@/i
/** Addresses that consist of general words: `your@email.net`, `auth@service.com`. */
const STAND_IN =
  /^(?:test|e?-?mail|your|user\d*|some\.?user|auth)@(?:test|e?mail|your|service|server|host|(?:mail)?provider)\.[a-z]{2,8}$/i
/** Names of SSH algorithms and requests, which look like addresses (RFC 4251, section 6). */
const SSH_ALGORITHM =
  /^(?:zlib|[a-z\d]+(?:-[a-z\d]+)+)@(?:openssh\.com|libssh\.org|lysator\.liu\.se)$|^keepalive@golang/i
/** The local part of an id that a machine creates: a UUID, or a date and numbers. */
const MACHINE_ID = /^(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|\d[\d.]{13,})@/i
/** Extensions of files and package specifiers. They follow an `@` in code, but are not domains. */
const FILE =
  /\.(?:js|mjs|cjs|ts|tsx|jsx|json|css|scss|png|jpe?g|gif|svg|webp|html?|md|py|rb|java|class|lock|ya?ml|tgz|gz|zip|vue|map|txt|log|plist|sh|exe|dll|so|min|component|module|service|d|kts?|swift|dart|scala|cpp|hpp|cs|go|toml|sql|php)$/i

/** An expression in code: `IssueStore@31.projectId`, `RootStore@9.loader`. */
const MEMBER = /\.[a-z]+[A-Z]\w*$|^\d{1,2}\.[a-z]{4,}$/

/** The beginning of a URL up to the user, or up to the password of a user who is an address. */
const IN_URL = /:\/\/[^\s/@]{0,80}(?:@[^\s/@:]{1,80}:[^\s/@]{0,80})?$/

/** Returns whether an address is not the address of a person, or is the name of a file. */
export const isNobody = (local: string, domain: string): boolean =>
  NOBODY_DOMAIN.test(domain) || NOBODY.test(local) || FILE.test(domain) || MEMBER.test(domain)

/** The text before a local part, up to an equals sign or a percent-encoded character other than a sign of a local part. */
const BEFORE_LOCAL = /^.*(?:=|%(?!2[BDE]|5F)[\dA-F]{2})/is

/** Returns whether a character may be a letter or digit of a mailbox, including letters beyond ASCII (RFC 6531). */
const isLocal = (text: string, at: number): boolean =>
  isAlnum(text, at) || (text.charCodeAt(at) > 0xbf && /\p{Script=Latin}/u.test(text.charAt(at)))

/** Finds the name or the account of the owner of an address that begins at `start`. */
type FindOwner = (address: Omit<Hit, 'rule'>) => void

/**
 * Creates the finder of mail addresses. The finder begins at the `@` and reads backwards over the local part, which has
 * at most 64 octets (RFC 5321).
 */
export const emailFinder =
  (findOwner?: FindOwner): Finder =>
  (hit) =>
    findEmail(hit, findOwner)

function findEmail({ text, start, rule, found }: Hit, findOwner: FindOwner | undefined): void {
  let from = start
  const floor = Math.max(0, start - 64)
  while (from > floor && (isLocal(text, from - 1) || "._%+-'=!#&*~".includes(text.charAt(from - 1)))) from--
  while (from < start && !isLocal(text, from)) from++
  if (from === start) return
  if (from > 0 && text[from - 1] === '\\' && 'nrtbf'.includes(text.charAt(from))) from++
  while (from < start && !beginsWord(text, from)) from++
  // In `author=jane@x.org` and `%22mail%22%3A%22jane@x.org`, the name of the field is not part of the address.
  const field = BEFORE_LOCAL.exec(text.slice(Math.max(0, from - 1), start))
  if (field) {
    from = Math.max(0, from - 1) + field[0].length
    while (from < start && !isLocal(text, from)) from++
  }
  const local = text.slice(from, start)
  if (!local || local.endsWith('.') || local.includes('..')) return
  DOMAIN.lastIndex = start
  const domain = DOMAIN.exec(text)?.[1]?.replace(/-+$/, '')
  if (!domain) return
  // The address of the copyright holder in a license header is not replaced.
  if (isInCopyright(text, from)) return
  findOwner?.({ text, start: from, end: start + 1 + domain.length, found })
  const address = `${local}@${domain}`
  // The mailbox belongs to the person before it, or to the person in its domain: `Jane Roe <me@janeroe.dev>`.
  const last = /^(?:me|git)$/i.test(local) ? found.list.at(-1) : undefined
  const isOwned =
    last?.rule.category === 'person' &&
    ((text[from - 1] === '<' && last.end === from - 2) ||
      `me@${domain}`.startsWith(`${local}@${last.value.replaceAll(' ', '')}.`))
  if (isNobody(isOwned ? '' : local, domain)) return
  // An operator or a joined string in code: `1.96*@answer.deviation`, `'user+@tad'`.
  if (/[+*&|=!~#%'-]$/.test(local) || STAND_IN.test(address)) return
  if (OF_MAKER.test(address) || SSH_ALGORITHM.test(address) || MACHINE_ID.test(address)) return
  const end = start + 1 + domain.length
  // The text in an empty field of a form: `emailPlaceholder: "doctor@clinic.uz"`.
  if (/placeholder["']?\s?[:=]\s?\{?["'`]$/i.test(text.slice(Math.max(0, from - 24), from))) return
  // The user of a URL may be an address: `smtps://jane@corp.io:password@smtp.corp.io`.
  const isUser = /^:[^\s/@"']{1,80}@/.test(text.slice(end, end + 83))
  if (!isUser && IN_URL.test(text.slice(Math.max(0, from - 84), from))) return
  if (text[end] === '(') return
  found.push({ start: from, end, rule, value: address.toLowerCase(), also: [text.slice(from, end)] })
}

const SPELLED = /[([]at[)\]] ?((?:[A-Za-z0-9-]{1,63}(?:\.| ?[([]dot[)\]] ?)){1,4}[A-Za-z]{2,24})(?![\w])/iy
const LOCAL = /[A-Za-z0-9][\w.+-]{0,63} ?$/

/** Finds `jane (at) corp (dot) io`: people write addresses this way to hide them from address collectors. */
export function findSpelled({ text, start, rule, found }: Hit): void {
  SPELLED.lastIndex = start
  const [whole = '', spelled] = SPELLED.exec(text) ?? []
  const local = spelled && LOCAL.exec(text.slice(Math.max(0, start - 66), start))
  if (!local) return
  const domain = spelled.replace(/ ?[([]dot[)\]] ?/gi, '.')
  if (isNobody(local[0].trim(), domain)) return
  const from = start - local[0].length
  const end = start + whole.length
  found.push({
    start: from,
    end,
    rule,
    value: `${local[0].trim()}@${domain}`.toLowerCase(),
    also: [text.slice(from, end)],
  })
}
