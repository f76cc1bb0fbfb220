import { rememberWords } from '../../engine/remember.ts'

/** The class of a value, by the name before the value. */
export type KeyClass =
  /** A password. Any literal counts, even a plain word. */
  | 'password'
  /** A secret by name: `api_key`, `client_secret`, `auth_token`. */
  | 'secret'
  /** Possibly a secret: `key`, `id`, the name of a provider. The value must look random. */
  | 'hint'

const PASSWORD =
  /pass(?:w(?:or)?d|wd|_?phrase|code)|(?:^|[^a-z])(?:pass|pw|pwd)[^a-z-]*$|(?:^|[^a-z])pwd[^a-z]|(?:db|user|store|src|dest|root|admin|my|mysql|postgres|pg|redis|smtp|mail|key|ftp|ssh|http|sudo|login)pass(?![a-z])|pwd(?![a-z])|(?:root|bind|user|admin|ldap|db)_?pw(?![a-z])|contrase(?:ñ|n)a|passwort|kennwort|senha|motdepasse|mot_de_passe/
const SECRET =
  /secret|(?:hash|auth|password|secure|logged_?in|nonce|cookie|session|security)[^a-z0-9]?salt|(?:otp|mfa|two_factor)[^a-z0-9]?seed|totp[^a-z0-9]?(?:seed|uri)|(?:api|access|auth|private|priv|encrypt(?:ion)?|signing|sign|master|account|service|client|db|database|storage|shared|hmac|session|deploy|consumer|app|application|developer|dev|admin|crypto|cipher|aes|server|write|read|ingest(?:ion)?|integration|subscription|routing|instrumentation|functions?|bot|security|rest|live|test|prod|production|user|project|org|licen[cs]e|registration)[^a-z0-9]{0,2}keys?(?![a-z])|token|bearer|jwt|credential|(?:^|[^a-z])creds?(?![a-z])|(?:^|[^a-z])auth(?:[^a-z]|$)|authorization|apikey|passkey|_auth(?!or)|(?:^|[^a-z])pat(?![a-z])|webhook/
const PUBLIC =
  /pub|vapid|file|primary|foreign|partition|sort|cache|idempotency|issuer|host|sha|md5|checksum|digest|integrity|fingerprint|commit|revision|etag|query|i18n|translation|csrf|xsrf|verification|site|next|page|continuation|cancell?ation|sync|websocket|cursor|known|change|object|group|unique|hash|surrogate|natural|map|dict|row|shard|storage_?class|(?:^|_)form|key_(?:\w+_)?(?:name|id)s?$/
const AFTER =
  /^[^a-z]*(?:less|mode|method|scheme|delay|type|counts?|names?|url|uri|path|file|field|label|placeholder|expir\w*|length|len|size|limit|policy|regex|pattern|column|input|prompt|reset|errors?|message|endpoint|index|ttl|version|manager|provider|store|service|list|map|class|dir|arn|ref|required|enabled|format|rules?|hint|title|text|description|icon|strength|m(?:in|ax)(?:length)?|usage|budget|price|cost|schema|kind|status|state|validat(?:or|ion)|alg|algorithm|hash|salt|encoder|ids?|alias|location|region|source|code|number|page|view|form|box|reader|stream|iz(?:er|ed?|ation)|s)(?:[^a-z]|$)|_(?:expression|metadata|driver|algorithms)$/

/** Names that are not passwords: passes of a renderer or a compiler, managers of passwords, and fields for authors. */
const OTHER =
  /(?:^|_)(?:render(?:ing|er)?|shader|shadow|depth|color|colour|compute|multi|single|two|one|first|second|third|next|last|every|all|each|opt|optimi[sz]ation|compiler?|analysis|lint|low|high|band|bloom|blur|light(?:ing)?|geometry|post|pre|by|tres|sur|com|test|tests|codegen|mir|llvm|function|module|loop)_?pass(?:es)?(?:_|$)|^(?:1_?password|(?:last|kee|nord)_?pass|\$pwd)$|encrypted_key$|^authors?$/

/** The name of a store of secrets, of a place of one, or of a public value: `UserSecretsId`, `keyThumbprint`, `keyPubX`. */
const STORE = /(?:secret|token|credential)s_?(?:id|name|ref|arn)$|^add_user_secrets$|(?:thumb|finger)print$|pub_?[xy]$/

/** The words before `key` that indicate a secret key: `API key: ...`, `Access Key`. */
const QUALIFIER =
  /(?:^|[^a-z])(?:api|access|secret|auth|private|license|licence|product|recovery|encryption|signing|service) $/i

/** The words before `key` that indicate a public key: `minisign public key: ...`. */
const OPEN = /(?:^|[^a-z])(?:public|pub|publishable) $/i

/**
 * Returns the class of the value after a name, or undefined if the name does not indicate a secret.
 * @param name the name as written: `AWS_SECRET_ACCESS_KEY`, `apiKey`, `x-api-key`.
 * @param before the characters before the name.
 */
export function classifyKeyName(name: string, before = ''): KeyClass | undefined {
  if (name.length < 5 && /^keys?$/i.test(name)) {
    if (QUALIFIER.test(before)) return 'secret'
    if (OPEN.test(before)) return undefined
  }
  return classifyKept(name)
}

/**
 * Matches words of letters with at most one number of one or two digits. Only results for such names are cached,
 * because any other string may be a secret in the place of a name.
 */
const WORDS = /^[A-Za-z_-]+(?:\d{1,2}[A-Za-z_-]+)?$/
const classifyKept = rememberWords(classify, (name) => WORDS.test(name))

function classify(name: string): KeyClass | undefined {
  const flat = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase()
  if (OTHER.test(flat) || STORE.test(flat)) return undefined
  const password = PASSWORD.exec(flat)
  const secret = password ?? SECRET.exec(flat)
  if (!secret) return PUBLIC.test(flat) ? undefined : 'hint'
  const rest = flat.slice(secret.index + secret[0].length)
  if (rest.split(/[^a-z]+/).length > 4) return 'hint'
  if (rest && AFTER.test(rest) && !/(?:key|token|secret|pass|password|credential)s?$/.test(flat)) return 'hint'
  if (
    !password &&
    /(?:public|publishable|csrf|xsrf|next|page|continuation|cancell?ation|sync|issuer)[^a-z]*(?:key|token)/.test(flat)
  )
    return undefined
  return password ? 'password' : 'secret'
}
