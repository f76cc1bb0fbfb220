import type { Condition, RuleTable } from '../engine/rule.ts'
import { PASSWORD, PRIVATE_KEY, SECRET, TOKEN } from './categories.ts'

/** Excludes references, and sample words in manuals. */
const REAL: Condition = { not: { any: ['placeholderWord', /^(?:pass(?:word)?\d?|secret|token)$/i] } }
/** The form of a password that a person chose: it has letters, and also a digit or a special character. */
const CHOSEN: Condition = [REAL, /\d|[^\w.\-/: ]/, /[A-Za-z]/]
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Rules for secrets in calls, in forms, in fields of known formats, and next to a word for a code. */
export const frameRules: RuleTable = {
  defaults: { ...PASSWORD, inside: true, valid: REAL },
  rows: {
    'connect-call': [
      'new pdo(|mysqli(|mysqli_connect(|mysql_connect(|pg_connect(|getconnection(|new mysql|oci_connect(',
      /(?:oci_connect\(|(?:new pdo|mysqli?|(?:mysqli?|pg)_connect|getconnection)\(\s{0,3}(?:\\{0,7}["'][^"'\n]{0,200}\\{0,7}["']|[\w$.>-]{1,60}),)\s{0,3}(?:\\{0,7}["'][^"'\n]{1,64}\\{0,7}["']|[\w$.>-]{1,60}),\s{0,3}\\{0,7}["']([^"'\n\\]{3,128})(?=\\{0,7}["'])/iy,
    ],
    'connect-arguments': [
      '.connect(|::connect(|->connect(|sequelize(',
      /(?:(?:\.|::|->)connect|sequelize)\(\s{0,3}\\{0,7}["'][^"'\n\\]{0,200}\\{0,7}["'],\s{0,3}\\{0,7}["'][^"'\n\\]{1,64}\\{0,7}["'],\s{0,3}\\{0,7}["']([^"'\n\\ ]{4,128})(?=\\{0,7}["'])/iy,
      { valid: CHOSEN },
    ],
    'rpc-key': [
      'infura.io/|alchemy.com/|alchemyapi.io/|quiknode.pro/|chainstack.com/|blastapi.io/|getblock.io/|ankr.com/',
      /(?:infura\.io\/(?:ws\/)?v3|alchemy(?:api)?\.(?:com|io)\/v2|quiknode\.pro|chainstack\.com|blastapi\.io|getblock\.io|ankr\.com\/\w{1,24})\/([\w-]{24,64})(?![\w-])/y,
      TOKEN,
    ],
    'private-calendar': ['/private-', /\/private-([0-9a-f]{20,40})(?=\/)/y, TOKEN],
    'url-signature': [
      'signature=',
      /[Ss]ignature=([\w%+/~.-]{40,1000}={0,2})/y,
      { ...TOKEN, placeholder: 'SIGNATURE', valid: 'random' },
    ],
    'aws-pair': [
      'akia|asia',
      /(?:AKIA|ASIA)[A-Z0-9]{16}["']?\s{0,2}[,:;|\t ]\s{0,2}["']?([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])/y,
      { ...TOKEN, placeholder: 'AWS_SECRET', valid: 'random' },
    ],
    'credential-call': [
      `networkcredential(|pscredential(|httpbasicauth(|basicauth(|setbasicauth(|basic_auth(|
      usernamepasswordcredentials(|passwordauthentication(|.login(|basiccredentials(|
      usernamepasswordauthenticationtoken(|simpleauth(|plainauth(|.auth(|changeuserpassword(|username_pw_set(|
      oauthhandler(`,
      /(?:\.auth|changeuserpassword|username_pw_set|oauthhandler|(?:network|ps|basic|usernamepassword)credentials?|(?:http|set|simple)?_?basic_?auth|basic_auth|passwordauthentication|usernamepasswordauthenticationtoken|plainauth|simpleauth|\.login)\(\s{0,3}(?:\\{0,7}["'][^"'\n]{1,80}\\{0,7}["']|[\w$.@]{1,60}),\s{0,3}\\{0,7}["']([^"'\n\\]{3,128})(?=\\{0,7}["'])/iy,
      { valid: [REAL, { not: /\s/ }] },
    ],
    'hash-call': [
      `password_hash(|hashsync(|comparesync(|hashpw(|bcrypt.hash(|bcrypt.compare(|argon2.hash(|
      generate_password_hash(|make_password(|check_password(|set_password(|setpassword(|checkpw(`,
      /(?:password_hash|hashsync|comparesync|hashpw|checkpw|bcrypt\.(?:hash|compare)|argon2\.hash|generate_password_hash|make_password|check_password|set_?password)\(\s{0,3}b?\\{0,7}["']([^"'\n\\]{4,72})(?=\\{0,7}["'])/iy,
      { valid: CHOSEN },
    ],
    'password-input': [
      'password',
      /(?<=type=\\{0,7}["'])password\\{0,7}["'][^<>\n]{0,200}? value=\\{0,7}["']([^"'<>\n\\{}]{3,128})(?=\\{0,7}["'])/iy,
    ],
    'typed-password': [
      'pass',
      /pass(?!eng)(?:w(?:or)?d|wd)?[^\n"'`(){};]{0,24}["'`)\]]{1,3}\s{0,2}(?:(?<=(?:fill|type|setvalue|send_?keys|enter|typetext|settext)\(\s?["'`][^"'`\n]{0,60}["'`]),\s{0,2}|\)?\.(?:type|fill|send_?keys|setvalue|set|val|value|input|presssequentially)\(\s{0,2}\\{0,3})["'`]([^"'`\n\\$ ]{4,72})(?=\\{0,7}["'`]\s{0,2}[,)])/iy,
      { valid: [CHOSEN, /\d/, { not: /^[#.[]|[-_:/]|^[A-Za-z]+\d{1,2}$/ }] },
    ],
    'set-password': [
      'set password|password(',
      /(?:set password (?:for [^\s=]{1,80}\s{0,3})?(?:=\s{0,3}|to\s{1,3})(?:password\()?|[= ]password\()\s{0,2}\\{0,7}["'](?!\$2[aby]\$)([^"'\n\\]{3,128})(?=\\{0,7}["'])/iy,
      { valid: CHOSEN },
    ],
    'terraform-default': [
      'variable ',
      /variable\s{1,3}\\{0,7}"[\w-]{0,60}(?:passw|secret|token|_key|apikey|passphrase|credential)(?![\w-]*[_-](?:type|algorithm|name|id|path|file|length|size|bits)\\{0,7}")[\w-]{0,40}\\{0,7}"\s{0,3}\{[^{}]{0,400}?default\s{1,8}=\s{1,8}\\{0,7}"([^"\n\\]{4,512})(?=\\{0,7}")/iy,
      { valid: [/.{8}/, /\d/, { not: /^[~./]|^[a-z\d]+(?:-[a-z\d]+)+$|^[A-Z\d]+(?:_[A-Z\d]+)+$/ }] },
    ],
    'cisco': [
      `password 0 |password 5 |password 7 |secret 0 |secret 5 |secret 8 |secret 9 |secret 4 |key 0 |key 7 |
      snmp-server community |tacacs-server |radius-server `,
      /(?:(?:password|secret|key) [0-9] |snmp-server community |(?:tacacs|radius)-server (?:host [\w.:-]{1,60} )?(?:[a-z-]{3,12} \d{1,5} ){0,3}key (?![0-9] ))([^\s"'\\(][^\s"'\\]{3,159})(?=\s|$|\\|\\{0,7}["'])/iy,
      { valid: { any: [CHOSEN, /^\$\d\$|^\d{8,}$/] } },
    ],
    'directive': [
      `requirepass |masterauth |storepassword |keypassword |sslpassword |auth-user-pass |masteruser |
      ansible_become_pass`,
      /(?:requirepass|masterauth|storepassword|keypassword|sslpassword) \\{0,7}["']?([^\s"'#$%{<]{4,128})(?=\\{0,7}["']?(?:\s|$|\\))/iy,
    ],
    'network-key': [
      'psk|wifi|wi-fi|wlan|passphrase|presharedkey',
      /(?:(?:wpa\d?[-_ ]?)?psk|wpa_passphrase|presharedkey|pre-shared key|(?:wi-?fi|wlan)[-_ ]?(?:password|passwort|passphrase|pass|key|code|pw|schl(?:ü|ue)ssel)?)\\{0,7}["']?(?:[ \t]{0,2}[:=][ \t]{0,24}| is | ist |[ \t])\\{0,7}["'`]?([^\s"'`,;<>(){}\\]{8,64})(?![\w])/iy,
      { valid: [CHOSEN, /\d/, { not: /[/.:]\w/ }, { not: /^(?:802|wpa|wep|ENC\[|\d)/i }] },
    ],
    'crypto-call': [
      `createhmac(|createcipher|createdecipher|aes.new(|des3.new(|secretkeyspec(|symmetricsecuritykey(|hmac.new(|
      jwt.sign(|jwt.encode(|jwt.verify(|jwt.decode(|signingkey(|hmac_sha|hash_hmac(|signwith(`,
      /(?:create(?:hmac|(?:de)?cipher(?:iv)?)|aes\.new|des3\.new|secretkeyspec|symmetricsecuritykey|hmac\.new|jwt\.(?:sign|encode|verify|decode)|signingkey|hash_hmac)\(\s{0,3}(?:[^"'\n,;]{0,80},\s{0,3}|["'][\w-]{1,24}["'],\s{0,3}(?:[^"'\n,;]{1,60},\s{0,3})?)?(?:[\w.]{1,40}\()?b?\\{0,7}["']([^"'\n\\]{8,256})(?=\\{0,7}["'])/iy,
      { ...SECRET, valid: [CHOSEN, { not: /^(?:aes|des|(?:hmac-?)?sha|md|rsa|hs|rs|es|utf)-?\d/i }] },
    ],
    'client-call': [
      'client(|api(|twilio(|.init(',
      /(?:client|api|twilio|\.init)\(\s{0,3}(?:["'](?:AC|SK)[0-9a-f]{32}["'],\s{0,3}|[a-z_]{0,12}(?:sid|account)[a-z_]{0,12},\s{0,3})?\\{0,7}["']([\w-]{16,160})(?=\\{0,7}["'])/iy,
      { ...SECRET, valid: [REAL, { any: ['random', UUID] }] },
    ],
    'require-call': [
      ')(\'|)("',
      /(?<=require\(["'][\w@/.-]{1,60}["'])\)\(["']([\w-]{16,600})(?=["'])/y,
      { ...SECRET, valid: [REAL, { any: ['random', /^[0-9a-f-]{32,36}$/] }] },
    ],
    'function-key': [
      '.azurewebsites.net',
      /\.azurewebsites\.net\/[^\s"'<>]{0,200}?[?&]code=([\w%/+-]{40,100}={0,2})/y,
      SECRET,
    ],
    'personal-access-token': [
      `_pat=|_pat =|_pat:|_pat"|_pat'|"pat"|'pat'|--pat |--pat=|pat = |pat: |pat="`,
      /(?:_|--|["'])?pat\\{0,7}["']?\s{0,2}(?:=|:|:=|=>)?\s{0,2}\\{0,7}["'`]?([\w+/=.:-]{20,255})(?![\w+/=-])/iy,
      { ...SECRET, valid: 'random' },
    ],
    'master-key-file': ['master.key', /master\.key\s{0,3}(?:\n|\\{1,4}n)[+ -]?([0-9a-f]{32})(?![0-9a-f])/y, SECRET],
    'here-string': [
      '<<<|<(echo ',
      /(?<!<)(?<=(?:secret|token|passw|login|credential| -S|key|luksOpen|ssh-add|pass insert|sshfs)[^\n]{0,80})(?:<<<\s{0,2}|<\(echo (?:-n )?)["']?([^\s"'$)]{8,400})/iy,
      { ...SECRET, valid: CHOSEN },
    ],
    'domain-login': ['[+] ', /\[\+\] [\w.-]{1,64}\\{1,4}[\w.$-]{1,64}:([^\s\\"']{4,64})/y],
    'user-info': ['@', 'userinfo', { next: 'alnum' }],
    'php-define': [
      'define(',
      /define\(\s{0,3}["'][A-Z0-9_]{0,40}(?:PASSWORD|PASS|SECRET|_KEY|SALT|TOKEN)["'],\s{0,3}["']([^"'\n\\]{4,256})(?=["'])/y,
    ],
    'sensitive-output': [
      '"sensitive',
      /"sensitive\\{0,7}":\s{0,3}true,[^{}]{0,200}?"value\\{0,7}":\s{0,3}\\{0,7}"([^"\\\n]{4,512})(?=\\{0,7}")/y,
    ],
    'secure-parameter': [
      'securestring',
      /SecureString\\{0,7}",\s{0,24}\\{0,7}"Value\\{0,7}":\s{0,3}\\{0,7}"([^"\\\n]{4,4096})(?=\\{0,7}")/y,
    ],
    'account-pair': [
      'root:|admin:|administrator:|postgres:|elastic:',
      /(?<![/.@:-])(?<!(?<!\\)\w)(?:root|admin|administrator|postgres|elastic):((?:(?!&#?\w{2,6};)[^\s:@/"'\\,;(){}]){6,64})(?=[\s,;"')\\]|&#?\w{2,6};|$)/iy,
      { valid: [CHOSEN, /\d/, /[!#$%^&*+=~?]|[a-z]\d+[A-Za-z]|[A-Z].*[a-z].*\d|[a-z].*[A-Z].*\d/] },
    ],
    'id-and-password': [
      'id/pw|id/pass|id / pw|user/pass|login/pass|id/password',
      /(?:id|user|login) ?\/ ?(?:pw|pass(?:word)?)(?: is|\s{0,2}[:=：])?\s{1,2}["'`]?[^\s/,|"'`]{2,64}["'`]?\s{0,2}[/,|:]\s{0,2}["'`]?([^\s"'`,/]{4,64})/iy,
      { valid: CHOSEN },
    ],
    'otp-seed': [
      'totp |otp secret|otp seed|2fa secret|mfa secret|2fa key|mfa key|authenticator key',
      /(?:t?otp|2fa|mfa|authenticator)(?: seed| secret| key| token)\\{0,7}["']?(?: is|\s{0,2}[:=])?\s{1,3}["'`]?([A-Z2-7]{16,64}|(?:[A-Z2-7]{4} ){3,7}[A-Z2-7]{4})(?![A-Za-z0-9])/iy,
      SECRET,
    ],
    'door-code': [
      'door code|gate code|alarm code|entry code|safe code|lock code',
      /(?:door|gate|alarm|entry|safe|lock) code(?: is|:)? ["'`]?(\d{4,8}[#*]?)(?!\w)/iy,
      { ...SECRET, placeholder: 'CODE' },
    ],
    'bitlocker': [
      'recovery key|bitlocker|wiederherstellungsschl',
      /(?:recovery key|bitlocker|wiederherstellungsschl(?:ü|ue)ssel)(?:[^\n\d]{0,60}((?:\d{6}-){7}\d{6})(?!\d)|(?: is|:)\s{1,3}((?:[A-Za-z0-9]{4} ){3,11}[A-Za-z0-9]{4})(?![\w]))/iy,
      { ...SECRET, placeholder: 'RECOVERY_KEY', valid: /\d/ },
    ],
    'license-key': [
      'license|licence|product key|serial',
      /(?:licen[cs]e(?: key)?|product key|serial(?: key| number)?)\\{0,7}["']?(?: is|\s{0,2}[:=])?\s{1,3}\\{0,7}["'`]?([A-Z0-9]{4,6}(?:-[A-Z0-9]{4,6}){3,7})(?![\w-])/iy,
      { ...SECRET, placeholder: 'LICENSE_KEY', valid: [/\d/, /[A-Z]/] },
    ],
    'oauth-code': [
      'code=|device_code|samlresponse=|samlrequest=',
      /(?:(?<=[?&])code|device_code|samlresponse|samlrequest)=([\w%.~+/-]{30,4000}={0,2})/iy,
      { ...TOKEN, valid: 'randomStart' },
    ],
    'decoded-secret': [
      'base64 -d|base64 --decode',
      /(?<=(?:pass|secret|token|key)[^\n]{0,120})base64 (?:-d|-D|--decode)[^\n]{0,20}(?:\n|\\{1,4}n)[+ -]?([^\s"'\\]{6,512})/y,
      { ...SECRET, valid: CHOSEN },
    ],
    'api-word': ['api : |api: ', /api ?: ["'`]?([\w-]{24,128})(?![\w-])/iy, { ...SECRET, valid: [REAL, 'randomPart'] }],
    'smtp-login': [
      'ugfzc3dvcmq6|auth plain ',
      /(?:UGFzc3dvcmQ6(?:\\{0,4}r)?(?:\\{1,4}n|\s){1,4}|AUTH PLAIN )([A-Za-z0-9+/]{6,200}={0,2})(?![A-Za-z0-9+/=])/y,
    ],
    'wallet-key': [
      'wallet(|privatekeytoaccount(|keypair.fromsecretkey(',
      /(?:wallet|privatekeytoaccount|fromsecretkey)\(\s{0,3}\\{0,7}["'`]((?:0x)?[0-9a-f]{64})(?=\\{0,7}["'`])/iy,
      PRIVATE_KEY,
    ],
    'wifi-code': ['wifi:', /WIFI:(?:[TSHR]:[^;\n]{0,64};){0,4}P:([^;\n]{4,63})(?=;)/y],
    'bare-call': [
      'basic_auth |db.auth(',
      /(?:basic_auth |db\.auth\()["'][^"'\n]{1,64}["'], ?["']([^"'\n]{3,128})(?=["'])/iy,
    ],
    'crypt-call': [
      'crypt(',
      /(?<!(?<!\\)\w)crypt\(\s{0,3}\\{0,7}["']([^"'\n\\]{4,72})(?=\\{0,7}["'])/iy,
      { valid: CHOSEN },
    ],
    'search-key': [
      'algoliasearch(',
      /algoliasearch\(\\{0,7}["'][A-Z0-9]{8,12}\\{0,7}["'], ?\\{0,7}["']([0-9a-f]{32})(?=\\{0,7}["'])/iy,
      { ...TOKEN, placeholder: 'ALGOLIA_KEY' },
    ],
    'accessor-secret': [
      'secretid:|secret id',
      /Secret ?ID\s{0,12}[:=]\s{0,12}([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/y,
      TOKEN,
    ],
    'secret-prompt': [
      'secret value: |secret value:',
      /secret value: {1,3}([^\s"'<$]{8,4000})/iy,
      { ...SECRET, valid: CHOSEN },
    ],
    'pragma-key': ['pragma key', /pragma key ?= ?["']{1,2}([^"'\n]{4,128})(?=["'])/iy],
    'identified-bare': [
      'identified by ',
      /identified by (?!values|externally|globally|password\b)([^\s;'"$<{:?@]{6,128})(?=[\s;]|$)/iy,
      { valid: [CHOSEN, /\d/] },
    ],
    'with-pass': [
      'with pass',
      /with pass(?:word|wd|code|phrase)? [:"'`]{0,2}([^\s"'`,;()]{6,64})(?=[\s"'`,;.)]|$)/iy,
      { valid: [CHOSEN, /\d/, { not: /^[a-z]+\d?$|[-/]/ }] },
    ],
    'code': [
      `backup code|recovery code|recovery-code|backup-code|one-time code|one time code|one-time password|
      one time password|use code|your code is|verification code|security code|access code|auth code|2fa code|
      mfa code|otp code|otp:|otp is|pin code|pin:|pin is|pin ist|pin est|pin=|pin number|confirmation code|
      login code|sign-in code|scratch code|einmalcode|cvv|cvc|guard code|verification is`,
      /(?:(?:backup|recovery|one[- ]time|verification|security|access|auth|2fa|mfa|otp|pin|confirmation|login|sign-in|scratch)[- ]?(?:codes?|password|number)?|guard code|use code|your code|otp|pin|einmalcode|cv[vc]2?(?!\D{1,6}\d{5}))\\{0,7}["']?(?: is| are| ist| est| è| es|\s{0,2}[:=]|(?<=code|codes|cv[vc]2?))\s{1,2}(?:[-*] )?\\{0,7}["'`]?((?:[A-Z0-9]{1,8}-){1,7}[A-Z0-9]{4,8}(?:(?:, ?|\n[-* ]{0,4})[A-Z0-9]{4,8}-[A-Z0-9]{4,8}){0,20}|(?=[A-Z0-9]{5} |[A-Z0-9]{5}$)[A-Z]*\d[A-Z0-9]*|(?:[a-z0-9]{4,6}[- ]){1,3}[a-z0-9]{4,6}|\d{3,10}|[A-Za-z0-9]{6,16})(?![\w.%-])/iy,
      {
        ...SECRET,
        placeholder: 'CODE',
        valid: [/\d/, /[-\d]{4}|\d[A-Za-z]+\d|[A-Za-z]\d+[A-Za-z]|^\d{3,4}$/, { not: /^(?:19|20)\d\d$/ }],
      },
    ],
    'security-answer': [
      'security_answer|securityanswer|security answer|secret_answer|secretanswer|secret answer',
      /(?:security|secret)[_ ]?answer\\{0,7}["']?\s{0,2}(?:[:=]|is)\s{0,2}\\{0,7}["']([^"'\n\\]{3,80})(?=\\{0,7}["'])/iy,
      SECRET,
    ],
    'session-cookie': [
      `jsessionid=|phpsessid=|asp.net_sessionid=|aspxauth=|connect.sid=|_session=|sessionid=|session=|sessid=|
      remember_token=|sid=|li_at=|logged_in_|; sess`,
      /(?:jsessionid|phpsessid|asp\.net_sessionid|\.?aspxauth|connect\.sid|[a-z]{0,24}_session|sessionid|sessid|remember_token|sid|session|li_at|wordpress_logged_in_\w{1,40}|; sess\w{1,16})=([\w%.+/:-]{16,512}={0,2})(?![\w%])/iy,
      { ...SECRET, placeholder: 'COOKIE', valid: [REAL, 'randomPart', { not: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}/i }] },
    ],
    'digest-response': [
      'digest username=',
      /digest username=[^\n]{0,600}?\bresponse=\\{0,3}"?([0-9a-f]{32,64})(?![0-9a-f])/iy,
      SECRET,
    ],
    'code-verifier': [
      'code_verifier',
      /code_verifier\\{0,7}["']?\s{0,3}[:=]\s{0,3}\\{0,7}["']?([\w~.-]{43,128})(?![\w~.-])/iy,
      { ...SECRET, valid: 'random' },
    ],
    'bundle-credentials': [
      'bundle_',
      /BUNDLE_[A-Z0-9_]{3,60}["']?\s{0,2}[:=]\s{0,2}["']?([^\s"'/:=]{3,80}:[^\s"'/]{4,128})(?=["']?(?:\s|$|\\))/y,
      SECRET,
    ],
    'jenkins-secret': ['aqaaabaaa', /AQAAABAAA(?:[A-Za-z0-9+/]{20,2000}={0,2}| [^\s{}<>]{12,400})/y, SECRET],
    'terraform-result': ['random_password|random_string', 'result'],
    'jwk': ['"kty', 'jwk', PRIVATE_KEY],
    'xml-key': [
      '<d>|<p>|<q>|<inverseq>',
      /<(?:D|P|Q|InverseQ)>\s{0,3}([A-Za-z0-9+/]{40,1400}={0,2})(?=\s{0,3}<\/)/y,
      { ...PRIVATE_KEY, valid: 'random' },
    ],
    'hex-private-key': [
      'private key|private_key|privatekey|privkey|secret key|signing key',
      /(?:priv(?:ate)?[ _-]?key|(?:secret|signing) key)\\{0,7}["'`]?(?: is)?\s{0,3}[:=]?\s{0,3}\\{0,7}["'`]?((?:0x)?[0-9a-f]{64})(?![0-9a-z])/iy,
      { ...PRIVATE_KEY, valid: undefined },
    ],
  },
}
