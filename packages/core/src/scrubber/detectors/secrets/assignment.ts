import { ENDS, FOLLOWS, isAlnum, isLetter, isLower, isName, isSpace } from '../../engine/character.ts'
import { classifyKeyName } from './key-name.ts'
import type { Finder, Hit } from '../../engine/findings.ts'
import type { ScoreSecret } from './features.ts'
import { isCut } from '../../engine/placeholder.ts'
import { isEncodedPublic } from './pem.ts'
import {
  behindBracket,
  FAILING,
  isBelowUserName,
  isBreak,
  valueOfNextLine,
  widen,
  withoutInnerQuotes,
  type Value,
} from './literal.ts'

const NAME_LIMIT = 80
const VALUE_LIMIT = 16_384
const TYPE =
  /(?:const |static |final |readonly |mut )?(?:[&*]?\[?[A-Za-z][\w.:<>[\]?|&']{0,40}|\[u8; ?\w{1,40}\])\s{0,3}(?=:?=(?!=|\r?\n|$))/y
/** `<add key="ApiToken" value="..." />` */
const ATTRIBUTE = /^value\s?=/i
/** `{"name": "token", "value": "..."}` */
const PAIR = /\s{0,8}\\{0,3}["']?[vV]alue\\{0,3}["']?\s{0,3}[:=]/y
const LINKING_VERB =
  /(?:(?:is |was |has been )?(?:changed|reset|set|updated|rotated) to|(?:(?:for|in|at|on) [\w' .]{1,30}? )?is|was|are|to|of|equals)\s{1,3}:?(?=\S)/y
/** A type between the name and the operator, as in Go. */
const TYPED = /(?:string|\[\]byte|\*string|text|varchar(?:\(\d+\))?|char\s?\*)\s{0,3}(?=:?=(?!=))/iy
const WRAP =
  /(?:new )?(?:Buffer\.from|String|Some|Ok|T|str|bytes|bytearray|SecretStr|SecureString|SecretString|Secret|Password|toCharArray|b64decode|atob|b64|base64\.b64decode|Base64\.decode64|NSString|std::string|QString|\[\]byte|Uint8Array\.from)\(\s{0,3}(?=["'`\\])|[brfuBRFU@$L]{1,2}(?=["'])/y
/**
 * Returns whether a name is a whole string that labels a field. In `x("Password:", "next")`, the second string is not a
 * secret.
 */
function isLabel(text: string, from: number, to: number): boolean {
  let before = from - 1
  while (before > from - 4 && text.charCodeAt(before) === 32) before--
  if (!`"'\``.includes(text[before] ?? ' ') || `"'\``.includes(text[to] ?? ' ')) return false
  const quote = /(["'`]) {0,3}$/.exec(text.slice(Math.max(0, from - 4), from))
  if (!quote) return false
  const rest = /^( {0,3}):?( {0,3})(["'`])/.exec(text.slice(to, to + 8))
  return rest !== null && rest[3] === quote[1] && (rest[0].includes(':') || (quote[0].length > 1 && rest[1] !== ''))
}

/** The text before a name in a template. */
const FILTERED = /\{\{[^{}\n]*$/
/** The beginning of a field of YAML, of an environment file or of a properties file. */
const NEXT_FIELD = /^[+-]?(?:[A-Za-z_][\w.-]*:(?:\s|$)|(?:export )?[A-Z]\w{2,}=|[a-z][\w-]*(?:\.[\w-]+)+=)/
/** The end of the next key after a string: `"my password", "next": 1`. */
const KEY_END = /^\\{0,3}["'`]\s{0,3}:/
const SCHEME = /(?:Bearer|Basic|Token|token|bearer|ApiKey|Bot|Digest|AWS|SSWS)\s+/y

/** An expression in code: `creds.shift`, `delivery_method_from_header`. */
const EXPRESSION = /^(?:[a-z_]\w{0,40}(?:\.[a-z_]\w{0,40}){1,6}[?!]?|[a-z]{2,20}(?:_[a-z]{2,20}){2,8}[?!]?)$/
/** A format placeholder such as `[%s]`, a heading of Perl's documentation (`=head1`), or escaped text of East Asia. */
const FORMAT = /^[[(<'"]?%(?:[sdvq]|\(\w{1,40}\)s)[\])>'"]?$|^=[a-z]{3,12}\d?$|^(?:\\u[3-9a-d][\da-f]{3}){2,}/i
/** A variable for a secret: `harborPass`, `adminPassword`. */
const VARIABLE = /^[a-z][A-Za-z]*(?:Pass(?:word)?|Pwd|Secret|Token|Key)$/
const IDENTIFIER = /^[A-Za-z_]+$/
const TEST_VECTOR = /test[ _-]?vector/i
/** The text before the name of a type. */
const DECLARED = /\b(?:class|struct|enum|protocol|interface) $/
/** The start of a call (`R6::R6Class(`), or an object in a log of Java: `Token{a64f992`, `os.BinderProxy@2bd79ce`. */
const CALL_OR_OBJECT = /^[A-Za-z_][\w.:$]*\($|^[A-Z]\w*\{[\da-f]+$|^(?:[a-z]\w*\.)+[A-Z]\w*@[\da-f]{1,8}$/
/** The bracket of a call or of a block, or an operator after a variable: `tide_pass = pass_1 and pass_2`. */
const CALL = /^ ?\(|^ \{/
const OPERATOR = /^ (?:and|or|if|&&|\|\|) /
/** An operator or a string after a function in Haskell: `addUser name pass = run $ do`, `testPassword = testCase "..."`. */
const APPLIED = /^ (?:(?:<?\$>?|>>=) |")/
/** The words before the verb `pass`: `could pass RigidBody2D`. */
const BEFORE_VERB = /(?:^|[^a-z])(?:to|can|could|may|might|must|shall|should|will|would|not|n['’]t|I|we|you|they) $/i
/** The operator after a string, when more code follows: `" & name["`, `" && pwd && echo "`. */
const JOINED = /^ ?[&+.] ?\w|^ (?:&&|\|\|) \w/
/**
 * Returns whether the text after a name is code and not a literal. An environment variable or a settings file may
 * contain any value.
 */
function isCode(raw: string, name: string, { quote, operator, spaced, next }: Value, after: string): boolean {
  if (FORMAT.test(raw)) return true
  // A template literal with a variable: `Guest${id}`.
  if (quote === '`' && raw.includes('${')) return true
  if (quote !== '') return JOINED.test(raw)
  // A call (`deviceToken: Data([0x01, 0xab]))`), or a type in Haskell (`userPassword :: UserName -> ClientIdentity`).
  if (/^[A-Z]\w*\(\[?(?:0x|\d|$)/.test(raw) || (/^(?:::|->)/.test(operator) && IDENTIFIER.test(raw))) return true
  // The hyphen belongs to an arrow: `pass = frame->imguiPass`.
  if (CALL_OR_OBJECT.test(raw) || (next === '>' && /^\w+-$/.test(raw))) return true
  if (operator !== '=' || !spaced) return false
  if (CALL.test(after) || (OPERATOR.test(after) && /^[a-z]+(?:_(?:[a-z]+|\d+))+$/.test(raw))) return true
  return (
    !/^[A-Z0-9_]+$/.test(name) &&
    (EXPRESSION.test(raw) || VARIABLE.test(raw) || (IDENTIFIER.test(raw) && APPLIED.test(after)))
  )
}

/** Returns whether a value is the first word of a text after a key with dots, as in a catalog: `error.password=Too short`. */
const isFirstWord = (raw: string, name: string, { operator, quote, spaced }: Value, after: string): boolean =>
  !quote && operator === '=' && !spaced && name.includes('.') && /^\p{L}+$/u.test(raw) && /^ \p{L}{2}/u.test(after)

/** Returns whether a value is a number of tokens (`Tokens: 497k sent`) or a duration (`PASSWORD_WITHIN=6.hours`). */
const isCount = (raw: string, name: string): boolean =>
  (/tokens?$/i.test(name) && /^~?[\d.,_]+ ?[kKmMbB]?$|^(?:truncated|omitted|remaining)\b/.test(raw)) ||
  /^\d+[ ._]?(?:second|minute|hour|day|week|month|year)s?$/i.test(raw)

/** An encrypted value that may be committed: by SOPS, by eyaml, or a sealed secret of Kubernetes. */
const ENCRYPTED = /^ENC\[(?:AES|PKCS|GPG|KMS)|^Ag[A-D][A-Za-z\d+/]{100,}={0,2}$/

/** The short id, the id or the fingerprint of a public key, in the setting `user.signingKey` of git. */
const GPG_KEY_ID = /^(?:0x)?(?:[\dA-F]{8}|[\dA-F]{16}|[\dA-F]{40})!?$/

/**
 * Returns whether a value is a URL, a socket, a host with a port, a path, a mail address or an id of Matrix. The rule
 * for URLs finds a password in a URL.
 */
const isAddress = (raw: string, { operator, quote }: Value): boolean =>
  /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$|^@[\w.-]+:[\w.-]+$/.test(raw) ||
  /^(?:[a-z][a-z\d+.-]{1,20}(?::\/\/|%3A%2F%2F)|unix:)[^\s]{3}|^(?:\/[A-Za-z]{3,}){3}\//i.test(raw) ||
  (operator === ' ' && !quote && /^[a-z][\w.-]*:\d{2,5}$/i.test(raw))

/**
 * Creates the finder of values that are assigned to a name, as in code, JSON, YAML, TOML, .env, INI, XML, shells, HTTP
 * headers and command lines. The name contains the keyword. `scoreSecret` decides by the name and the value together.
 */
export const assignmentFinder =
  (scoreSecret: ScoreSecret): Finder =>
  ({ text, start, end, rule, found }) => {
    // Words such as `passenger` and `passage` are frequent in some conversations, so they are skipped first.
    if (
      end - start === 4 &&
      (text.charCodeAt(start) | 32) === 112 &&
      isLower(text, end) &&
      !'wpck'.includes(text.charAt(end))
    )
      return
    let from = start
    const floor = Math.max(0, start - NAME_LIMIT)
    while (from > floor && isName(text, from - 1)) from--
    let to = end
    const ceiling = Math.min(text.length, end + NAME_LIMIT)
    while (to < ceiling && isName(text, to)) to++
    if (to === ceiling && to < text.length) return
    if (!FOLLOWS.has(text.charCodeAt(to)) && !isBreak(text, to) && !(text[to] === '[' && text[to + 1] === ']')) return
    // In `\npassword`, the `n` belongs to the escape.
    if (from > 0 && text[from - 1] === '\\' && 'nrt'.includes(text.charAt(from))) from++
    while (to > end && text[to - 1] === '.') to--
    const name = text.slice(from, to)
    if (isLabel(text, from, to)) return
    // The name is a pattern: `case INVALID_PASSWORD => handler`.
    if (text.slice(Math.max(0, from - 5), from) === 'case ' && /^ ?=>/.test(text.slice(to, to + 3))) return
    // The name is the name of a type with its supertype: `class MandatoryPass: Pass`.
    if (DECLARED.test(text.slice(Math.max(0, from - 10), from))) return
    // The name is a parameter in Sphinx documentation: `:param password: Unicode password.`
    if (
      text[to] === ':' &&
      /:(?:param|type|arg|keyword) (?:\w{1,24} )?$/.test(text.slice(Math.max(0, from - 34), from))
    )
      return
    // Our own placeholders are not names.
    if (text[from - 1] === '[' && text[to] === ']' && /^[A-Z0-9_]+_\d+$/.test(name)) return
    // The name is in the template of a URL: `://<user>:<password>@localhost`.
    if (text[from - 1] === '<' && text[to] === '>' && text[to + 1] === '@') return
    const keyClass = classifyKeyName(name, text.slice(Math.max(0, from - 14), from))
    // `/etc/passwd` is a file, and `otpauth://` begins a URL. `//` alone begins a comment.
    const isPath = text[from - 1] === '/' && (text[from - 2] !== '/' || text[from - 3] === ':')
    if (!keyClass || isPath || text.startsWith('://', to)) return
    const value = valueAfter({ text, start: from, end: to, found })
    if (!value || withoutInnerQuotes(text, value).end <= value.start) return
    if (found.isReadAlready(value, value.quote || 'bare', 8)) return
    const raw = text.slice(value.start, value.end)
    // The argument of a call is a secret only if the name of the function indicates one: `provisioners.Load("...")`.
    if (keyClass === 'hint' && value.operator === '(') return
    const after = text.slice(value.end, value.end + 5)
    if (name === 'pass' && value.operator === ' ' && BEFORE_VERB.test(text.slice(Math.max(0, from - 8), from))) return
    if (isCode(raw, name, value, after) || isCount(raw, name) || isAddress(raw, value) || ENCRYPTED.test(raw)) return
    if (isFirstWord(raw, name, value, after)) return
    if (keyClass !== 'password' && isCut(text.slice(value.start, value.end + 3))) return
    if (isEncodedPublic(raw) || (/^(?:user\.)?signing[kK]ey$/.test(name) && GPG_KEY_ID.test(raw))) return
    const { quote, operator, spaced, next, lead, scheme, bracketed } = value
    const followsUser = keyClass === 'password' && isBelowUserName(text, from, value)
    const site = 'assignment'
    const score = scoreSecret({
      site,
      name,
      keyClass,
      raw,
      quote,
      operator,
      spaced,
      next,
      lead,
      scheme,
      bracketed,
      followsUser,
    })
    if (score === null) return
    // The value is in the test vectors of a standard, so it is published.
    if (keyClass !== 'password' && TEST_VECTOR.test(text.slice(Math.max(0, from - 160), from))) return
    const password = keyClass === 'password'
    found.push({
      start: value.start,
      end: value.end,
      rule: password ? { id: rule.id, category: 'password', placeholder: 'PASSWORD' } : rule,
      value: raw,
      score,
    })
  }

/** Returns the value that is assigned to a name (from `start` to `end`), or undefined if no operator follows. */
function valueAfter({ text, start, end: at, found }: Omit<Hit, 'rule'>): Value | undefined {
  const [name, lead] = [text.slice(start, at), text[start - 1] ?? '']
  let i = text[at] === '[' ? at + 1 : at
  const named = valueOfNextLine(text, at)
  if (named > 0) return literal(text, named, { operator: ':', spaced: true, found })
  if (isBreak(text, at)) return undefined
  const closed = i
  const tick = text[i] === '`'
  // Skips the end of the name: quotes (also escaped) and brackets, then spaces.
  for (
    let n = 0;
    n < 6 && (text[i] === '"' || text[i] === "'" || text[i] === '`' || text[i] === '\\' || text[i] === ']');
    n++
  )
    i++
  const quotedName = i > closed
  const gap = i
  while (isSpace(text, i) && i - gap < 12) i++
  let spaced = i > gap
  let operator = ''
  const here = text[i]
  if (here === '=' || here === ':' || here === '?' || here === '|' || here === '+') {
    const from = i
    while (i - from < 4 && i < text.length && '=:?|+>'.includes(text.charAt(i))) i++
    operator = text.slice(from, i)
    // The colon begins a symbol: `(make-private-key :secp256k1)`.
    if (operator === ':' && spaced && isLetter(text, i)) return undefined
    // The colon begins a pseudo-class of CSS: `[name="password"]:visible`.
    if (operator === ':' && text[gap - 1] === ']' && !spaced && isLetter(text, i)) return undefined
    // The name is a field of a line such as `guest:pass:1001:100`.
    if (operator === ':' && lead === ':' && !quotedName && !isSpace(text, i)) return undefined
    if (operator === '?' || operator[0] === '+' || operator === '??') return undefined
    // A pipe separates cells. In a template or after a variable, it calls a filter (`{{ $password | b64enc }}`), and
    // between strings it makes a type (`'password' | 'search'`).
    if (
      operator === '|' &&
      ((!spaced && lead !== '|') ||
        (quotedName && `"'`.includes(lead)) ||
        name[0] === '$' ||
        FILTERED.test(text.slice(Math.max(0, start - 80), start)))
    )
      return undefined
  } else if ((here === '.' && text[i + 1] === '=') || (here === '<' && text[i + 1] === '-' && spaced)) {
    operator = '='
    i += 2
  } else if (here === '>' && !spaced) {
    operator = '>'
    i++
  } else if (here === ',' && quotedName && !tick) {
    operator = ','
    i++
    PAIR.lastIndex = i
    if (PAIR.test(text)) {
      i = PAIR.lastIndex
      operator = ':'
    }
  } else if (here === ',' && !quotedName && FAILING.test(text.slice(i, i + 16))) {
    operator = '='
    i = text.indexOf('=', i) + 1
  } else if (here === '(' && !spaced && !quotedName && `"'\`\\`.includes(text[i + 1] ?? ' ')) {
    operator = '('
    i++
  } else if (here === '-' && text[i + 1] === '>') {
    operator = '->'
    i += 2
  } else if (quotedName && spaced && ATTRIBUTE.test(text.slice(i, i + 12))) {
    i = text.indexOf('=', i) + 1
    operator = ':'
  } else if (spaced) {
    TYPED.lastIndex = i
    if (TYPED.test(text)) {
      i = TYPED.lastIndex
      while (text[i] === ':' || text[i] === '=') i++
      operator = '='
    } else if (name.startsWith('-')) operator = ' '
    else {
      LINKING_VERB.lastIndex = i
      if (LINKING_VERB.test(text)) {
        i = LINKING_VERB.lastIndex
        operator = 'is'
        // After an equals sign, the name is a value itself: `-e PGPASSWORD=password postgres`.
      } else if (lead !== '=' && (text[i] === '"' || text[i] === "'" || isAlnum(text, i))) operator = ' '
      else return undefined
    }
  } else return undefined
  if (operator === ':') {
    TYPE.lastIndex = i + (isSpace(text, i) ? 1 : 0)
    if (TYPE.test(text)) {
      i = TYPE.lastIndex
      while (text[i] === '=') i++
      operator = '='
    }
  }
  const after = i
  while (
    (isSpace(text, i) ||
      ((text[i] === '\n' || text[i] === '\r') &&
        (operator === ':' || operator === '=' || operator === '>' || operator === ','))) &&
    i - after < 40
  )
    i++
  if (i > after) spaced = true
  // The value after `secret:` is the first item of a YAML list on the next line.
  if (operator === ':' && text[i] === '-' && text[i + 1] === ' ' && text.slice(after, i).includes('\n')) i += 2
  if ((text[i] === '|' || text[i] === '>') && /[|>][-+]?\s*\n\s+/y.test(text.slice(i, i + 40)) && operator === ':') {
    i++
    while (i - after < 80 && /[\s+-]/.test(text[i] ?? 'x')) i++
  }
  // The value is empty, and the next line begins a field: `password:`, then `hikari:` or `API_TOKEN=...`.
  if (NEXT_FIELD.test(text.slice(i, i + 64)) && (text.startsWith('export ', i) || text.slice(after, i).includes('\n')))
    return undefined
  // The name is a placeholder in quotes, so no value follows it: `"<user>:<password>"`.
  if (operator === '>' && `"'`.includes(text[i] ?? ' ')) return undefined
  const value = literal(text, i, { operator, spaced, found })
  if (!value || (operator === ',' && KEY_END.test(text.slice(value.end, value.end + 8)))) return undefined
  // The name and the value are the type and the name of a block of Terraform.
  if (operator === ' ' && quotedName && value.quote && text.startsWith(' {', value.end + 1)) return undefined
  ;[value.lead, value.bracketed] = [
    lead,
    !value.quote && value.end > value.start && (operator === ':' || operator === '=') && widen(text, value, lead),
  ]
  return value
}

/**
 * Reads one literal at `i`. A quoted literal ends at its closing quote, an unquoted literal at the first character that
 * ends a word.
 */
function literal(
  text: string,
  i: number,
  { operator, spaced, found }: Pick<Value, 'operator' | 'spaced'> & Pick<Hit, 'found'>,
): Value | undefined {
  if (text[i] === '(' && operator === '=') i = behindBracket(text, i)
  // The first character is checked before the regular expression runs. A wrapper of a literal begins with a letter,
  // `[`, `@` or `$`, and a scheme begins with one of seven letters.
  WRAP.lastIndex = i
  if ((isLetter(text, i) || '[@$'.includes(text[i] ?? ' ')) && WRAP.test(text)) i = WRAP.lastIndex
  let escapes = 0
  while (text[i + escapes] === '\\' && escapes < 8) escapes++
  const mark = text[i + escapes]
  let quote = ''
  if (mark === '"' || mark === "'" || mark === '`') {
    quote = text.slice(i, i + escapes + 1)
    i += quote.length
    if (text[i] === mark && text[i + 1] === mark && !escapes) i += 2
  }
  let scheme = false
  SCHEME.lastIndex = i
  if ('BTtbADS'.includes(text[i] ?? ' ') && SCHEME.test(text)) {
    i = SCHEME.lastIndex
    scheme = true
  }
  const limit = Math.min(text.length, i + VALUE_LIMIT)
  let end = i
  if (quote) {
    const close = quote.charAt(quote.length - 1)
    while (end < limit) {
      const char = text.charAt(end)
      if (char === '\n' || char === '\r') break
      if (char === '\\') {
        if (escapes && text.startsWith(quote, end)) break
        end += 2
        continue
      }
      if (char === close) break
      end++
    }
    if (end >= limit && limit < text.length) return undefined
    // The quote ends a string of the line, so code follows: `"in $pwd:" >&2`, `tr("Password: ") << flush;`.
    if (' )'.includes(text[i] ?? '') && (text[end] === '\n' || text[end] === '\r')) return undefined
    if (end > limit) end = limit
  } else {
    const run = found.reachOf('run')
    if (i < run.end && i > run.count) end = Math.min(run.end, limit)
    else {
      while (
        end < limit &&
        !ENDS.has(text.charCodeAt(end)) &&
        !(text[end] === '\\' && 'nrt"\''.includes(text[end + 1] ?? ' '))
      )
        end++
      ;[run.end, run.count] = [end, i]
    }
    while (end > i && '.,;:'.includes(text.charAt(end - 1))) end--
  }
  return { start: i, end, quote, operator, spaced, next: text[end] ?? '', scheme, bracketed: false, lead: '' }
}
