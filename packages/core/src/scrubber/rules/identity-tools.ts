import type { RuleTable } from '../engine/rule.ts'
import { ACCOUNT, HOST, ORGANIZATION, PERSON } from './categories.ts'

/**
 * Rules for the author, colleagues and their company, in the documented output of certain tools, protocols and file
 * formats.
 */
export const toolRules: RuleTable = {
  defaults: { inside: true },
  rows: {
    'logged-user': [
      ' user=',
      /(?<=(?:^|\n|\\n|\s)(?:level|lvl|msg|rhost|ruser|logname)=[^\n]{0,240}) user=\\{0,7}"?([A-Za-z][\w.-]{2,38})(?=\\{0,7}"?(?:\s|\\|$))/uy,
      { ...ACCOUNT, finder: 'personalAccount' },
    ],
    'sudo-log': [
      ' : tty=|[sudo] | of user ',
      /\[sudo\] \p{L}[^\n:：]{3,40} ([a-z_][\w.-]{1,31})(?= ?[:：])|(?<=New session \w{1,12}) of user ([a-z_][\w.-]{1,31}?)(?=\.?(?:\s|\\|$))|(?<=sudo(?:\[\d{1,8}\])?:\s{1,8}([a-z_][\w.-]{1,31})) : TTY=/uy,
      { ...ACCOUNT, finder: 'personalAccount' },
    ],
    'swap-file-owner': [
      'owned by: |user name: ',
      /owned by: (?<account>[A-Za-z_][\w.-]{1,31})(?=\s{1,4}dated:)|user name: (?<account2>[A-Za-z_][\w.-]{1,31})\s{1,4}host name: (?<host>[\w.-]{3,63})/uy,
      { ...ACCOUNT, finder: 'namedGroups', own: true },
    ],
    'perforce-user': [
      'change |owner:\t|user name: |host:\t|client host: ',
      /User Name: (?<person>\p{Lu}[^\n(\\]{2,60}) \((?<account4>[\w.-]{2,38})\)|Change \d{1,9} on \d{4}\/\d\d\/\d\d (?:\d\d:\d\d:\d\d )?by (?<account>[\w.-]{2,38})@(?<host>[\w.-]{3,63})|(?<=Client:\s[^\n]{2,80}(?:\n[^\n]{0,80}){0,3}\n)(?:Owner:\t(?<account2>[\w.-]{2,38})|Host:\t(?<host2>[\w.-]{3,63}))|User name: (?<account3>[\w.-]{2,38})(?:\\{1,4}n|\r?\n)[+> ]{0,8}Client name: |Client host: (?<host3>[\w.-]{3,63})(?=(?:\\{1,4}n|\r?\n)[+> ]{0,8}Client root: )/uy,
      { ...ACCOUNT, finder: 'namedGroups' },
    ],
    'mercurial-user': [
      'user:        ',
      /user: {8}([\p{L}][\p{L}\p{M}\d_'’.-]{1,38}(?: [\p{L}\p{M}'’.-]{1,30}){0,4})(?=(?:\\{1,4}n|\r?\n)[+> ]{0,8}(?:date|summary):)/uy,
      { ...ACCOUNT, finder: 'authorName' },
    ],
    'chat-export': [
      '"user_profile|"team_id',
      /(?<="user\\{0,7}"\s?:\s?\\{0,7}"([a-z\d][\w.-]{1,38})\\{0,7}",\s?\\{0,7})"team_id|"user_profile\\{0,7}"\s?:\s?\{[^{}]{0,200}?"real_name[^{}]{0,200}?"name\\{0,7}"\s?:\s?\\{0,7}"([a-z\d][\w.-]{1,38})(?=\\{0,7}")/uy,
      { ...ACCOUNT, finder: 'personalAccount' },
    ],
    'jira-mention': [
      '[~',
      /(?<!(?<!\\)\w|["'([/])\[~([a-z][\w-]{1,38}(?:\.[\w-]{1,38}|\d))\](?!\()/uy,
      { ...ACCOUNT, finder: 'personalAccount', kind: 'probable' },
    ],
    'spoken-name': [
      ' --> ',
      / --> (?:\d\d:)?\d\d:\d\d[.,]\d{3}[^\n\\]{0,60}(?:\\{1,4}n|\r?\n)[+> ]{0,8}(?:<v(?:\.\w{1,20})? ([^<>\n]{2,60})>|(\p{Lu}[\p{L}\p{M}'’.-]{0,30}(?: \p{Lu}[\p{L}\p{M}'’.-]{0,30}){1,3}): )/uy,
      { ...PERSON, finder: 'authorName' },
    ],
    'package-person': [
      'person(',
      /person\(\s{0,8}(?:given ?= ?)?\\{0,7}"(?<author>\p{Lu}[\p{L}\p{M} .'’-]{1,40})\\{0,7}",\s{0,12}(?:family ?= ?)?\\{0,7}"(?<author2>\p{Lu}[\p{L}\p{M} .'’-]{1,40})\\{0,7}"/uy,
      { ...PERSON, finder: 'namedGroups' },
    ],
    'crate-author': [
      'author = |authors = ',
      /(?<=\[package\][^[\]]{0,300})authors? = \[?\\{0,7}"([A-Za-z][\w-]{2,38})\\{0,7}"/uy,
      { ...ACCOUNT, finder: 'authorName', kind: 'probable' },
    ],
    'document-property': [
      `creator  |author  |modified by  |company  |registered owner:|registered organization:|full name  |
      <company>`,
      /(?:(?:Creator|Author|Modified By|Artist) {4,30}: |Registered Owner:\s{2,24}|Full Name {4,40})(?<author>[\p{L}][\p{L}\p{M}\d_'’.-]{1,38}(?:,? [\p{L}\p{M}'’.-]{1,30}){0,4})(?=$|[\s"'\\;<>|)])|(?:Company {4,30}: |Registered Organization:\s{2,24})(?<organization>[^\n\\]{3,60}?)(?=\s{0,2}(?:$|\r?\n|\\))|<Company>(?<organization2>[^<\n]{3,60})(?=<\/Company>\s{0,8}<(?:LinksUpToDate|SharedDoc|HyperlinkBase|AppVersion))/uy,
      { ...PERSON, finder: 'namedGroups' },
    ],
    'distinguished-name': [
      'cn=|cn = |uid=|cn: ',
      /CN ?= ?(?![^,\n]{0,60}\b(?:Root|CA|Authority|Certificate|Global|Class|Trust|Server|TLS|SSL|Domain|Users?)\b)(?<person>\p{Lu}[\p{L}\p{M}'’.-]{0,30}(?: [\p{L}\p{M}'’.-]{1,30}){1,4})(?:(?=,? ?(?:OU|DC|CN|O|L|C|ST) ?=|\/emailAddress)(?:, ?OU ?= ?[^,\n]{1,60})?(?:, ?O ?= ?(?<organization>[^,\n/=]{3,60})(?=,|\n|$))?|(?=\n|$))|uid=(?<account>[\w.-]{2,38})(?:(?:,(?:ou|cn|dc)=[^,\n]{1,40}){0,5}?,dc=(?!example|company|domain|test|local|internal|corp)(?<organization2>[A-Za-z][A-Za-z\d-]{2,40})(?=,dc=[a-z]{2,6}(?![\w,])))?(?=,(?:ou|cn|dc)=)|(?<=(?<![\w-])O ?= ?(?!Internet Widgits)(?<organization3>[^,\n/=]{3,60}),? [^\n]{0,80})CN ?= ?(?<account3>[a-z][\w.-]{2,38})(?=, ?emailAddress ?=)|(?<=\n)cn: (?<person2>\p{Lu}[\p{L}\p{M}'’.-]{0,30}(?: [\p{L}\p{M}'’.-]{1,30}){1,4})(?=\n(?:sn|givenName|mail|uid|displayName|objectClass): )/uy,
      { ...PERSON, finder: 'namedGroups' },
    ],
    'windows-logon': [
      " s-1-5-21-|login failed for user '",
      /(?<=(?:^|\n|\\n)(?!BUILTIN|NT |CONTOSO)(?<organization>[\w-]{2,15})\\{1,2}(?<account>[\w.-]{2,31}) {0,60}) S-1-5-21-|Login failed for user \\{0,3}'(?<organization2>[\w-]{2,15})\\{1,4}(?<account2>[\w.-]{2,31})\\{0,3}'/uy,
      { ...ACCOUNT, finder: 'namedGroups', own: true },
    ],
    'terraform-organization': [
      'organization = |app.terraform.io/app/',
      /(?<=(?:cloud|backend\s\\{0,7}"remote\\{0,7}")\s{0,4}\{(?:[\s+]|\\{1,4}n){1,16}(?:hostname\s{1,8}= [^\n]{1,80}\n\s{1,12})?)organization = \\{0,7}"([A-Za-z\d][\w-]{1,38})\\{0,7}"|app\.terraform\.io\/app\/([A-Za-z\d][\w-]{1,38})(?=\/)/uy,
      { ...ORGANIZATION, finder: 'organization' },
    ],
    'terraform-user': [
      'aws_iam_user.',
      /aws_iam_user\.\w{1,60}\[\\{0,7}"([A-Za-z][\w.-]{2,38})\\{0,7}"\]/uy,
      { ...ACCOUNT, finder: 'personalAccount' },
    ],
    'tool-organization': [
      'default organization: |remote caching enabled for |using account |using project "|companyname: |teamname = ',
      /(?:Default Organization: |[rR]emote [cC]aching enabled for )(?<organization>[A-Za-z\d][\w-]{1,38})(?=$|[\s"'\\.])|[uU]sing account (?<holder>[\p{L}][^()\n]{2,50}?)(?:['’]s Account)? \((?=[0-9a-f]{32}\))|Using project "(?<organization2>[A-Za-z\d][\w-]{2,62})" on server|companyName: (?<organization3>[\p{L}\d][^\n\\]{2,60}?)(?=(?:\\{1,4}n|\r?\n)[+> ]{0,8}\s{1,8}productName:)|teamName = "?(?![\w.]*[.(])(?<holder2>[\p{L}][^()\n";]{2,50}?)(?: \(Personal Team\))?"?;/uy,
      { ...ORGANIZATION, finder: 'namedGroups' },
    ],
    'cluster-context': [
      'gke_',
      /gke_([a-z][a-z\d-]{4,28}[a-z\d])_(?=[a-z]{2,16}-[a-z]{3,16}\d)/uy,
      { category: 'cloud_account', placeholder: 'CLOUD_ID', finder: 'cloudId' },
    ],
    'internal-host': [
      '.int.|.intern.|.internal.|.corp.|.intranet.|.intra.',
      /(?<=:\/\/(?:[\w.-]{1,40}@)?[\w.-]{0,60})\.(?:int|intern|internal|corp|intranet|intra)\.((?!cloudapp|google|amazonaws)[A-Za-z\d][\w-]{3,62}\.[a-z]{2,12}(?:\.[a-z]{2})?)(?=[/:"'\s]|\\|$)/uy,
      { ...HOST, finder: 'hostName' },
    ],
    'host-table': [
      '127.0.1.1| ansible_user=| ansible_host=| ansible_ssh_',
      /127\.0\.1\.1\s{1,8}(?<host>[A-Za-z][\w.-]{3,63})(?:[ \t]{1,8}(?<host2>[A-Za-z][\w.-]{3,63}))?|(?<=(?:^|\n|\\n)(?<host3>[A-Za-z][\w-]{1,62}(?:\.[\w-]{1,63}){1,4})) ansible_/uy,
      { ...HOST, finder: 'namedGroups' },
    ],
    'device-name': [
      `'s macbook|’s macbook|'s imac|’s imac|'s mac |’s mac |'s iphone|’s iphone|'s ipad|’s ipad|macbook air |
      macbook pro `,
      /(?<=(?<![\p{L}’'])(\p{Lu}[\p{L}\p{M}-]{1,30}(?: \p{Lu}[\p{L}\p{M}-]{1,30})?))['’]s (?:MacBook|iMac|Mac (?:mini|Studio|Pro)|iPhone|iPad)|MacBook (?:Air|Pro) (?:von|de|di|van|af|av) (\p{Lu}[\p{L}\p{M}-]{1,30}(?: \p{Lu}[\p{L}\p{M}-]{1,30})?)(?=$|[\s"'\\,;.)])/uy,
      { ...HOST, finder: 'authorName' },
    ],
    'starship-prompt': [
      ' in ~/|❯',
      /(?<=(?:^|\n|\\n)(?<account2>[a-z_][\w.-]{1,31}) in (?:🌐 )?(?<host2>[\w-]{3,63}) in [^\n\\]{1,120}(?:\\{1,4}n|\r?\n))❯|(?<=(?<![\w-])(?<account>[a-z_][\w.-]{1,31}) (?:in|on|at) (?:🌐 )?(?<host>[\w-]{3,63})) in ~\/[^\n\\]{0,120}(?:\\{1,4}n|\r?\n)[+> ]{0,8}❯/uy,
      { ...ACCOUNT, finder: 'namedGroups', own: true },
    ],
    'user-record': [
      '"displayname|"display_name|"object":"user"|"object": "user"|preferred_username|"fullname',
      /"display_?[nN]ame\\{0,7}"\s?:\s?\\{0,7}"(?<person>\p{Lu}[\p{L}\p{M}'’., -]{2,60})\\{0,7}",\s{0,16}\\{0,7}"(?:nickname|account_?[iI]d|emailAddress|responseStatus|timeZone|active|self|uuid)\\{0,7}"\s?:(?:\s?\\{0,7}"(?<=nickname[^,]{0,24})(?<account>[\w-]{2,38})\\{0,7}")?|(?<="email(?:Address)?\\{0,7}"\s?:\s?\\{0,7}"[^"\s]{5,80}",\s{0,16}\\{0,7})"displayName\\{0,7}"\s?:\s?\\{0,7}"(?<person2>\p{Lu}[\p{L}\p{M}'’., -]{2,60})\\{0,7}"|"object\\{0,7}"\s?:\s?\\{0,7}"user\\{0,7}"[^{}]{1,120}?"name\\{0,7}"\s?:\s?\\{0,7}"(?<person3>\p{Lu}[\p{L}\p{M}'’. -]{2,60})\\{0,7}"|(?<="name\\{0,7}"\s?:\s?\\{0,7}"(?<account3>[a-z][\w.-]{2,38})\\{0,7}"[^{}]{1,300}?)"displayName\\{0,7}"\s?:\s?\\{0,7}"(?<person4>\p{Lu}[\p{L}\p{M}'’., -]{2,60})\\{0,7}"|"fullName\\{0,7}"\s?:\s?\\{0,7}"(?<person5>\p{Lu}[\p{L}\p{M}'’. -]{2,60})\\{0,7}",\s{0,16}\\{0,7}"username\\{0,7}"\s?:\s?\\{0,7}"(?<account4>[\w.-]{2,38})\\{0,7}"|(?<="name\\{0,7}"\s?:\s?\\{0,7}"(?<person6>\p{Lu}[\p{L}\p{M}'’. -]{2,60})\\{0,7}",\s{0,16}\\{0,7}")preferred_username|preferred_username\\{0,7}"\s?:\s?\\{0,7}"(?<account2>[A-Za-z][\w.-]{2,38})\\{0,7}"/uy,
      { ...PERSON, finder: 'namedGroups' },
    ],
    'issue-header': [
      'assignee:|assigned to|reporter:|creator:|created by|requester:|merged by|approved by',
      /(?<=(?:^|\n|\\n)[-* ]{0,4})(?:(?:Assignee|Reporter|Creator|Created by|Requester|Assigned to):\*{0,2}\s{1,8}(\p{Lu}[\p{L}\p{M}'’.-]{0,30}(?: [\p{L}\p{M}'’.-]{1,30}){1,4})(?=(?:\\{1,4}n|\r?\n)[-*+ ]{0,4}(?:Assignee|Reporter|Creator|Created|Priority|Status|Type|Branch|Watchers|Link|URL|Due|Labels?|Resolution|Escalation|Service|Project|Milestone)\b)|(?:Assigned to|Created by|Merged by|Approved by) (\p{Lu}[\p{L}\p{M}'’.-]{0,30}(?: \p{Lu}[\p{L}\p{M}'’.-]{0,30}){1,3})(?=(?:\\{1,4}n|\r?\n)|$|, (?:last modified|on )| (?:on \p{Lu}[a-z]{2} \d|\d{1,2} (?:minute|hour|day|week|month)s? ago)))/uy,
      { ...PERSON, finder: 'personName' },
    ],
    'listed-account': [
      'user |uid |usename |command |role name|.login|approvers:|reviewers:|assignees:|id |svn blame |svn annotate ',
      'listedAccounts',
      ACCOUNT,
    ],
  },
}
