import type { Rule } from '../engine/rule.ts'

/** Returns whether a value is a literal, and not a manual's placeholder: `$PASS`, `<password>`, `%PW%`, `****`. */
const literal = (value: string): boolean =>
  !/^(?:[$<%{*]|\[[A-Z]|x+$|pass(?:word)?\d?$|secret$|your|my_?pass)/i.test(value)
/**
 * Returns whether a value may be a chosen password: it has letters and digits, and is not a word that ends with a digit, a
 * file name, a path or a call.
 */
const chosen = (value: string): boolean =>
  literal(value) &&
  /[A-Za-z]/.test(value) &&
  /\d/.test(value) &&
  !/^[a-z]+\d?$|^[\w.-]+\.[a-z]{2,4}$|^[./~]|[()];?$/.test(value)

const password = (id: string, keywords: string, pattern: RegExp, more?: Partial<Rule>): Rule => ({
  id,
  category: 'password',
  placeholder: 'PASSWORD',
  keywords: keywords.split(','),
  pattern,
  inside: true,
  valid: literal,
  ...more,
})

/** Rules for passwords that a flag of a command, the format of a file or the words of a sentence reveal. */
export const commandRules: readonly Rule[] = [
  password(
    'azure-login',
    'az login,az acr login',
    /az (?:acr )?login[^\n|;&]{0,200}? (?:-p|--password)[ =]["']?([^\s"']{6,128})/iy,
  ),
  password(
    'net-use',
    'net use ',
    /net use [^\n]{0,100}?(?: \/user:[^\s]{1,64} |\\\\[^\s]{1,100} (?=[^\s]{4,64} \/user:))([^\s"'/\\:]{4,64})/iy,
  ),
  password(
    'ldap-bind',
    'ldapsearch,ldapmodify,ldapadd,ldapwhoami,ldapdelete',
    /ldap[a-z]{3,8} [^\n|;&]{0,160}?-w ?["']?([^\s"'-][^\s"']{3,128})/y,
  ),
  password(
    'samba-user',
    'smbclient,-u ',
    /(?:smbclient[^\n|;&]{0,100}? -U ?|-U )["']?[\w.\\/-]{1,64}%([^\s"']{3,128})/y,
  ),
  password(
    'htpasswd-command',
    'htpasswd -',
    /htpasswd (?:-[a-zA-Z]{1,6} ){0,4}-[a-zA-Z]{0,5}b[a-zA-Z]{0,5} (?:-[a-zA-Z]{1,6} ){0,4}[^\s-][^\s]{0,128} [\w.@-]{1,64} ["']?([^\s"']{3,128})/y,
  ),
  password('useradd', 'useradd,usermod', /user(?:add|mod)[^\n|;&]{0,120}? (?:-p|--password)[ =]["']?([^\s"']{4,128})/y),
  password('zip', 'zip ', /zip (?:[^\n|;&]{0,120}? )?-P ?["']?([^\s"']{4,128})/y),
  password(
    'ssh-keygen',
    'ssh-keygen',
    /ssh-keygen[^\n|;&]{0,160}? -[NP] ?(?:\\{0,7}["']([^"'\n\\-][^"'\n\\]{3,128})(?=\\{0,7}["'])|([^\s"'\\-][^\s"'\\]{4,128}))/y,
  ),
  password(
    'secure-string',
    'convertto-securestring',
    /convertto-securestring\s{1,3}(?:-string\s{1,3})?["']([^"'\n]{4,128})(?=["']\s{1,3}-asplaintext)/iy,
  ),
  password('expect-send', 'send ', /send (?:-- )?["']?([^\s"'\\]{6,64})(?=\\{1,4}[rn])/y, { valid: chosen }),
  password('token-input', '--with-token', /--with-token\s{0,2}<<<\s{0,2}["']?([^\s"'$]{16,400})/y, {
    category: 'token',
    placeholder: 'TOKEN',
  }),
  {
    id: 'piped-password',
    category: 'password',
    placeholder: 'PASSWORD',
    keywords: [
      '| sudo -s',
      '| chpasswd',
      '| sudo chpasswd',
      '--password-stdin',
      '| gh auth',
      '--stdin',
      '| kinit',
      '| docker secret',
      '| cryptsetup',
      '| vncpasswd',
    ],
    finder: 'piped',
  },
  password(
    'oracle',
    'jdbc:oracle:,sqlplus ',
    /(?:jdbc:oracle:(?:thin|oci8?):|sqlplus (?:-\w{1,3} ){0,3})[\w$#]{1,64}\/([^\s@"'/]{3,128})(?=@|\s|$)/iy,
  ),
  password(
    'pgpass',
    ':5432:,:5433:,:6432:,:*:',
    /:(?:\d{4}|\*):[\w*.-]{1,64}:[\w*.@-]{1,64}:([^\s:"'/\\]{4,128})(?=\s|$|\\|["'])/y,
  ),
  password(
    'rabbitmq',
    'rabbitmqctl',
    /rabbitmqctl (?:-\w{1,3} )?(?:add_user|change_password|authenticate_user) [\w.@-]{1,64} ["']?([^\s"']{4,128})/y,
  ),
  password(
    'remote-desktop',
    'xfreerdp,rdesktop',
    /(?:xfreerdp|rdesktop)\d?[^\n|;&]{0,200}? (?:\/p:|-p )["']?([^\s"'-][^\s"']{3,128})/y,
  ),
  password('fernet', 'fernet(', /fernet\(b?\\{0,7}["']([\w-]{43}=)/iy, {
    category: 'token',
    placeholder: 'SECRET_KEY',
  }),
  password('wifi', 'psk=', /psk=\\{0,7}"([^"\n\\]{8,63})(?=\\{0,7}")/y),
  password('network-manager', 'psk=', /(?<=(?:\n|\\n)[+ -]?)psk=([^"'[\s\\][^"\n\\]{6,61}[^"\s\\])(?=\r?\n|\\|"|$)/y),
  password(
    'ansible',
    'ansible_become_pass,ansible_ssh_pass,ansible_sudo_pass,ansible_password,ansible_become_password',
    /ansible_(?:become_|ssh_|sudo_)?pass(?:word)?\\{0,7}["']?\s{0,2}[:=]\s{0,2}\\{0,7}["']?((?!\{\{|!vault|\$)[^\s"'\\]{4,128})/iy,
  ),
  password(
    'plist',
    '<key>',
    /<key>[\w. -]{0,40}(?:[Pp]assword|[Ss]ecret|[Tt]oken|[Aa]pi ?[Kk]ey|PASSWORD|SECRET|TOKEN|API_KEY)<\/key>\s{0,16}<string>([^<\n]{4,1000})(?=<\/string>)/y,
  ),
  password(
    'random-password',
    'random_password',
    /random_password\\{0,7}"[^]{0,1000}?"result\\{0,7}":\s{0,3}\\{0,7}"([^"\n\\]{8,256})(?=\\{0,7}")/y,
  ),
  password(
    'password-word',
    'contrase,mot de passe,passwort,kennwort,pw:,pw=,pw =',
    /(?:contrase(?:ñ|n|\\u00f1)a|mot de passe|passwor(?:t|d)|kennwort|(?<![A-Za-z0-9])pw)["']?\s{0,2}[:=]\s{0,2}["']?([^\s"'<>`]{6,64})/iy,
    { valid: chosen },
  ),
  password(
    'login-pair',
    'log in,login,sign in,credential,creds,account,anmeldung,zugangsdaten,identifiants,credenciales',
    /(?:log ?in|sign in|credentials?|creds|account|anmeldung|zugangsdaten|identifiants|credenciales)[a-z]{0,3}(?: (?:with|as|is|are|using|to|the|by|mit|sind|lauten|sont|son)|:){0,3} [\w.@-]{2,64} \/ ([^\s/,;"'`]{6,64})(?=[\s,;"'`.]|$)/iy,
    { valid: chosen },
  ),
  password(
    'login-with',
    'log in as ,login as ,sign in as ,logged in as ',
    /(?:log ?in|sign in|logged in) as [\w.@-]{2,64} (?:with|using|and|\/|,)(?: the)?(?: password| pass| pw)? ["'`]?([^\s,;"'`]{6,64})(?=[\s,;"'`.]|$)/iy,
    { valid: chosen },
  ),
  password(
    'prose-pair',
    'auth:,user/pass,user:pass,username/password,login/password,credentials,creds,try ,логин/пароль,логин:,用户名/密码,账号/密码,usuario/clave,anmeldung',
    /(?:(?<!(?<!\\)[A-Za-z])(?:auth:|user(?:name)?[/:]pass(?:word)?|login\/pass(?:word)?|credentials?(?!\()|creds(?!\()|try)|логин\/пароль|логин:|用户名\/密码|账号\/密码|usuario\/clave|anmeldung mit)(?: (?:are|is|were))?[:：=→(]{0,2} ?[:：=→(]?\s{0,2}[\w.@-]{2,64}(?: \/ |\/| : |:|, )["'`]?([^\s/,;:"'`()]{6,64})(?=[\s,;"'`.)]|$)/iy,
    { valid: (value) => chosen(value) && /[a-z][A-Z]|[A-Za-z]\d+[A-Za-z!@#$%^&*]|[!#$%^&*]/.test(value) },
  ),
  {
    id: 'as-password',
    category: 'password',
    placeholder: 'PASSWORD',
    keywords: [
      ' as the password',
      ' as password',
      ' is the password',
      ' as my password',
      ' as a password',
      ' as the secret',
      ' as the token',
    ],
    finder: 'asPassword',
  },
  {
    id: 'seed-phrase',
    category: 'secret',
    placeholder: 'SEED_PHRASE',
    keywords: [
      'mnemonic',
      'seed phrase',
      'recovery phrase',
      'secret phrase',
      'backup phrase',
      'twelve words',
      '12 words',
      '24 words',
    ],
    inside: true,
    pattern:
      /(?:mnemonic|(?:seed|recovery|secret|backup) phrase|(?:twelve|12|24) words)\w{0,10}\\{0,7}["']?(?:,? (?:it |this )?is)?\s{0,3}[:=]?\s{0,3}\\{0,7}["'`]?((?:(?!(?:the|and|for|are|was|from|into|your|with|has) )[a-z]{3,8} ){11,23}[a-z]{3,8})(?![a-z])/iy,
  },
  {
    id: 'remark',
    category: 'secret',
    placeholder: 'SECRET',
    keywords: ['api key', 'apikey', 'api_key', 'token', 'secret', 'password', 'access key', 'secret key'],
    finder: 'commentLabel',
  },
  { id: 'email-spelled', category: 'email', placeholder: 'EMAIL', keywords: ['(at)', '[at]'], finder: 'spelled' },
  { id: 'url-user', category: 'token', placeholder: 'TOKEN', keywords: ['://'], finder: 'urluser' },
]

/** Rules for secrets in headers of cookies and in flags of commands. */
export const shellRules: readonly Rule[] = [
  {
    id: 'cookie',
    category: 'token',
    placeholder: 'COOKIE',
    keywords: ['cookie:', "cookie'", 'cookie"'],
    finder: 'cookie',
  },
  {
    id: 'curl-user',
    category: 'password',
    placeholder: 'PASSWORD',
    keywords: [' -u', '--user ', '--user=', '--proxy-user '],
    finder: 'curl',
  },
  {
    id: 'sshpass',
    category: 'password',
    placeholder: 'PASSWORD',
    keywords: [
      'sshpass -p',
      'docker login',
      'mysql -',
      'mysqldump -',
      'mysqladmin -',
      'mariadb -',
      'mongo ',
      'mongosh ',
      'mongodump ',
      'mongorestore ',
      'mongoexport ',
      'sqlcmd ',
      'bcp ',
      'cqlsh ',
      'clickhouse-client ',
      'hydra ',
      'medusa ',
      'evil-winrm',
      'crackmapexec ',
      'netexec ',
      'nxc ',
      'smbmap ',
      'isql ',
      'tsql ',
      'knife ',
      'beeline ',
      'esxcli ',
      'racadm ',
      'vsql ',
      'fab ',
      'bloodhound-python',
      'oc login',
      'crane auth',
      'podman login',
      'nerdctl login',
      'buildah ',
      'skopeo ',
      'cypher-shell',
      'rabbitmqadmin',
      'elasticsearch-users',
      'expo login',
      'altool ',
      'certutil ',
      'unlock-keychain',
      'smbclient ',
    ],
    finder: 'flag',
  },
]
