import type { Rule } from '../engine/rule.ts'
import { commonWords } from './common-words.ts'
import { any, AUTHOR, END, identity, isPersonalAccount, LINE, LOGIN, NL } from './identity-rule.ts'

/** Hosts below `visualstudio.com` and `github.io` that belong to no customer. */
const RESERVED =
  /^(?:marketplace|code|www|update|online|docs|learn|devblogs|login|app|apps|pages|blog|status|help|portal|your.*|my.*|example.*|username|user|org|organization|project|name|workgroup|builtin|nt|localhost)$/i
const ofCustomer = (value: string): boolean => !RESERVED.test(value) && !commonWords.has(value.toLowerCase())

/** What stands before a ticket in the name of a branch, where it is no person. */
const TOPICS = /^(?:feat|fix|bug|hotfix|chore|docs|ref|dep|renovate|story|epic|spike|ticket|issue)/

const PROJECT = '[a-z][a-z0-9-]{4,28}[a-z0-9]'

/** What version control, hosts, clouds and Windows print of the account and the organization that use them. */
export const identityToolRules: readonly Rule[] = [
  identity('username-option', 'accountName', ['--username'], `--username[ =]["']?(${LOGIN})(?![\\w.]*@)${END}`, {
    valid: isPersonalAccount,
  }),
  identity(
    'subversion-log',
    'accountName',
    Array.from({ length: 12 }, (_, i) => ` | ${2018 + i}-`),
    `(?<=r\\d{1,7} \\| (${LOGIN})) \\| 20\\d\\d-\\d\\d-\\d\\d \\d\\d:\\d\\d`,
    { valid: isPersonalAccount },
  ),
  identity('subversion-author', 'authorName', ['last changed author:'], `Last Changed Author: (${AUTHOR})${END}`),
  identity(
    'subversion-blame',
    'accountName',
    ['svn blame', 'svn praise', 'svn annotate'],
    `svn (?:blame|praise|annotate) [^\\n\\\\]{1,160}${NL}\\s{1,8}\\d{1,7}\\s{1,12}(${LOGIN}) `,
    { valid: isPersonalAccount },
  ),
  identity(
    'terraform-organization',
    'organization',
    ['organization', 'app.terraform.io/'],
    `(?:organization\\s{1,12}=\\s{1,4}\\\\{0,3}"|app\\.terraform\\.io\\/(?:app\\/|api\\/v2\\/organizations\\/)?)(${LOGIN})(?=\\\\{0,3}"|\\/)`,
    { valid: ofCustomer },
  ),
  identity(
    'azure-organization',
    'organization',
    ['dev.azure.com', '.visualstudio.com'],
    `dev\\.azure\\.com(?:\\/|:v3\\/)(${LOGIN})(?![\\w-])|(?<=\\/\\/(?:[\\w-]{1,40}@)?(${LOGIN}))\\.visualstudio\\.com`,
    { valid: ofCustomer },
  ),
  // A link of Markdown leads to the documentation of somebody else.
  identity(
    'pages-host',
    'accountName',
    ['.github.io', '.gitlab.io'],
    `(?<=(?<!\\]\\()(?:https?:\\/\\/|CNAME:? )(${LOGIN}))\\.(?:github|gitlab)\\.io(?![\\w-])`,
    { valid: ofCustomer },
  ),
  identity(
    'vercel-scope',
    'accountName',
    ['vercel '],
    `vercel [^\\n|;&]{0,80}?(?:(?:--scope|--team|-S)[ =]|switch )(${LOGIN})${END}`,
  ),
  identity(
    'netlify-link',
    'cloudId',
    ['netlify '],
    `netlify [^\\n|;&]{0,80}?(?:--id|--site|-s)[ =]([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?![\\w-])`,
  ),
  identity(
    'gcloud-project-name',
    'cloudId',
    [
      'get-value project',
      'gcloud ',
      'current project is [',
      'configuration is: [',
      'google_cloud_project',
      'gcloud_project',
      'gcp_project',
    ],
    `(?:get-value project(?: 2>/dev/null)?${NL}|gcloud [^\\n|;&]{0,120}?--project[ =]["']?|current project is \\[|configuration is: \\[(?!default\\b)|(?:${any('google_cloud_project|gcloud_project|gcp_project')}(?:_[iI][dD])?)["']?\\s?[:=]\\s?["']?)(${PROJECT})(?![\\w-])`,
  ),
  identity(
    'service-account-project',
    'cloudId',
    ['.iam.gserviceaccount.com'],
    `(?<=@(${PROJECT}))\\.iam\\.gserviceaccount\\.com`,
  ),
  identity(
    'windows-host',
    'hostName',
    ['computername'],
    `(?:(?<=\\$env:)COMPUTERNAME${NL}|(?<!(?<!\\\\)[\\w%:$])COMPUTERNAME["']?(?:\\s?[=:]|\\s{2,40}(?=\\S))\\s?["']?)([A-Za-z][\\w-]{2,62})${END}`,
  ),
  identity(
    'windows-domain',
    'organization',
    ['userdomain', 'whoami', '<userid>'],
    `(?<!(?<!\\\\)[\\w%:$])(?:USERDOMAIN["']?(?:\\s?[=:]|\\s{2,40}(?=\\S))\\s?["']?([A-Za-z][\\w-]{2,30})${END}|<UserId>([A-Z][\\w-]{2,19})(?=\\\\)|whoami\\r?\\n([A-Za-z][\\w-]{2,19})(?=\\\\[a-z]))`,
    { valid: ofCustomer },
  ),
  identity(
    'windows-user',
    'accountName',
    ['username'],
    `(?<!(?<!\\\\)[\\w%:$])USERNAME["']?(?:\\s?[=:]\\s?|\\s{4,40}(?=\\S))["']?(${LOGIN})${END}`,
    { valid: isPersonalAccount },
  ),
  identity(
    'internal-network',
    'organization',
    ['.int.', '.intern.', '.internal.', '.intra.', '.intranet.', '.corp.', '.intra', ' ansible_'],
    `(?<=[\\w-])\\.(?:int|intern|internal|intra|intranet|corp)\\.([a-z][a-z\\d-]{3,40})\\.(?:com|net|org|io|eu|[a-z]{2})(?![\\w.(-])|(?<=\\.([a-z][a-z\\d-]{3,40}))\\.(?:intra|intranet)(?![\\w.-])|(?<=${LINE}[\\w-]{1,40}\\.([a-z][a-z\\d-]{3,40})\\.[a-z]{2,8}) ansible_`,
    { valid: ofCustomer },
  ),
  identity(
    'workspace-owner',
    'organization',
    ['@bitbucket.org/', '@gitlab.com/', '@github.com/'],
    `(?<=https:\\/\\/[\\w.-]{2,40})@(?:bitbucket|gitlab|github)\\.(?:org|com)\\/(${LOGIN})\\/`,
    { valid: ofCustomer },
  ),
  identity(
    'branch-owner',
    'accountName',
    ['users/', 'user/', 'branch: ', 'checkout -b ', 'origin/'],
    `(?<=(?:-> |origin\\/|[*+] ))users?\\/([a-z]{3,20}\\.[a-z]{4,20})\\/|(?:branch: |checkout -b |origin\\/)([a-z]{4,20})\\/[a-z]{2,6}-\\d{1,6}-`,
    { valid: (value) => isPersonalAccount(value) && !TOPICS.test(value) },
  ),
  identity(
    'chat-nick',
    'accountName',
    Array.from({ length: 10 }, (_, i) => `${i} <`),
    `(?<=\\d\\d:\\d)\\d <[@+%& ]?([A-Za-z][\\w-]{3,24})> `,
    { valid: isPersonalAccount },
  ),
]
