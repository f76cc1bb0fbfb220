import { ALONE, any, AUTHOR, END, GAP, HOST, identity, LOGIN, NAME, NL, Q, UUID } from './identity-rule.ts'
import type { Rule } from '../engine/rule.ts'

/**
 * Places where a trace says who its author is, and who works with the author. Found values are searched in the whole
 * trace.
 */
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
  identity('git-log-names', 'personName', ['format='], `format=\\\\{0,7}["']?%an[^\\n]{0,80}?${NL}(${NAME})${END}`),
  identity(
    'git-blame',
    'authorName',
    Array.from({ length: 12 }, (_, i) => ` ${2018 + i}-`),
    `(?<=\\((${AUTHOR}) {0,30}) 20\\d\\d-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d [+-]\\d{4} +\\d`,
  ),
  identity(
    'blame-names',
    'authorName',
    ['author-mail', 'committer-mail'],
    `(?<=(?:author|committer) (${AUTHOR})${NL})(?:author|committer)-mail <`,
  ),
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
      'family-name',
      'given-name',
      'surname',
    ],
    `(?:${any('first_?name|given[_-]?names?|last_?name|family[_-]?names?|surname')})(?:${Q}\\s?[:=]\\s?${Q}|: |=${Q})(\\p{Lu}[\\p{L}\\p{M}'’-]{1,30})(?=${Q}|${NL}|\\\\n|$)`,
  ),
  identity(
    'name-beside-address',
    'personName',
    ['name:', '<name>'],
    `[nN]ame:\\s{1,12}(${NAME})\\s{0,4}(?:${NL}|\\\\n)\\s{0,8}(?:[eE]-?mail|[pP]hone|[tT]el|[mM]obile|[aA]ddress|DOB|[dD]ate of [bB]irth):|<name>\\s{0,4}(${NAME})</name>\\s{0,20}<email>`,
  ),
  identity(
    'name-beside-login',
    'personName',
    ['"login'],
    `"login\\\\{0,7}"\\s{0,3}:\\s{0,3}\\\\{0,7}"[^{}]{1,400}?"name\\\\{0,7}"\\s{0,3}:\\s{0,3}\\\\{0,7}"(${NAME})\\\\{0,7}"`,
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
    `[uU]sername(?: for '[^'\\n]{1,80}')?: (${LOGIN})\\s{0,3}${NL} ?(?:[pP]assword|Registry:|Login Succeeded)`,
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
    ['origin', 'fork', 'upstream'],
    `(?:origin|fork|upstream)["']?\\]?(?:\\s{1,8}(?:url = )?|\\.url[= ]\\s?)(?:ssh:\\/\\/)?git@[\\w.-]{4,60}[:/](${LOGIN})\\/`,
  ),
  identity(
    'remote-owner',
    'accountName',
    ['origin', 'fork'],
    `(?:origin|fork)["']?\\]?(?:\\s{1,8}(?:url = )?|\\.url[= ]\\s?)${HOST}(${LOGIN})\\/[\\w.-]{1,80}(?=\\s{1,3}\\(push\\)|["'\\n]|$)`,
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
    ['docker.io/', 'docker push ', 'podman push '],
    `(?:(?<=repository \\[)docker\\.io\\/|(?:docker|podman) push (?:(?:docker|ghcr|quay)\\.io\\/|registry\\.gitlab\\.com\\/)?)(${LOGIN})\\/`,
  ),
  identity('linked-project', 'accountName', ['linked to '], `[lL]inked to (${LOGIN})\\/[\\w.-]{1,60}`),
  identity(
    'worker-address',
    'accountName',
    ['.workers.dev'],
    `(?<=(?<![\\w.-])(?:[\\w*-]{1,63}\\.)?([A-Za-z\\d][\\w-]{1,62}))\\.workers\\.dev`,
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
  // A layer of Lambda belongs to the vendor that publishes it.
  identity(
    'aws-resource',
    'cloudId',
    ['arn:aws'],
    `arn:aws[a-z-]{0,12}:[a-z0-9-]{2,40}:[a-z0-9-]{0,20}:(\\d{12}):(?!layer:)`,
  ),
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
    `(?:project = |set project |core\\/project )(?!projects?\\b)([a-z][a-z0-9-]{4,28}[a-z0-9])(?![\\w-])`,
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
    ['--project-ref', 'project_ref', 'project_id', 'supabase.com/dashboard/project/', '.supabase.co', '.supabase.in'],
    `(?:--project-ref[ =]|supabase\\.com\\/dashboard\\/project\\/|${any('project_(?:ref|id)')}["']?\\s?[:=]\\s?["']?)([a-z]{20})(?![a-z])|(?<=\\/\\/(?:db\\.)?([a-z]{20}))\\.supabase\\.(?:co|in)`,
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
  identity('ssh-config-host', 'hostName', ['hostname '], `${ALONE}Host[nN]ame\\s{1,4}([\\w.-]{4,80})${END}`),
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
    ['https://', 'ssh://', 'sftp://'],
    `(?:https|ssh|sftp):\\/\\/(?!oauth2|x-|token|gitlab-ci|api)([A-Za-z][\\w.-]{2,30})(?::[^@\\s/]{1,200})?@(?=[\\w-]{1,63}\\.)`,
  ),
  identity('project-folder', 'accountName', ['-users-', '-home-'], `-(?:Users|home)-([a-z][\\w.]{2,31})-`),
]
