import type { RuleTable } from '../engine/rule.ts'
import { ACCOUNT, HOST, PERSON } from './categories.ts'

/** The source of a regular expression for the address of a code host, up to the owner of a repository. */
const FORGE = String.raw`(?:ssh://)?(?:git@|https?://(?:[\w-]{1,40}(?::[^@\s]{1,200})?@)?)?(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org|gitea\.com|ghcr\.io)[:/]`

/** The rules for authors, accounts and remotes in the output of git, code hosts and other version control systems. */
export const gitRules: RuleTable = {
  defaults: { inside: true },
  rows: {
    'git-config-name': [
      'user.name|git.username',
      /(?:user\.name(?: = |(?:"\s?:\s?| ?=| +)\\{0,7}["'`]?)|git\.userName(?:"\s?:\s?| = )\\{0,7}["'])(?!\w+\.name\b|user\.|--)([\p{L}][\p{L}\p{M}\d_'’.-]{1,38}(?: [\p{L}\p{M}'’.-]{1,30}){0,4})(?=$|[\s"'\\,;<>|)}\]])(?![^@]{0,80}user\.email["' =]{1,4}[^\s@]{1,40}@example\.)/uy,
      { ...PERSON, finder: 'authorName', own: true },
    ],
    'git-config-output': [
      'user.name',
      /user\.name["']?(?:\)|[ \t]?(?:;|&&|\|\|)[^\n]{0,80})?[ \t]{0,4}(?:\\{1,4}n|\r?\n)[+> ⎿]{0,8}(?:(?<person>\p{Lu}[\p{L}\p{M}'’.-]{0,30}(?: [\p{L}\p{M}'’.-]{1,30}){0,4})(?=$|[\s"'\\,;<>|)}\]])|(?<author>\p{Script=Han}{2,4})(?=\s{0,3}(?:\\{1,4}n|\r?\n|$)))/uy,
      { ...PERSON, finder: 'namedGroups', own: true },
    ],
    'agent-git-user': [
      'git user: ',
      /Git user: (\p{Lu}[\p{L}\p{M}'’.-]{0,30}(?: [\p{L}\p{M}'’.-]{1,30}){0,4})(?=$|[\s"'\\,;<>|)}\]])/uy,
      { ...PERSON, finder: 'authorName', own: true },
    ],
    'full-name-output': [
      'id -f',
      /id -F(?:\\{1,4}n|\r?\n)[+> ]{0,8}(\p{Lu}[\p{L}\p{M}'’.-]{0,30}(?: [\p{L}\p{M}'’.-]{1,30}){1,4})(?=$|[\s"'\\,;<>|)}\]])/uy,
      { ...PERSON, finder: 'authorName', own: true },
    ],
    'git-config-section': [
      '[user',
      /\[user\](?:[\s+]|\\{1,4}[nrt]){1,16}(?:(?!name)\w{3,16} ?= ?[^\n]{0,120}\n\s{0,12}){0,3}name ?= ?([\p{L}][\p{L}\p{M}\d_'’.-]{1,38}(?: [\p{L}\p{M}'’.-]{1,30}){0,4})(?=$|[\s"'\\,;<>|)}\]])/uy,
      { ...PERSON, finder: 'authorName', own: true },
    ],
    'git-account': [
      'github.user=|.username=|[credential "',
      /(?:github\.user=|(?<=credential\.https?:\/\/[\w.-]{3,60})\.username=|\[credential "https?:\/\/[\w./-]{3,80}"\]\s{1,12}(?:(?!username)\w{3,16} ?= ?[^\n]{0,120}\n\s{0,12}){0,3}username ?= ?)([A-Za-z\d][\w.-]{1,38})(?=$|[\s"'\\,;])/uy,
      { ...ACCOUNT, finder: 'personalAccount', own: true },
    ],
    'git-environment': [
      'git_author_name|git_committer_name',
      /(?:GIT|git)_(?:AUTHOR|COMMITTER|author|committer)_(?:NAME|name)["']?\s?[=:]\s?\\{0,7}["'`]?([\p{L}][\p{L}\p{M}\d_'’.-]{1,38}(?: [\p{L}\p{M}'’.-]{1,30}){0,4})(?=$|[\s"'\\,;<>|)}\]])/uy,
      { ...PERSON, finder: 'authorName', own: true },
    ],
    'commit-authors': ['format=|format:', /(?=format)/uy, { ...PERSON, finder: 'loggedNames' }],
    'shortlog': [
      'git shortlog -s|git shortlog --s',
      /git shortlog -(?:s|-s)[^\n\\]{0,60}(?:\\{1,4}n|\r?\n)[+> ]{0,8}/uy,
      { ...PERSON, finder: 'shortlog' },
    ],
    'git-blame': [
      ' 2018-| 2019-| 2020-| 2021-| 2022-| 2023-| 2024-| 2025-| 2026-| 2027-| 2028-| 2029-',
      /(?<=\(([\p{L}][\p{L}\p{M}\d_'’.-]{1,38}(?: [\p{L}\p{M}'’.-]{1,30}){0,4})[ \t]{0,30}) 20\d\d-\d\d-\d\d(?: \d\d:\d\d:\d\d [+-]\d{4})?[ \t]+\d+\)/uy,
      { ...PERSON, finder: 'authorName' },
    ],
    'blame-names': [
      'author-mail|committer-mail',
      /(?<=(?:author|committer) ([\p{L}][\p{L}\p{M}\d_'’.-]{1,38}(?: [\p{L}\p{M}'’.-]{1,30}){0,4})(?:\\{1,4}n|\r?\n)[+> ]{0,8})(?:author|committer)-mail </uy,
      { ...PERSON, finder: 'authorName' },
    ],
    'subversion-author': [
      'last changed author:',
      /Last Changed Author: ([\p{L}][\p{L}\p{M}\d_'’.-]{1,38}(?: [\p{L}\p{M}'’.-]{1,30}){0,4})(?=$|[\s"'\\,;<>|)}\]])/uy,
      { ...PERSON, finder: 'authorName' },
    ],
    'subversion-log': [
      [' | 20'],
      /(?<=r\d{1,7} \| ([A-Za-z\d][\w-]{1,38})) \| 20\d\d-\d\d-\d\d \d\d:\d\d/uy,
      { ...ACCOUNT, finder: 'personalAccount' },
    ],
    'name-variable': [
      `gitlab_user_name|ci_commit_author_name|build_requestedfor|buildkite_build_creator|drone_commit_author_name|
      vercel_git_commit_author_name`,
      /[A-Z_]{9,40}(?:NAME|FOR|CREATOR)\\{0,7}["'`]?\s?[=:]\s?\\{0,7}["'`]?(\p{Lu}[\p{L}\p{M}'’.-]{0,30}(?: [\p{L}\p{M}'’.-]{1,30}){0,4})(?=$|[\s"'\\,;<>|)}\]])/uy,
      { ...PERSON, finder: 'personName' },
    ],
    'push-target': [
      'to github.com|to https://|to git@|to ssh://|to gitlab.com|to bitbucket.org',
      new RegExp(String.raw`To ${FORGE}([A-Za-z\d][\w.-]{1,38})/`, 'uy'),
      { ...ACCOUNT, finder: 'accountName', kind: 'known', own: true },
    ],
    'remote-owner-ssh': [
      'origin|fork|upstream',
      /(?:origin|fork|upstream)["']?\]?(?:\s{1,8}(?:url = )?|\.url[= ]\s?)(?:ssh:\/\/)?git@[\w.-]{4,60}(?::\d{2,5})?[:/]([A-Za-z\d][\w.-]{1,38})\//uy,
      { ...ACCOUNT, finder: 'accountName', own: true },
    ],
    'remote-owner': [
      'origin|fork',
      /(?:(?<!fork\s[^\n]{9,160}\n(?:[^\n]{9,160}\n)?\s{0,12})origin|fork)["']?\]?(?:\s{1,8}(?:url = )?|\.url[= ]\s?)(?:ssh:\/\/)?(?:git@|https?:\/\/(?:[\w-]{1,40}(?::[^@\s]{1,200})?@)?)?(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org|gitea\.com|ghcr\.io)[:/]([A-Za-z\d][\w.-]{1,38})\/[\w.-]{1,80}(?=\s{1,3}\(push\)|["'\n]|$)/uy,
      { ...ACCOUNT, finder: 'accountName', own: true },
    ],
    'push-to-address': [
      'git push|git clone https://',
      new RegExp(
        String.raw`git (?:push|clone(?= https://[\w.-]{2,40}@)) (?:-\S{1,20} ){0,3}${FORGE}([A-Za-z\d][\w.-]{1,38})/`,
        'uy',
      ),
      { ...ACCOUNT, finder: 'accountName' },
    ],
    'pull-request-owner': [
      'merge pull request #',
      /[mM]erge pull request #\d{1,7} from ([A-Za-z\d][\w.-]{1,38})\//uy,
      { ...ACCOUNT, finder: 'accountName' },
    ],
    'remote-message': [
      'remote:',
      /remote:\s{1,12}https:\/\/(?:github|gitlab|bitbucket)\.(?:com|org)\/([A-Za-z\d][\w.-]{1,38})\/[\w.-]{1,100}\//uy,
      { ...ACCOUNT, finder: 'accountName', own: true },
    ],
    'remote-address': [
      'fetch url: |push  url: |from github.com:|from gitlab.com:|from bitbucket.org:',
      new RegExp(
        String.raw`From (?:github|gitlab)\.com:([A-Za-z\d][\w.-]{1,38})/|From bitbucket\.org:([A-Za-z\d][\w.-]{1,38})/|(?:Fetch|Push ) URL: ${FORGE}([A-Za-z\d][\w.-]{1,38})/`,
        'uy',
      ),
      { ...ACCOUNT, finder: 'accountName' },
    ],
    'repository-list': [
      'gh repo list',
      /gh repo list(?: --?\S{1,40}(?: \S{1,40})?){0,4}(?:\\{1,4}n|\r?\n)[+> ]{0,8}(?:Showing[^\n]{0,120}\n\s{0,4})?([A-Za-z\d][\w.-]{1,38})\//uy,
      { ...ACCOUNT, finder: 'accountName' },
    ],
    // A remote whose host ends with `.org` is skipped, because public forges often have such a host.
    'own-git-host': [
      'to |pushing to |origin|sr.ht/~',
      /(?:To|Pushing to) (?:ssh|https):\/\/(?:[\w.-]{1,40}@)?(?<host>[A-Za-z][\w-]{0,62}(?:\.[\w-]{1,63}){1,4})(?::\d{1,5})?\/~?(?<account>[A-Za-z\d][\w-]{1,38})\/|To (?:git@)?(?<host2>[A-Za-z][\w-]{0,62}(?:\.[\w-]{1,63}){1,4}):(?<account2>[A-Za-z\d][\w-]{1,38})\/[\w./-]{1,120}\.git(?=\s|\\|$)|origin\s{1,8}https:\/\/(?:[^\s/@]{1,200}@)?(?![^\s/]{1,80}\.org\/)(?<host3>[A-Za-z][\w-]{0,62}(?:\.[\w-]{1,63}){1,4})(?::\d{1,5})?\/(?<account3>[A-Za-z\d][\w-]{1,38})\/[\w./-]{1,120} \(push\)|sr\.ht\/~(?<account4>[A-Za-z\d][\w-]{1,38})/uy,
      { ...ACCOUNT, finder: 'namedGroups' },
    ],
    'trailer-name': [
      '-by:|cc:|reply-to:|sender:|sent by|forwarded message from ',
      /(?:-by:|[bB]?[cC][cC]:|[rR]eply-[tT]o:|[sS]ender:|[sS]ent by:?|[fF]orwarded message from)[ \t]{1,4}["']?(\p{Lu}[\p{L}\p{M}'’.-]{0,30}(?: [\p{L}\p{M}'’.-]{1,30}){0,4})(?=$|[\s"'\\,;<>|)}\]])/uy,
      { ...PERSON, finder: 'personName' },
    ],
    'trailer-account': [
      '-by: ',
      /(?<=Reviewed|Acked|Tested|Approved|Signed-off|Reported|Suggested|Helped|Co-authored|Submitted|Requested|Merged)-by: @?([A-Za-z\d][\w-]{1,38})(?![\w.]*@| <| \p{Lu})(?=$|[\s"'\\,;<>|)}\]])/uy,
      { ...ACCOUNT, finder: 'personalAccount' },
    ],
    'auto-detected-user': [
      '.(none)',
      /(?<=got '([a-z_][\w.-]{1,31})@[\w-]{1,63})\.\(none\)/uy,
      { ...ACCOUNT, finder: 'personalAccount' },
    ],
    'auto-detected-host': [
      '.(none)',
      /(?<=got '[a-z_][\w.-]{1,31}@([\w-]{3,63}))\.\(none\)/uy,
      { ...HOST, finder: 'hostName' },
    ],
    'pull-request-branch': [
      'gh pr list|gh pr status|gh pr view',
      /gh pr (?:list|status|view)[^]{0,300}?[ \t]([A-Za-z\d][\w-]{1,38}):[\w./-]{2,80}/uy,
      { ...ACCOUNT, finder: 'accountName' },
    ],
    'branch-of-person': [
      'git checkout |git switch |git push |git branch |head -> |origin/users/',
      /(?:git (?:checkout|switch|push|branch) (?:[\w.-]{1,40} ){0,4}|HEAD -> |origin\/)(?:users?|people)\/([A-Za-z\d][\w.-]{1,38})\//uy,
      { ...ACCOUNT, finder: 'personalAccount', kind: 'probable' },
    ],
    'key-generation': [
      'ssh-keygen ',
      /ssh-keygen [^\n|;&]{0,120}?-C \\{0,7}["'`]?(?!your)(?<account>[a-z_][\w.-]{1,31})@(?<host>[A-Za-z][\w.-]{2,62})(?=$|[\s"'\\,;<>|)}\]])/uy,
      { ...ACCOUNT, finder: 'namedGroups', own: true },
    ],
    'key-fingerprint': [
      'sha256:',
      /SHA256:[A-Za-z\d+/]{43} (?<account>[a-z_][\w.-]{1,31})@(?<host>[A-Za-z][\w.-]{2,62})(?= \((?:ED25519|RSA|ECDSA|DSA)|\s{0,3}(?:$|\r?\n|\\))/uy,
      { ...ACCOUNT, finder: 'namedGroups', own: true },
    ],
    'created-repository': [
      'created repository |gh repo create |glab repo create ',
      /(?:[cC]reated repository|g(?:h|lab) repo create) (?:https:\/\/github\.com\/)?([A-Za-z\d][\w.-]{1,38})\//uy,
      { ...ACCOUNT, finder: 'accountName', kind: 'known' },
    ],
    'created-pull-request': [
      'pr create|mr create|issue create',
      /(?:pr|mr|issue) create[^]{0,800}?https:\/\/(?:github|gitlab)\.com\/([A-Za-z\d][\w.-]{1,38})\/[\w.-]{1,80}\/(?:-\/)?(?:pull|issues|merge_requests)\/\d/uy,
      { ...ACCOUNT, finder: 'accountName' },
    ],
    'denied-push': [
      'permission to ',
      /Permission to ([A-Za-z\d][\w.-]{1,38})\/[\w.-]{1,80} denied to ([A-Za-z\d][\w-]{1,38})(?=\.|$)/uy,
      { ...ACCOUNT, finder: 'accountName', own: true },
    ],
  },
}

/** Rules for the author, colleagues and their hosts, in the output of code hosts and of their clients and runners. */
export const forgeRules: RuleTable = {
  defaults: { inside: true },
  rows: {
    'checked-out-repository': [
      'syncing repository: |git repository in /builds/|> git fetch ',
      /(?:[sS]yncing repository: |[gG]it repository in \/builds\/|> git fetch (?:-\S{1,30} ){0,6}-- (?:git@|https:\/\/)(?:github\.com|gitlab\.com|bitbucket\.org)[:/])([A-Za-z\d][\w.-]{1,38})\/[\w.-]{1,80}(?=\/|\s|\\|$)/uy,
      { ...ACCOUNT, finder: 'accountName', own: true },
    ],
    'runner-host': [
      'running with gitlab-runner |building remotely on ',
      /Running with gitlab-runner [^\n\\]{1,80}(?:\\{1,4}n|\r?\n)[+> ]{0,8}\s{1,4}on ([\w.-]{4,63}) [\w-]{8,9}(?=,|\s|\\|$)|Building remotely on ([\w.-]{4,63}) (?=\(|in )/uy,
      { ...HOST, finder: 'hostName' },
    ],
    'run-trigger': [
      'triggered by',
      /(?:(?<=(?:Apply|Build|Run|Pipeline|Deployment|Plan|Job) )triggered|Triggered) by:?\*{0,2} (?:user )?(?:\\{0,7}["'`@]([\p{L}][\p{L}\p{M}\d_'’.-]{1,38})\\{0,7}["'`]?(?=[\s,;.)]|$)|@?(\p{Lu}[\p{L}\p{M}'’.-]{0,30}(?: \p{Lu}[\p{L}\p{M}'’.-]{0,30}){1,3})(?=$|[\s"'\\,;<>|)}\]]))/uy,
      { ...PERSON, finder: 'authorName' },
    ],
    'ssh-remote-host': [
      'git@|ssh://',
      /(?:(?<=(?:url = |\.url[= ]|clone |submodule add |remote (?:add|set-url) [\w-]{1,40} |(?:origin|upstream|fork)\s{1,8}|[cC]loning repository |scm:git:)(?:ssh:\/\/)?)git@(?!ssh\.)|ssh:\/\/(?!git@|github|gitlab\.com)[A-Za-z_][\w.-]{1,31}@)([A-Za-z][\w-]{1,62}(?:\.[\w-]{1,63}){1,4})(?=[:/]|\s|$)/uy,
      { ...HOST, finder: 'hostName' },
    ],
    'review-host': [
      'remote:',
      /remote:\s{1,12}https:\/\/(?!github\.com|gitlab\.com|bitbucket\.org)(?<host>[A-Za-z][\w-]{1,62}(?:\.[\w-]{1,63}){1,4})\/(?<account>[A-Za-z\d][\w.-]{1,38})\/(?=[\w./-]{1,120}(?:merge_requests|compare|pulls?|pull-requests)\b)/uy,
      { ...HOST, finder: 'namedGroups' },
    ],
    'gh-person': [
      'author:|assignees:|reviewers:',
      /(?:(?:author|assignees|reviewers):(?:\t|\\{1,4}t)|Reviewers: (?=[\w -]{2,60}\((?:Requested|Commented|Approved|Dismissed|Pending|Changes requested)\)))(?:Copilot \(AI\)(?: \(\w{3,20}\))?, )?(?<account>[A-Za-z\d][\w-]{1,38})(?: \((?!(?:Approved|Commented|Requested|Dismissed|Pending|Changes requested|AI)\))(?<person>\p{Lu}[\p{L} .'’-]{2,40})\))?(?: \([A-Z][a-z ]{3,20}\))?(?:, (?<account2>[A-Za-z\d][\w-]{1,38})(?: \((?!(?:Approved|Commented|Requested|Dismissed|Pending|Changes requested|AI)\))(?<person2>\p{Lu}[\p{L} .'’-]{2,40})\))?)?/uy,
      { ...PERSON, finder: 'namedGroups' },
    ],
    'review-request': [
      '--reviewer|--assignee|--add-reviewer|--add-assignee|"reviewers"|"assignees"',
      /(?:(?<=(?:gh|glab|tea|az) [^\n]{0,300})--(?:add-)?(?:reviewer|assignee)s?[= ]|"(?:reviewers|assignees)"\s?:\s?\[\s{0,16})["']?@?([A-Za-z\d][\w.-]{1,38})(?=$|[\s"'\\,;|)])/uy,
      { ...ACCOUNT, finder: 'personalAccount' },
    ],
    'ssh-remote-owner': [
      ' (push)| (fetch)',
      /(?<=(?:\s|\\t)git@[\w.-]{4,60}:([A-Za-z\d][\w.-]{1,38})\/[\w.-]{1,80}) \((?:push|fetch)\)/uy,
      { ...ACCOUNT, finder: 'accountName', own: true },
    ],
    'github-user-id': [
      'avatars.githubusercontent.com/u/',
      /avatars\.githubusercontent\.com\/u\/(\d{4,10})(?!\d)/uy,
      { ...ACCOUNT, placeholder: 'ACCOUNT_ID', finder: 'accountId' },
    ],
    'repository-host': [
      `url: http|url: svn|repository root: |://nexus.|://artifactory.|://jira.|://confluence.|://gitlab.|
      ://bitbucket.|://gerrit.|://sonarqube.|://harbor.`,
      /(?:(?:URL|Repository Root): (?:https?|svn(?:\+ssh)?):\/\/(?=[\w.-]{4,80}\/(?:svn|repos?)\/|svn\.)|:\/\/(?=(?:nexus|artifactory|jira|confluence|gitlab|bitbucket|gerrit|sonarqube|harbor)\.[\w-]{2,63}\.))(?!(?:[\w-]{1,63}\.){1,4}(?:org|example|test)(?:[/:"'\s]|$)|[\w-]{1,20}\.readthedocs\.|[\w-]{1,20}\.(?:atlassian|gitlab|github)\.)([A-Za-z][\w-]{1,62}(?:\.[\w-]{1,63}){1,4})(?=[:/"'\s]|\\|$)/uy,
      { ...HOST, finder: 'hostName' },
    ],
  },
}
