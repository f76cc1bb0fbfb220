import type { RuleTable } from '../engine/rule.ts'

/** Rules for secrets that only the context reveals: a name, a URL, a header, PEM delimiters. */
export const genericRules: RuleTable = {
  defaults: { category: 'password' },
  rows: {
    'private-key': ['-----begin ', 'pem', { category: 'private_key' }],
    'url-password': ['://', 'credentials'],
    'jwt': [
      'eyj',
      /eyJ[\w-]{8,4000}\.(?:eyJ[\w-]{4,8000}\.[\w-]{10,2000}|\.{0,1}[\w-]{0,2000}\.[\w-]{10,8000}\.[\w-]{10,200}|eyJ[\w-]{10,8000}\.?)(?![\w-])/y,
      {
        category: 'token',
        placeholder: 'JWT',
        // Excludes the example token of jwt.io with the name John Doe.
        valid: { not: /\.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9l/ },
      },
    ],
    'authorization': [
      'bearer ',
      /[Bb]earer\s{1,3}(?=[\w.~+/-]{0,400}\d)([\w.~+/-]{16,4096}={0,2})/y,
      { category: 'token' },
    ],
    'basic-authorization': [
      'basic ',
      /[Bb]asic\s{1,3}([A-Za-z0-9+/]{8,512}={0,2})(?![\w+/=])/y,
      { valid: 'base64Pair' },
    ],
    'netrc': ['login ', /login\s{1,4}(?!(?:and|or)\s)[^\s"]{1,128}\s{1,8}password[ \t]{1,4}([^\s"'`\\]{1,256})/y],
    'auth-tuple': [
      'auth=(|auth = (|basicauth(',
      /(?:auth ?= ?\(|basicauth\()\s{0,2}["'][^"'\n]{1,64}["'],\s{0,2}["']([^"'\n\\\u4e00-\u9fff]{3,128})(?=["'])/iy,
      { inside: true, valid: { not: /^(?:pass(?:word)?|pwd|secret|changeme)$/i } },
    ],
    'sql-password': [
      "identified by|identified with|with password|password '",
      /(?:identified (?:with [`'"]?\w{1,40}[`'"]? )?by|with (?:encrypted )?password|password)\s{1,3}(?:password\s{1,3})?(?:'([^'\n\\]{1,128}(?='))|\\{0,7}"([^"\n\\]{1,128}(?=\\{0,7}")))/iy,
      // Excludes variables, placeholders and constants.
      {
        valid: {
          not: /^(?:\.{2,}|\{\w+\}|(?:use_?)?[yY]our\w*|\$[({].*|\$?[A-Z][A-Z\d]*(?:_[A-Z\d]+)+|\$[A-Z]+|\$[a-z_]+|<.*>|%\w+%)$/,
        },
      },
    ],
    'htpasswd': [
      '$2a$|$2b$|$2y$|$apr1$|$6$|$5$|$argon2',
      /\$(?:2[aby]\$\d\d\$[A-Za-z0-9./]{53}|apr1\$[A-Za-z0-9./]{1,8}\$[A-Za-z0-9./]{22}|6\$(?:rounds=\d{1,9}\$)?[A-Za-z0-9./]{1,16}\$[A-Za-z0-9./]{86}|5\$(?:rounds=\d{1,9}\$)?[A-Za-z0-9./]{1,16}\$[A-Za-z0-9./]{43}|argon2(?:id|i|d)\$v=\d+\$m=\d+,t=\d+,p=\d+\$[A-Za-z0-9+/]{8,88}\$[A-Za-z0-9+/]{16,128})/y,
      // Excludes the example hash in most documents about bcrypt, by its salt.
      { placeholder: 'PASSWORD_HASH', valid: { not: /N9qo8uLOickgx2ZMRZoMye/ } },
    ],
  },
}

/** Rules for values that are assigned to a name. They are tried after all rules for contexts and formats. */
export const assignmentRules: RuleTable = {
  rows: {
    assignment: [
      `pass|pwd|secret|token|key|auth|credential|contrase|kennwort|senha|creds|bearer|motdepasse|salt|totp|otp_seed|
      otpseed|mfa_seed|two_factor|rootpw|bindpw|_private|_access`,
      'assignment',
      { category: 'secret' },
    ],
  },
}
