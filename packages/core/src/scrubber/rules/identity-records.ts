import type { Rule } from '../engine/rule.ts'
import { isCustomer } from './identity-hosts.ts'
import {
  ALONE,
  AUTHOR,
  END,
  GAP,
  identity,
  isPersonalAccount,
  LINE,
  LOGIN,
  NAME,
  NL,
  Q,
  UUID,
} from './identity-rule.ts'

/** Accounts of services on a machine, which name nobody. */
const SERVICE =
  /^(?:elasticsearch|opensearch|rabbitmq|mongodb|mariadb|grafana|prometheus|airflow|spark|hadoop|hdfs|zookeeper|caddy|traefik|vault|consul|nomad|etcd|minio|solr|cassandra|clickhouse|memcached|haproxy|squid|varnish|bind|named|ntp|chrony|dovecot|postfix|exim|gitea|forgejo|nextcloud|keycloak|sonarqube|nexus|httpd|php-fpm|uwsgi|gunicorn|celery|airbyte|n8n|odoo|frappe|zulip|mattermost|ftp|avahi|polkitd|colord|rtkit|tss|whoopsie|kernoops|gdm|lightdm|sddm|geoclue|cups|pulse|libuuid|uuidd|tcpdump|landscape|pollinate|lxd|dnsmasq|libvirt.*|qemu|kvm|statd|rpc|rpcuser|oprofile|abrt|unbound|setroubleshoot|cockpit.*|reboot|shutdown|wtmp|btmp)$/i
const isOwnAccount = (value: string): boolean => isPersonalAccount(value) && !SERVICE.test(value)
/** Returns whether a cluster's name is none that local clusters have by default. */
const isOwnCluster = (value: string): boolean =>
  !/^(?:minikube|docker-desktop|rancher-desktop|orbstack|colima|kind-\w+|kubernetes|default|microk8s[\w-]*|k3d-\w+|arn:.*|gke_.*)$/i.test(
    value,
  )
/** White space between the fields of a JSON document, also escaped. */
const SPACE = String.raw`(?:\s|\\{1,4}n){0,20}`
const WORDS = String.raw`\p{Lu}[\p{L}\p{M}\d&'’-]{1,30}`

/** Identity in records: directories, cards, certificates, process lists, chats, trackers and what builds print. */
export const identityRecordRules: readonly Rule[] = [
  // Builds and packages
  identity(
    'run-starter',
    'authorName',
    ['started by user ', 'triggered via ', 'manually run by '],
    `(?:Started by user|Triggered via [a-z_ ]{2,30} by|Manually run by) (${AUTHOR})${END}`,
  ),
  identity('synced-repository', 'accountName', ['syncing repository: '], `Syncing repository: (${LOGIN})\\/`),
  identity(
    'published-package',
    'organization',
    ['+ @', 'npm.pkg.github.com/', ':registry='],
    `(?<=publish[^]{0,600})\\+ @(${LOGIN})\\/[\\w.-]{1,80}@\\d|npm\\.pkg\\.github\\.com\\/(?:download\\/)?@(${LOGIN})|(?<=@(${LOGIN})):registry=`,
    { valid: (value) => !/^(?:jsr|buf|tiptap-pro|bufbuild|esm)$/.test(value) },
  ),
  identity(
    'package-owner',
    'authorName',
    ['owner ls', 'owner --list', 'owner list'],
    `(?<=(?:npm|cargo|gem|pnpm|yarn) )owner (?:ls|--list|list)[^\\n]{0,80}${NL}(${LOGIN})(?: \\((${NAME})\\)| <)`,
  ),
  identity(
    'profile-table',
    'namedGroups',
    ['npm profile get'],
    `npm profile get[^]{0,300}?│ name {1,20}│ (?<account>${LOGIN}) {1,60}│(?:[^]{0,600}?│ fullname {1,20}│ (?<person>${NAME})(?= {1,60}│))?`,
  ),
  identity(
    'printed-login',
    'accountName',
    ['login as: ', 'enter your username: ', 'name="login" value="'],
    `(?:login as: |[eE]nter your username: |name="login" value=")(${LOGIN})${END}`,
    { valid: isPersonalAccount },
  ),
  identity(
    'default-organization',
    'organization',
    ['default organization: ', 'teamslug', 'team_slug', 'turbo_team', 'orgslug', 'org_slug', 'caching enabled for '],
    `(?:Default Organization: |(?:team_?Slug|team_slug|TURBO_TEAM|org_?Slug|org_slug)${Q}?\\s?[:=]\\s?${Q}?|[cC]aching enabled for )(${LOGIN})${END}`,
    { valid: isCustomer },
  ),
  identity(
    'provider-owner',
    'accountName',
    ['provider "git', 'provider \\"git', 'provider \\\\\\"git'],
    `provider ${Q}git(?:hub|lab)${Q} \\{[^{}]{0,300}?(?:owner|organization)\\s{1,8}=\\s{1,4}${Q}(${LOGIN})${Q}`,
  ),
  identity(
    'owner-by-name',
    'personName',
    ["'s account", "'s team", "'s projects", "'s workspace", "'s organization"],
    `(?<=[^\\p{L}](${WORDS}(?: ${WORDS}){1,3}))'s (?:[aA]ccount|[tT]eam|projects|[wW]orkspace|[oO]rganization)(?![\\p{L}])`,
  ),
  identity('graph-author', 'personName', [' ago) <'], ` ago\\) <(${NAME})>`),
  identity('organization-table', 'personName', [' personal '], `(?<=${LINE}(${NAME}) {1,60}) personal {2,40}PERSONAL`),
  identity(
    'team-membership',
    'organization',
    ['teams:'],
    `[tT]eams:\\s{0,3}${NL}?\\s{0,8}([\\p{L}][\\p{L}\\d&' .-]{2,40}): (?:Owner|Collaborator|Developer|Member|Admin)`,
  ),

  // Identifiers that services give to accounts
  identity(
    'login-number',
    'accountId',
    ['"login'],
    `"login\\\\{0,7}"\\s{0,3}:\\s{0,3}\\\\{0,7}"[\\w-]{1,40}\\\\{0,7}",\\s{0,20}\\\\{0,7}"id\\\\{0,7}"\\s{0,3}:\\s{0,3}(\\d{4,12})(?!\\d)`,
  ),
  identity('github-node', 'accountId', ['mdq6vxnlc', 'u_kgdo'], `(MDQ6VXNlc[\\w+/]{3,20}={0,2}|U_kgDO[\\w-]{4,16})`),
  identity(
    'slack-member',
    'accountId',
    ['"user', '<@u', '<@w'],
    `(?:"user(?:_id)?\\\\{0,7}"\\s?:\\s?\\\\{0,7}"|<@)([UW](?=[A-Z0-9]{0,9}\\d)[A-Z0-9]{8,11})(?=[">|\\\\])`,
  ),
  identity(
    'atlassian-account',
    'accountId',
    ['accountid'],
    `accountId\\\\{0,7}"\\s?:\\s?\\\\{0,7}"([0-9a-f]{24}|\\d{6}:${UUID})(?=\\\\{0,7}")`,
  ),
  identity(
    'orcid',
    'accountId',
    ['orcid'],
    `orcid(?:[:= "'/.]|org|https?|id){0,12}(\\d{4}-\\d{4}-\\d{4}-\\d{3}[\\dX])(?!\\d)`,
    {
      flags: 'iuy',
    },
  ),
  identity('windows-sid', 'accountId', ['s-1-5-21-'], `(S-1-5-21-\\d{5,10}-\\d{5,10}-\\d{5,10}(?:-\\d{3,10})?)(?!\\d)`),
  identity(
    'key-fingerprint',
    'accountId',
    ['key fingerprint'],
    `[kK]ey fingerprint ?[:=] {1,4}((?:[0-9A-F]{4} {1,2}){9}[0-9A-F]{4})(?![0-9A-F])`,
  ),
  identity('vault-user', 'accountId', ['user id: '], `User ID: {1,12}((?=[A-Z]{0,25}\\d)[A-Z0-9]{26})(?![A-Z0-9])`),

  // Accounts and projects of clouds
  identity('project-number', 'cloudId', ['projectnumber'], `projectNumber${Q}?:\\s{0,3}${Q}?(\\d{9,14})(?!\\d)`),
  identity(
    'account-ids',
    'cloudId',
    ['account_ids', 'accountids'],
    `account_?[iI]ds${Q}?\\s{0,4}[=:]\\s{0,4}\\[\\s{0,8}${Q}(\\d{12})${Q}`,
  ),
  identity(
    'tenant-subscription',
    'cloudId',
    ['tenantid'],
    `tenantId${Q}\\s?:\\s?${Q}[\\w-]{36}${Q},\\s{1,20}${Q}id${Q}\\s?:\\s?${Q}(${UUID})`,
  ),
  identity(
    'subscription-name',
    'organization',
    ['"user'],
    `(?<=name${Q}:\\s?${Q}([\\p{L}][\\p{L}\\d .-]{2,60})${Q},${SPACE}(?:${Q}(?:state|tenantId)${Q}:\\s?${Q}[\\w-]{3,40}${Q},${SPACE}){0,2}\\\\{0,7})"user${Q}:\\s?\\{${SPACE}${Q}name${Q}`,
    {
      valid: (value) => !/^(?:pay-as-you-go|free trial|azure|microsoft azure|visual studio)(?: .*)?$/i.test(value),
    },
  ),
  identity(
    'azure-resource',
    'cloudId',
    ['/providers/microsoft.'],
    `\\/providers\\/Microsoft\\.\\w{2,40}\\/\\w{2,40}\\/([A-Za-z][\\w-]{3,60})(?![\\w.-])`,
    { valid: isCustomer },
  ),
  identity(
    'project-table',
    'cloudId',
    ['reference id'],
    `REFERENCE ID[^\\n\\\\]{0,120}${NL}[-+|─┼ ]{10,160}${NL}[^a-z0-9\\n]{0,20}([a-z0-9]{20}) {0,4}[|│] {0,4}([a-z]{20})(?![a-z])`,
  ),
  identity(
    'cluster-context',
    'hostName',
    ['authinfo'],
    `AUTHINFO[^\\n]{0,40}${NL}\\*?\\s{1,20}\\S{1,80} {2,40}([\\w.-]{3,80}) {2,}`,
    { valid: isOwnCluster },
  ),

  // Machines
  identity(
    'inline-prompt',
    'namedGroups',
    [' in ~', ' in /'],
    `(?<=${LINE}(?<account>[a-z_][\\w.-]{1,31}) in (?:🌐 )?(?<host>[\\w-]{3,63})) in [~/](?=[^\\n]{0,200}${NL}[❯➜$>%] )`,
  ),
  identity(
    'domain-account',
    'namedGroups',
    ['s-1-5-21-'],
    `(?<=(?:^|\\s|\\\\n[+]?|[+])(?<organization>[A-Za-z][\\w-]{2,30})\\\\{1,4}(?<account>[\\w.-]{2,32}) {1,20})S-1-5-21-`,
  ),
  identity('process-owner', 'processOwners', ['user '], `USER {2,12}(?:PID|TTY)[^\\n\\\\]{0,120}(?:\\\\{1,4}n|\\n)`, {
    valid: isOwnAccount,
  }),
  identity(
    'logged-in-user',
    'accountName',
    [' pts/', ' tty', ' console '],
    `(?<=${LINE}([a-z_][\\w.-]{1,31}) {0,20}) (?:pts\\/\\d{1,3}|tty\\w{0,5}|console) {2,}`,
    { valid: isOwnAccount },
  ),
  identity(
    'windows-accounts',
    'windowsAccounts',
    ['user accounts for '],
    `User accounts for \\\\{2,8}[\\w.-]{1,63}${GAP}[+ ]?-{20,100}${NL}`,
  ),
  identity(
    'account-argument',
    'accountName',
    ['chown ', 'crontab ', 'su - ', 'su -l ', 'sudo -u ', 'net user ', 'usermod ', 'chage '],
    `${ALONE}(?:chown (?:-[\\w-]{1,12} ){0,3}|crontab (?:-[ler] ){0,2}-u |su (?:-l|-) |sudo -u |net user |usermod (?:-\\w{1,4} [\\w,/]{1,40} ){1,3}|chage (?:-\\w )?)([A-Za-z_][\\w.-]{2,31})(?=$|[\\s:;&|"'\\\\])`,
    { valid: isOwnAccount },
  ),
  identity(
    'netrc-login',
    'accountName',
    ['login '],
    `(?<=machine [\\w.-]{3,80}\\s{1,8})login (?!oauth2|apikey|x-|token)(${LOGIN})(?=[\\s"'\\\\]|$)`,
    {
      valid: isPersonalAccount,
    },
  ),
  identity(
    'key-generation',
    'namedGroups',
    ['ssh-keygen '],
    `ssh-keygen [^\\n|;&]{0,120}?-C ${Q}?(?<account>[a-z_][\\w.-]{1,31})@(?<host>[A-Za-z][\\w.-]{2,62})${END}`,
  ),
  identity(
    'remote-url-host',
    'hostName',
    ['ssh://', 'sftp://'],
    `(?:ssh|sftp):\\/\\/(?:[\\w.-]{1,32}@)?([A-Za-z][\\w-]{0,62}(?:\\.[\\w-]{1,63}){1,4})`,
  ),
  identity(
    'own-git-host',
    'namedGroups',
    ['to ssh://', 'to https://', 'pushing to ', 'sr.ht/~'],
    `(?:To|Pushing to) (?:ssh|https):\\/\\/(?:[\\w.-]{1,40}@)?(?<host>[A-Za-z][\\w-]{0,62}(?:\\.[\\w-]{1,63}){1,4})(?::\\d{1,5})?\\/~?(?<account>${LOGIN})\\/|sr\\.ht\\/~(?<account2>${LOGIN})`,
  ),

  // Directories, cards and certificates
  identity(
    'directory-entry',
    'namedGroups',
    ['uid=', 'cn: '],
    `uid=(?<account>${LOGIN})(?=,(?:ou|cn|dc|o)=)|(?<=${LINE})cn: (?<person>${NAME})(?=$|${NL})`,
  ),
  identity(
    'certificate-subject',
    'namedGroups',
    ['subject: ', 'subject=', 'subject: /'],
    `[sS]ubject[:=] ?(?=[^\\n]{0,240}emailAddress ?=)(?:[^\\n]{0,120}?\\bO ?= ?(?<organization>[^,/\\n=]{3,60}?) ?(?=[,/]))?[^\\n]{0,160}?CN ?= ?(?<person>${NAME})(?= ?[,/\\n])`,
  ),
  identity(
    'card-organization',
    'organization',
    ['org:', 'org;', '<organization>'],
    `(?<=${LINE})ORG(?:;[^:\\n]{1,40})?:([\\p{L}][^;:\\r\\n\\\\<>]{2,60})(?=[;\\r\\n\\\\]|$)|<organization>([\\p{L}][^<>\\n]{2,60})<`,
  ),
  identity('developer-id', 'accountName', ['<developer>'], `<developer>(?:${GAP})?<id>(${LOGIN})<\\/id>`, {
    valid: isPersonalAccount,
  }),
  identity('full-name-column', 'personName', ['full name '], `Full Name {2,40}((?:${WORDS}, )?${NAME})${END}`),
  identity(
    'author-link',
    'accountName',
    ['rel="author', 'rel=\\"author', 'rel=\\\\\\"author'],
    `rel=\\\\{0,7}"author\\\\{0,7}" href=\\\\{0,7}"https?:\\/\\/(?:github|gitlab|codeberg)\\.(?:com|org)\\/(${LOGIN})`,
  ),
  identity('joint-author', 'personName', ['\\and '], `\\\\{1,4}and\\s{1,8}(${NAME})(?=\\s?[\\\\},\\r\\n])`),

  // People who speak and are spoken of
  identity(
    'chat-author',
    'personName',
    [' am', ' pm'],
    `(?<=${LINE}(${WORDS}(?: ${WORDS}){1,3}) {1,3}\\d{1,2}:\\d\\d) [AP]M(?=$|${NL})`,
  ),
  identity(
    'messenger-author',
    'authorName',
    Array.from({ length: 10 }, (_, digit) => `${digit}] `),
    `(?<=\\[\\d{1,4}[./-]\\d{1,2}[./-]\\d{2,4},? \\d{1,2}:\\d\\d(?::\\d)?)\\d\\] (${NAME}): `,
  ),
  identity(
    'colleague',
    'personName',
    ['colleague ', 'coworker ', 'co-worker ', 'teammate ', 'my boss ', 'my manager ', 'my wife ', 'my husband '],
    `(?:colleague|co-?worker|teammate|my (?:boss|manager|wife|husband))s?,? (${NAME})(?=$|[\\s"'\\\\,;.!<>|)])`,
  ),
  identity(
    'employer',
    'organization',
    [
      "i'm ",
      'i am ',
      'work at ',
      'work for ',
      'working at ',
      'working for ',
      'employed ',
      'arbeite bei',
      'travaille chez ',
    ],
    `(?:(?<!(?<!\\\\)[\\w'])(?:I'm|I am) \\p{Lu}[\\p{L}'-]{1,20}(?: \\p{Lu}[\\p{L}'-]{1,30})? (?:from|at|of|with)|(?:work|working|employed) (?:at|for|by)|arbeite bei(?: der)?|travaille chez) ((?:${WORDS} ){1,3}(?:Inc|LLC|Ltd|Limited|GmbH|AG|KG|B\\.V|S\\.A|SAS|AB|AS|Oy|Corp|Digital|Labs|Software|Systems|Studios?|Technologies|Solutions|Consulting|Media|Group|Analytics|Robotics|Health|Energy|Capital|Partners|Logistics|Services))(?![\\p{L}])`,
  ),
  identity(
    'list-of-approvers',
    'accountList',
    ['approvers:', 'reviewers:', 'assignees:', 'owners for gem'],
    `(?:approvers|reviewers|assignees|Owners for gem: [\\w.-]{1,60}|Owners for gem):?[ \\t]{0,4}(?:\\\\{1,4}n|\\r?\\n)`,
    { valid: isOwnAccount },
  ),
]
