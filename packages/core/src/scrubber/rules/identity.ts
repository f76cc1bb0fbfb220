import type { Rule } from '../engine/rule.ts'

/** One to five words, of which the first is capitalized; the detector decides whether it is a person's name. */
const NAME = String.raw`\p{Lu}[\p{L}\p{M}'’.-]{0,30}(?: [\p{L}\p{M}'’.-]{1,30}){0,4}`
/** A name that may be one word in small letters. */
const AUTHOR = String.raw`[\p{L}][\p{L}\p{M}\d_'’.-]{1,38}(?: [\p{L}\p{M}'’.-]{1,30}){0,4}`
const LOGIN = String.raw`[A-Za-z\d][\w-]{1,38}`
/** A code host's address before the owner of a repository. */
const HOST = String.raw`(?:ssh:\/\/)?(?:git@|https?:\/\/(?:[\w-]{1,40}(?::[^@\s]{1,200})?@)?)?(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org|gitea\.com|ghcr\.io)[:/]`
const END = String.raw`(?=$|[\s"'\\,;<>|)}\]])`
const Q = '\\\\{0,7}["\'`]'

const identity = (
  id: string,
  finder: 'personName' | 'authorName' | 'nameParts' | 'accountName' | 'organization' | 'hostName' | 'cloudId',
  keywords: readonly string[],
  source: string,
  more: Partial<Rule> & { readonly flags?: string } = {},
): Rule => {
  const { flags = 'uy', ...rest } = more
  const [category, placeholder] = {
    personName: ['person', 'PERSON'],
    authorName: ['person', 'PERSON'],
    nameParts: ['person', 'PERSON'],
    accountName: ['account_name', 'ACCOUNT'],
    organization: ['organization', 'ORG'],
    hostName: ['host_name', 'HOST'],
    cloudId: ['cloud_account', 'CLOUD_ID'],
  }[finder] as [string, string]
  return { id, category, placeholder, keywords, finder, pattern: new RegExp(source, flags), inside: true, ...rest }
}

/** Each letter in either case, for words of a pattern whose value is case-sensitive. */
const any = (words: string): string => words.replace(/[a-z]/g, (char) => `[${char}${char.toUpperCase()}]`)

/** The end of a line, also escaped, with the sign of a diff on the next one. */
const NL = String.raw`(?:\\{1,4}n|\r?\n)[+ ]?`

/** White space of several lines, also escaped. */
const GAP = String.raw`(?:[\s+]|\\{1,4}[nrt]){1,16}`
const UUID = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}'

/** Places where a trace says who its author is, and who works with the author. Found values are searched in the whole trace. */
export const identityRules: readonly Rule[] = [
  // Names
  identity(
    'git-config-name',
    'authorName',
    ['user.name'],
    `user\\.name(?:"\\s?:\\s?| ?= ?| +)${Q}?(?!user\\.|--)(${AUTHOR})${END}`,
  ),
  identity('git-config-output', 'personName', ['user.name'], `user\\.name["']?[ \\t]{0,4}${NL}(${NAME})${END}`),
  identity(
    'git-config-section',
    'authorName',
    ['[user'],
    `\\[user\\]${GAP}(?:(?!name)\\w{3,16} ?= ?[^\\n]{0,120}\\n\\s{0,12}){0,3}name ?= ?(${AUTHOR})${END}`,
  ),
  identity(
    'git-environment',
    'authorName',
    ['git_author_name', 'git_committer_name'],
    `(?:${any('git_author_name')}|${any('git_committer_name')})["']?\\s?[=:]\\s?${Q}?(${AUTHOR})${END}`,
  ),
  identity('git-author-option', 'personName', ['--author='], `--author=${Q}?(${NAME})${END}`),
  identity('git-log-names', 'personName', ['format='], `format=\\\\{0,7}["']?%an[^\\n]{0,80}?${NL}(${NAME})${END}`),
  identity(
    'git-blame',
    'authorName',
    Array.from({ length: 12 }, (_, i) => ` ${2018 + i}-`),
    `(?<=\\((${AUTHOR}) {0,30}) 20\\d\\d-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d [+-]\\d{4} +\\d`,
  ),
  identity(
    'author-field',
    'personName',
    [
      'author',
      'committer',
      'maintainer',
      'creator',
      'created_by',
      'createdby',
      'created by',
      'owner',
      'assignee',
      'assigned to',
      'reporter',
      'reviewer',
      'reported by',
      'approved by',
      'displayname',
      'display_name',
      'fullname',
      'full_name',
      'full name',
      'real_name',
      'realname',
      'contributor',
      'commitauthor',
    ],
    `(?:${any('authors?|committer|maintainers?|creator|created[_ ]?by|owner|assignee|assigned to|reporter|reviewer|reported by|approved by|display_?name|full[_ ]?name|real_?name|contributors?')})${Q}?(?:\\s{0,16}(?::|=>?)\\s{0,4}|>| is )(?:\\[\\s{0,12})?(?:- )?(?:\\{\\s{0,12}(?:${Q}?(?!name)\\w{1,16}${Q}?\\s?[:=]\\s?${Q}?[^"'\\n{}]{0,80}${Q}?,\\s{0,12}){0,2}${Q}?name${Q}?\\s{0,3}[:=]\\s{0,3})?${Q}?(${NAME})(?=$|[\\r\\n"'\\\\,;<>|({}\\]]|[.] )`,
  ),
  identity('author-tag', 'personName', ['@author '], `@author +(${NAME})${END}`),
  identity(
    'developer-element',
    'personName',
    ['<developer>', '<author>', '<contributor>'],
    `<(?:developer|author|contributor)>\\s{0,20}(?:<id>[^<]{0,60}</id>\\s{0,20})?(?:<name>)?\\s{0,4}(${NAME})</`,
  ),
  identity(
    'name-parts',
    'nameParts',
    [
      'firstname',
      'first_name',
      'givenname',
      'given_name',
      'lastname',
      'last_name',
      'familyname',
      'family_name',
      'surname',
    ],
    `(?:${any('first_?name|given_?name|last_?name|family_?name|surname')})(?:${Q}\\s?[:=]\\s?${Q}|: |=${Q})(\\p{Lu}[\\p{L}\\p{M}'’-]{1,30})(?=${Q}|${NL}|\\\\n|$)`,
  ),
  identity(
    'name-beside-address',
    'personName',
    ['name:'],
    `[nN]ame:\\s{1,12}(${NAME})\\s{0,4}(?:${NL}|\\\\n)\\s{0,8}[eE]-?mail:`,
  ),
  identity(
    'name-beside-login',
    'personName',
    ['"login'],
    `"login\\\\{0,7}"\\s{0,3}:\\s{0,3}\\\\{0,7}"[^{}]{1,400}?"name\\\\{0,7}"\\s{0,3}:\\s{0,3}\\\\{0,7}"(${NAME})\\\\{0,7}"`,
  ),
  identity(
    'closing-of-letter',
    'personName',
    ['regards,', 'sincerely,', 'cheers,', 'best wishes,', 'yours,', 'thanks,', 'cordialement,', 'saludos,'],
    `(?:(?:${any('regards|sincerely|cheers|best wishes|yours|thanks|cordialement|saludos')}),|[gG]rü(?:ß|ss)en)[ \\t]{0,3}(?:${NL}|\\\\n){1,3}[ \\t]{0,3}(${NAME})${END}`,
  ),
  identity(
    'person-in-table',
    'personName',
    ['| name |', '|name|'],
    `\\| ?[nN]ame ?\\|[^\\n]{0,120}?${NL}[-| :]{3,160}${NL}\\| ?(${NAME}) ?\\|`,
  ),

  // Accounts of code and package hosts
  identity(
    'signed-in-account',
    'accountName',
    ['logged in to ', 'logged in as ', 'login succeeded for', 'signed in as ', 'authenticated as '],
    `(?:[lL]ogged in to [\\w. ]{2,40} (?:account|as)|[lL]ogged in as|[sS]igned in as|[aA]uthenticated as) @?(${LOGIN})(?![\\w.]*@)${END}`,
  ),
  identity('login-field', 'accountName', ['"login'], `"login\\\\{0,7}"\\s{0,3}:\\s{0,3}\\\\{0,7}"(${LOGIN})\\\\{0,7}"`),
  identity('login-query', 'accountName', ['.login'], `\\.login["']?[ \\t]{0,3}${NL}(${LOGIN})${END}`),
  identity(
    'docker-login',
    'accountName',
    ['docker login', 'podman login'],
    `(?:docker|podman) login [^\\n|;&]{0,80}?(?:-u|--username)[ =]["']?(${LOGIN})${END}`,
  ),
  identity(
    'prompted-user',
    'accountName',
    ['username'],
    `[uU]sername(?: for '[^'\\n]{1,80}')?: (${LOGIN})\\s{0,3}${NL}[pP]assword`,
  ),
  identity(
    'push-target',
    'accountName',
    ['to github.com', 'to https://', 'to git@', 'to ssh://', 'to gitlab.com', 'to bitbucket.org'],
    `To ${HOST}(${LOGIN})\\/`,
  ),
  identity(
    'remote-owner-ssh',
    'accountName',
    ['origin', 'fork'],
    `(?:origin|fork)["']?\\]?\\s{1,8}(?:url = )?(?:ssh:\\/\\/)?git@[\\w.-]{4,60}[:/](${LOGIN})\\/`,
  ),
  identity(
    'remote-owner',
    'accountName',
    ['origin', 'fork'],
    `(?:origin|fork)["']?\\]?\\s{1,8}(?:url = )?${HOST}(${LOGIN})\\/[\\w.-]{1,80}(?=\\s{1,3}\\(push\\)|["'\\n]|$)`,
  ),
  identity('push-to-address', 'accountName', ['git push'], `git push (?:-\\S{1,20} ){0,3}${HOST}(${LOGIN})\\/`),
  identity(
    'pull-request-owner',
    'accountName',
    ['merge pull request #'],
    `[mM]erge pull request #\\d{1,7} from (${LOGIN})\\/`,
  ),
  identity(
    'remote-message',
    'accountName',
    ['remote:'],
    `remote:\\s{1,12}https:\\/\\/(?:github|gitlab|bitbucket)\\.(?:com|org)\\/(${LOGIN})\\/`,
  ),
  identity(
    'created-repository',
    'accountName',
    ['created repository ', 'gh repo create ', 'glab repo create '],
    `(?:[cC]reated repository|g(?:h|lab) repo create) (?:https:\\/\\/github\\.com\\/)?(${LOGIN})\\/`,
  ),
  identity(
    'assigned-account',
    'accountName',
    ['--assignee ', '--reviewer ', '--assignee=', '--reviewer='],
    `--(?:assignee|reviewer)[ =]["']?@?(${LOGIN})(?!\\/)${END}`,
  ),
  identity(
    'pushed-image',
    'accountName',
    ['docker.io/', 'docker push '],
    `(?:(?<=repository \\[)docker\\.io\\/|docker push (?:docker\\.io\\/|ghcr\\.io\\/)?)(${LOGIN})\\/`,
  ),
  identity('linked-project', 'accountName', ['linked to '], `[lL]inked to (${LOGIN})\\/[\\w.-]{1,60}`),
  identity(
    'worker-address',
    'accountName',
    ['.workers.dev'],
    `(?<=\\/\\/(?:[\\w-]{1,63}\\.)?([\\w-]{2,63}))\\.workers\\.dev`,
  ),
  identity(
    'published-page',
    'accountName',
    ['live at ', 'published at ', 'deployed to '],
    `(?:live at|[pP]ublished at|[dD]eployed to):?\\s{1,3}https?:\\/\\/(${LOGIN})\\.(?:github|gitlab)\\.io`,
  ),
  identity(
    'profile-address',
    'accountName',
    ['pypi.org/user/', 'npmjs.com/~', 'hub.docker.com/u/', 'github.com/users/'],
    `(?:pypi\\.org\\/user|npmjs\\.com|hub\\.docker\\.com\\/u|github\\.com\\/users)\\/~?(${LOGIN})`,
  ),
  identity(
    'published-scope',
    'organization',
    ['publishing to'],
    `[pP]ublishing to [^\\n\\\\]{1,120}${NL}(?:[^\\n\\\\]{0,160}${NL}){0,3}\\+? ?@(${LOGIN})\\/`,
  ),
  identity('listed-organizations', 'organization', ['orgs:'], `orgs:\\s{1,4}(${LOGIN})${END}`),

  // Accounts and projects of clouds
  identity(
    'account-table',
    'organization',
    ['account name'],
    `[aA]ccount [nN]ame\\s{1,20}[│|]\\s{1,4}[aA]ccount ID\\s{1,40}[│|]?(?:[^\\p{L}\\\\]|\\\\{1,7}n){1,400}([\\p{L}][\\p{L}\\d' .-]{2,60}?)\\s{1,20}[│|]\\s{0,4}[0-9a-f]{32}`,
  ),
  identity(
    'account-table-id',
    'cloudId',
    ['account id'],
    `[aA]ccount ID(?:[^0-9a-f]|[a-f](?![0-9a-f]{8})|\\d(?![0-9a-f]{8})){0,160}?(?<![0-9a-f])([0-9a-f]{32})(?![0-9a-f])`,
  ),
  identity(
    'aws-account',
    'cloudId',
    ['"account', 'account_id', 'accountid', 'account-id'],
    `(?:"Account\\\\{0,7}"|${any('account[_-]?id')}["']?)\\s{0,3}[:=]\\s{0,3}\\\\{0,7}["']?(\\d{12})(?!\\d)`,
  ),
  identity('aws-resource', 'cloudId', ['arn:aws'], `arn:aws[a-z-]{0,12}:[a-z0-9-]{2,40}:[a-z0-9-]{0,20}:(\\d{12}):`),
  identity(
    'aws-user',
    'accountName',
    ['arn:aws'],
    `arn:aws[a-z-]{0,12}:(?:iam|sts)::\\d{12}:(?:user|assumed-role\\/[\\w+=,.@-]{1,64}|federated-user)\\/([A-Za-z][\\w.+=-]{2,38})(?![\\w@/-])`,
  ),
  identity('aws-registry', 'cloudId', ['.dkr.ecr'], `(?<=(?<![\\d.])(\\d{12}))\\.dkr\\.ecr`),
  identity('aws-queue', 'cloudId', ['amazonaws.com/'], `amazonaws\\.com\\/(\\d{12})\\/`),
  identity(
    'gcloud-project',
    'cloudId',
    ['project = ', 'set project ', 'core/project '],
    `(?:project = |set project |core\\/project )([a-z][a-z0-9-]{4,28}[a-z0-9])(?![\\w-])`,
  ),
  identity(
    'azure-id',
    'cloudId',
    [
      'tenantid',
      'tenant_id',
      'tenant-id',
      'subscriptionid',
      'subscription_id',
      '--subscription',
      '--tenant',
      'subscriptions/',
      'hometenantid',
    ],
    `(?:${any('tenant[_-]?id|subscription[_-]?id')}|--subscription|--tenant|subscriptions(?=\\/))${Q}?\\s{0,3}[:=/ ]\\s{0,3}${Q}?(${UUID})(?![\\w-])`,
  ),
  identity(
    'supabase-project',
    'cloudId',
    ['--project-ref', 'project_ref', '.supabase.co', '.supabase.in'],
    `(?:--project-ref[ =]|${any('project_ref')}["']?\\s?[:=]\\s?["']?)([a-z]{20})(?![a-z])|(?<=\\/\\/(?:db\\.)?([a-z]{20}))\\.supabase\\.(?:co|in)`,
  ),
  identity('vercel-id', 'cloudId', ['prj_', 'team_'], `((?:prj|team)_[A-Za-z0-9]{20,32})(?![A-Za-z0-9])`),
  identity(
    'netlify-site',
    'cloudId',
    ['siteid', 'site_id', 'site-id', 'site id'],
    `${any('site[_ -]?id')}${Q}?\\s{0,3}[:=]\\s{0,3}${Q}?(${UUID})(?![\\w-])`,
  ),
  identity(
    'cloudflare-account',
    'cloudId',
    ['account_id', 'accountid', 'account-id', 'zone_id', 'dash.cloudflare.com/'],
    `(?:(?:${any('account[_-]?id|zone_id')})${Q}?\\s{0,3}[:=]\\s{0,3}${Q}?|dash\\.cloudflare\\.com\\/)([0-9a-f]{32})(?![0-9a-f])`,
  ),
  identity(
    'firebase-project',
    'cloudId',
    ['firebase use ', 'using project '],
    `(?:firebase use|using project) (?:--\\S{1,20} )?([a-z][a-z0-9-]{4,28}[a-z0-9])(?![\\w-])`,
  ),

  // Hosts
  identity(
    'mac-prompt-host',
    'hostName',
    ['$ '],
    `(?<=(?:^|[\\s+>]|\\\\[nr]|\x1b\\[\\d{1,2}m)([\\w.-]{3,40}):[^\\s:]{1,60} [a-z_][\\w.-]{1,31})\\$ `,
  ),
  identity(
    'mac-prompt-user',
    'accountName',
    ['$ '],
    `(?<=(?:^|[\\s+>]|\\\\[nr]|\x1b\\[\\d{1,2}m)[\\w.-]{3,40}:[^\\s:]{1,60} ([a-z_][\\w.-]{1,31}))\\$ `,
  ),
  identity(
    'host-output',
    'hostName',
    ['hostname'],
    `(?<=^|[$#%>] |\\n)hostname${NL}([\\w-]{3,63}(?:\\.[\\w-]{1,63}){0,4})${END}`,
  ),
  identity(
    'uname',
    'hostName',
    ['linux ', 'darwin '],
    `(?:Linux|Darwin) ([\\w-]{3,63}(?:\\.[\\w-]{1,63}){0,4}) \\d{1,2}\\.\\d{1,2}\\.\\d{1,3}`,
  ),
  identity('ssh-config-host', 'hostName', ['hostname '], `HostName\\s{1,4}([\\w.-]{4,80})${END}`),
  identity(
    'ssh-config-user',
    'accountName',
    ['user '],
    `(?<=Host(?:Name)?[ \\t][^\\n]{1,80}(?:\\n[^\\n]{1,80}){0,3}(?:\\n|\\\\n)[+ \\t]{1,9})User ([a-z_][\\w.-]{2,31})(?=${NL}|\\s|$)`,
  ),
  identity(
    'remote-host',
    'hostName',
    ['ssh ', 'scp ', 'rsync ', 'sftp ', 'mosh '],
    `(?:ssh|scp|rsync|sftp|mosh) (?:[^\\n|;&@]{0,100}? )?[a-z_][\\w.-]{1,31}@([A-Za-z][\\w.-]{2,80}[A-Za-z0-9])`,
  ),
  identity(
    'url-account',
    'accountName',
    ['https://', 'ssh://', 'git+ssh://'],
    `(?:https|(?:git\\+)?ssh):\\/\\/([a-z][\\w.-]{2,30})@(?=[\\w-]{1,63}\\.)`,
  ),
  identity('project-folder', 'accountName', ['-users-', '-home-'], `-(?:Users|home)-([a-z][\\w.]{2,31})-`),
]
