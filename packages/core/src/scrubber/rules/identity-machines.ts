import type { RuleTable } from '../engine/rule.ts'
import { ACCOUNT, HOST, PERSON, USER } from './categories.ts'

/** Rules for machines and private hosts in prompts, settings and logs. */
export const machineRules: RuleTable = {
  defaults: { inside: true },
  rows: {
    'mac-prompt-host': [
      '$ ',
      /(?<=(?:^|[\s+>]|\\[nr]|\[\d{1,2}m)([\w.-]{3,40}):[^\s:]{1,60} [a-z_][\w.-]{1,31})\$ /uy,
      { ...HOST, finder: 'hostName' },
    ],
    'host-output': [
      'hostname',
      /(?<=^|[$#%>] (?:sudo )?)hostname(?:ctl (?:--static|hostname))?(?:\\{1,4}n|\r?\n)[+> ]{0,8}([\w-]{3,63}(?:\.[\w-]{1,63}){0,4})(?=$|[\s"'\\,;<>|)}\]])/uy,
      { ...HOST, finder: 'hostName' },
    ],
    'uname': [
      'linux |darwin ',
      /(?:Linux|Darwin) ([\w-]{3,63}(?:\.[\w-]{1,63}){0,4}) \d{1,2}\.\d{1,2}\.\d{1,3}/uy,
      { ...HOST, finder: 'hostName' },
    ],
    'ssh-config-host': [
      'hostname ',
      /(?<!(?<!\\)[\w.%:$-])Host[nN]ame\s{1,4}(?:(?<=(?:^|\n|\\n)[^\p{L}\n]{0,24}Host[nN]ame\s{1,4})|(?=[\w-]*[\d.-]))([\w.-]{4,80})(?=[ \t]{0,8}(?:$|[\r\n"'\\,;<>|)}\]]))/uy,
      { ...HOST, finder: 'hostName' },
    ],
    'ssh-config-user': [
      'user ',
      /(?<=Host(?:Name)?[ \t][^\n]{1,80}(?:\n[^\n]{1,80}){0,3}(?:\n|\\n)[+ \t\d→]{1,16})User ([a-z_][\w.-]{2,31})(?=(?:\\{1,4}n|\r?\n)[+> ]{0,8}|\s|$)/uy,
      { ...ACCOUNT, finder: 'accountName' },
    ],
    'remote-host': [
      'ssh |scp |rsync |sftp |mosh ',
      /(?:ssh|scp|rsync|sftp|mosh) (?:[^\n|;&@]{0,100}? )?(?!your[-_])[a-z_][\w.-]{1,31}@(?![A-Z\d]+_[A-Z\d_]+(?![\w.-]))([A-Za-z][\w.-]{2,80}[A-Za-z0-9])/uy,
      { ...HOST, finder: 'hostName' },
    ],
    'database-host': [
      'psql |pg_dump|pg_restore |mysql |mysqldump |redis-cli ',
      /(?:psql|pg_dump(?:all)?|pg_restore|mysql|mysqldump|redis-cli) (?:[^\n|;&]{0,100}? )?(?:-h ?|--host[ =])["']?((?:[a-z\d][\w-]{0,62}\.){2,6}[a-z]{2,24})(?=$|[\s"'\\,;<>|)}\]:])/uy,
      { ...HOST, finder: 'hostName' },
    ],
    'last-login': [
      'last login: ',
      /Last login: [A-Z][a-z]{2} [A-Z][a-z]{2} {1,2}\d{1,2} [\d:]{8}(?: \d{4})? from ([A-Za-z][\w-]{2,62}(?:\.[\w-]{1,63}){0,4})/uy,
      { ...HOST, finder: 'hostName' },
    ],
    'windows-owner': [
      ':(f)|:(i)|:(oi)|:(m)|:(rx)|:(r)',
      /(?<=(?:^|[\s+]|\\n)(?!BUILTIN|AUTHORITY|NT )(?<host>[A-Z][A-Z\d-]{3,14})\\{1,8}(?<account>[A-Za-z][\w.-]{1,38})):\((?:F|I|OI|M|RX|R)\)/uy,
      { ...ACCOUNT, finder: 'namedGroups', own: true },
    ],
    'remote-argument': [
      'ssh-copy-id |sshfs | -j |ssh -l |git clone ',
      /(?:(?:ssh-copy-id|sshfs)(?: -\S{1,80}){0,6} [\w.-]{2,32}@| -J [\w.@:-]{3,80} (?:[\w.-]{2,32}@)?|ssh -l [\w.-]{2,32} |git clone (?:https:\/\/)?(?!git@)[\w.-]{2,32}@)([A-Za-z][\w.-]{2,80}[A-Za-z0-9])/uy,
      { ...HOST, finder: 'hostName' },
    ],
    'windows-host': [
      'computername|desktop-|laptop-',
      /((?<![A-Z\d])(?:DESKTOP-(?=[A-Z\d]{7}(?![A-Za-z\d]))|LAPTOP-(?=[A-Z\d]{8}(?![A-Za-z\d])))(?=\d{1,6}[A-Z]{1,6}\d|[A-Z]{1,6}\d{1,6}[A-Z])[A-Z\d]{7,8})|(?:(?<=\$env:)COMPUTERNAME(?:\\{1,4}n|\r?\n)[+> ]{0,8}|(?<!(?<!\\)[\w%:$])COMPUTERNAME["']?(?:\s?[=:]|\s{2,40}(?=\S))\s?["']?)([A-Za-z][\w-]{2,62})(?=$|[\s"'\\,;<>|)}\]])/uy,
      { ...HOST, finder: 'hostName' },
    ],
    'named-host': [
      `static hostname:|client host: |host name:|workstation name:|machinename |received: from |--get computername|--get localhostname|ansible_host|connection to |computer:|
      hostname": |hostname: `,
      /(?:Static hostname: |Client host: |(?:Host|Workstation) Name:\s{1,30}|(?<=^|\n)MachineName {1,20}: |Received: from (?=[\w-]{3,63} \()|--get (?:ComputerName|LocalHostName|HostName)(?:\\{1,4}n|\r?\n)[+> ]{0,8}|ansible_host["']?\s?[:=]\s?["']?|Connection to (?=\S{3,80} (?:closed|timed out|refused|lost))|(?<=^|\n)Computer:\s{1,8})([A-Za-z][\w-]{2,62}(?:\.[\w-]{1,63}){0,4})(?=$|[\s"'\\,;<>|)}\]])|(?:[hH]ostname\\{0,7}["'`]: \\{0,7}["'`]|Hostname: )([A-Za-z]\w{1,30}-[\w-]{1,40})(?=$|[\s"'\\,;<>|)}\]])/uy,
      { ...HOST, finder: 'hostName' },
    ],
    'host-variable': [
      'hostname=|_host=',
      /(?:(?<!(?<!\\)[\w.%:$-])HOSTNAME|(?<=DEPLOY|SSH|REMOTE|SERVER|PROD|STAGING)_HOST)=["']?([A-Za-z][\w-]{3,62}(?:\.[\w-]{1,63}){0,4})(?=$|[\s"'\\,;<>|)}\]])/uy,
      { ...HOST, finder: 'hostName' },
    ],
    'zsh-cache': [
      '.zcompdump-',
      /\.zcompdump-([A-Za-z][\w-]{2,62}?)-\d[\d.]{1,5}(?:(?<=\.)([A-Za-z][\w-]{2,62})\.\d)?/uy,
      { ...HOST, finder: 'hostName' },
    ],
    'system-log-host': [
      'jan |feb |mar |apr |may |jun |jul |aug |sep |oct |nov |dec ',
      /[JFMASOND][a-z]{2} [ \d]\d \d\d:\d\d:\d\d ([A-Za-z][\w-]{2,62}(?:\.[\w-]{1,63}){0,3}) [\w./-]{2,40}(?:\[\d{1,8}\])?: /uy,
      { ...HOST, finder: 'hostName' },
    ],
    'log-record-host': [
      'hostname',
      /(?<="pid\\{0,7}":\s?\d{1,8},\s?\\{0,7}")hostname\\{0,7}":\s?\\{0,7}"([\w-]{3,63}(?:\.[\w-]{1,63}){0,4})(?=\\{0,7}")/uy,
      { ...HOST, finder: 'hostName' },
    ],
    'event-host': [
      '"server_name',
      /"server_name\\{0,7}":\s?\\{0,7}"([A-Za-z][\w-]{2,62}(?:\.(?:local|lan|localdomain))?)(?=\\{0,7}")/uy,
      { ...HOST, finder: 'hostName' },
    ],
    'nix-host': [
      'networking.hostname',
      /networking\.hostName = \\{0,7}"([A-Za-z][\w-]{2,62})(?=\\{0,7}")/uy,
      { ...HOST, finder: 'hostName' },
    ],
    'docker-host': [
      'docker root dir',
      /(?<=(?<!\w)Name: (?<host>[A-Za-z][\w-]{2,62})(?:\r?\n|\\{1,4}n)(?:(?!Name: )[^]){0,300})Docker Root Dir/uy,
      { ...HOST, finder: 'namedGroups' },
    ],
    'mac-host': [
      's-macbook|s-imac|s-mac-mini',
      /s-(?:MacBook|iMac|Mac-mini)(?:-(?:Pro|Air))?(?:-\d{1,2})?(?<=(?<![\w-])(?<host>\p{Lu}[\p{L}\p{M}]{1,30}s-[\w-]{3,20}))(?![\w-])/uy,
      { ...HOST, finder: 'namedGroups' },
    ],
    'terraform-lock': [
      'who:  ',
      /Who: {2,12}(?:[\w-]{1,40}\\{1,8})?(?<account>[\w.-]{2,38})@(?<host>[\w-]{3,63}(?:\.[\w-]{1,63}){0,4})(?=\s|\\|$)/uy,
      { ...ACCOUNT, finder: 'namedGroups', own: true },
    ],
    'kali-host': [')-[', /(?<=\([a-z_][\w.-]{1,31}[^\w.-]{1,2}([\w-]{3,63}))\)-\[/uy, { ...HOST, finder: 'hostName' }],
    'crash-host': [
      'hostname: |host: ',
      /(?<=(?:Boot|Machine) ID: [0-9a-f]{32}(?:\\{1,4}n|\r?\n)[+> ]{0,24})Hostname: (?<host>[\w.-]{3,63})|Host: (?<host2>[\w.-]{3,63}), [^\n,]{3,60}, \d+ cores,/uy,
      { ...HOST, finder: 'namedGroups' },
    ],
    'remote-window': [
      'ssh-remote%2b|ssh-remote+',
      /ssh-remote(?:%2B|\+)(?!7b22|authority|target|host|your)(?:(?<account>[\w.-]{2,32})(?:@|%40))?(?<host>[A-Za-z][\w.-]{2,62})(?=[/"'\s?#\\]|$)/uy,
      { ...HOST, finder: 'namedGroups' },
    ],
    'home-network-host': [
      '.coredevice.local|.fritz.box',
      /(?<=(?<![\w.-])(?<host>[A-Za-z][\w-]{2,62}))\.(?:coredevice\.local|fritz\.box)(?![\w-])/uy,
      { ...HOST, finder: 'namedGroups' },
    ],
    'windows-server': [
      'logonserver|userdnsdomain',
      /LOGONSERVER["']?\s?[=:]\s?["']?\\{2,8}(?<host>[A-Z][A-Z\d-]{2,15})|USERDNSDOMAIN["']?\s?[=:]\s?["']?(?<host2>[A-Z][A-Z\d-]{1,62}(?:\.[A-Z\d-]{2,63}){1,4})(?![\w.])/uy,
      { ...HOST, finder: 'namedGroups' },
    ],
    'backup-host': [
      'by pid |time                 host ',
      /by PID \d{1,9} on (?<host>[\w.-]{3,63}) by (?<account>[\w.-]{2,38})|Time {17}Host [^\n\\]{0,120}(?:\\{1,4}n|[^\w\\]){20,240}[0-9a-f]{8} {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}(?<host2>[\w.-]{3,63}) /uy,
      { ...HOST, finder: 'namedGroups' },
    ],
    'printed-host': [
      "computer name: |[id] |configurations.|.#|runner name: '|server address: |as user |offering public key: ",
      /(?<=Boot Mode: \w{4,12}\s{1,12})Computer Name: (?<host6>[^\n\\]{3,60})|\[Id\] \w{4,24}\(\d{1,2},(?<host7>[\w-]{3,63})\)|Configurations\.\\{0,7}"(?<account8>[a-z_][\w.-]{1,31})@(?<host8>[\w-]{3,63})|(?<=flake )\.#(?<account9>[a-z_][\w.-]{1,31})@(?<host9>[\w-]{3,63})|Runner name: '(?!ubuntu|windows|macos)(?<host>[\w.-]{3,63})'|Server address: (?:ssl:)?(?<host2>[A-Za-z][\w.-]{3,80})(?=:\d{2,5}\s{1,3}Server )|as user \\{0,7}"(?<account>[\w.-]{2,38})\\{0,7}" on host \\{0,7}"(?<host4>[A-Za-z][\w.-]{2,80})\\{0,7}"|Offering public key: (?<account2>[\w.-]{2,32})@(?<host5>[A-Za-z][\w.-]{2,62}) (?:ED25519|RSA|ECDSA|DSA)/uy,
      { ...HOST, finder: 'namedGroups' },
    ],
    // The line of hyphens that fastfetch prints below the account.
    'fetch-header': [
      'os: ',
      /(?<=(?<![\w.@-])(?<account>[A-Za-z_][\w.-]{1,31})@(?<host>[A-Za-z][\w-]{2,62}(?:\.[\w-]{1,63}){0,3})[ \t]{0,40}(?:\\{1,4}n|\r?\n)[^\n]{0,80}?-{5,80}[ \t]{0,40}(?:\\{1,4}n|\r?\n)[^\n]{0,80})OS: \S/uy,
      { ...ACCOUNT, finder: 'namedGroups', own: true },
    ],
    'tailnet-host': [
      '.ts.net',
      /(?<=(?<![\w-])([a-z][\w-]{3,62})\.[\w-]{3,40})\.ts\.net/uy,
      { ...HOST, finder: 'hostName' },
    ],
    'tailnet-machine': [
      '100.',
      /100\.\d{1,3}\.\d{1,3}\.\d{1,3}\s{1,8}(?<host>[a-z][\w-]{2,62})\s{1,40}(?:(?<account>[\w.-]{2,40})(?=@\s)|(?=[\w.-]{2,40}@))/uy,
      { ...HOST, finder: 'namedGroups' },
    ],
  },
}

/** Rules for accounts and authors in home directories, prompts, logs of logins, trailers and fields for user names. */
export const userRules: RuleTable = {
  defaults: USER,
  rows: {
    'home': ['/home/|/media/|/users/|\\users\\|\\home\\|\\documents and settings\\', 'home', { own: true }],
    'account': ['user=|username=|logname=|sudo_user=', 'account', { own: true }],
    'author': [
      `author:|authored-by:|signed-off-by:|committer:|commit:|reviewed-by:|acked-by:|tested-by:|reported-by:|
      author |committer |tagger |tagger:|from:`,
      'author',
      PERSON,
    ],
    'unix-id': ['uid=|gid=', /[ug]id=\d{1,10}\(([a-z_][\w.-]{1,31})(?=\))/y, { own: true, finder: 'owner' }],
    'file-owner': [
      'drwx|drw-|dr-x|-rw-|-rwx|-r--|-r-x|lrwx|srwx',
      /[dlsbcp-](?:[r-][w-][xsStT-]){3}[.+@]? {1,6}(?:\d{1,6} {1,8}(?!k?B )([a-z_][\w.-]{1,31})(?= )|([a-z_][\w.-]{1,31})(?=\/[a-z_][\w.-]{0,31} ))/y,
      { own: true, inside: true, finder: 'owner' },
    ],
    'whoami': [
      'whoami',
      /whoami(?: --?[^\n\\]{1,100})?(?:(?:\\{1,4}n|\r?\n)[A-Z]\w{1,15} CLI [\d.]{1,12})?(?:(?:\\{1,4}n|\r?\n)(?:[+ -]|> |➤ YN0000: )?|\r?\n[A-Za-z][\w-]{1,19}\\)(?:user: {1,4})?(?!(?:for|if|while|def|do|then|echo|const|let|var|return|import|from|class|function|export|sudo|cd)\s)([a-z_][\w.-]{1,31})(?=\s|$|\\(?![a-mo-qs-z])|["'])/y,
      { own: true, finder: 'owner' },
    ],
    'user-field': [
      `username|login:|user name|user_name|userid|user id|user_id|login name|screen name|nickname|skype|
      twitter handle|instagram handle|github handle|telegram handle|discord handle`,
      /(?:user(?:[ _]?(?:name|id))?|(?:login|screen) name|login|nickname|skype(?: id| name)?|(?:twitter|instagram|github|telegram|discord) handle)\\{0,3}["']?(?: is)?\s{0,2}[:=]?\s{1,2}\\{0,3}["'`]?@?((?:live:)?[A-Za-z][\w.-]{2,31})(?![\w(@/[…-]|\\[^nrt"\\])/iy,
      { finder: 'userField' },
    ],
    'profile-page': [
      'linkedin.com/in/|facebook.com/profile.php?id=|t.me/|instagram.com/|wa.me/',
      /(?:linkedin\.com\/in\/([\w%-]{3,80})|facebook\.com\/profile\.php\?id=(\d{6,20})|wa\.me\/(\d{8,15})|(?<=\/\/)t\.me\/(?!joinchat|share|addstickers|s\/|\w*[bB]ot(?:[fF]ather)?(?!\w))([A-Za-z]\w{4,31})(?![\w/])|instagram\.com\/(?!p\/|explore|reels?\/|stories|accounts)([\w.]{3,30}))/y,
      { inside: true },
    ],
    'key-comment': [
      'ssh-rsa aaaa|ssh-ed25519 aaaa|ssh-dss aaaa|ecdsa-sha2-nistp',
      /(?:ssh-(?:rsa|ed25519|dss)|ecdsa-sha2-nistp\d{3}) AAAA[A-Za-z0-9+/]{20,1600}={0,3} ([A-Za-z0-9][\w.+-]{0,63}@[A-Za-z0-9][\w.-]{1,63})/y,
      { own: true },
    ],
    'login-log': [
      `accepted p|accepted k|invalid user |password for |session opened for user |session closed for user |sudo: |
      su: `,
      /(?:Accepted (?:password|publickey|keyboard-interactive\/pam) for|[Ii]nvalid user|Failed password for(?: invalid user)?|(?<![eE]nter )[Pp]assword for|session (?:opened|closed) for user|sudo:|su:) {1,6}([a-z_][\w.-]{1,31})(?= from | :|\(uid=| by |:)/y,
      { finder: 'owner' },
    ],
    'domain-owner': [
      'drwx|-rw-|-rwx|-r--|lrwx',
      /[dl-][rwxsStT-]{9}[.+@]? {1,6}\d{1,6} {1,4}(?<organization>[A-Z][\w-]{1,30})\\{1,8}(?<account>[a-z_][\w.-]{1,31})(?= )/y,
      { own: true, finder: 'namedGroups', inside: true },
    ],
    'session-by': [
      'session opened for user |session closed for user ',
      /session (?:opened|closed) for user [\w.-]{1,32}(?:\(uid=\d{1,6}\))? by ([a-z_][\w.-]{1,31})(?=\(uid=)/y,
      { finder: 'owner' },
    ],
    'nix-user': [
      'users.users.|home.username = ',
      /(?:users\.users\.|home\.username = \\{0,7}")([a-z_][\w-]{1,31})(?=(?: = \{|\.[a-z]|\\{0,7}"))/y,
      { own: true, finder: 'owner' },
    ],
    'crate-owner': [
      'cargo owner -',
      /cargo owner (?:--list|-l)(?:\\{1,4}n|\r?\n)[+> ]{0,8}([a-z\d][\w-]{1,38})(?= \()/y,
      { finder: 'owner' },
    ],
    'ssh-user': [
      'ssh |scp |rsync |sftp |mosh |sftp:',
      /(?:(?:ssh|scp|rsync|sftp|mosh) (?:[^\n|;&@]{0,100}? )?|sftp:)([a-z_][\w.-]{1,31})(?=@(?!(?:host|hostname|server|example|ip|remote)\b)[\w.[])/y,
      { finder: 'owner' },
    ],
    'prompt': ['@', 'prompt', { own: true, next: 'alnum' }],
  },
}
