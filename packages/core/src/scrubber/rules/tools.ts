import type { Condition, RuleTable } from '../engine/rule.ts'
import { PASSWORD, SECRET, TOKEN } from './categories.ts'

/** Excludes references, flags, and a word before the closing bracket of an optional part: `[-P password]`. */
const REAL: Condition = { not: { any: ['placeholderWord', /^-|^(?:pass(?:word)?\d?|secret)$|^[a-z]+\]$/i] } }
/** The form of a password that a person chose: it has letters, and also a digit or a special character. */
const CHOSEN: Condition = [REAL, /[A-Za-z]/, /\d|[!#$%^&*]/]

/** Rules for passwords after the flags of certain command-line tools, as their manuals describe them. */
export const toolRules: RuleTable = {
  defaults: { ...PASSWORD, inside: true, valid: REAL },
  rows: {
    'neo4j-auth': [
      'neo4j_auth',
      /neo4j_auth\\{0,7}["']?\s?[:=]\s?\\{0,7}["']?neo4j\/([^\s"'\\$<{]{3,128})/iy,
      { valid: { not: /^(?:your[-_]?)?pass(?:word)?$/i } },
    ],
    'mosquitto': ['mosquitto_', /mosquitto_[a-z]{2,8} [^\n|;&]{0,200}?-P ["']?([^\s"']{3,128})/y],
    'snmp': [
      'snmpwalk|snmpget|snmpset|snmpbulk|snmptrap|snmptable',
      /snmp[a-z]{3,9} [^\n|;&]{0,200}? -A ["']?([^\s"']{8,64})/y,
    ],
    'snmp-privacy': [
      'snmpwalk|snmpget|snmpset|snmpbulk|snmptrap|snmptable',
      /snmp[a-z]{3,9} [^\n|;&]{0,240}? -X ["']?([^\s"']{8,64})/y,
    ],
    'ipmitool': ['ipmitool', /ipmitool [^\n|;&]{0,200}?-P ["']?([^\s"']{3,64})/y],
    'windows-flag': [
      'cmdkey |schtasks |wmic |psexec|winrs |wevtutil |net.exe use|rasdial |/pass:',
      /(?:(?:cmdkey|schtasks|wmic|psexec(?:64)?(?:\.exe)?|winrs|wevtutil)[^\n]{0,200}? [/-](?:pass(?:word)?|rp|p)[: ]"?|rasdial \S{1,64} \S{1,64} |\/pass:"?)([^\s"/][^\s"]{2,127})/iy,
    ],
    'net-user': ['net user |net1 user ', /net1? user ["']?[\w.$-]{1,64}["']? ["']?([^\s"'/*][^\s"']{3,127})/iy],
    'archive': [
      '7z |7za |7zr |unrar |rar ',
      /(?:7z[ar]?|(?:un)?rar) [^\n|;&]{0,200}?(?<= )-h?p["']?([^\s"'{$-][^\s"'{]{2,127})/y,
    ],
    'openssl': ['openssl ', /openssl [^\n|;&]{0,240}? -(?:[kK] |pass(?:in|out)? pass:|passwd )["']?([^\s"']{4,256})/y],
    'lftp': ['lftp ', /lftp [^\n|;&]{0,160}?-u ["']?[^\s,"']{1,64},([^\s"']{3,128})/y],
    'httpie': [
      'http |https |xh |xhs ',
      /(?<![/:.-])(?<!(?<!\\)\w)(?:https?|xhs?) (?:[^\n|;&]{0,120} )?(?:-a|--auth)[ =]["']?[^\s:"']{1,64}:([^\s"']{3,128})/y,
    ],
    'putty-flag': [' -pw ', / -pw ["']?([^\s"']{3,128})/y],
    'minio': [
      'mc alias set |mc config host add ',
      /mc (?:alias set|config host add) \S{1,64} \S{8,200} \S{3,128} ["']?([^\s"']{8,128})/y,
    ],
    'redis-cli': ['redis-cli', /redis-cli[^\n|;&]{0,160}? (?:-a|--pass) ["']?([^\s"']{3,512})/y],
    'redis-auth': [
      'auth ',
      /(?<=(?:^|[\n>"']|> )\s{0,3})AUTH (?:[\w.-]{1,64} )?["']?([^\s"'\\]{4,512})(?=["']?(?:\s|\\|$))/y,
      { valid: [REAL, /\d/, { not: /^(?:LOGIN|PLAIN|CRAM|XOAUTH|NTLM|SHA)/ }] },
    ],
    'keychain': ['security add-', /security add-(?:generic|internet)-password[^\n]{0,200}? -w ["']?([^\s"']{3,256})/y],
    'slappasswd': ['slappasswd |ldappasswd ', /(?:slap|ldap)passwd [^\n|;&]{0,160}?-[swa] ["']?([^\s"']{3,128})/y],
    'wpa-passphrase': ['wpa_passphrase ', /wpa_passphrase ["']?[^\s"']{1,32}["']? ["']?([^\s"'>|]{8,63})/y],
    'rclone': ['rclone obscure ', /rclone obscure ["']?([^\s"']{4,128})/y],
    'user-and-password': [
      ' -u ',
      / -u ["']?[\w.@\\/-]{1,64}["']?(?: [^\n|;&]{0,80}?)? -p ["']?([^\s"'-][^\s"']{4,128})/y,
      { valid: [CHOSEN, { not: /^\d+:|\/|^[\w-]+\.\w+$/ }] },
    ],
    'user-flag': [
      '-creds |-creds=|--user |--user=|-auth |--basic-auth |--credentials ',
      /--?(?:creds|user|auth|basic-auth|credentials)[ =]["']?[\w.@-]{1,64}:([^\s"':]{4,128})/y,
      { valid: CHOSEN },
    ],
    'unseal-key': [
      'unseal',
      /[Uu]nseal(?: Key \d{1,2}:)? ([A-Za-z0-9+/]{40,90}={0,2})(?![A-Za-z0-9+/=])/y,
      { ...TOKEN, placeholder: 'VAULT_KEY' },
    ],
    'named-value': [
      '--name ',
      /--name[ =]["']?[A-Z0-9_]{0,40}(?:TOKEN|SECRET|KEY|PASS)[A-Z0-9_]{0,40}["']? --value[ =]["']?([^\s"'$]{6,4000})/y,
      SECRET,
    ],
    'stored-secret': [
      `gh secret set |consul kv put |etcdctl put |keyvault secret set|put-parameter |create-secret |
      put-secret-value `,
      /(?:gh secret set \S{1,60} (?:[^\n]{0,60} )?(?:--body|-b)[ =]?|(?:consul kv put|etcdctl put) \S{0,80}(?:pass|secret|token|key|pwd|cred)\S{0,40} |keyvault secret set[^\n]{1,120}? --value[ =]|(?:put-parameter|create-secret|put-secret-value) [^\n]{1,160}? --(?:value|secret-string)[ =])["']?([^\s"'$]{4,4000})/iy,
      SECRET,
    ],
    'upload-token': [
      'codecov |snyk auth |circleci setup |sonar.login=|surge --token',
      /(?:codecov(?:\.exe)?[^\n|;&]{0,80}? -t |snyk auth |circleci setup[^\n]{0,60}? --token |sonar\.login=|surge --token )["']?([0-9a-f-]{32,40})(?![\w-])/y,
      TOKEN,
    ],
    'join-token': [
      '--token |swmtkn-1-|k10',
      /(?:--token[ =]([a-z0-9]{6}\.[a-z0-9]{16})|SWMTKN-1-[a-z0-9]{40,60}-[a-z0-9]{20,30}|K10[0-9a-f]{64}::(?:server|node|[\w-]{1,20}):[\w.-]{16,80})(?![A-Za-z0-9])/y,
      TOKEN,
    ],
    'sbt-credentials': [
      'credentials(',
      /credentials\((?:\\{0,7}["'][^"'\n\\]{0,80}\\{0,7}["'],\s?){2,3}\\{0,7}["']([^"'\n\\]{3,128})(?=\\{0,7}["'])/iy,
    ],
    'oracle-tool': [
      'expdp |impdp |rman target ',
      /(?:expdp|impdp|rman target) [\w$#]{1,64}\/([^\s@"'/]{3,128})(?=@)/iy,
    ],
    'ipsec-key': ['pre-shared-key ', /pre-shared-key [^\n]{0,60}?key ["']?([^\s"']{6,128})/iy],
    'ftp-user': ['ftp> user ', /ftp> user \S{1,64} ([^\s"'\\]{4,128})/y],
    'db2': ['db2 ', /db2 [^\n]{0,120}? using ["']?([^\s"']{4,128})/iy],
    'htpasswd-shown': [
      'htpasswd -',
      /htpasswd -[a-zA-Z]{0,5}n[a-zA-Z]{0,5} (?:-[a-zA-Z]{1,6} ){0,3}[\w.@-]{1,64} ["']?([^\s"']{4,128})/y,
    ],
    'pdf': [
      'input_pw |owner_pw |user_pw |-upw |-opw ',
      /(?:input_pw|owner_pw|user_pw|-upw|-opw) ["']?([^\s"']{3,128})/y,
    ],
    'community': [
      'snmpget |snmpwalk |snmpset |snmpbulk',
      /snmp[a-z]{3,9} [^\n|;&]{0,120}?-c ["']?([^\s"']{4,64})/y,
      { valid: [REAL, { not: /^(?:public|private)$/ }] },
    ],
    'imap-login': [
      ' login ',
      /(?<=(?:^|[\n>:+ ]|\\n)[A-Za-z]{0,4}\d{1,5}) LOGIN "?[^\s"]{1,80}"? "?([^\s"\\]{4,128})/y,
    ],
    'passwd-argument': [
      'openssl passwd |mkpasswd |--plaintext ',
      /(?:openssl passwd|mkpasswd|--plaintext)(?: -{1,2}[\w-]{1,12}(?:[ =](?:sha-?\d{3}|md5|bcrypt|yescrypt))?){0,4} ["']?([^\s"'-][^\s"']{4,128})/y,
    ],
    'network-secret': [
      `radius-server key |tacacs-server key |isakmp key |wpa2-psk |wpa3-psk |enable secret |chap password |
      plain-text-password |wifi-sec.psk |server key `,
      /(?:(?:radius|tacacs)-server key|isakmp key|wpa[23]-psk(?: (?:ascii|hex))?|enable secret|chap password|plain-text-password(?:-value)?|wifi-sec\.psk|server key)(?: [0-9])? ["']?([^\s"'<$]{5,128})/iy,
      { valid: CHOSEN },
    ],
    'redis-user': [' on >', /(?<=user [\w-]{1,40}) on >([^\s"'\\]{4,128})/iy],
    'ftp-login': ['pass ', /PASS ([^\s\\]{4,128})(?=(?:\s|\\{1,4}[rn]|\+){1,6}(?:230|331|503|\+OK|-ERR))/y],
    'windows-tool': [
      'certutil |signtool |sc.exe |sc config ',
      /(?:certutil [^\n]{0,80}?-p |signtool [^\n]{0,160}? \/p |sc(?:\.exe)? (?:config|create) [^\n]{0,160}?password= ?)["']?([^\s"']{4,128})/iy,
    ],
    'vault-login': ['bw login ', /bw login [^\s@]{1,64}@[^\s]{1,100} ["']?([^\s"'-][^\s"']{5,128})/y],
    'bearer-flag': ['-a bearer', /-A bearer -a ["']?([^\s"'$]{12,4000})/y, TOKEN],
  },
}
