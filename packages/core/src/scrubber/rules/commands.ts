import type { Condition, RuleTable } from '../engine/rule.ts'
import { PASSWORD, SECRET, TOKEN } from './categories.ts'

/** Excludes the placeholders in manuals: `$PASS`, `<password>`, `RAW_PASSWORD`, `****`. */
const LITERAL: Condition = [
  { not: /^(?:[$<%{*]|\[[A-Z]|x+$|pass(?:word)?\d?$|secret$|your|my_?pass)/i },
  { not: /^[A-Z]{2,}(?:_[A-Z]{2,})+$/ },
]
/**
 * The form of a password that a person chose: it has letters and digits, and is not a file name, a path, a call, or a
 * word with one digit at the end.
 */
const CHOSEN: Condition = [LITERAL, /[A-Za-z]/, /\d/, { not: /^[a-z]+\d?$|^[\w.-]+\.[a-z]{2,4}$|^[./~]|[()];?$/ }]

/** Rules for passwords in flags of commands, in files of certain formats, and in certain sentences. */
export const commandRules: RuleTable = {
  defaults: { ...PASSWORD, inside: true, valid: LITERAL },
  rows: {
    'azure-login': [
      'az login|az acr login',
      /az (?:acr )?login[^\n|;&]{0,200}? (?:-p|--password)[ =]["']?([^\s"']{6,128})/iy,
    ],
    'net-use': [
      'net use ',
      /net use [^\n]{0,100}?(?: \/user:[^\s]{1,64} |\\\\[^\s]{1,100} (?=[^\s]{4,64} \/user:))([^\s"'/\\:]{4,64})/iy,
    ],
    'ldap-bind': [
      'ldapsearch|ldapmodify|ldapadd|ldapwhoami|ldapdelete',
      /ldap[a-z]{3,8} (?:[^\n|;&]{0,160}? )?-w ?["']?([^\s"'-][^\s"']{3,128})/y,
    ],
    'samba-user': ['smbclient|-u ', /(?:smbclient[^\n|;&]{0,100}? -U ?|-U )["']?[\w.\\/-]{1,64}%([^\s"']{3,128})/y],
    'htpasswd-command': [
      'htpasswd -',
      /htpasswd (?:-[a-zA-Z]{1,6} ){0,4}-[a-zA-Z]{0,5}b[a-zA-Z]{0,5} (?:-[a-zA-Z]{1,6} ){0,4}[^\s-][^\s]{0,128} [\w.@-]{1,64} ["']?([^\s"']{3,128})/y,
    ],
    'useradd': ['useradd|usermod', /user(?:add|mod)[^\n|;&]{0,120}? (?:-p|--password)[ =]["']?([^\s"']{4,128})/y],
    'zip': ['zip ', /zip (?:[^\n|;&]{0,120}? )?-P ?["']?([^\s"']{4,128})/y],
    'ssh-keygen': [
      'ssh-keygen',
      /ssh-keygen[^\n|;&]{0,160}? -[NP] ?(?:\\{0,7}["']([^"'\n\\-][^"'\n\\]{3,128})(?=\\{0,7}["'])|([^\s"'\\-][^\s"'\\]{4,128}))/y,
    ],
    'wandb-login': ['wandb login ', /wandb login (?:--?[\w=-]{1,30} ){0,4}([\da-f]{40})(?!\w)/y, TOKEN],
    'secure-string': [
      'convertto-securestring',
      /convertto-securestring\s{1,3}(?:-string\s{1,3})?["']([^"'\n]{4,128})(?=["']\s{1,3}-asplaintext)/iy,
    ],
    'expect-send': ['send ', /send (?:-- )?["']?([^\s"'\\]{6,64})(?=\\{1,4}[rn])/y, { valid: CHOSEN }],
    'token-input': ['--with-token', /--with-token\s{0,2}<<<\s{0,2}["']?([^\s"'$]{16,400})/y, TOKEN],
    'piped-password': [
      [
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
      'piped',
    ],
    'oracle': [
      'jdbc:oracle:|sqlplus ',
      /(?:jdbc:oracle:(?:thin|oci8?):|sqlplus (?:-\w{1,3} ){0,3})[\w$#]{1,64}\/([^\s@"'/]{3,128})(?=@|\s|$)/iy,
    ],
    'pgpass': [
      ':5432:|:5433:|:6432:|:*:',
      /:(?:\d{4}|\*):[\w*.-]{1,64}:[\w*.@-]{1,64}:([^\s:"'/\\]{4,128})(?=\s|$|\\|["'])/y,
    ],
    'rabbitmq': [
      'rabbitmqctl',
      /rabbitmqctl (?:-\w{1,3} )?(?:add_user|change_password|authenticate_user) [\w.@-]{1,64} ["']?([^\s"']{4,128})/y,
    ],
    'remote-desktop': [
      'xfreerdp|rdesktop',
      /(?:xfreerdp|rdesktop)\d?[^\n|;&]{0,200}? (?:\/p:|-p )["']?([^\s"'-][^\s"']{3,128})/y,
    ],
    'fernet': ['fernet(', /fernet\(b?\\{0,7}["']([\w-]{43}=)/iy, { ...TOKEN, placeholder: 'SECRET_KEY' }],
    'wifi': ['psk=', /psk=(?:\\{0,7}"([^"\n\\]{8,63})(?=\\{0,7}")|([\dA-Fa-f]{64})(?!\w))/y],
    'network-manager': ['psk=', /(?<=(?:\n|\\n)[+ -]?)psk=([^"'[\s\\][^"\n\\]{6,61}[^"\s\\])(?=\r?\n|\\|"|$)/y],
    'ansible': [
      'ansible_become_pass|ansible_ssh_pass|ansible_sudo_pass|ansible_password|ansible_become_password',
      /ansible_(?:become_|ssh_|sudo_)?pass(?:word)?\\{0,7}["']?\s{0,2}[:=]\s{0,2}\\{0,7}["']?((?!\{\{|!vault|\$)[^\s"'\\]{4,128})/iy,
    ],
    'plist': [
      '<key>',
      /<key>[\w. -]{0,40}(?:[Pp]assword|[Ss]ecret|[Tt]oken|[Aa]pi ?[Kk]ey|PASSWORD|SECRET|TOKEN|API_KEY)<\/key>\s{0,16}<string>([^<\n]{4,1000})(?=<\/string>)/y,
    ],
    'random-password': [
      'random_password',
      /random_password\\{0,7}"[^]{0,1000}?"result\\{0,7}":\s{0,3}\\{0,7}"([^"\n\\]{8,256})(?=\\{0,7}")/y,
    ],
    'password-word': [
      'contrase|mot de passe|passwort|kennwort|pw:|pw=|pw =',
      /(?:contrase(?:ñ|n|\\u00f1)a|mot de passe|passwor(?:t|d)|kennwort|(?<![A-Za-z0-9])pw)["']?\s{0,2}[:=]\s{0,2}["']?([^\s"'<>`]{6,64})/iy,
      { valid: CHOSEN },
    ],
    'login-pair': [
      'log in|login|sign in|credential|creds|account|anmeldung|zugangsdaten|identifiants|credenciales',
      /(?:log ?in|sign in|credentials?|creds|account|anmeldung|zugangsdaten|identifiants|credenciales)[a-z]{0,3}(?: (?:with|as|is|are|using|to|the|by|mit|sind|lauten|sont|son)|:){0,3} [\w.@-]{2,64} \/ ([^\s/,;"'`]{6,64})(?=[\s,;"'`.]|$)/iy,
      { valid: CHOSEN },
    ],
    'login-with': [
      'log in as |login as |sign in as |logged in as ',
      /(?:log ?in|sign in|logged in) as [\w.@-]{2,64} (?:with|using|and|\/|,)(?: the)?(?: password| pass| pw)? ["'`]?([^\s,;"'`]{6,64})(?=[\s,;"'`.]|$)/iy,
      { valid: CHOSEN },
    ],
    'prose-pair': [
      `auth:|user/pass|user:pass|username/password|login/password|credentials|creds|try |логин/пароль|логин:|用户名/密码|
      账号/密码|usuario/clave|anmeldung`,
      /(?:(?<!(?<!\\)[A-Za-z])(?:auth:|user(?:name)?[/:]pass(?:word)?|login\/pass(?:word)?|credentials?(?!\()|creds(?!\()|try)|логин\/пароль|логин:|用户名\/密码|账号\/密码|usuario\/clave|anmeldung mit)(?: (?:are|is|were))?[:：=→(]{0,2} ?[:：=→(]?\s{0,2}[\w.@-]{2,64}(?: \/ |\/| : |:|, )["'`]?([^\s/,;:"'`()]{6,64})(?=[\s,;"'`.)]|$)/iy,
      { valid: [CHOSEN, /[a-z][A-Z]|[A-Za-z]\d+[A-Za-z!@#$%^&*]|[!#$%^&*]/] },
    ],
    'as-password': [
      ' as the password| as password| is the password| as my password| as a password| as the secret| as the token',
      'asPassword',
    ],
    'seed-phrase': [
      'mnemonic|seed phrase|recovery phrase|secret phrase|backup phrase|twelve words|12 words|24 words',
      /(?:mnemonic|(?:seed|recovery|secret|backup) phrase|(?:twelve|12|24) words)\w{0,10}\\{0,7}["']?(?:,? (?:it |this )?is)?\s{0,3}[:=]?\s{0,3}\\{0,7}["'`]?((?:(?!(?:the|and|for|are|was|from|into|your|with|has) )[a-z]{3,8} ){11,23}[a-z]{3,8})(?![a-z])/iy,
      { ...SECRET, placeholder: 'SEED_PHRASE', valid: undefined },
    ],
    'remark': ['api key|apikey|api_key|token|secret|password|access key|secret key', 'commentLabel', SECRET],
    'email-spelled': ['(at)|[at]', 'spelled', { category: 'email', placeholder: 'EMAIL' }],
    'url-user': ['://', 'urluser', TOKEN],
  },
}

/** Rules for secrets in headers of cookies and in flags of commands. */
export const shellRules: RuleTable = {
  defaults: PASSWORD,
  rows: {
    'cookie': [
      'cookie:|cookie\'|cookie"| -b \'| -b "|--cookie \'|--cookie "',
      'cookie',
      { ...TOKEN, placeholder: 'COOKIE' },
    ],
    'curl-user': [' -u|--user |--user=|--proxy-user ', 'curl'],
    'sshpass': [
      `sshpass -p|docker login|mysql -|mysqldump -|mysqladmin -|mariadb -|mongo |mongosh |mongodump |mongorestore |
      mongoexport |sqlcmd |bcp |cqlsh |clickhouse-client |hydra |medusa |evil-winrm|crackmapexec |netexec |nxc |
      smbmap |isql |tsql |knife |beeline |esxcli |racadm |vsql |fab |bloodhound-python|oc login|crane auth|
      podman login|nerdctl login|buildah |skopeo |cypher-shell|rabbitmqadmin|elasticsearch-users|expo login|
      altool |certutil |unlock-keychain|smbclient `,
      'flag',
    ],
  },
}
