/** Names of models, assistants and bots, and accounts of continuous integration. */
export const AUTOMATION =
  /\[bot\]|[-_ ]bot$|^(?:anthropic|openai|claude(?:[ -].*)?|copilot(?:-.*)?|github[ -]?copilot|cursor(?:[ -]?agent)?|codex(?:[ _-].*)?|gemini(?:[ -].*)?|chat-?gpt|gpt[\d-].*|o\d(?:-.*)?|llama.*|mistral.*|qwen.*|deepseek.*|devin(?:[ -]ai.*)?|aider|windsurf|cascade|cline|opencode|jules|amp|openhands|swe[- ]agent|goose|dependabot.*|renovate.*|github|github[ -]actions?.*|gitlab|gitlab[ -](?:ci|bot|runner)|greenkeeper|snyk.*|mergify|semantic-release.*|web-flow|actions-user|pre-commit.*|codecov.*|imgbot|allcontributors|coderabbit.*|sourcery.*|jenkins|travis.*|circleci|buildkite|vercel|netlify|heroku|root|ubuntu|runner|ci|bot|system|admin|administrator|user|users|username|unknown|anonymous|none|null|nobody|unassigned|n\/a|tbd|your name|your username|firstname|lastname|first last|full name|тест|пользователь|тест пользователь|имя|фамилия|utente|usuario|benutzer|utilisateur|prueba|essai|prova|redacted|x{3,}|john doe|jane doe|name surname|me|you|org|owner|team|example|my-?org|your-?org|my-?user|your-?user|user-?name|organization|organisation|company|acme)$/i

/** Accounts that are named after a role, a system image or the reader, instead of a person. */
export const ROLES =
  /^(?:all|user|users?\d*|user_?name|your\w*|you|me|my\w*|name|someone|somebody|runner|runneradmin|vsts|ubuntu|debian|centos|fedora|admin|administrator|root|node|node_modules|app|apps|web|www(?:-data|root)?|git|github|gitlab|jenkins|circleci|travis|vscode|codespace|gitpod|docker|vagrant|ec2-user|azureuser|opc|pi|dev|developer|deploy|deployer|db_?user|build|builder|ci|test|tests?_?user|tester|testuser|guest|default|public|env|venv|all users|shared|linuxbrew|jovyan|sandbox|coder|workspace|data|nobody|daemon|postgres|mysql|nginx|steam|foo|bar|example|home|username_here|web_user|appuser|nonroot|service|svc|support|staff|student|demo|local|tmp|src|project|projects|repo|code|cdrom|usb\w*|disk\w*|floppy|images?|photos?|videos?|music|pictures|files|uploads?|static|onedrive|dropbox|googledrive|iclouddrive|lib|bin|etc|opt|var)$/i

/** Accounts that operating systems and programs create. */
export const SYSTEM_ACCOUNTS =
  /^(?:wheel|users?|systemd.*|messagebus|syslog|_.*|sshd|dbus|man|lp|mail|news|uucp|proxy|backup|list|irc|sys|sync|games|adm|tty|disk|sudo|everyone|[a-z]+-data)$/

/** Accounts of services in lists of processes and sessions. */
export const SERVICE_ACCOUNTS =
  /^(?:elasticsearch|opensearch|rabbitmq|mongodb|mariadb|grafana|prometheus|airflow|spark|hadoop|hdfs|zookeeper|caddy|traefik|vault|consul|nomad|etcd|minio|solr|cassandra|clickhouse|memcached|haproxy|squid|varnish|bind|named|ntp|chrony|dovecot|postfix|exim|gitea|forgejo|nextcloud|keycloak|sonarqube|nexus|httpd|php-fpm|uwsgi|gunicorn|celery|airbyte|n8n|odoo|frappe|zulip|mattermost|ftp|avahi|polkitd|colord|rtkit|tss|whoopsie|kernoops|gdm|lightdm|sddm|geoclue|cups|pulse|libuuid|uuidd|tcpdump|landscape|pollinate|lxd|dnsmasq|libvirt.*|qemu|kvm|statd|rpc|rpcuser|oprofile|abrt|unbound|setroubleshoot|cockpit.*|reboot|shutdown|wtmp|btmp)$/i

/** Names in subdomains or paths of a service that belong to the service, and sample names in manuals. */
export const RESERVED_NAMES =
  /^(?:(?:logs|prometheus|tempo|profiles|otlp-gateway|fleet-management)-prod[\w-]*|www\d?|app|apps|api|apis|docs?|developers?|dev|help|support|status|auth|login|signin|signup|sso|id|accounts?|admin|dashboard|portal|console|blog|news|community|forum|learn|academy|training|marketplace|store|shop|cdn|static|assets|images?|img|media|files|uploads|edge|hooks|events|start|home|go|get|download|demo|sandbox|staging|preview|beta|labs?|research|mail|email|smtp|ftp|git|svn|ci|registry|packages|pricing|enterprise|solutions|customers?|partners?|about|contact|legal|terms|privacy|security|settings|new|templates?|guides?|changelog|integrations|search|explore|features|resources|teams?|orgs?|organizations?|workspaces?|projects?|company|tenant|subdomain|domain|instance|site|sites|user|users|username|owner|name|account|acme|example\w*|exemplo|exemple|ejemplo|beispiel|esempio|min?ha-\w*|mi-tienda|mein-shop|ma-boutique|my-?\w*|your-?\w*|some-?\w*|the-?\w*|test-?\w*|sample-?\w*|hello-?\w*|foo|bar|baz|localhost|xxx+|dev-\d+|trial-\d+|us\d\dweb|us-\d\w+|cluster\d*)$/i

/**
 * Words after `@` that are not mentions of people: decorators, tags in comments, rules of style sheets, and words for
 * roles.
 */
export const TAGS =
  /^(?:experimental|alpha|unstable|stable|todo|decorator|hidden|defaultValue|typeParam|inheritDoc|typedef|category|min[vV]ersion|class|extends|augments|namespace|protected|readonly|abstract|callback|fires|enum|constant|fileoverview|ignore|jsx\w*|vitest\w*|jest\w*|internal|remarks|packageDocumentation|override|property|param|params|returns?|throws|deprecated|ts-\w+|eslint.*|types?|babel|latest|channel|everyone|reviewers?|maintainers?|owners?|contributors?|authors?|we|someone|anyone|nobody|already|classdesc|description|prop|props)$/i

/** Words in greetings and closings that may be in the place of a name. */
export const EVERYBODY =
  /^(?:all|team|everyone|everybody|there|folks|friends?|world|sirs?|madam|hiring|customer|support|colleagues|guys|again|dear|reader|user|claude|assistant|chatgpt|siri|alexa|bot|ai|agent|god|yes|no|please|thanks|regards|best|sent|good|welcome|thank|sorry|happy|ready|glad|sure|here|back|done|new|working|looking|trying|great|nice|cool|fine|ok|okay|not|just)$/i
