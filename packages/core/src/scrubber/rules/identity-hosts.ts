import { ALONE, any, END, identity, LOGIN, NL, Q } from './identity-rule.ts'
import { commonWords, publicOwners } from './common-words.ts'
import type { Rule } from '../engine/rule.ts'

/** Names below a service's domain or in its paths that belong to the service, and names that manuals use. */
const RESERVED =
  /^(?:(?:logs|prometheus|tempo|profiles|otlp-gateway|fleet-management)-prod[\w-]*|www\d?|app|apps|api|apis|docs?|developers?|dev|help|support|status|auth|login|signin|signup|sso|id|accounts?|admin|dashboard|portal|console|blog|news|community|forum|learn|academy|training|marketplace|store|shop|cdn|static|assets|images?|img|media|files|uploads|edge|hooks|events|start|home|go|get|download|demo|sandbox|staging|preview|beta|labs?|research|mail|email|smtp|ftp|git|svn|ci|registry|packages|pricing|enterprise|solutions|customers?|partners?|about|contact|legal|terms|privacy|security|settings|new|templates?|guides?|changelog|integrations|search|explore|features|resources|teams?|orgs?|organizations?|workspaces?|projects?|company|tenant|subdomain|domain|instance|site|sites|user|users|username|owner|name|account|acme|example\w*|my-?\w*|your-?\w*|some-?\w*|the-?\w*|test-?\w*|sample-?\w*|hello-?\w*|foo|bar|baz|localhost|xxx+|dev-\d+|trial-\d+|us\d\dweb|us-\d\w+|cluster\d*)$/i

/** Returns whether a name below a service's domain is a customer's. */
export const isCustomer = (value: string): boolean =>
  value.length > 2 &&
  !RESERVED.test(value) &&
  !commonWords.has(value.toLowerCase()) &&
  !publicOwners.has(value.toLowerCase())
/** Returns whether an app's name is no everyday word: it has several parts, a digit or some length. */
const isOwnApp = (value: string): boolean =>
  isCustomer(value) && (/[-\d]/.test(value) || value.length > 7) && !value.includes('-git-')

/** Returns whether a wireless network has a name of its own, no word of a manual and no address. */
const isNetworkName = (value: string): boolean =>
  isCustomer(value.replace(/ .*/, '')) &&
  !/^(?:[\da-f]{2}[:-]){2}|ssid|wi-?fi|wlan|network|guest|secret|\b(?:name|off|any|not|hidden)\b|[<>${}()*;,]/i.test(
    value,
  )

/** Services that give each customer a name below their domain. */
const TENANTS =
  'atlassian.net slack.com sharepoint.com onmicrosoft.com awsapps.com okta.com oktapreview.com auth0.com 1password.com 1password.eu 1password.ca sentry.io sourcegraph.com zendesk.com freshdesk.com my.salesforce.com lightning.force.com service-now.com myshopify.com pagerduty.com grafana.net jfrog.io bamboohr.com youtrack.cloud gitbook.io readme.io cloud.databricks.com statuspage.io jetbrains.space cloudflareaccess.com zoom.us azurecr.io freshservice.com webflow.io zulipchat.com discourse.group monday.com blob.core.windows.net vault.azure.net database.windows.net mongodb.net b2clogin.com crm.dynamics.com snowflakecomputing.com notion.site ts.net'
/** Services that publish an app or a site below their domain. */
const HOSTERS =
  'pages.dev netlify.app vercel.app now.sh herokuapp.com fly.dev onrender.com up.railway.app web.app firebaseapp.com azurewebsites.net surge.sh repl.co replit.app streamlit.app hf.space deno.dev ngrok.app ngrok-free.app ngrok.io'
const dotted = (hosts: string): string[] => hosts.split(' ').map((host) => `.${host}`)
const either = (hosts: string): string => hosts.replaceAll('.', '\\.').replaceAll(' ', '|')

/** What companies run below their own domain. */
const OWN_SERVICES =
  'git|gitlab|gitea|svn|jenkins|teamcity|bamboo|bitbucket|jira|confluence|redmine|mattermost|intranet|nexus|artifactory|harbor|registry|sonar|sonarqube|grafana|kibana|prometheus|vault|vpn|ldap|sso|keycloak|ocp|rancher|argocd|minio|bastion|nas|staging|review|gerrit|phab|phabricator'.split(
    '|',
  )
/** Projects and companies whose services everybody uses. */
export const PUBLIC_DOMAIN =
  /^(?:npmjs|yarnpkg|kernel|gnome|kde|freedesktop|debian|archlinux|gentoo|savannah|gnu|eclipse|apache|atlassian|wikimedia|wikipedia|mediawiki|terraform|opentofu|docker|jboss|redhat|sonatype|jenkins.*|spring|nodejs|python|php|postgresql|mozilla|openstack|opendev|videolan|ffmpeg|linaro|yoctoproject|torproject|w3|ietf|cern|jetbrains|inria|hashicorp|googlesource|google|chromium|android|qt|wireshark|zx2c4|musl-libc|suckless|lwn|samba|gnupg|denx|trustedfirmware|buildroot|openwrt|alpinelinux|\w+bsd|centos|fedoraproject|opensuse|suse|rockylinux|almalinux|xen(?:project)?|qemu|proxmox|libvirt|ceph|nginx|mariadb|mysql|percona|sqlite|ubuntu|canonical|launchpad|launchpadcontent|sourceforge|heptapod|gitee|codeberg|framagit|salsa|0xacab|notabug|amazonaws|azure\w*|windows|cloudflare|digitalocean|heroku|oracle|ibm|nvidia|intel|amd|arm|mcr|microsoft|apple|quay|gcr|k8s|rancher|scalar|grafana|elastic|influxdata|lan|local|home|corp|svc|cluster|example|test|invalid|domain|mycompany|yourcompany|company|acme|foo|bar|internal|monitoring|observability|prod|production|infra|default|coreboot|lineageos)$/i

/** What clouds, clusters and tools call a host below a private domain, and names of files and of examples. */
const SHARED_HOST =
  /(?:^|\.)(?:svc\.cluster|docker|ec2|[\w-]*compute|google|example|acme|corp|company)$|^(?:ip-\d|my-|your-|docker-compose|settings|config|app-|test-|env-)/i

/** Names of companies, sites and projects in addresses of the services that they use. */
export const identityHostRules: readonly Rule[] = [
  identity(
    'tenant-host',
    'organization',
    dotted(TENANTS),
    `(?<=(?<![\\w.-])([A-Za-z\\d][\\w-]{2,62})(?:\\.(?:[a-z]{2,3}(?:-[a-z]{2,10}-\\d)?|[a-z\\d]{5,6}(?=\\.mongodb)))?)\\.(?:${either(TENANTS)})(?![\\w-])`,
    { valid: isCustomer },
  ),
  identity(
    'own-service-host',
    'organization',
    OWN_SERVICES.flatMap((service) => [`${service}.`, `${service}-`]),
    `(?<![\\w$])(?<!(?:^|[^\\w])[$.])(?:${OWN_SERVICES.join('|')})(?:-[a-z\\d-]{1,24})?\\.(?:[a-z\\d-]{1,20}\\.){0,2}?([a-z][a-z\\d-]{3,40})\\.(?:co\\.[a-z]{2}|com\\.[a-z]{2}|com|net|org|io|eu|dev|app|cloud|tech|health|internal|lan|corp|intra|local|[a-z]{2})(?![\\w(=-]|\\.[\\w*])`,
    { valid: (value) => isCustomer(value) && !PUBLIC_DOMAIN.test(value) },
  ),
  identity(
    'private-host',
    'hostName',
    ['.lan', '.internal', '.local', '.intra', '.intern', '.corp', '.fritz.box'],
    `(?<=(?<![\\w.$\\\\-]|[^/]\\/)((?=[\\w.]*[-\\d])[A-Za-z][\\w-]{1,62}(?:\\.[a-z\\d-]{1,40}){0,4}))\\.(?:lan|internal|local(?:domain)?|intra|intern|corp|fritz\\.box)(?![\\w(=[-]|\\.\\w)`,
    { valid: (value) => !SHARED_HOST.test(value) },
  ),
  identity(
    'app-host',
    'hostName',
    [...dotted(HOSTERS), 'git.heroku.com/'],
    `(?<=(?<![\\w-])([A-Za-z\\d][\\w-]{2,62}))\\.(?:${either(HOSTERS)})(?![\\w-])|git\\.heroku\\.com\\/([a-z][\\w-]{2,40})\\.git`,
    { valid: isOwnApp },
  ),
  identity(
    'team-address',
    'organization',
    [
      'vercel.com/',
      'linear.app/',
      'notion.so/',
      'app.netlify.com/',
      'circleci.com/',
      'codecov.io/g',
      'hub.docker.com/r',
      'sentry.io/organizations/',
      'sonarcloud.io/organizations/',
      'gitlab.com/groups/',
      'dashboard.heroku.com/apps/',
      'fly.io/apps/',
      'wandb.ai/',
      'linkedin.com/company/',
      'expo.dev/accounts/',
      'kaggle.com/code/',
      'pkg.github.com/',
    ],
    `(?:vercel\\.com\\/(?=[\\w-]+\\/[\\w-]+)(?!docs|oauth|blog|guides|templates|dashboard|api|integrations|marketplace|help|legal|new|changelog)|linear\\.app\\/(?=[\\w-]+\\/(?:issue|team|project|view|settings|initiative))|notion\\.so\\/(?=[\\w-]+\\/[\\w-]*[0-9a-f]{32})|app\\.netlify\\.com\\/(?:teams|sites|projects)\\/|(?<!\\]\\(https:\\/\\/|\\]: https:\\/\\/|href="https:\\/\\/)(?:circleci\\.com\\/(?:pipelines\\/)?(?:github|gh|bitbucket|bb)|codecov\\.io\\/(?:gh|github))\\/|hub\\.docker\\.com\\/(?:r|repository\\/docker)\\/|sentry\\.io\\/organizations\\/|sonarcloud\\.io\\/organizations\\/|gitlab\\.com\\/groups\\/|dashboard\\.heroku\\.com\\/apps\\/|fly\\.io\\/apps\\/|wandb\\.ai\\/(?=[\\w-]+\\/[\\w-]+)(?!site|docs|articles|fully-connected)|linkedin\\.com\\/company\\/|expo\\.dev\\/accounts\\/|kaggle\\.com\\/code\\/|pkg\\.github\\.com\\/)(${LOGIN})`,
    { valid: isCustomer },
  ),
  identity(
    'named-host',
    'hostName',
    [
      'static hostname:',
      'host name:',
      '--get computername',
      '--get localhostname',
      'ansible_host',
      'connection to ',
      'computer:',
      'hostname": ',
      'hostname: ',
    ],
    `(?:Static hostname: |Host Name:\\s{1,30}|--get (?:ComputerName|LocalHostName|HostName)${NL}|ansible_host["']?\\s?[:=]\\s?["']?|Connection to (?=\\S{3,80} (?:closed|timed out|refused|lost))|(?<=^|\\n)Computer:\\s{1,8})([A-Za-z][\\w-]{2,62}(?:\\.[\\w-]{1,63}){0,4})${END}|[hH]ostname${Q}?: ${Q}?([A-Za-z]\\w{1,30}-[\\w-]{1,40})${END}`,
  ),
  identity(
    'wireless-network',
    'hostName',
    ['ssid', 'wi-fi network: '],
    `(?:[sS]{2}[iI][dD](?: {1,24}: | ?[:=] ?(?=\\\\{0,3}"))|[wW]i-[fF]i [nN]etwork: )(?:\\\\{0,3}")?([\\p{L}\\d][^"\\n\\\\]{2,31}?)(?=\\s{0,3}(?:\\\\{0,3}"|${NL}|$))`,
    { valid: isNetworkName },
  ),
  identity(
    'host-variable',
    'hostName',
    ['hostname=', '_host='],
    `(?:${ALONE}HOSTNAME|(?<=DEPLOY|SSH|REMOTE|SERVER|PROD|STAGING)_HOST)=["']?([A-Za-z][\\w-]{3,62}(?:\\.[\\w-]{1,63}){0,4})${END}`,
  ),
  identity(
    'system-log-host',
    'hostName',
    ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'].map((month) => `${month} `),
    `[JFMASOND][a-z]{2} [ \\d]\\d \\d\\d:\\d\\d:\\d\\d ([A-Za-z][\\w-]{2,62}(?:\\.[\\w-]{1,63}){0,3}) [\\w.\\/-]{2,40}(?:\\[\\d{1,8}\\])?: `,
  ),
  identity(
    'own-repository',
    'organization',
    ['on github: https://', 'on gitlab: https://', '/builds/', '.amazonaws.com/'],
    `[oO]n Git(?:Hub|Lab): https:\\/\\/git(?:hub|lab)\\.com\\/(${LOGIN})\\/|(?<![\\w.])\\/builds\\/(${LOGIN})\\/[\\w.-]{2,60}\\/|(?<=\\.dkr\\.ecr\\.[a-z\\d-]{4,20})\\.amazonaws\\.com\\/(${LOGIN})\\/`,
    { valid: isCustomer },
  ),
  identity(
    'bundle-name',
    'organization',
    ['product_bundle_identifier', 'bundleidentifier', 'applicationid', 'bundle_id', '"appid', 'bundle id'],
    `(?:PRODUCT_BUNDLE_IDENTIFIER|[bB]undleIdentifier|applicationId|bundle_id|"appId|[bB]undle ID)${Q}?\\s{0,3}[:=]?\\s{0,3}${Q}?(?:[a-z]{2,4})\\.([a-z][a-z\\d-]{3,40})\\.[A-Za-z]`,
    { valid: (value) => isCustomer(value) && !PUBLIC_DOMAIN.test(value) && !/^(?:your|my|the)/.test(value) },
  ),
  identity('tailnet-host', 'hostName', ['.ts.net'], `(?<=(?<![\\w-])([a-z][\\w-]{3,62})\\.[\\w-]{3,40})\\.ts\\.net`, {
    valid: isCustomer,
  }),
  identity(
    'remote-argument',
    'hostName',
    ['ssh-copy-id ', 'sshfs ', ' -j ', 'ssh -l ', 'git clone '],
    `(?:(?:ssh-copy-id|sshfs)(?: -\\S{1,80}){0,6} [\\w.-]{2,32}@| -J [\\w.@:-]{3,80} (?:[\\w.-]{2,32}@)?|ssh -l [\\w.-]{2,32} |git clone (?:https:\\/\\/)?(?!git@)[\\w.-]{2,32}@)([A-Za-z][\\w.-]{2,80}[A-Za-z0-9])`,
  ),
  identity(
    'google-project',
    'cloudId',
    [
      'get project',
      'projects/',
      'gcr.io/',
      '-docker.pkg.dev/',
      'gke_',
      'project_id',
      'projectid',
      '-compute@',
      'console.firebase.google.com/project/',
      'firebaseapp.com',
      'appspot.com',
      'projects": {',
    ],
    `(?:get project${NL}|${ALONE}projects\\/(?=[\\w-]{6,30}\\/(?:secrets|locations|topics|subscriptions|instances|databases|global|zones|regions|serviceAccounts|datasets|builds|logs))|(?<!["'\\w-])(?:(?:us|eu|asia)\\.)?gcr\\.io\\/|-docker\\.pkg\\.dev\\/|gke_|PROJECT_ID\\s{2,40}NAME\\s{2,40}PROJECT_NUMBER\\s{0,8}${NL}|projectId${Q}?\\s?[:=]\\s?${Q}(?=[^\\n]{1,80}\\n?[^\\n]{0,40}(?:authDomain|storageBucket|apiKey))|console\\.firebase\\.google\\.com\\/project\\/|projects${Q}?\\s?:\\s?\\{\\s{0,8}${Q}?default${Q}?\\s?:\\s?${Q})([a-z][a-z0-9-]{4,28}[a-z0-9])(?![a-zA-Z0-9-]|\\.)|(?<=(?<![\\w.-])([a-z][a-z0-9-]{4,28}[a-z0-9])\\.)(?:firebaseapp|appspot)\\.com|(?<=(?<!\\w)(\\d{10,13}))-compute@`,
    {
      valid: (value) =>
        isCustomer(value) &&
        !/^acme|^(?:google-?\w*|distroless|k8s-\w+|kubernetes\w*|cloud-builders|kaniko-project|gcr|project-?id|tfx-oss-public|cadvisor)$/i.test(
          value,
        ),
    },
  ),
  identity(
    'amazon-account',
    'cloudId',
    ['.signin.aws', 'aws://', '--account-id ', 'ownerid', 'cdk-assets-', 'account id: ', 'aws account '],
    `(?:aws:\\/\\/|--account-id[ =]|[oO]wnerId${Q}?\\s?[:=]\\s?${Q}?|cdk-(?:\\w{1,12}-)?assets-|[aA]ccount ID: |AWS account )(\\d{12})(?!\\d)|(?<=\\/\\/(\\d{12}))\\.signin\\.aws`,
  ),
  identity(
    'azure-account',
    'cloudId',
    ['az account ', 'az login', 'azurecloud'],
    `(?:az account (?:show|list)|az login|AzureCloud)[^]{0,500}?${Q}id${Q}\\s{0,3}:\\s{0,3}${Q}([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?=${Q})`,
  ),
  identity(
    'supabase-role',
    'cloudId',
    ['postgres.', 'org id'],
    `postgres\\.([a-z]{20})(?=[:@%])|(?:ORG ID)[^\\n]{0,120}\\n[^a-z]{0,120}([a-z]{20})(?![a-z])`,
  ),
  identity(
    'apple-team',
    'cloudId',
    ['development_team'],
    `${any('development_team')}\\s?=\\s?["']?([A-Z0-9]{10})(?![A-Z0-9])`,
  ),
  identity(
    'cloudflare-variable',
    'cloudId',
    ["'s account "],
    `'s [aA]ccount\\s{0,30}[│|]\\s{0,4}([0-9a-f]{32})(?![0-9a-f])`,
  ),
]
