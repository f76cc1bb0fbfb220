import type { Rule } from '../engine/rule.ts'
import { ALONE, END, HOST, LINE, identity, isPersonalAccount, LOGIN, NAME, NL, Q } from './identity-rule.ts'

/** Marks of comments that name a topic in place of a person. */
const TOPIC =
  /^(?:perf(?:ormance)?|sec(?:urity)?|ios|a11y|i18n|l10n|ux|ui|types?|docs?|tests?|refactor|cleanup|bug|hack|later|next|soon|v\d.*|p\d|low|high|urgent|optional|breaking|deps?|infra|db|sql|css|html|ts|js|py|rust|go|cpp|gh-?\d*|#?\d.*|[A-Z]+-\d+)$/i

/** Variables by which a build says who runs it. */
const VARIABLES =
  'GITHUB_ACTOR GITHUB_TRIGGERING_ACTOR GITHUB_REPOSITORY_OWNER GITHUB_REPOSITORY GITHUB_USER GITHUB_USERNAME GH_USER GITLAB_USER_LOGIN CI_PROJECT_NAMESPACE CI_PROJECT_ROOT_NAMESPACE CI_PROJECT_PATH BITBUCKET_WORKSPACE BITBUCKET_REPO_OWNER CIRCLE_USERNAME CIRCLE_PROJECT_USERNAME TRAVIS_REPO_SLUG BUILDKITE_ORGANIZATION_SLUG VERCEL_GIT_REPO_OWNER VERCEL_GIT_COMMIT_AUTHOR_LOGIN DOCKER_USERNAME DOCKERHUB_USERNAME DOCKER_USER DOCKER_HUB_USER NPM_USERNAME TF_CLOUD_ORGANIZATION TFE_ORG TFE_ORGANIZATION SENTRY_ORG SNOWFLAKE_USER KAGGLE_USERNAME HF_USERNAME ANSIBLE_USER DEPLOY_USER SSH_USER CODESPACE_OWNER GITEA_USER'.split(
    ' ',
  )
const NAME_VARIABLES =
  'GITLAB_USER_NAME CI_COMMIT_AUTHOR_NAME BUILD_REQUESTEDFOR BUILDKITE_BUILD_CREATOR DRONE_COMMIT_AUTHOR_NAME VERCEL_GIT_COMMIT_AUTHOR_NAME'.split(
    ' ',
  )

/** Accounts in what tools print and are told, beyond the sign-ins of `identity.ts`. */
export const identityAccountRules: readonly Rule[] = [
  identity(
    'account-variable',
    'accountName',
    VARIABLES.map((name) => name.toLowerCase()),
    `${ALONE}(?:${VARIABLES.join('|')}|ansible_user)${Q}?\\s?[=:]\\s?${Q}?(${LOGIN})(?=$|[\\s"'\\\\,;/}])`,
    { valid: isPersonalAccount },
  ),
  identity(
    'name-variable',
    'personName',
    NAME_VARIABLES.map((name) => name.toLowerCase()),
    `(?:${NAME_VARIABLES.join('|')})${Q}?\\s?[=:]\\s?${Q}?(${NAME})${END}`,
  ),
  identity(
    'gh-output',
    'accountName',
    [
      'user: ',
      'creating pull request for ',
      'forked ',
      'author:',
      'reviewers:',
      'assignees:',
      'gh run list ',
      '--author=',
      '--author ',
      'review requested from ',
      'gh repo view',
    ],
    `(?:(?<=github\\.com:[^]{0,160})user: |user: (?=[\\w-]{2,39}${NL}\\s{1,8}(?:oauth_token|git_protocol))|[cC]reating pull request for |Forked |(?:author|reviewers|assignees):\\t|gh run list [^\\n]{0,60}?-u |(?:gh|glab) [^\\n]{0,80}?--author[= ]|(?<=(?:gh|glab) [^\\n]{0,80})--author[= ]|[rR]eview requested from @?|gh repo view${NL}name:\\t)(${LOGIN})(?=$|[\\s"'\\\\,;:/)])(?:\\S{0,80} into \\S{1,80} in (${LOGIN})\\/|(?: and|,) @?(${LOGIN})(?=$|[\\s"']))?`,
    { valid: isPersonalAccount },
  ),
  identity(
    'created-pull-request',
    'accountName',
    ['pr create', 'mr create', 'issue create'],
    `(?:pr|mr|issue) create[^]{0,800}?https:\\/\\/(?:github|gitlab)\\.com\\/(${LOGIN})\\/[\\w.-]{1,80}\\/(?:-\\/)?(?:pull|issues|merge_requests)\\/\\d`,
  ),
  identity(
    'pull-request-branch',
    'accountName',
    ['gh pr list', 'gh pr status', 'gh pr view'],
    `gh pr (?:list|status|view)[^]{0,300}?[ \\t](${LOGIN}):[\\w./-]{2,80}`,
  ),
  identity(
    'branch-of-person',
    'accountName',
    ['git checkout ', 'git switch ', 'git push ', 'git branch '],
    `git (?:checkout|switch|push|branch) (?:[\\w.-]{1,40} ){0,4}(?:users?|people)\\/(${LOGIN})\\/`,
    { valid: isPersonalAccount },
  ),
  identity(
    'ssh-repository',
    'accountName',
    [
      'git clone ',
      'git ls-remote ',
      'submodule add ',
      'git fetch ',
      'git pull ',
      'fetch url: ',
      'push  url: ',
      '[url "git@',
      'from github.com:',
      'from gitlab.com:',
      'from bitbucket.org:',
    ],
    `(?:git (?:clone|ls-remote|fetch|pull)|submodule add|Fetch URL:|Push  URL:|\\[url) "?(?:-\\S{1,40} (?:[\\w.-]{1,40} )?){0,4}(?:ssh:\\/\\/)?git@[\\w.-]{4,60}[:/](${LOGIN})\\/|From (?:github\\.com|gitlab\\.com|bitbucket\\.org):(${LOGIN})\\/`,
  ),
  identity(
    'remote-address',
    'accountName',
    ['fetch url: https', 'push  url: https', 'git push ', 'to '],
    `(?:Fetch|Push ) URL: ${HOST}(${LOGIN})\\/|To (?!git@)[\\w-]{1,40}(?:\\.[\\w-]{1,40}){1,4}:(${LOGIN})\\/[\\w.-]{1,80}\\.git(?=\\s|\\\\|$)`,
  ),
  identity(
    'repository-list',
    'accountName',
    ['gh repo list'],
    `gh repo list(?: --?\\S{1,40}(?: \\S{1,40})?){0,4}${NL}(?:Showing[^\\n]{0,120}\\n\\s{0,4})?(${LOGIN})\\/`,
  ),
  identity(
    'shown-account',
    'accountName',
    [
      'username (',
      '[username: ',
      'hey ',
      'logged into ',
      'oc login ',
      'username  ',
      'owner = ',
      'owner  ',
      'github: ',
      'github.user ',
      'gitlab.user ',
      ':username=',
      'username: ',
      'ssh -l ',
      'echo $user',
      'jira me',
      'id -un',
      'logname',
      'current-user',
      'whoami --',
    ],
    `(?:Username \\(|\\[Username: |👋 Hey |Logged into ${Q}[^"\\n]{1,100}${Q} as ${Q}|oc login [^\\n]{0,80}?-u |Username {2,30}|(?<![\\w.])Owner\\s{1,12}= |GitHub: |git(?:hub|lab)\\.user |:username=|Username: (?=[^\\n\\\\]{2,40}${NL}(?:OS|Host|Shell|Home|Domain|Server|Registry|Machine)\\b)|ssh -l |(?:echo \\$USER|jira me|id -un|logname)${NL})(${LOGIN}(?:\\.${LOGIN})?)(?=$|[\\s"'\\\\,;)!\\]])`,
    { valid: isPersonalAccount },
  ),
  identity('hey-account', 'accountName', ['hey '], `[hH]ey (${LOGIN})!(?<=whoami[^]{0,80}[hH]ey ${LOGIN}!)`, {
    valid: isPersonalAccount,
  }),
  identity('cluster-user', 'accountName', ['users:'], `${ALONE}users:${NL}- name: (${LOGIN})(?=${NL})`, {
    valid: isPersonalAccount,
  }),
  identity(
    'mercurial-user',
    'accountName',
    ['user: '],
    `user:\\s{2,12}(${LOGIN})(?=${NL}(?:date|summary|parent|tag|branch):)`,
    { valid: isPersonalAccount },
  ),
  identity(
    'remote-user',
    'accountName',
    ['ssh-copy-id ', 'sshfs ', "'s password", ': permission denied', 'git clone ', ' -j '],
    `(?:(?:ssh-copy-id|sshfs)(?: -\\S{1,80}){0,6} |git clone (?=[\\w.-]{2,32}@[\\w.-]{4,80}:))(?!git@)([a-z_][\\w.-]{1,31})@|(?<=(?:^|[\\s])([a-z_][\\w.-]{1,31})@[\\w.-]{3,80})(?:'s password|: Permission denied)| -J ([a-z_][\\w.-]{1,31})@`,
    { valid: isPersonalAccount },
  ),
  identity(
    'auto-detected-user',
    'accountName',
    ['.(none)'],
    `(?<=got '([a-z_][\\w.-]{1,31})@[\\w-]{1,63})\\.\\(none\\)`,
    { valid: isPersonalAccount },
  ),
  identity('auto-detected-host', 'hostName', ['.(none)'], `(?<=got '[a-z_][\\w.-]{1,31}@([\\w-]{3,63}))\\.\\(none\\)`),
  identity(
    'tailnet-user',
    'accountName',
    [
      '@  linux',
      '@ linux',
      '@  macos',
      '@ macos',
      '@  windows',
      '@ windows',
      '@ ios',
      '@  ios',
      '@ android',
      '@   macos',
      '@   linux',
      '@   windows',
      '@  android',
    ],
    `(?<=\\s([\\w.-]{3,40}))@ {1,10}(?:linux|macOS|windows|iOS|android)`,
    { valid: isPersonalAccount },
  ),
  identity(
    'tailnet-machine',
    'hostName',
    ['100.'],
    `100\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}\\s{1,8}([a-z][\\w-]{3,62})(?=\\s{1,40}[\\w.-]{2,40}@)`,
  ),
  identity(
    'account-object',
    'accountName',
    ['"username', '"user_name'],
    `${Q}[uU]ser_?[nN]ame${Q}\\s?:\\s?${Q}(${LOGIN})${Q},\\s{1,24}${Q}(?:name|email|id|state|UserId|Arn|Path|host|hostname|role|uid|ip_address|avatar_url|first_name|display_name)${Q}\\s?:`,
    { valid: isPersonalAccount },
  ),
  identity(
    'package-maintainer',
    'accountName',
    ['maintainers', '_npmuser', 'publisher'],
    `(?:maintainers|_npmUser|publisher)${Q}\\s?:\\s?(?:\\[\\s{0,12})?\\{\\s{0,12}${Q}(?:name|username)${Q}\\s?:\\s?${Q}(${LOGIN})(?=${Q})`,
    { valid: isPersonalAccount },
  ),
  identity('profile-of-package-host', 'accountName', ['npm profile get'], `npm profile get${NL}name: (${LOGIN})${END}`),
  identity(
    'crash-user',
    'accountName',
    ['user: '],
    `(?<=${LINE})User: {1,8}([a-z_][\\w.-]{2,31})(?=${NL}(?:Host|Computer|Machine|Home|Shell|PID)\\b)`,
    { valid: isPersonalAccount },
  ),
  identity(
    'crash-host',
    'hostName',
    ['host: '],
    `(?<=User: [^\\n\\\\]{1,40}${NL})Host: {1,8}([A-Za-z][\\w.-]{3,62})${END}`,
  ),
  identity(
    'todo-of-person',
    'accountName',
    ['todo(', 'fixme(', 'xxx(', 'hack(', 'note('],
    `(?:TODO|FIXME|XXX|HACK|NOTE)\\(@?(${LOGIN})\\)`,
    { valid: (value) => isPersonalAccount(value) && !TOPIC.test(value) && !/-.*-|[A-Z]/.test(value) },
  ),
  identity(
    'trailer-account',
    'accountName',
    ['-by: '],
    `(?<=Reviewed|Acked|Tested|Approved|Signed-off|Reported|Suggested|Helped|Co-authored|Submitted|Requested|Merged)-by: @?(${LOGIN})(?![\\w.]*@| <| \\p{Lu})${END}`,
    {
      valid: isPersonalAccount,
    },
  ),
  identity(
    'chosen-scope',
    'organization',
    ['scope should contain', 'team: ', '--account-slug', 'sso_start_url', '--org ', 'sentry-cli'],
    `(?:scope should contain your project\\? |(?<=Netlify[^]{0,200}\\n)Team: |--account-slug[ =]|(?<=sentry-cli [^\\n]{0,60})--org[ =])(${LOGIN}(?: \\p{Lu}[\\w-]{1,30}){0,2})${END}`,
  ),
  identity('company-element', 'organization', ['<company>'], `<Company>([\\p{L}][\\p{L}\\d .&-]{2,60})<`),
  identity('kali-prompt', 'accountName', [')-['], `(?<=\\(([a-z_][\\w.-]{1,31})[^\\w.-]{1,2}[\\w-]{2,63})\\)-\\[`, {
    valid: isPersonalAccount,
  }),
  identity('kali-host', 'hostName', [')-['], `(?<=\\([a-z_][\\w.-]{1,31}[^\\w.-]{1,2}([\\w-]{3,63}))\\)-\\[`),
]
