import type { RuleTable } from '../engine/rule.ts'
import { ACCOUNT, HOST, PERSON } from './categories.ts'

/** Rules for the author, colleagues and their hosts, in the output of code hosts and of their clients and runners. */
export const forgeRules: RuleTable = {
  defaults: { inside: true },
  rows: {
    'checked-out-repository': [
      'syncing repository: |git repository in /builds/',
      /(?:[sS]yncing repository: |[gG]it repository in \/builds\/)([A-Za-z\d][\w.-]{1,38})\/[\w.-]{1,80}(?=\/|\s|\\|$)/uy,
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
