import type { Value } from './value.ts'
import type { Weight } from './names.ts'
import { isRandom, shapeOf } from './random.ts'

/** What stands where a secret would: references, markers, words of a form, and our own placeholders. */
const REFERENCE =
  /^(?:\[[A-Z]|[$%#@]?[{<(](?![^})>]{0,3}$)|\$[A-Za-z_({]|%[A-Za-z_]+(?:%|$)|<|\*{3,}|\.{3}|x{3,}|X{3,}|-{2,}|_{3,}|\?{2,}|&|\\?\/\/|[a-z]+:\/\/|arn:|vault:|secrets?[.:/]|env[.:(]|ENV\[|process\.|os\.|System\.|self\.|this\.|config[.[]|settings\.|ctx\.|req(?:uest)?\.|params[.[]|props\.|args\.|opts?\.|options\.|data\.|state\.|user\.|var\.|local\.|module\.|import\.|{{|url\()/i
const FILLER =
  /^(?:none|null|nil|undefined|true|false|yes|no|on|off|enabled|disabled|string|str|number|int|integer|bool|boolean|object|array|any|void|bytes|text|required|optional|redacted|masked|hidden|removed|secret|password|passwd|token|key|value|test|testing|example|sample|dummy|fake|foo|bar|baz|change_?-?me|todo|tbd|n\/a|empty|default|unknown|invalid|missing|incorrect|wrong|username|user|admin|your|my|the|a|an|is|not|or|and|for|in|of|to)$/i
const MARKED =
  /(?:example|placeholder|your[-_ ]|[-_ ]here$|change[-_]?me|changeit|dummy|redacted|insert[-_ ]|replace[-_ ]|[-_]goes[-_]|xxxx|\*\*\*\*|<[^>]*>|\$\{[\w.:-]+\}|\{\{[\w .|]+\}\}|1234567890ab|123456789012|abcdefghijkl|0123456789|deadbeef|not[-_]?(?:a|an|real|set)[-_ ]|(?:^|[-_])(?:fake|sample|todo|foobar)(?:$|[-_]))/i
const HEX = /^(?:0x)?[0-9a-f]+$/i
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const CODE = /^[A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*)*[([.!?]?$/

const NOT_PASSWORD =
  /^(?:sha|md|utf|base|int|uint|char|varchar|aes|ed|rs|hs|es|v|step|test|user|item|field|line|password)\d+$/i
/** What was replaced within a value keeps its quotes: replaced again, it would come to no end. */
const HOLDS = /\[[A-Z][A-Z0-9_]*_\d+\]/
/** `required|min:8`, as validators of forms write it. */
const RULES = /^[a-z_]+(?::[\w,]+)?(?:\|[a-z_]+(?::[\w,]+)?)+$/
const COLOUR = /^#[0-9a-f]{3,8}$/i

/** Is `raw` a secret, given the name it stands under and how it is written? */
export function judge(name: string, weight: Weight, raw: string, at: Value): boolean {
  const length = raw.length
  if (length < 3 || length > 16_384) return false
  if (RULES.test(raw) || HOLDS.test(raw)) return false
  if (COLOUR.test(raw) || REFERENCE.test(raw) || FILLER.test(raw) || MARKED.test(raw.slice(0, 256))) return false
  // A type out of a module: `apiKey: gateway.ApiKey`.
  if (!at.quote && /^[a-z]\w*\.[A-Z][A-Za-z]+$/.test(raw)) return false
  if ((length < 2 * name.length + 8 && flat(raw) === flat(name)) || allSame(raw)) return false
  if (!at.quote && /[([]/.test(raw)) return weight === 'password' && at.bracketed
  const lot = length >= 8 && random(raw, weight !== 'hint')
  if (weight === 'hint')
    return (
      length >= 16 &&
      lot &&
      at.operator !== '(' &&
      (at.operator !== '|' || /^[A-Z][A-Z0-9]*_(?:API_)?KEY$/.test(name)) &&
      !(at.operator === ' ' && /^[0-9A-F]{16}$/.test(raw))
    )
  // Without an operator of its own, with a comma or with a choice of two, only what looks drawn by lot.
  // `std::string secret("...")`
  if (
    at.operator === '(' &&
    at.lead === ' ' &&
    at.quote &&
    /^[a-z]+(?:_[a-z]+)*$/.test(name) &&
    length >= 8 &&
    strange(raw) &&
    !CODE.test(raw)
  )
    return true
  if (at.operator === '(' && weight === 'password' && at.quote && SETTER.test(name) && strange(raw)) return true
  if (at.operator === ',' || at.operator === '||' || at.operator === '->' || at.operator === '(')
    return (
      at.quote !== '' &&
      (lot ||
        (weight === 'password' &&
          at.operator === ',' &&
          length >= 8 &&
          /\d/.test(raw) &&
          strange(raw) &&
          !/[\w.\-/:@]{8}/.test(raw)))
    )
  if (at.operator === '|' && weight === 'password' && !at.quote && length >= 6 && strange(raw)) return true
  if (at.operator === '|') return lot && length >= 14 && at.quote === ''
  if (at.operator === ' ' && !at.quote && !name.startsWith('-')) return lot && length >= 16
  if (at.next === '(' || at.next === '[') return false
  // The name of a secret in an ARN, and what a header says of itself.
  if ((at.lead === ':' && at.operator === ':' && !at.quote && !at.spaced) || (at.scheme && !lot)) return false
  if (lot || (weight === 'secret' && /^\d{14,32}$/.test(raw) && at.operator !== 'is')) return true
  const last = at.next === '' || at.next === '\n' || at.next === '\r'
  if (
    weight === 'secret' &&
    PHRASE.test(name) &&
    CHAIN.test(raw) &&
    !/(?:^|[-_.])(?:secrets?|keys?|tokens?|name|ref|value|my|here|your|default|test|jwt-?secret|example|prod|dev|staging|app|db|api|tls)$/i.test(
      raw,
    )
  )
    return at.quote !== '' || (last && (at.operator === '=' || at.operator === ':'))
  if (weight === 'secret')
    return (
      (last && length >= 12 && !/[.$]/.test(raw) && strange(raw)) ||
      (at.operator === '>' && at.next === '<' && length >= 8 && strange(raw)) ||
      ((at.quote !== '' || bareLine(name, at) || at.lead === ';') && length >= 8 && strange(raw))
    )
  // A flag takes a literal.
  if (name.startsWith('-') && (at.operator === ' ' || at.operator === '='))
    return at.quote
      ? length >= 4
      : strange(raw) ||
          (/^[A-Za-z][\w.!@#%^*+~-]{5,63}$/.test(raw) &&
            !NO_WORD.test(raw.toLowerCase()) &&
            !/^[\w-]+(?:\.[\w-]+)*\.[a-z]{2,4}$/.test(raw))
  if (at.quote) return password(raw) && (!/^(?:all|any)?pass$/i.test(name) || strange(raw))
  if ((at.operator === ' ' || at.operator === 'is') && NOT_PASSWORD.test(raw)) return false
  if (at.operator === ' ' || at.operator === 'is')
    return name.startsWith('-') ? strange(raw) : length >= 5 && strange(raw)
  if (bareLine(name, at) || (at.lead === ';' && at.operator === '=')) return !/[()]/.test(raw)
  if (last && CHAIN.test(raw) && /\d/.test(raw)) return true
  if (
    last &&
    /^[A-Za-z]{6,32}\d{0,4}$/.test(raw) &&
    !NO_WORD.test(raw) &&
    (yamlLine(name, at) || (at.operator === '=' && !at.spaced && (at.lead === '' || at.lead === '\n')))
  )
    return true
  // `tried password=hunterpass still`, `?user=bob&password=hunterpass`
  if (
    at.operator === '=' &&
    !at.spaced &&
    /^(?:password|passwd|pwd|pass)$/.test(name) &&
    /^[A-Za-z]{8,24}$/.test(raw) &&
    (at.next === ' ' ? /[ \n]?/.test(at.lead) : at.next === '&' || at.lead === '&') &&
    !NO_WORD.test(raw)
  )
    return true
  // `<password>plain</password>`, `--password=plain`, `password=plain1 host=db`
  if (
    at.operator === '>'
      ? at.next === '<'
      : at.operator === '=' && !at.spaced && (name.startsWith('-') || (/\d/.test(raw) && !/[,)]/.test(at.next)))
  )
    return length >= 4 && /^[\w!@#$%^&*+.,:;?~-]+$/.test(raw) && !/^(?:\d+|[a-z]+\d?)$/.test(raw)
  // `password: hunter22` at the end of a line or before another word.
  if (
    length >= 6 &&
    (last || at.next === ' ' || at.next === ',') &&
    /\d/.test(raw) &&
    /^[A-Za-z0-9]+$/.test(raw) &&
    /[A-Za-z]/.test(raw)
  )
    return at.operator === ':' && !NOT_PASSWORD.test(raw)
  return (
    strange(raw) &&
    (!CODE.test(raw) || /\d{2,}[!?]$/.test(raw) || (last && /^[A-Za-z]+\d+[A-Za-z]+!$/.test(raw))) &&
    !/[()[\]{}]/.test(raw)
  )
}

/** Words that stand where a secret would: references, markers, fillers. */
export const isNothing = (raw: string): boolean =>
  HOLDS.test(raw) ||
  COLOUR.test(raw) ||
  REFERENCE.test(raw) ||
  FILLER.test(raw) ||
  MARKED.test(raw.slice(0, 256)) ||
  allSame(raw)

const flat = (text: string): string => text.replace(/[^A-Za-z0-9]/g, '').toLowerCase()
const allSame = (text: string): boolean => /^(.)\1*$/.test(text)

/** `NAME: value` of an environment in YAML. */
const yamlLine = (name: string, at: Value): boolean =>
  at.operator === ':' && at.spaced && /^[A-Z][A-Z0-9]*_[A-Z0-9_]+$/.test(name)

/** `NAME=value` of an .env file or a shell, where a bare word is the value itself and not another name. */
const bareLine = (name: string, at: Value): boolean =>
  at.operator === '=' && !at.spaced && /^[A-Z][A-Z0-9_]*$/.test(name)

/** Drawn by lot; hashes of a known length and UUIDs only where the name says secret. */
function random(raw: string, named: boolean): boolean {
  const core = raw.replace(/=+$/, '')
  if (/[\s(){}[\]<>]/.test(core)) return false
  if (UUID.test(core)) return named
  if (!named && /[-_:.][0-9a-f]{40,64}$/.test(core)) return false
  if (!named && HEX.test(core) && (core.length === 40 || core.length === 64 || core.length === 128)) return false
  if (/^[\w-]+(?:\.[\w-]+)+$/.test(core) && /\.(?:[a-z]{2,5})$/.test(core)) return false
  if (core.length < 40 && /^(?:\d{4}-\d\d-\d\d|v?\d+\.\d+)/.test(core)) return false
  if (/^sha\d{3}-/.test(core)) return false
  return isRandom(core)
}

/** Not a word or a name: digits among letters, several symbols, or a long run that no word is. */
function strange(raw: string): boolean {
  if (/[\s\u0080-\uffff]/.test(raw)) return false
  if (/^[\w.-]+\.[a-z]{2,5}$/i.test(raw) || /^\.{0,2}\/[\w./-]+$/.test(raw) || /^0x[0-9A-F]{1,8}$/i.test(raw))
    return false
  const symbols = raw.replace(/[\w.\-/:@]/g, '').length
  if (symbols >= 3) return true
  const shape = shapeOf(raw)
  const letters = shape.lowers + shape.uppers
  if (symbols > 0 && /^[A-Za-z0-9]/.test(raw) && letters > 0 && (shape.digits > 0 || symbols > 1)) return true
  if (shape.digits > 0 && letters > 0)
    return (
      !raw.split(/[-_./:]/).every((part) => /^(?:\d{1,5}|[A-Za-z]*\d{0,2}[A-Za-z]*)$/.test(part)) ||
      (shape.length >= 8 && /^[A-Za-z]+\d{1,4}$/.test(raw))
    )
  return (
    shape.digits === 0 &&
    shape.others === 0 &&
    (shape.uppers === 0
      ? shape.length >= 18
      : shape.uppers > 2 && shape.lowers > 2 && shape.length >= 10 && shape.cost >= 5.7)
  )
}

/** `.withPassword("...")`, `setUserPass('...')`: the call of one argument that sets a password. */
const SETTER =
  /(?:^|[._-])(?:with|set|use|add|put|enter|type|input)?_?(?:user|db|database|admin|root|key_?store|trust_?store)?_?pass(?:word|wd|phrase|code)?$/i
/** Three words or more, joined. */
const CHAIN = /^[a-z0-9]{2,16}(?:[-_][a-z0-9]{2,16}){2,7}$/
/** Names of secrets that people choose themselves. */
const PHRASE =
  /(?:session|jwt|cookie|app|client|auth|token|signing|master|shared|hmac|webhook|encryption|refresh|access)[_.-]?secret(?:[_.-]?key)?(?:[_.-]?base)?$/i
const NO_WORD =
  /pass|word|secret|token|value|input|user|param|string|hash|null|none|true|false|field|text|encod|crypt|get|require|optional|invalid|incorrect|undefined|unknown/

/** A quoted password may be anything but prose, a form's label and a reference. */
function password(raw: string): boolean {
  if (/^(?:~|\.{0,2}|[A-Z]:)[\\/][\w.\\/-]+$/.test(raw)) return false
  if (/^[a-z]+(?: [a-z]+){2,5}$/.test(raw))
    return !/\b(?:pass\w*|your|must|should|enter|please|is|are|not|no|required?|invalid|wrong|incorrect|forgot|reset|change|confirm|new|old|current|show|hide|sign|log|field|optional|user|at|the|a|an|to|of|in|must|string|for|be|by|from|or|if|when|that|this|it|least|characters)\b/.test(
      raw,
    )
  if (/\s/.test(raw))
    return (
      raw.split(/\s+/).length <= 6 && /[0-9!@#$%^&*]/.test(raw) && !/[.:?,]$/.test(raw) && !/^[A-Z][a-z]+ /.test(raw)
    )
  if (/[\u0080-\uffff]/.test(raw) && !/\d/.test(raw)) return false
  if (
    /^[\w.[\]*-]+$/i.test(raw) &&
    !/\d{2}/.test(raw) &&
    /passw|token|secret|key|auth|login|user|field|input|label|error|invalid/i.test(raw)
  )
    return false
  if (raw.length >= 14 && /^[a-z]{3,}(?:-[a-z]{3,}){2,5}$/.test(raw)) return true
  if (
    shapeOf(raw).cost < 5.2 &&
    /^(?:[a-z]{1,3}[A-Z][A-Za-z]*|[a-z]+(?:[A-Z][a-z]+){2,}|[A-Z][a-z]+|[a-z]+(?:[.-][a-z]+)+|[A-Z]+(?:_[A-Z]+)+)$/.test(
      raw,
    )
  )
    return false
  return raw.length >= 4
}
