import type { Condition, RuleTable } from '../engine/rule.ts'
import { PASSWORD, PRIVATE_KEY, SECRET } from './categories.ts'

/** Excludes the placeholders in manuals. */
const REAL: Condition = {
  not: /^(?:[$<%{]|\[[A-Z]|your|my[-_]|example|changeme|password\d?$|secret$|token$|x+$|\*+$|\.{3}|none$|null$)/i,
}

/** Words in sentences about passphrases. A passphrase of random words does not contain such words. */
const SENTENCE =
  /\b(?:a|an|the|is|are|be|was|must|should|can|will|not|no|your|you|my|it|its|this|that|of|to|in|on|for|at|by|or|and|with|from|when|if|required|field|least|characters|enter|chose|sign|use|used|new|old|same|user|users|value|string|please|forgot|reset|change|changed|incorrect|wrong|invalid|hint|strength|min|max|type|length)\b/

/** A password that Google creates for an app: four groups of four letters. */
const APP_PASSWORD = /^(?:[a-z]{4} ){3}[a-z]{4}$/
/** The form of a password: it has letters and digits, and a capital letter or a special character. */
const MIXED: Condition = [REAL, /\d/, /[a-z]/i, /[A-Z]|[^\w\s]/, { not: /[\s(){}<>]|^\w+\.\w+$/ }]
const WORDS = /^[a-z]+(?:[-_ ][a-z]+)*$/i

/** Rules for secrets in files and calls with a documented format. The secrets have no characteristic prefix. */
export const fileRules: RuleTable = {
  defaults: { ...PASSWORD, inside: true },
  rows: {
    'wordpress-key': [
      'define(',
      /define\(\s{0,3}["'](?:SECURE_AUTH|AUTH|LOGGED_IN|NONCE)_(?:KEY|SALT)["'],\s{0,16}(?:'([^'\n]{32,128})(?=')|"([^"\n]{32,128})(?="))/iy,
      { ...SECRET, valid: { not: /put your unique phrase/i } },
    ],
    // The addresses of the destination and the source, and a type.
    'netfilter-mac': [
      ' mac=',
      / MAC=((?:[\da-f]{2}:){11}[\da-f]{2})(?=(?::[\da-f]{2}){2}(?![:\da-f]))/y,
      { category: 'mac_address', placeholder: 'MAC_ADDRESS' },
    ],
    'unix-hash': [
      '$1$|$8$|$9$',
      /\$1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}(?![./A-Za-z0-9])|\$[89]\$[./A-Za-z0-9]{14}\$[./A-Za-z0-9]{43}(?![./A-Za-z0-9])/y,
      { placeholder: 'PASSWORD_HASH' },
    ],
    'password-hash': [
      '$y$|$gy$|pbkdf2|scrypt:|scram-sha-|md5',
      /\$g?y\$[./A-Za-z0-9]{2,10}\$[./A-Za-z0-9]{8,86}\$[./A-Za-z0-9]{43}(?![./A-Za-z0-9])|\$?pbkdf2[-_:]sha\d{1,3}[$:]\d{1,8}\$[\w+/.=]{6,88}\$[\w+/.=]{20,128}|scrypt:\d{1,7}:\d{1,3}:\d{1,3}\$\w{8,64}\$[0-9a-f]{64,128}|SCRAM-SHA-(?:1|256)\$\d{1,8}:[\w+/=]{8,64}\$[\w+/=]{20,64}:[\w+/=]{20,64}|md5[0-9a-f]{32}(?![0-9a-zA-Z])/y,
      { placeholder: 'PASSWORD_HASH' },
    ],
    'ldap-hash': [
      '{ssha|{sha|{smd5|{md5|{crypt|{pbkdf2',
      /\{(?:S?SHA(?:256|384|512)?|S?MD5|CRYPT|PBKDF2(?:-SHA\d{1,3})?)\}([A-Za-z0-9+/$.]{20,200}={0,2})/iy,
      { placeholder: 'PASSWORD_HASH' },
    ],
    'jwk-private-member': [
      '"d"|"d\\|\'d\'',
      /["']d\\{0,7}["']\s{0,3}:\s{0,3}\\{0,7}["']([\w-]{43}|[\w-]{64}|[\w-]{66}|[\w-]{76}|[\w-]{86,88}|[\w-]{342})(?=\\{0,7}["'])/y,
      { ...PRIVATE_KEY, valid: 'random' },
    ],
    'kubernetes-secret': [
      'kind: secret|"kind":"secret"|"kind": "secret"',
      /kind["']?: ?["']?Secret(?![\w])/iy,
      { ...SECRET, finder: 'kubernetesSecret' },
    ],
    'maven-password': [
      '<password>{|<passphrase>{|<master>{',
      /<(?:password|passphrase|master)>(\{[A-Za-z0-9+/]{16,200}={0,2}\})(?=<)/y,
    ],
    'curl-option': [
      'curlopt_',
      /CURLOPT_(?:\w{0,20}(?:PASSWORD|PASSWD|USERPWD)|XOAUTH2_BEARER)\\{0,7}["']?\s{0,3}(?:,|=>|\])\s{0,3}=?\s{0,3}\\{0,7}["'](?:[^"'\n:]{1,64}:)?([^"'\n\\]{3,128})(?=\\{0,7}["'])/y,
      { valid: REAL },
    ],
    'environment-default': [
      'environ.get(|getenv(|environ[|env.get(|process.env.|env.fetch(|import.meta.env.|config(',
      /(?:environ\.get|getenv|env\.get|env\.fetch|config)\(\s{0,3}\\{0,7}["'][\w-]{0,40}(?:PASS(?:WORD|WD|PHRASE)?|PWD|SECRET|TOKEN|(?:API|AUTH|PRIVATE|SIGNING|ENCRYPTION|ACCESS|MASTER|SESSION|HMAC|JWT)_?KEY)[\w-]{0,12}\\{0,7}["']\s{0,3}(?:\)\s{0,3}(?:or|\|\||\?\?|\?:|\{)\s{0,3}|,\s{0,3}(?:default\s?=\s?)?)\\{0,7}["']([^"'\n\s\\]{5,128})(?=\\{0,7}["'])|(?:process\.env|import\.meta\.env)\.\w{0,40}(?:PASS(?:WORD|WD|PHRASE)?|PWD|SECRET|TOKEN|(?:API|AUTH|PRIVATE|SIGNING|ENCRYPTION|ACCESS|MASTER|SESSION|HMAC|JWT)_?KEY)\w{0,12}\s{0,3}(?:\|\||\?\?)\s{0,3}\\{0,7}["'`]([^"'`\n\s\\]{5,128})(?=\\{0,7}["'`])/iy,
      { valid: [REAL, { any: ['random', [/\d|[^\w.\-/:]/, { not: WORDS }]] }] },
    ],
    'bracketed-pw': [
      '(pw:|(pw |[pw:|[pw | pw:',
      /[([ ]pw:?\s?([^\s()[\]"',;]{5,64})(?=[)\],;.\s]|$)/iy,
      { valid: [REAL, /\d/, /[a-z]/i] },
    ],
    'environment-fallback': [
      'env::var(|getenvironmentvariable(|getordefault(|get_env(|env.fetch(|process.env[',
      /(?:env::var|getenvironmentvariable|getordefault|get_env|env\.fetch|process\.env)[[(]\s{0,3}\\{0,7}["'][\w-]{0,40}(?:PASS(?:WORD|WD|PHRASE)?|PWD|SECRET|TOKEN|KEY)[\w-]{0,12}\\{0,7}["']\s{0,3}(?:,\s{0,3}|[\])](?:\.unwrap_or(?:_else)?\(\s?(?:\|\w?\|\s?)?|\s{0,3}(?:\?\?|\|\||\{)\s{0,3}))\\{0,7}["']([^"'\n\s\\]{5,128})(?=\\{0,7}["'])/iy,
      { valid: [REAL, /\d|[^\w.\-/:]/, { not: WORDS }] },
    ],
    'misspelt-password': [
      'pasword|passowrd|passwrod|paswrod|psswd|paswd|passwrd|passord|passwor=|pssword|passsword|passwod',
      /(?:pas?s?word|passowrd|pas?swrod|psswd|paswd|passwrd|passwor|pssword|passsword|passwod)\\{0,7}["']?(?:\s{0,3}[:=]\s{0,3}| is )(?:\\{0,7}["']([^"'\n\\]{4,128})(?=\\{0,7}["'])|([^\s"',;)}\]]{5,128})(?=$|[\s,;)}\]]))/iy,
      { valid: [REAL, /\d|[^\w.]/, { not: /[({]/ }] },
    ],
    'login-argument': [
      'wifi.begin(|newdialer(|plainauth(|.login(|smtp_auth(|.authenticate(',
      /(?:wifi\.begin|newdialer|plainauth|\.login|smtp_auth|\.authenticate)\([^()\n]{1,120}?,\s{0,3}\\{0,7}["']([^"'\n\\]{6,64})(?=\\{0,7}["']\s{0,3}\))/iy,
      { valid: { any: [APP_PASSWORD, MIXED] } },
    ],
    'argument-pair': [
      `password",|password',|password\\|passwd",|passwd',|passwd\\|pwd",|pwd',|pwd\\|passphrase",|passphrase',|
      passphrase\\|requirepass",|requirepass',|requirepass\\`,
      /(?<!\/)(?:password|passwd|pwd|passphrase|requirepass)\\{0,7}["'],\s{0,3}\\{0,7}["']([^"'\n\s\\]{6,128})(?=\\{0,7}["'])/iy,
      { valid: MIXED },
    ],
    'passphrase-of-words': [
      'password:|passphrase:|pass phrase:|password is|passphrase is|recovery phrase:|seed phrase:',
      /(?:pass(?:word|phrase| phrase)|(?:recovery|seed) phrase)(?::| is:?)\s{1,3}\\{0,7}["']?([a-z]{3,10}(?: [a-z]{3,10}){3,11})(?=\\{0,7}["']|\s{0,3}(?:$|[\r\n.#]|\\))/iy,
      { valid: { not: SENTENCE }, kind: 'probable' },
    ],
    'card-beside-word': [
      'card|visa|mastercard|maestro|amex|karte|tarjeta|carte|carta',
      /(?<!\btest[^\n]{0,16})(?:card|visa|maestro|amex|karte|tarjeta|carte|carta)[^\n\d]{0,24}(?<![\w.-])(\d(?:[ -]?\d){11,18})(?![\w.-])/iy,
      { category: 'card', placeholder: 'CARD', valid: ['luhn', { not: /^(\d)\1+$/ }] },
    ],
  },
}
