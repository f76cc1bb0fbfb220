import type { Value } from './literal.ts'
import type { KeyClass } from './key-name.ts'
import { isRandom, shapeOf } from '../../engine/randomness.ts'

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
export function isSecretLiteral(name: string, keyClass: KeyClass, raw: string, value: Value): boolean {
  const length = raw.length
  if (length < 3 || length > 16_384) return false
  if (RULES.test(raw) || HOLDS.test(raw)) return false
  if (COLOUR.test(raw) || REFERENCE.test(raw) || FILLER.test(raw) || MARKED.test(raw.slice(0, 256))) return false
  // A type out of a module: `apiKey: gateway.ApiKey`.
  if (!value.quote && /^[a-z]\w*\.[A-Z][A-Za-z]+$/.test(raw)) return false
  if ((length < 2 * name.length + 8 && flat(raw) === flat(name)) || allSame(raw)) return false
  if (!value.quote && /[([]/.test(raw)) return keyClass === 'password' && value.bracketed
  const looksRandom = length >= 8 && isRandomValue(raw, keyClass !== 'hint')
  if (keyClass === 'hint')
    return (
      length >= 16 &&
      looksRandom &&
      value.operator !== '(' &&
      (value.operator !== '|' || /^[A-Z][A-Z0-9]*_(?:API_)?KEY$/.test(name)) &&
      !(value.operator === ' ' && /^[0-9A-F]{16}$/.test(raw))
    )
  // Without an operator of its own, with a comma or with a choice of two, only what looks random.
  // `std::string secret("...")`
  if (
    value.operator === '(' &&
    value.lead === ' ' &&
    value.quote &&
    /^[a-z]+(?:_[a-z]+)*$/.test(name) &&
    length >= 8 &&
    looksChosen(raw) &&
    !CODE.test(raw)
  )
    return true
  if (value.operator === '(' && keyClass === 'password' && value.quote && SETTER.test(name) && looksChosen(raw))
    return true
  if (value.operator === ',' || value.operator === '||' || value.operator === '->' || value.operator === '(')
    return (
      value.quote !== '' &&
      (looksRandom ||
        (keyClass === 'password' &&
          value.operator === ',' &&
          length >= 8 &&
          /\d/.test(raw) &&
          looksChosen(raw) &&
          !/[\w.\-/:@]{8}/.test(raw)))
    )
  if (value.operator === '|' && keyClass === 'password' && !value.quote && length >= 6 && looksChosen(raw)) return true
  if (value.operator === '|') return looksRandom && length >= 14 && value.quote === ''
  if (value.operator === ' ' && !value.quote && !name.startsWith('-')) return looksRandom && length >= 16
  if (value.next === '(' || value.next === '[') return false
  // The name of a secret in an ARN, and what a header says of itself.
  if ((value.lead === ':' && value.operator === ':' && !value.quote && !value.spaced) || (value.scheme && !looksRandom))
    return false
  if (looksRandom || (keyClass === 'secret' && /^\d{14,32}$/.test(raw) && value.operator !== 'is')) return true
  const last = value.next === '' || value.next === '\n' || value.next === '\r'
  if (
    keyClass === 'secret' &&
    PHRASE.test(name) &&
    CHAIN.test(raw) &&
    !/(?:^|[-_.])(?:secrets?|keys?|tokens?|name|ref|value|my|here|your|default|test|jwt-?secret|example|prod|dev|staging|app|db|api|tls)$/i.test(
      raw,
    )
  )
    return value.quote !== '' || (last && (value.operator === '=' || value.operator === ':'))
  if (keyClass === 'secret')
    return (
      (last && length >= 12 && !/[.$]/.test(raw) && looksChosen(raw)) ||
      (value.operator === '>' && value.next === '<' && length >= 8 && looksChosen(raw)) ||
      ((value.quote !== '' || bareLine(name, value) || value.lead === ';') && length >= 8 && looksChosen(raw))
    )
  // A flag takes a literal.
  if (name.startsWith('-') && (value.operator === ' ' || value.operator === '='))
    return value.quote
      ? length >= 4
      : looksChosen(raw) ||
          (/^[A-Za-z][\w.!@#%^*+~-]{5,63}$/.test(raw) &&
            !NO_WORD.test(raw.toLowerCase()) &&
            !/^[\w-]+(?:\.[\w-]+)*\.[a-z]{2,4}$/.test(raw))
  if (value.quote) return password(raw) && (!/^(?:all|any)?pass$/i.test(name) || looksChosen(raw))
  if ((value.operator === ' ' || value.operator === 'is') && NOT_PASSWORD.test(raw)) return false
  if (value.operator === ' ' || value.operator === 'is')
    return name.startsWith('-') ? looksChosen(raw) : length >= 5 && looksChosen(raw)
  if (bareLine(name, value) || (value.lead === ';' && value.operator === '=')) return !/[()]/.test(raw)
  if (last && CHAIN.test(raw) && /\d/.test(raw)) return true
  if (
    last &&
    /^[A-Za-z]{6,32}\d{0,4}$/.test(raw) &&
    !NO_WORD.test(raw) &&
    (yamlLine(name, value) || (value.operator === '=' && !value.spaced && (value.lead === '' || value.lead === '\n')))
  )
    return true
  // `tried password=hunterpass still`, `?user=bob&password=hunterpass`
  if (
    value.operator === '=' &&
    !value.spaced &&
    /^(?:password|passwd|pwd|pass)$/.test(name) &&
    /^[A-Za-z]{8,24}$/.test(raw) &&
    (value.next === ' ' ? /[ \n]?/.test(value.lead) : value.next === '&' || value.lead === '&') &&
    !NO_WORD.test(raw)
  )
    return true
  // `<password>plain</password>`, `--password=plain`, `password=plain1 host=db`
  if (
    value.operator === '>'
      ? value.next === '<'
      : value.operator === '=' &&
        !value.spaced &&
        (name.startsWith('-') || (/\d/.test(raw) && !/[,)]/.test(value.next)))
  )
    return length >= 4 && /^[\w!@#$%^&*+.,:;?~-]+$/.test(raw) && !/^(?:\d+|[a-z]+\d?)$/.test(raw)
  // `password: hunter22` at the end of a line or before another word.
  if (
    length >= 6 &&
    (last || value.next === ' ' || value.next === ',') &&
    /\d/.test(raw) &&
    /^[A-Za-z0-9]+$/.test(raw) &&
    /[A-Za-z]/.test(raw)
  )
    return value.operator === ':' && !NOT_PASSWORD.test(raw)
  return (
    looksChosen(raw) &&
    (!CODE.test(raw) || /\d{2,}[!?]$/.test(raw) || (last && /^[A-Za-z]+\d+[A-Za-z]+!$/.test(raw))) &&
    !/[()[\]{}]/.test(raw)
  )
}

/** Words that stand where a secret would: references, markers, fillers. */
export const isPlaceholderWord = (raw: string): boolean =>
  HOLDS.test(raw) ||
  COLOUR.test(raw) ||
  REFERENCE.test(raw) ||
  FILLER.test(raw) ||
  MARKED.test(raw.slice(0, 256)) ||
  allSame(raw)

const flat = (text: string): string => text.replace(/[^A-Za-z0-9]/g, '').toLowerCase()
const allSame = (text: string): boolean => /^(.)\1*$/.test(text)

/** `NAME: value` of an environment in YAML. */
const yamlLine = (name: string, value: Value): boolean =>
  value.operator === ':' && value.spaced && /^[A-Z][A-Z0-9]*_[A-Z0-9_]+$/.test(name)

/** `NAME=value` of an .env file or a shell, where a bare word is the value itself and not another name. */
const bareLine = (name: string, value: Value): boolean =>
  value.operator === '=' && !value.spaced && /^[A-Z][A-Z0-9_]*$/.test(name)

/** Random; hashes of a known length and UUIDs only where the name says secret. */
function isRandomValue(raw: string, named: boolean): boolean {
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
function looksChosen(raw: string): boolean {
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
