import { isColleague } from './mentions.ts'
import { isCustomer, PUBLIC_DOMAIN } from './identity-hosts.ts'
import { ALONE, GAP, identity, isPersonalAccount, LINE, LOGIN, NAME, NL, Q } from './identity-rule.ts'
import { isPrivateCompany } from './identity-shapes.ts'
import { isHandle } from '../detectors/identity/field-value.ts'
import type { Rule } from '../engine/rule.ts'

/** Hosts on which anybody's repositories are. */
const HOSTS = '(?:github|gitlab|bitbucket|codeberg|gitea)\\.(?:com|org)'
const REPOSITORY = `(${LOGIN})\\/[\\w.-]{1,80}`

/** Labels of links in manifests of packages. */
const LINKS = 'home-?page|home|projecturl|repository|repo|source|github|gitlab|issues|tracker|bugs|changelog'
const LINK = LINKS.split('|')
  .map((label) => label.replace(/[a-z]/g, (char) => `[${char}${char.toUpperCase()}]`))
  .join('|')

/** What people do on a code host, behind their account. */
const FORGE_DEEDS =
  'commented on|commented \\d|left a (?:comment|review)|force-pushed|self-assigned this|released this|closed this|reopened this|added \\d{1,3} commits?|added a commit|was assigned|mentioned this|forked this|starred this|deployed to|pushed \\d{1,4} commits?|pushed to branch|opened merge|approved this|assigned to @|requested a review|marked this'

/** Words before a time that are no person. */
const NO_SPEAKER =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\w*$|^(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\w*$|^(?:Today|Yesterday|Updated|Edited|Sent|Date|Time|At|On|Since|Until|From|Last|Posted|Published|Now|Start|End|Due|Open|Closes?|Opens|Lunch|Dinner|Breakfast|Departure|Arrival|Note|Modified|Created|Slack|Error|Warning|Info|Debug|Messages?)$/

/** Kinds of machines that stand behind the name of one. */
const MACHINES = 'laptop|thinkpad|macbook|mbp|xps|imac|workstation|nas|desktop'
/** Makers and sorts of machines. */
const SORTS =
  /^(?:dell|lenovo|apple|hp|asus|acer|msi|gaming|used|new|budget|business|student|synology|qnap|remote|docker|github|claude|rancher|podman|multipass)$/i

/** Clusters that everybody has. */
const LOCAL_CLUSTER = /^(?:docker|rancher|kind|k3d|minikube|microk8s|arn|gke)-/i

/** Buckets of public data, of manuals and of a tool itself. */
const SHARED_BUCKET =
  /public|sample|demo|example|bucket|dataset|open-?data|^(?:amzn|aws|gcp|google|cloud)-|commoncrawl|\d{9}|^rg-?(?:prod|dev|test)$/

/** Shapes of lines and addresses that tools print, and in which a place says who or whose it is. */
export const identityPrintedRules: readonly Rule[] = [
  identity(
    'printed-repository',
    'accountName',
    [
      'showing ',
      '/pull/',
      '/issues/',
      '"repo"',
      '"repository"',
      'successfully ',
      '/compare/',
      '/pull/new/',
      '/merge_requests/new',
      '/pull-requests/new',
      'build ',
      'brew tap ',
      '-patch-',
    ],
    `(?:[sS]howing \\d{1,6} (?:of \\d{1,7} )?(?:open |closed |merged )?(?:pull requests|issues|merge requests) (?:in|on) ${REPOSITORY}|(?<=(?:^|\\n|\\\\n)url:(?:\\t|\\\\t)https:\\/\\/${HOSTS}\\/${REPOSITORY})\\/(?:pull|issues)\\/|"repo(?:sitory)?"\\s?:\\s?\\{[^{}]{0,120}?"name"\\s?:\\s?"${REPOSITORY}"|[sS]uccessfully (?:pushed|tagged|built|published) (?:(?:docker|ghcr|quay)\\.io\\/|registry\\.gitlab\\.com\\/)?(?!sha256)${REPOSITORY}|(?<=remote:\\s{1,12}https:\\/\\/[\\w.-]{4,60}\\/${REPOSITORY})\\/(?:-\\/)?(?:compare\\/|pull\\/new\\/|merge_requests\\/new|pull-requests\\/new)|[bB]uild #\\d{1,7} (?:of|for) ${REPOSITORY}|brew tap (${LOGIN})(?=\\/)|\\/compare\\/[\\w./-]{1,80}\\.\\.\\.(${LOGIN}):|(?<=(?:^|[\\s"':/]|\\\\[nt])(${LOGIN}))-patch-\\d{1,3}(?!\\w))`,
    { valid: (value) => isCustomer(value) && isPersonalAccount(value) },
  ),
  identity(
    'manifest-link',
    'accountName',
    LINKS.replace('home-?page', 'home-page|homepage')
      .split('|')
      .flatMap((label) => [`${label}:`, `${label} =`, `${label}=`, `${label}"`, `${label}'`, `${label}>`])
      .concat('url='),
    `(?:(?<![\\w-])(?:${LINK})(?:${Q})?\\s{0,8}(?:=>|[:=>])\\s{0,8}${Q}?|url=${Q})(?:git\\+)?https:\\/\\/${HOSTS}\\/${REPOSITORY}(?=[#?"'\`\\\\<\\s,]|\\/(?:issues|tree|blob)|$)`,
    { valid: isCustomer },
  ),
  identity(
    'deed-on-code-host',
    'accountName',
    FORGE_DEEDS.split('|').map((deed) => ` ${deed.replace(/[\\(].*/, '').trimEnd()}`),
    `(?<=${LINE}(?:\\*\\*|@)?(${LOGIN}(?:\\.${LOGIN})?)(?:\\*\\*)?) (?:${FORGE_DEEDS})(?![\\w-])`,
    { valid: (value) => isColleague(value) && isHandle(value) && !/^[A-Z]/.test(value) },
  ),
  identity(
    'dated-speaker',
    'authorName',
    [
      ' today at ',
      ' yesterday at ',
      ' am',
      ' pm',
      ', [',
      'm - ',
      ...Array.from({ length: 10 }, (_, digit) => `${digit} - `),
    ],
    `(?<=${LINE}(${NAME}|[\\w.-]{3,32}) ?[—–-]) (?:Today|Yesterday) at \\d|(?<=${LINE}(\\p{Lu}\\p{Ll}{1,20}(?:-\\p{Lu}\\p{Ll}{1,20})?) {1,3}\\d{1,2}:\\d\\d) [AP]M(?=$|${NL})|(?<=${LINE}\\d{1,4}[./-]\\d{1,2}[./-]\\d{2,4},? \\d{1,2}:\\d(?:\\d:\\d)?(?:\\d\\s[aApP])?)[\\dmM] - (${NAME}): |(?<=${LINE}(${NAME})), \\[\\d{1,2}[./]\\d{1,2}[./]\\d{2,4} \\d`,
    { valid: (value) => !NO_SPEAKER.test(value) },
  ),
  identity(
    'printed-machine',
    'hostName',
    [
      ': ok=',
      ' ansible_',
      'building remotely on ',
      'running on ',
      'agent name: ',
      'machine name: ',
      'logon server:',
      'logonserver=',
      'net use ',
      ...MACHINES.split('|').map((machine) => `-${machine}`),
    ],
    `(?<=${LINE}([A-Za-z][\\w-]{2,62}) {1,40}): ok=\\d|(?<=${LINE}([A-Za-z][\\w-]{2,62})) ansible_(?:user|host|connection|port|ssh)|[bB]uilding remotely on ([A-Za-z][\\w-]{2,62})(?= (?:\\(|in workspace))|Running on ([A-Za-z][\\w-]{2,62})(?= in \\/)|(?:[aA]gent|[mM]achine) name: ['"]?([A-Za-z][\\w-]{2,62})${Q}?(?=['"]?(?:$|${NL}))|(?:L[oO][gG][oO][nN] ?S[eE][rR][vV][eE][rR](?::\\s{1,24}|=)|net use (?:[A-Z]: )?)\\\\{2,8}([A-Za-z][\\w-]{2,62})|(?<=(?:\\/\\/|(?<![\\w.])[a-z_][\\w.-]{1,31}@)([A-Za-z][a-z\\d]{3,30}(?:-[a-z\\d]{1,20})?))-(?:${MACHINES})(?![\\w/])`,
    { valid: (value) => isCustomer(value) && !SORTS.test(value) },
  ),
  identity(
    'rows-of-accounts',
    'accountRows',
    [' org ls ', ' team ls ', ' list collaborators ', ' ls-collaborators ', 'user   ', 'role name', 'username  '],
    `(?:(?<=npm) (?:org|team) ls [^\\n]{1,80}?${NL}(?:user +role *${NL})?|(?<=npm access) ?(?:list collaborators|ls-collaborators)[^\\n]{0,80}?${NL}|U(?:SER|ser) {2,40}T[tT][yY] [^\\n]{1,80}?${NL}|[rR]ole name[^\\n]{1,120}?${NL}[-+ ]{4,200}${NL})`,
    { valid: (value) => isPersonalAccount(value) && isHandle(value) },
  ),
  identity('image-owners', 'imageOwners', ['repository  '], `REPOSITORY {2,60}TAG [^\\n]{1,120}?${NL}`, {
    valid: (value) => isCustomer(value) && isPersonalAccount(value),
  }),
  identity(
    'named-context',
    'hostName',
    ['current-context', 'use-context ', 'switched to context ', '[profile ', '--profile ', 'aws_profile'],
    `(?:current-context:\\s|use-context |[sS]witched to context "|\\[profile |(?<=aws [^\\n|;&]{0,160})--profile[ =]|AWS_PROFILE=)["']?([A-Za-z][\\w-]{3,62})(?=["'\\]\\s.,;]|\\\\|$)`,
    { valid: (value) => /-/.test(value) && isHandle(value) && isCustomer(value) && !LOCAL_CLUSTER.test(value) },
  ),
  identity(
    'prompted-machine',
    'namedGroups',
    ['------', '/user:', 'username:s:', 'account domain:'],
    `(?<=${LINE}(?<account>[a-z_][\\w.-]{1,31})@(?<host>[A-Za-z][\\w-]{2,62})${NL})-{6}|(?:\\/user:|username:s:)(?:(?<organization>[A-Za-z][\\w-]{2,30})\\\\{1,4})?(?<account2>[A-Za-z][\\w.-]{2,38})(?=$|[\\s"'])|Account Domain:\\s{1,8}(?<organization2>[A-Za-z][\\w-]{2,30})(?=$|\\s)`,
    { valid: (value) => isPersonalAccount(value) && isCustomer(value) },
  ),
  identity(
    'logged-visitor',
    'accountName',
    ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'].map((month) => `/${month}/`),
    `(?<=\\d(?:\\.\\d{1,3}){3} - ([A-Za-z][\\w.-]{2,38}) \\[\\d\\d)\\/[A-Z][a-z]{2}\\/\\d{4}:\\d`,
    { valid: isPersonalAccount },
  ),
  identity(
    'stored-in',
    'cloudId',
    ['s3://', 'gs://', 'resourcegroups/', '--resource-group '],
    `(?:(?:s3|gs):\\/\\/|resourceGroups\\/|--resource-group )([a-z][a-z\\d-]{4,61}[a-z\\d])(?=[/"'\`\\s,;)\\\\]|$)`,
    {
      valid: (value) =>
        /-/.test(value) && isHandle(value.slice(0, 38)) && isCustomer(value) && !SHARED_BUCKET.test(value),
    },
  ),
  identity(
    'said-account',
    'namedGroups',
    [
      ' on github',
      ' on gitlab',
      ' on twitter',
      ' on discord',
      ' on npm',
      ' on mastodon',
      ' on bluesky',
      'my repo',
      'my fork',
      'our repo',
      'my server ',
      'my laptop ',
      'my machine ',
      'our server ',
      'my nas ',
      'our nas ',
    ],
    `(?<=${ALONE}I(?: a|['’])m @?(?<account>(?=[\\w.-]{0,38}[\\d_.-])${LOGIN}(?:\\.${LOGIN})?)) on (?:GitHub|GitLab|Twitter|Discord|npm|Mastodon|Bluesky)\\b|(?:[mM]y|[oO]ur) (?:repo(?:sitory)?|fork) (?:is |at |of )?(?<account2>${LOGIN})\\/(?=[\\w.-]{2,60}(?:$|[\\s,.;?!]))|(?:[mM]y|[oO]ur) (?:server|laptop|machine|NAS|nas) (?:is |called |named )?(?<host>[a-z][a-z\\d]{2,30}(?:-[a-z\\d]{1,20}){1,3})(?=$|[\\s,.;?!])`,
    { valid: (value) => isHandle(value) },
  ),
  identity(
    'own-group',
    'organization',
    ['<groupid>', 'organization :=', 'group = ', "group '"],
    `(?:(?<=<modelVersion>[^<]{1,12}<\\/modelVersion>${GAP})<groupId>|organization := "|(?<=${LINE})group (?:= ?)?['"])(?:[a-z]{2,4})\\.([a-z][a-z\\d-]{3,40})(?=[.<"'])`,
    { valid: (value) => isCustomer(value) && !PUBLIC_DOMAIN.test(value) },
  ),
  identity(
    'served-domain',
    'organization',
    [
      'server_name ',
      'servername ',
      'serveralias ',
      '/letsencrypt/live/',
      'certbot ',
      'virtual_host',
      'letsencrypt_host',
      'allowed_hosts',
    ],
    `(?:server_name|ServerName|ServerAlias|\\/etc\\/letsencrypt\\/live\\/|certbot [^\\n|;&]{0,80}?-d|(?:VIRTUAL|LETSENCRYPT)_HOST|ALLOWED_HOSTS)[\\s=:["'(]{0,8}(?:[a-z\\d-]{1,20}\\.)?([a-z][a-z\\d-]{3,40})\\.(?:co\\.[a-z]{2}|com\\.[a-z]{2}|[a-z]{2,12})(?![\\w(-]|\\.\\w)`,
    { valid: (value) => isCustomer(value) && !PUBLIC_DOMAIN.test(value) },
  ),
  identity(
    'synced-folder',
    'organization',
    ['onedrive - '],
    `OneDrive - ([\\p{L}\\d][^\\\\/\\n"':*?<>|]{2,60}?)(?=\\\\|\\/|["'\\n]|$)`,
    { valid: (value) => value !== 'Personal' && isPrivateCompany(value) },
  ),
]
