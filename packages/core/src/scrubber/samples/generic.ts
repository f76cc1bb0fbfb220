import type { Row } from './row.ts'

/** One for each rule of `rules/generic.ts`. */
export const generic: readonly Row[] = [
  [
    'private-key',
    '-----BEGIN RSA PRIVATE KEY-----\n{mix:64}\n{mix:64}\n-----END RSA PRIVATE KEY-----',
    '-----BEGIN PUBLIC KEY-----\n{mix:64}\n-----END PUBLIC KEY-----',
    'https://www.rfc-editor.org/rfc/rfc7468',
  ],
  [
    'url-password',
    'postgres://app:{mix:14}@db.acme.io:5432/shop',
    'postgres://app:$DB_PASS@db.acme.io:5432/shop',
    'https://www.rfc-editor.org/rfc/rfc3986#section-3.2.1',
  ],
  [
    'jwt',
    'eyJhbGciOiJIUzI1NiJ9.eyJ{mix:30}.{mix:43}',
    'eyJhbGciOiJIUzI1NiJ9',
    'https://www.rfc-editor.org/rfc/rfc7519',
  ],
  [
    'authorization',
    'Authorization: Bearer {mix:32}',
    'Authorization: Bearer <token>',
    'https://www.rfc-editor.org/rfc/rfc6750',
  ],
  [
    'basic-authorization',
    'Authorization: Basic amFuZTpodW50ZXIyMg==',
    'Authorization: Basic realm',
    'https://www.rfc-editor.org/rfc/rfc7617',
  ],
  ['cookie', 'Cookie: session={mix:32}; theme=dark', 'Cookie: theme=dark', 'https://www.rfc-editor.org/rfc/rfc6265'],
  [
    'curl-user',
    'curl -u jane:{mix:12} https://acme.io/',
    'curl -u $USER:$PASS https://acme.io/',
    'https://curl.se/docs/manpage.html#-u',
  ],
  [
    'netrc',
    'machine acme.io login jane password {mix:12}',
    'machine acme.io login jane',
    'https://www.gnu.org/software/inetutils/manual/html_node/The-_002enetrc-file.html',
  ],
  [
    'auth-tuple',
    "get(url, auth=('jane', '{mix:12}'))",
    'get(url, auth=(user, password))',
    'https://requests.readthedocs.io/en/latest/user/authentication/',
  ],
  [
    'sshpass',
    "sshpass -p '{mix:12}' ssh jane@acme.io",
    'sshpass -p $PASS ssh acme.io',
    'https://linux.die.net/man/1/sshpass',
  ],
  [
    'sql-password',
    "CREATE USER app IDENTIFIED BY '{mix:12}';",
    'CREATE USER app IDENTIFIED BY password;',
    'https://dev.mysql.com/doc/refman/8.4/en/create-user.html',
  ],
  ['htpasswd', '$2b$12${mix:53}', '$2b$12${mix:9}', 'https://httpd.apache.org/docs/2.4/misc/password_encryptions.html'],
  [
    'assignment',
    'client_secret = "{mix:32}"',
    'client_secret = os.environ["CLIENT_SECRET"]',
    'https://cheatsheetseries.owasp.org/cheatsheets/Secrets_Management_Cheat_Sheet.html',
  ],
  [
    'vendor',
    'datadog = "{hex:32}"',
    'datadog = "enabled"',
    'https://docs.datadoghq.com/account_management/api-app-keys/',
  ],
]
