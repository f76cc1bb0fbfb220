import type { RuleTable } from '../engine/rule.ts'
import { ACCOUNT, ORGANIZATION, PERSON } from './categories.ts'

/** Rules for accounts in the output of sign-ins, environments and tools, and for identifiers of accounts. */
export const loginRules: RuleTable = {
  defaults: { inside: true },
  rows: {
    // Also the output of `git remote get-url`, which is a whole message.
    'associated-remotes': [
      'associatedremoteurls|repository_url|* git repository: |.git',
      /(?:(?:associatedRemoteUrls[^\]]{0,80}?|(?<=(?:"git\\{0,7}"\s?:\s?\{|commit_hash)[^{}]{0,300})repository_url\\{0,7}"\s?:\s?\\{0,7}")(?:https:\/\/|git@)[\w.-]{4,60}[:/]|\* Git repository: )([A-Za-z\d][\w-]{1,38})\/|\.git(?=\s{0,3}$)(?<=^(?:https:\/\/|(?:ssh:\/\/)?git@)[\w.-]{4,60}[:/]([A-Za-z\d][\w-]{1,38})\/[\w.-]{1,80})/uy,
      { ...ACCOUNT, finder: 'accountName', own: true },
    ],
    'signed-in-account': [
      'logged in to |logged in as|login succeeded for|signed in as|authenticated as|the current user is @|user memories for @',
      /(?:[lL]ogged in to [\w. ]{2,40} (?:account|as)|[lL]ogged in as:?|[sS]igned in as:?|[aA]uthenticated as:?|The current user is(?= @)|User memories for(?= @)) @?([A-Za-z\d][\w-]{1,38}(?:\.[\w-]{1,38})?)(?![\w.]*@|["'],? (?:do|async|function|\()| user\b)(?:(?=$|[\s"'\\,;<>|)}\]]|\.\s)|(?= \())(?: \(([A-Za-z\d][\w-]{1,38})\)\.)?/uy,
      { ...ACCOUNT, finder: 'personalAccount', own: true },
    ],
    'login-field': [
      '"login|"username|"nickname',
      /"login\\{0,7}"\s{0,3}:\s{0,3}\\{0,7}"(?!test\d*\\{0,7}")([A-Za-z\d][\w-]{1,38})\\{0,7}"/uy,
      { ...ACCOUNT, finder: 'accountName' },
    ],
    'name-beside-login': [
      '"login|"username|"nickname',
      /"(?:login|username|nickname)\\{0,7}"\s{0,3}:\s{0,3}\\{0,7}"[^{}]{1,400}?"(?:display_|full_)?name\\{0,7}"\s{0,3}:\s{0,3}\\{0,7}"(\p{Lu}[\p{L}\p{M}'’.-]{0,30}(?: [\p{L}\p{M}'’.-]{1,30}){0,4})\\{0,7}"/uy,
      { ...PERSON, finder: 'personName' },
    ],
    'commit-author': [
      '"author_name|"committer_name',
      /"(?:author|committer)_name\\{0,7}"\s?:\s?\\{0,7}"(?:(?<person>\p{Lu}[\p{L}\p{M}'’.-]{0,30}(?: [\p{L}\p{M}'’.-]{1,30}){1,4})|(?<account>[A-Za-z][\w.-]{1,38}))\\{0,7}",\s{0,24}\\{0,7}"(?:author|committer)_email/uy,
      { ...PERSON, finder: 'namedGroups' },
    ],
    'docker-login': [
      'docker login|podman login',
      /(?:docker|podman) login [^\n|;&]{0,80}?(?:-u|--username)[ =]["']?([A-Za-z\d][\w-]{1,38})(?=$|[\s"'\\,;<>|)}\]])/uy,
      { ...ACCOUNT, finder: 'accountName', own: true },
    ],
    'prompted-user': [
      'username',
      /Username(?: for '[^'\n]{1,80}')?: ([A-Za-z\d][\w-]{1,38})\s{0,3}(?:\\{1,4}n|\r?\n)[+> ]{0,8} ?(?:[pP]assword(?! ?[:=] ?[A-Za-z]+\s{0,3}(?:[=\r\n\\]|$))|Registry:|Login Succeeded)/uy,
      { ...ACCOUNT, finder: 'accountName', own: true },
    ],
    'printed-login': [
      'login as: |enter your username: |name="login" value="',
      /(?:login as: |[eE]nter your username: |name="login" value=")([A-Za-z\d][\w-]{1,38})(?=$|[\s"'\\,;<>|)}\]])/uy,
      { ...ACCOUNT, finder: 'personalAccount', own: true },
    ],
    'pushed-image': [
      'docker.io/|docker push |podman push |failed to push ',
      /(?:(?<=repository \[)docker\.io\/|(?:(?:docker|podman)|failed to) push (?:(?:docker|ghcr|quay)\.io\/|registry\.gitlab\.com\/)?)([A-Za-z\d][\w-]{1,38})\//uy,
      { ...ACCOUNT, finder: 'accountName' },
    ],
    'worker-address': [
      '.workers.dev',
      /(?<=(?<![\w.-])(?:[\w*-]{1,63}\.)?([A-Za-z\d][\w-]{1,62}))\.workers\.dev/uy,
      { ...ACCOUNT, finder: 'accountName' },
    ],
    'published-scope': [
      'publishing to',
      /[pP]ublishing to [^\n\\]{1,120}(?:\\{1,4}n|\r?\n)[+> ]{0,8}(?:[^\n\\]{0,160}(?:\\{1,4}n|\r?\n)[+> ]{0,8}){0,3}\+? ?@([A-Za-z\d][\w-]{1,38})\//uy,
      { ...ORGANIZATION, finder: 'organization', kind: 'known' },
    ],
    'listed-organizations': [
      'orgs:',
      /orgs:\s{1,4}([A-Za-z\d][\w-]{1,38})(?=$|[\s"'\\,;>|)}\]])/uy,
      { ...ORGANIZATION, finder: 'organization' },
    ],
    'account-table': [
      'account name',
      /[aA]ccount [nN]ame\s{1,20}[│|]\s{1,4}[aA]ccount ID\s{1,40}[│|]?(?:[^\p{L}\\]|\\{1,7}n){1,400}(?<holder>[\p{L}][\p{L}\d' .-]{2,60}?)(?:['’]s [aA]ccount)?\s{1,20}[│|]\s{0,4}[0-9a-f]{32}(?:(?:[^\p{L}\\]|\\{1,7}n){1,400}(?<holder2>[\p{L}][\p{L}\d' .-]{2,60}?)(?:['’]s [aA]ccount)?\s{1,20}[│|]\s{0,4}[0-9a-f]{32})?/uy,
      { ...ORGANIZATION, finder: 'namedGroups' },
    ],
    'account-table-id': [
      'account id',
      /[aA]ccount ID(?:[^0-9a-f]|[a-f](?![0-9a-f]{8})|\d(?![0-9a-f]{8})){0,160}?(?<![0-9a-f])([0-9a-f]{32})(?![0-9a-f])/uy,
      { category: 'cloud_account', placeholder: 'CLOUD_ID', finder: 'cloudId' },
    ],
    'gh-output': [
      `user: |creating pull request for |forked |author:|reviewers:|assignees:|gh run list |--author=|--author |
      review requested from |gh repo view`,
      /(?:(?<=github\.com:[^]{0,160})user: |user: (?=[\w-]{2,39}(?:\\{1,4}n|\r?\n)[+> ]{0,8}\s{1,8}(?:oauth_token|git_protocol))|[cC]reating pull request for |Forked (?=[\w-]{2,39}\/)|(?:author|reviewers|assignees):(?:\t|\\{1,4}t)|gh run list [^\n]{0,60}?-u |(?:gh|glab) [^\n]{0,80}?--author[= ]|(?<=(?:gh|glab|git log|shortlog) [^\n]{0,80})--author[= ]|[rR]eview requested from @?|gh repo view(?:\\{1,4}n|\r?\n)[+> ]{0,8}name:\t)([A-Za-z\d][\w-]{1,38})(?=$|[\s"'\\,;:/)])(?:\S{0,80} into \S{1,80} in ([A-Za-z\d][\w-]{1,38})\/|(?: and|,) @?([A-Za-z\d][\w-]{1,38})(?=$|[\s"']))?/uy,
      { ...ACCOUNT, finder: 'personalAccount' },
    ],
    'account-variable': [
      `github_actor|github_triggering_actor|github_repository|github_user|gh_user|gitlab_user_login|
      ci_project_namespace|ci_project_root_namespace|ci_project_path|bitbucket_workspace|bitbucket_repo_owner|
      circle_username|circle_project_username|travis_repo_slug|buildkite_organization_slug|
      vercel_git_repo_owner|vercel_git_commit_author_login|dockerhub_username|docker_user|docker_hub_user|
      npm_username|tf_cloud_organization|tfe_org|sentry_org|snowflake_user|kaggle_username|hf_username|
      ansible_user|deploy_user|ssh_user|codespace_owner|gitea_user`,
      /(?<!(?<!\\)[\w.%:$-])(?:[A-Z_]{2,30}(?:ACTOR|OWNER|REPOSITORY|USER(?:NAME)?|LOGIN|NAMESPACE|PATH|WORKSPACE|SLUG|ORG(?:ANIZATION)?)|ansible_user)\\{0,7}["'`]?\s?[=:]\s?\\{0,7}["'`]?([A-Za-z\d][\w-]{1,38})(?=$|[\s"'\\,;/}])/uy,
      { ...ACCOUNT, finder: 'personalAccount' },
    ],
    'shown-account': [
      `username (|[username: |hey |logged into |oc login |username  |owner = |owner  |github: |github.user |
      gitlab.user |:username=|username: |ssh -l |echo $user|jira me|net user |id -un|logname|current-user|whoami --`,
      /(?:(?<![a-z])Username \(|\[Username: |👋 Hey |Logged into \\{0,7}["'`][^"\n]{1,100}\\{0,7}["'`] as \\{0,7}["'`]|oc login [^\n]{0,80}?-u |Username {2,30}|(?<![\w.])Owner {2,12}= (?!var\.|local\.|module\.)|(?<=(?:^|\n|\\n)[ \t│|*-]{0,8})GitHub: (?=[\w-]{2,39}[ \t]{0,40}(?:$|[\r\n\\│|]))|git(?:hub|lab)\.user |:username=|Username: (?=[^\n\\]{2,40}(?:\\{1,4}n|\r?\n)[+> ]{0,8}(?:OS|Host|Shell|Home|Domain|Server|Registry|Machine)\b)|ssh -l |[nN]et user (?=[^\n]{2,40} \/domain)|(?:echo \$USER|jira me|id -un|logname)(?:\\{1,4}n|\r?\n)[+> ]{0,8})([A-Za-z\d][\w-]{1,38}(?:\.[A-Za-z\d][\w-]{1,38})?)(?=$|[\s"'\\,;)!\]])/uy,
      { ...ACCOUNT, finder: 'personalAccount', own: true },
    ],
    'windows-user': [
      'username',
      /(?<!(?<!\\)[\w%:$])USERNAME["']?(?:\s?[=:]\s?|\s{4,40}(?=\S))["']?([A-Za-z\d][\w-]{1,38})(?=$|[\s"'\\,;<>|)}\]])/uy,
      { ...ACCOUNT, finder: 'personalAccount', own: true },
    ],
    'windows-domain': [
      'userdomain|whoami|<userid>',
      /(?<!(?<!\\)[\w%:$])(?:USERDOMAIN["']?(?:\s?[=:]|\s{2,40}(?=\S))\s?["']?(?!WORKGROUP\b|DESKTOP-|NT )([A-Za-z][\w-]{2,30})(?=$|[\s"'\\,;<>|)}\]])|<UserId>([A-Z][\w-]{2,19})(?=\\)|whoami\r?\n([A-Za-z][\w-]{2,19})(?=\\[a-z]))/uy,
      { ...ORGANIZATION, finder: 'customer' },
    ],
    'mac-prompt-user': [
      '$ ',
      /(?<=(?:^|[\s+>]|\\[nr]|\[\d{1,2}m)[\w.-]{3,40}:[^\s:]{1,60} ([a-z_][\w.-]{1,31}))\$ /uy,
      { ...ACCOUNT, finder: 'accountName', own: true },
    ],
    'kali-prompt': [
      ')-[',
      /(?<=\(([a-z_][\w.-]{1,31})[^\w.-]{1,2}[\w-]{2,63})\)-\[/uy,
      { ...ACCOUNT, finder: 'personalAccount', own: true },
    ],
    'url-account': [
      'https://|ssh://|sftp://',
      /(?:https|ssh|sftp):\/\/(?!oauth2|x-|token|gitlab-ci|api)([A-Za-z][\w.-]{2,30})(?::[^@\s/]{1,200})?@(?=[\w-]{1,63}\.)/uy,
      { ...ACCOUNT, finder: 'personalAccount' },
    ],
    'project-folder': [
      '-users-|-home-',
      /(?<!\w)-(?:Users|home)-([a-z][\w.]{2,31}|(?<=projects\/-(?:Users|home)-)[a-z]\w)-/uy,
      { ...ACCOUNT, finder: 'accountName', own: true },
    ],
    'username-option': [
      '--username',
      /--username[ =]["']?([A-Za-z\d][\w-]{1,38})(?![\w.]*@)(?=$|[\s"'\\,;<>|)}\]])/uy,
      { ...ACCOUNT, finder: 'personalAccount', own: true },
    ],
    'netrc-login': [
      'login ',
      /(?<=machine [\w.-]{3,80}\s{1,8})login (?!oauth2|apikey|x-|token)([A-Za-z\d][\w-]{1,38})(?=[\s"'\\]|$)/uy,
      { ...ACCOUNT, finder: 'personalAccount' },
    ],
    'account-comment': [
      ':x:',
      /(?<=(?:^|\n|\\n|": ?\\{0,3}")[+> ]{0,8}(?<account>[a-z_][\w.-]{1,31})):x:\d{3,10}:\d{1,10}:(?<person>[^:,\n\\]{3,60})?(?=[,:])/uy,
      { ...ACCOUNT, finder: 'namedGroups' },
    ],
    'remote-user': [
      "ssh-copy-id |sshfs |'s password|: permission denied|git clone | -j ",
      /(?:(?:ssh-copy-id|sshfs)(?: -\S{1,80}){0,6} |git clone (?=[\w.-]{2,32}@[\w.-]{4,80}:))(?!git@)([a-z_][\w.-]{1,31})@|(?<=(?:^|[\s])([a-z_][\w.-]{1,31})@[\w.-]{3,80})(?:'s password|: Permission denied)| -J ([a-z_][\w.-]{1,31})@/uy,
      { ...ACCOUNT, finder: 'personalAccount' },
    ],
    'azure-organization': [
      'dev.azure.com|.visualstudio.com',
      /dev\.azure\.com(?:\/|:v3\/)([A-Za-z\d][\w-]{1,38})(?![\w-])|(?<=\/\/(?:[\w-]{1,40}@)?([A-Za-z\d][\w-]{1,38}))\.visualstudio\.com/uy,
      { ...ORGANIZATION, finder: 'customer' },
    ],
    // Four or more numbered hosts of one name in a list belong to a provider.
    'tenant-host': [
      `.atlassian.net|.slack.com|.sharepoint.com|.onmicrosoft.com|.awsapps.com|.okta.com|.oktapreview.com|
      .auth0.com|.1password.com|.1password.eu|.1password.ca|.sentry.io|.sourcegraph.com|.zendesk.com|
      .freshdesk.com|.my.salesforce.com|.lightning.force.com|.service-now.com|.myshopify.com|.pagerduty.com|
      .grafana.net|.jfrog.io|.bamboohr.com|.youtrack.cloud|.cloud.databricks.com|.jetbrains.space|
      .cloudflareaccess.com|.zoom.us|.azurecr.io|.freshservice.com|.monday.com|.blob.core.windows.net|
      .vault.azure.net|.database.windows.net|.mongodb.net|.b2clogin.com|.crm.dynamics.com|
      .snowflakecomputing.com|.notion.site|.ts.net`,
      /(?<=(?<![\w.-])([A-Za-z\d][\w-]{2,62})(?:\.(?:[a-z]{2,3}(?:-[a-z]{2,10}-\d)?|[a-z\d]{5,6}(?=\.mongodb)))?)(?!(?<=\b([a-z-]{3,40})\d{1,3})(?:\.\S{5,44}\s{1,4}"?\2\d{1,3}){3})(?<!\b\3\d{1,3}(?:\.\S{5,44}\s{1,4}"?\3\d{1,3}){2}\.\S{5,44}\s{1,4}"?\b([a-z-]{3,40})\d{1,3})\.(?:[a-z\d-]{2,20}\.){1,3}(?:com|net|io|eu|ca|cloud|space|us|site)(?![\w-]|\/hc\/)/uy,
      { ...ORGANIZATION, finder: 'customer' },
    ],
    'team-address': [
      `vercel.com/|linear.app/|notion.so/|app.netlify.com/|circleci.com/|hub.docker.com/repository/docker/|
      sentry.io/organizations/|sonarcloud.io/organizations/|gitlab.com/groups/|dashboard.heroku.com/apps/|
      fly.io/apps/|wandb.ai/|expo.dev/accounts/|pkg.github.com/`,
      /(?:vercel\.com\/(?=[\w-]+\/[\w-]+)(?!docs|oauth|blog|guides|templates|dashboard|api|integrations|marketplace|help|legal|new|changelog)|linear\.app\/(?=[\w-]+\/(?:issue|team|project|view|settings|initiative))|notion\.so\/(?=[\w-]+\/[\w-]*[0-9a-f]{32})|app\.netlify\.com\/(?:teams|sites|projects)\/|(?<!\]\(https:\/\/(?:\w+\.)?|\]: https:\/\/(?:\w+\.)?|(?:href|src)="https:\/\/(?:\w+\.)?)circleci\.com\/(?:pipelines\/)?(?:github|gh|bitbucket|bb)\/|hub\.docker\.com\/repository\/docker\/|sentry\.io\/organizations\/|sonarcloud\.io\/organizations\/|gitlab\.com\/groups\/|dashboard\.heroku\.com\/apps\/|fly\.io\/apps\/|wandb\.ai\/(?=[\w-]+\/[\w-]+)(?!site|docs|articles|fully-connected)|expo\.dev\/accounts\/|pkg\.github\.com\/)([A-Za-z\d][\w-]{1,38})/uy,
      { ...ORGANIZATION, finder: 'customer' },
    ],
    'signing-identity': [
      'apple d|developer id|iphone d|mac developer|3rd party mac',
      /(?:Apple (?:Development|Distribution)|Developer ID (?:Application|Installer)|iPhone (?:Developer|Distribution)|Mac Developer|3rd Party Mac Developer \w{4,12}): (?<holder>[^()\n"]{3,60}?) \((?<id>[A-Z0-9]{10})\)/uy,
      { ...ACCOUNT, finder: 'namedGroups' },
    ],
    'run-starter': [
      'started by user |triggered via |manually run by ',
      /(?:Started by user|Triggered via [a-z_ ]{2,30} by|Manually run by) ([\p{L}][\p{L}\p{M}\d_'’.-]{1,38}(?: [\p{L}\p{M}'’.-]{1,30}){0,4})(?=$|[\s"'\\,;<>|)}\]])/uy,
      { ...PERSON, finder: 'authorName' },
    ],
    'synced-folder': [
      'onedrive - ',
      /OneDrive - (?!Personal\b)([\p{L}\d][^\\/\n"':*?<>|]{2,60}?)(?=\\|\/|["'\n]|$)/uy,
      { ...ORGANIZATION, finder: 'organization' },
    ],
    'account-object': [
      '"username|"user_name',
      /\\{0,7}["'`][uU]ser_?[nN]ame\\{0,7}["'`]\s?:\s?\\{0,7}["'`]([A-Za-z\d][\w.-]{1,38})\\{0,7}["'`],\s{0,24}\\{0,7}["'`](?:name|email|id|state|UserId|Arn|Path|host|hostname|role|uid|ip_address|avatar_url|first_name|display_name)\\{0,7}["'`]\s?:/uy,
      { ...ACCOUNT, finder: 'personalAccount' },
    ],
    'code-owner': [
      ' @',
      /(?<=(?:(?:^|\n|\\n)[+]?(?:\*|\*\.\w{1,8}|[\w.*-]{1,40}\/[\w./*-]{0,80})|(?:(?<!\w)|(?<=\\n))\/[.*]{0,2}\w[\w./*-]{0,80})[ \t]{0,20}(?:@[\w/-]{2,60} ?){0,4}) @([A-Za-z\d][\w-]{1,38})(?=(?:\/[\w-]{1,60})?(?: [\w.+-]{0,60}@[\w./-]{2,60}){0,9}[ \t]{0,9}(?:["'\\\r\n]|$))/uy,
      { ...ACCOUNT, finder: 'personalAccount' },
    ],
    'review-author': [
      ` commented on this pull request| requested changes on this pull request| approved these changes| approved this pull request| left review comments| opened this pull request| opened this issue| merged commit | wants to merge | commented:| opened issue| opened pull request`,
      /(?<=(?:^|[\s"@*+>]|(?<!\w)'|\\[nrt])([A-Za-z\d][\w-]{1,38})) (?:commented(?: on|:)|requested changes on|approved t|left review|opened (?:this|issue|pull)|merged commit [0-9a-f]{7}|wants to merge \d)/uy,
      { ...ACCOUNT, finder: 'personalAccount' },
    ],
    'postgres-role': [
      'psql |pg_dump |pg_restore | owner to |fatal:',
      /(?:(?:psql|pg_dump|pg_restore) (?:[^\n|;&]{0,100}? )?(?:-U ?|--username[ =])| OWNER TO |FATAL: {1,2}role )\\{0,3}"?([a-z_][\w-]{2,31})(?=\\{0,3}["';]|\s|$)/uy,
      { ...ACCOUNT, finder: 'personalAccount', kind: 'probable' },
    ],
    'mention-behind-word': [
      'cc @|cc: @|pinged @|reviewer: @|reviewers: @|assignee: @|assignees: @|assigned @|assigned to @',
      /(?:[cC][cC]:?|[pP]inged|(?:[rR]eviewer|[aA]ssignee)s?:|(?:[uU]n)?[aA]ssigned(?: to)?) @([A-Za-z\d][\w-]{1,38})(?![\w/({-]|\.\w)(?:,? (?:and )?@([A-Za-z\d][\w-]{1,38})(?![\w/({-]|\.\w))?(?:,? (?:and )?@([A-Za-z\d][\w-]{1,38})(?![\w/({-]|\.\w))?/uy,
      { ...ACCOUNT, finder: 'personalAccount', kind: 'probable' },
    ],
    'aws-account': [
      '"account|account_id|accountid|account-id',
      /(?:"Account\\{0,7}"|(?:[aA]ccount[_-]?[iI][dD]|ACCOUNT_ID)["']?)\s{0,3}[:=]\s{0,3}\\{0,7}["']?(\d{12})(?!\d)/uy,
      { category: 'cloud_account', placeholder: 'CLOUD_ID', finder: 'cloudId' },
    ],
    'aws-resource': [
      'arn:aws',
      /arn:aws[a-z-]{0,12}:[a-z0-9-]{2,40}:[a-z0-9-]{0,20}:(\d{12}):(?!layer:)/uy,
      { category: 'cloud_account', placeholder: 'CLOUD_ID', finder: 'cloudId' },
    ],
    'aws-user': [
      'arn:aws',
      /arn:aws[a-z-]{0,12}:(?:iam|sts)::\d{12}:(?:user|assumed-role\/[\w+=,.@-]{1,64}|federated-user)\/([A-Za-z][\w.+=-]{2,38})(?![\w@/-])/uy,
      { ...ACCOUNT, finder: 'accountName' },
    ],
    'aws-registry': [
      '.dkr.ecr',
      /(?<=(?<![\d.])(\d{12}))\.dkr\.ecr/uy,
      { category: 'cloud_account', placeholder: 'CLOUD_ID', finder: 'cloudId' },
    ],
    'aws-queue': [
      'amazonaws.com/',
      /amazonaws\.com\/(\d{12})\//uy,
      { category: 'cloud_account', placeholder: 'CLOUD_ID', finder: 'cloudId' },
    ],
    'account-ids': [
      'account_ids|accountids',
      /account_?[iI]ds\\{0,7}["'`]?\s{0,4}[=:]\s{0,4}\[\s{0,8}\\{0,7}["'`](\d{12})\\{0,7}["'`]/uy,
      { category: 'cloud_account', placeholder: 'CLOUD_ID', finder: 'cloudId' },
    ],
    'amazon-account': [
      '.signin.aws|aws://|--account-id |ownerid|cdk-assets-|account id: |aws account ',
      /(?:aws:\/\/|--account-id[ =]|[oO]wnerId\\{0,7}["'`]?\s?[:=]\s?\\{0,7}["'`]?|cdk-(?:\w{1,12}-)?assets-|[aA]ccount ID: |AWS account )(\d{12})(?!\d)|(?<=\/\/(\d{12}))\.signin\.aws/uy,
      { category: 'cloud_account', placeholder: 'CLOUD_ID', finder: 'cloudId' },
    ],
    'azure-id': [
      `tenantid|tenant_id|tenant-id|tenant id|tenant) id|subscriptionid|subscription_id|subscription id|--subscription|
      --tenant|subscriptions/|hometenantid`,
      /(?:(?:[tT]enant\)?|TENANT|[sS]ubscription|SUBSCRIPTION)[ _-]?[iI][dD]|--subscription|--tenant|subscriptions(?=\/))(?: is|\\{0,7}["'`]|\*\*)?\s{0,3}[:=/| ](?:\*\*)?\s{0,3}\\{0,7}["'`]?([0-9a-fA-F-]{36})(?![\w-])/uy,
      { category: 'cloud_account', placeholder: 'CLOUD_ID', finder: 'cloudId' },
    ],
    'supabase-project': [
      '--project-ref|project_ref|project_id|supabase.com/dashboard/project/|.supabase.co|.supabase.in',
      /(?:--project-ref[ =]|supabase\.com\/dashboard\/project\/|(?:project|PROJECT)_(?:ref|id|REF|ID)["']?\s?[:=]\s?["']?)([a-z]{20})(?![a-z])|(?<=(?<![a-z\d-])([a-z]{20}))\.supabase\.(?:co|in)/uy,
      { category: 'cloud_account', placeholder: 'CLOUD_ID', finder: 'cloudId' },
    ],
    'vercel-id': [
      'prj_|team_',
      /((?:prj|team)_[A-Za-z0-9]{20,32})(?![A-Za-z0-9])/uy,
      { category: 'cloud_account', placeholder: 'CLOUD_ID', finder: 'cloudId' },
    ],
    'netlify-site': [
      'siteid|site_id|site-id|site id',
      /[sS][iI][tT][eE][_ -]?[iI][dD]\\{0,7}["'`]?\s{0,3}[:=]\s{0,3}\\{0,7}["'`]?([0-9a-fA-F-]{36})(?![\w-])/uy,
      { category: 'cloud_account', placeholder: 'CLOUD_ID', finder: 'cloudId' },
    ],
    'cloudflare-account': [
      'account_id|accountid|account-id|zone_id|dash.cloudflare.com/',
      /(?:(?:[aA]ccount[_-]?[iI][dD]|ACCOUNT_ID|zone_id|ZONE_ID)\\{0,7}["'`]?\s{0,3}[:=]\s{0,3}\\{0,7}["'`]?|dash\.cloudflare\.com\/)([0-9a-f]{32})(?![0-9a-f])/uy,
      { category: 'cloud_account', placeholder: 'CLOUD_ID', finder: 'cloudId' },
    ],
    'cloudflare-variable': [
      "'s account ",
      /'s [aA]ccount\s{0,30}[│|]\s{0,4}([0-9a-f]{32})(?![0-9a-f])/uy,
      { category: 'cloud_account', placeholder: 'CLOUD_ID', finder: 'cloudId' },
    ],
    'service-account-project': [
      '.iam.gserviceaccount.com|-compute@developer',
      /(?<=@([a-z][a-z0-9-]{4,28}[a-z0-9]))\.iam\.gserviceaccount\.com|(?<=(?<![\w-])(\d{10,13}))-compute@developer\.gserviceaccount/uy,
      { category: 'cloud_account', placeholder: 'CLOUD_ID', finder: 'cloudId' },
    ],
    'supabase-role': [
      'postgres.|org id',
      /postgres\.([a-z]{20})(?=[:@%])|(?:ORG ID)[^\n]{0,120}\n[^a-z]{0,120}([a-z]{20})(?![a-z])/uy,
      { category: 'cloud_account', placeholder: 'CLOUD_ID', finder: 'cloudId' },
    ],
    'apple-team': [
      'development_team|teamid = ',
      /(?:DEVELOPMENT_TEAM|teamID)\s?=\s?["']?([A-Z0-9]{10})(?![A-Z0-9])/uy,
      { category: 'cloud_account', placeholder: 'CLOUD_ID', finder: 'cloudId' },
    ],
    'github-node': [
      'mdq6vxnlc|u_kgdo',
      /(MDQ6VXNlc[\w+/]{3,20}={0,2}|U_kgDO[\w-]{4,16})/uy,
      { ...ACCOUNT, placeholder: 'ACCOUNT_ID', finder: 'accountId' },
    ],
    // The ids of Slack, and of Clerk in the errors of OpenRouter.
    'member-id': [
      '"user|<@u|<@w',
      /(?:"user(?:_id)?\\{0,7}"\s?:\s?\\{0,7}"|<@)([UW](?=[A-Z0-9]{0,9}\d)[A-Z0-9]{8,11}|user_[A-Za-z\d]{27})(?=[">|\\])/uy,
      { ...ACCOUNT, placeholder: 'ACCOUNT_ID', finder: 'accountId' },
    ],
    'claude-account': [
      'accountuuid|organizationuuid|"userid',
      /"?(?:(?:account|organization)Uuid\\{0,7}"\s?:\s?\\{0,7}"([0-9a-f-]{36})|userID\\{0,7}"\s?:\s?\\{0,7}"([0-9a-f]{64}))(?=\\{0,7}")/uy,
      { ...ACCOUNT, placeholder: 'ACCOUNT_ID', finder: 'accountId' },
    ],
    'atlassian-account': [
      'accountid',
      /accountId\\{0,7}"\s?:\s?\\{0,7}"([0-9a-f]{24}|\d{6}:[0-9a-fA-F-]{36})(?=\\{0,7}")/uy,
      { ...ACCOUNT, placeholder: 'ACCOUNT_ID', finder: 'accountId' },
    ],
    'orcid': [
      'orcid',
      /orcid(?:[:= "'/.]|org|https?|id){0,12}(\d{4}-\d{4}-\d{4}-\d{3}[\dX])(?!\d)/iuy,
      { ...ACCOUNT, placeholder: 'ACCOUNT_ID', finder: 'accountId' },
    ],
    'windows-sid': [
      's-1-5-21-',
      /(S-1-5-21-\d{5,10}-\d{5,10}-\d{5,10}(?:-\d{3,10})?)(?!\d)/uy,
      { ...ACCOUNT, placeholder: 'ACCOUNT_ID', finder: 'accountId' },
    ],
    'azure-account': [
      'az account |az login|azurecloud',
      /AzureCloud\s{2,40}([0-9a-f-]{36})\s{2,40}([0-9a-f-]{36})(?=\s)|(?:az account (?:show|list)|az login|AzureCloud)[^]{0,500}?"id\\{0,7}"\s{0,3}:\s{0,3}\\{0,7}"([0-9a-f-]{36})(?=\\{0,7}")/uy,
      { category: 'cloud_account', placeholder: 'CLOUD_ID', finder: 'cloudId' },
    ],
    'greeted-account': [
      'hi ',
      /Hi ([A-Za-z\d][\w-]{1,38})(?:\/[\w.-]{1,80})?! You've successfully authenticated/uy,
      { ...ACCOUNT, finder: 'accountName', own: true },
    ],
    'aws-principal': [
      'aida|aroa',
      /((?:AIDA|AROA)[A-Z\d]{16,17})(?![A-Za-z\d])/uy,
      { category: 'cloud_account', placeholder: 'CLOUD_ID', finder: 'cloudId' },
    ],
    'gcloud-config': [
      '[core]',
      /\[core\](?:\\{1,4}n|\r?\n)[+> ]{0,8}(?:[a-z_]+ = [^\n\\]{1,120}(?:\\{1,4}n|\r?\n)[+> ]{0,8}){0,6}project = ([a-z][a-z\d-]{4,28}[a-z\d])(?=\s|\\|$)/uy,
      { category: 'cloud_account', placeholder: 'CLOUD_ID', finder: 'cloudId' },
    ],
    'logged-visitor': [
      '/jan/|/feb/|/mar/|/apr/|/may/|/jun/|/jul/|/aug/|/sep/|/oct/|/nov/|/dec/',
      /(?<=\d(?:\.\d{1,3}){3} - ([A-Za-z][\w.-]{2,38}) \[\d\d)\/[A-Z][a-z]{2}\/\d{4}:\d/uy,
      { ...ACCOUNT, finder: 'personalAccount' },
    ],
    'session-of-terminal': [
      ' pts/| tty',
      /(?<=(?:^|\n|\\n|": ?\\{0,3}")[+> ]{0,8}([a-z_][\w.-]{1,31}) {0,12}) (?:pts\/|tty[sS]?)\d{1,3} {1,12}(?=[\d(:-]|[\w.-]+ {1,12}\d)/uy,
      { ...ACCOUNT, finder: 'personalAccount' },
    ],
  },
}
