/** Text in the place of a secret: references to a secret, and words that describe a secret. */
const REFERENCE =
  /^(?::[a-z][a-z_-]{1,20}\d{0,2}$|%\d{1,2}\$[a-z]$|%3C\w+%3E$|[*'-]{1,2}[a-z][a-z-]{1,20}\*?$|\[[A-Z]|[$%#@]?[{<(](?![^})>]{0,3}$)|\$[A-Za-z_({]|@[A-Za-z]\w*[.(]|%[A-Za-z_]+(?:%|$)|<|\*{3,}|\.{3}|x{3,}|X{3,}|-{2,}|_{3,}|\?{2,}|&|\\?\/\/|[a-z]+:\/\/|arn:|vault:|secrets?[.:/]|env[.:(]|ENV\[|process\.|os\.|System\.|self\.|this\.|config[.[]|settings\.|ctx\.|req(?:uest)?\.|params[.[]|props\.|args\.|opts?\.|options\.|data\.|state\.|user\.|var\.|local\.|module\.|import\.|{{|url\()/i
const FILLER =
  /^(?:none|null|nil|undefined|true|false|yes|no|on|off|enabled|disabled|string|str|number|int|integer|bool|boolean|object|array|any|void|bytes|text|required|optional|redacted|masked|hidden|removed|secrets?|passwords?|passwd|tokens?|keys?|value|test|testing|example|sample|dummy|fake|foo|bar|baz|change_?-?me|todo|tbd|utf-?8|latin-?1|ascii|n\/a|empty|default|unknown|invalid|missing|incorrect|wrong|visible|guest|postgres|rabbitmq|minioadmin|vagrant|username|user|admin|your|my|the|a|an|is|not|or|and|for|in|of|to)$/i
const MARKED =
  /(?:example|placeholder|your[-_ ]|[-_ ]here$|change[-_]?me|changeit|dummy|redacted|insert[-_ ]|replace[-_ ]|[-_]goes[-_]|xxxx|\*\*\*\*|<[^>]*>|\$\{[\w.:-]+\}|\{\{[^{}]+\}\}|1234567890ab|123456789012|abcdefghijkl|0123456789|deadbeef|not[-_]?(?:a|an|real|set)[-_ ]|(?:^|[-_])(?:fake|sample|some|todo|foobar)(?:$|[-_]))/i
/** A token that is masked except for its beginning: `sk_test_xxxxxxxxxxxx`. */
const CROSSED_OUT = /^[\w-]{0,12}(?:x{12,}|X{12,}|\*{8,})$/
/** The first characters of a secret, which cannot be used: `3dcd784c-...`. */
const CUT = /^.{1,23}(?:\.{3}|…)$/
/** The ending of sample keys in the documentation of AWS, and the beginning of the key that reCAPTCHA publishes for tests. */
const DOCUMENTED = /EXAMPLE(?:KEY)?$|^6LeIxAcTAAAA/
/** A constant in the place of a secret: `RAW_PASSWORD`. */
const CONSTANT = /^[A-Z]{2,}(?:_[A-Z]{2,})+$/
const COLOUR = /^#[0-9a-f]{3,8}$/i
/** One of our own placeholders inside the value, also without its last bracket. Replacing it again would never end. */
const OWN = /\[[A-Z][A-Z0-9_]*_\d+(?:\]|$)/

export const isCrossedOut = (raw: string): boolean => CROSSED_OUT.test(raw)
export const isDocumented = (raw: string): boolean => DOCUMENTED.test(raw)
export const isCut = (raw: string): boolean => CUT.test(raw)
export const holdsPlaceholder = (raw: string): boolean => raw.includes('[') && OWN.test(raw)

export const isReference = (raw: string): boolean => REFERENCE.test(raw)
export const isFiller = (raw: string): boolean =>
  (raw.length <= 12 && FILLER.test(raw)) || COLOUR.test(raw) || isOneCharacter(raw)
export const isMarked = (raw: string): boolean => MARKED.test(raw.length > 256 ? raw.slice(0, 256) : raw)

/** Returns whether a word is only in the place of a secret, such as a reference, a filler or the name of a constant. */
export const isPlaceholderWord = (raw: string): boolean =>
  holdsPlaceholder(raw) || isReference(raw) || isFiller(raw) || isMarked(raw) || CONSTANT.test(raw)

function isOneCharacter(raw: string): boolean {
  const first = raw.charCodeAt(0)
  for (let i = 1; i < raw.length; i++) if (raw.charCodeAt(i) !== first) return false
  return true
}
