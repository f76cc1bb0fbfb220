/** Names of models, assistants and bots, and accounts of continuous integration. */
export const AUTOMATION =
  /\[bot\]|[-_ ](?:bot|agent)$|^(?:anthropic|openai|claude(?:[ -].*)?|copilot(?:-.*)?|github[ -]?copilot|cursor(?:[ -]?agent)?|codex(?:[ _-].*)?|gemini(?:[ -].*)?|chat-?gpt|gpt[\d-].*|o\d(?:-.*)?|llama.*|mistral.*|qwen.*|deepseek.*|devin(?:[ -]ai.*)?|aider|windsurf|cascade|cline|opencode|jules|amp|(?:ai[ -])?assistant|openhands|swe[- ]agent|goose|dependabot.*|renovate.*|github|github[ -]actions?.*|gitlab|gitlab[ -](?:ci|bot|runner)|greenkeeper|snyk.*|mergify|semantic-release.*|web-flow|actions-user|pre-commit.*|codecov.*|imgbot|allcontributors|coderabbit.*|sourcery.*|jenkins|travis.*|circleci|buildkite|vercel|netlify|heroku|root|ubuntu|runner|ci|bot|system|admin|administrator|user|users|username|unknown|anonymous|none|null|nobody|unassigned|n\/a|tbd|your name|your username|firstname|lastname|first last|full name|intellij idea|android studio|visual studio(?: code)?|xcode|тест|пользователь|тест пользователь|имя|фамилия|utente|usuario|benutzer|utilisateur|prueba|essai|prova|redacted|x{3,}|john doe|jane doe|name surname|me|you|org|owner|team|example|my-?org|your-?org|my-?user|your-?user|test[-_]?user[-_]?\d*|user-?name|organization|organisation|company|acme)$/i

/** Accounts that are named after a role, a system image or the reader, instead of a person. */
export const ROLES =
  /^(?:all|user|users?\d*|user_?name|your(?:\w*|[-_](?:user|name|login|account)[\w-]*)|you|me|my\w*|name|someone|somebody|runner|runneradmin|vsts|ubuntu|debian|centos|fedora|admin|administrator|root\d*|placeholder|node|node_modules|admini|app|apps|web|www(?:-data|root)?|git|github|gitlab|jenkins|circleci|travis|vscode|codespace|gitpod|docker|vagrant|ec2-user|azureuser|opc|pi|dev|developer|deploy|deployer|(?:db|app|docker|web|api|ci)[_-]?user|build|builder|ci|test|tests?_?user|tester|testuser|guest|default|public|env|venv|all users|shared|linuxbrew|jovyan|sandbox|coder|workspace|data|nobody|daemon|postgres|mysql|nginx|steam|foo|bar|example|home|username_here|web_user|appuser|nonroot|service|svc|support|staff|student|demo|local|tmp|src|project|projects|repo|code|cdrom|usb\w*|disk\w*|floppy|images?|photos?|videos?|music|pictures|files|uploads?|static|onedrive|dropbox|googledrive|iclouddrive|lib|bin|etc|opt|var)$/i

/** Accounts that operating systems and programs create. */
export const SYSTEM_ACCOUNTS =
  /^(?:wheel|users?|systemd.*|messagebus|syslog|_.*|sshd|dbus|man|lp|mail|news|uucp|proxy|backup|list|irc|sys|sync|games|adm|tty|disk|sudo|everyone|[a-z]+-data)$/

/** Accounts of services in lists of processes and sessions. */
export const SERVICE_ACCOUNTS =
  /^(?:elasticsearch|opensearch|rabbitmq|mongodb|mariadb|grafana|prometheus|airflow|spark|hadoop|hdfs|zookeeper|caddy|traefik|vault|consul|nomad|etcd|minio|solr|cassandra|clickhouse|memcached|haproxy|squid|varnish|bind|named|ntp|chrony|dovecot|postfix|exim|gitea|forgejo|nextcloud|keycloak|sonarqube|nexus|httpd|php-fpm|uwsgi|gunicorn|celery|airbyte|n8n|odoo|frappe|zulip|mattermost|ftp|avahi|polkitd|colord|rtkit|tss|whoopsie|kernoops|gdm|lightdm|sddm|geoclue|cups|pulse|libuuid|uuidd|tcpdump|landscape|pollinate|lxd|dnsmasq|libvirt.*|qemu|kvm|statd|rpc|rpcuser|oprofile|abrt|unbound|setroubleshoot|cockpit.*|reboot|shutdown|wtmp|btmp)$/i

/** Names in subdomains or paths of a service that belong to the service, and sample names in manuals. */
export const RESERVED_NAMES =
  /^(?:(?:logs|prometheus|tempo|profiles|otlp-gateway|fleet-management)-prod[\w-]*|www\d?|app|apps|api|apis|mcp|docs?|developers?|dev|help|support|status|auth|login|signin|signup|sso|id|accounts?|admin|dashboard|portal|console|blog|news|community|forum|learn|academy|training|marketplace|store|shop|cdn|static|assets|images?|img|media|files|uploads|edge|hooks|events|start|home|go|get|download|demo|sandbox|staging|preview|beta|labs?|research|mail|email|smtp|ftp|git|svn|ci|registry|packages|pricing|enterprise|solutions|customers?|partners?|about|contact|legal|terms|privacy|security|settings|new|templates?|guides?|changelog|integrations|search|explore|features|resources|teams?|orgs?|organizations?|workspaces?|projects?|company|tenant|subdomain|domain|instance|site|sites|user|users|username|owner|name|account|acme|example\w*|privatelink|exemplo|exemple|ejemplo|beispiel|esempio|minha-\w*|mi-tienda|mein-shop|ma-boutique|my-?\w*|your-?\w*|some-?\w*|the-?\w*|test-?\w*|sample-?\w*|hello-?\w*|foo|bar|baz|localhost|xxx+|dev-\d+|trial-\d+|us\d\dweb|us-\d\w+|cluster\d*)$/i

/**
 * Words after `@` that are not mentions of people: decorators, tags in comments, rules of style sheets, and words for
 * roles.
 */
export const TAGS =
  /^(?:experimental|alpha|unstable|stable|todo|decorator|hidden|defaultValue|typeParam|inheritDoc|typedef|category|min[vV]ersion|class|extends|augments|namespace|protected|readonly|abstract|callback|fires|enum|constant|fileoverview|ignore|jsx\w*|vitest\w*|jest\w*|internal|remarks|packageDocumentation|override|property|param|params|returns?|throws|deprecated|ts-\w+|eslint.*|types?|babel|latest|channel|everyone|cc|pinged|assigned|assignees?|reviewers?|maintainers?|owners?|contributors?|authors?|we|someone|anyone|nobody|already|classdesc|description|prop|props)$/i

/** Words in greetings and closings that may be in the place of a name. */
export const EVERYBODY =
  /^(?:all|team|everyone|everybody|there|folks|friends?|world|sirs?|madam|hiring|customer|support|colleagues|guys|again|dear|reader|user|claude|assistant|chatgpt|siri|alexa|bot|ai|agent|god|yes|no|please|thanks|regards|best|sent|good|welcome|thank|sorry|happy|ready|glad|sure|here|back|done|new|working|looking|trying|great|nice|cool|fine|ok|okay|not|just)$/i

/** Owners of public projects, in lower case. They are not replaced. */
export const publicOwners: ReadonlySet<string> = new Set(
  `actions adobe airbnb airbytehq alibaba ansible anthropics anthropic-ai antfu apache apollographql apple argoproj astral-sh atom auth0 aws awslabs azure babel babeljs
bazelbuild bitnami bitwarden biomejs bootstrap caddyserver calcom celery chakra-ui chartjs cilium clap-rs clickhouse cloudflare cncf cockroachdb coder codemirror containerd
conda-forge cypress-io d3 dagster-io dart-lang datadog dbt-labs denoland dependabot directus discord discordjs django docker docker-library dotnet drizzle-team elastic electron
elixir-lang emotion-js envoyproxy es-shims eslint esbuild expo expressjs facebook facebookresearch facebookincubator fastapi fastify figma firebase flutter formatjs framer freecodecamp
fluxcd getsentry ggerganov ggml-org gin-gonic git github gitlab-org go-gorm godotengine goharbor golang google googleapis googlecloudplatform gradio-app grafana graphql grpc h3 handlebars-lang
hashicorp helm heroku home-assistant homebrew honojs huggingface ibm influxdata ionic-team istio jestjs jetbrains jquery jsx-eslint juliaang jupyter jupyterhub k3s-io karpathy kotlinlang kubernetes
kubernetes-sigs langchain-ai laravel lerna less libuv linkerd llvm lodash mantinedev mapbox mastodon material-ui mdn meta-llama meteor metabase microsoft minio mistralai mochajs mongodb motdotla
mozilla mrdoob mui mysql n8n-io neovim nestjs netflix netlify newrelic nginx nginxinc nlohmann node-fetch nodejs nodesource npm numpy nuxt nvidia nvm-sh nx ohmyzsh ollama open-telemetry open-webui openai opencv
openssl opentofu oracle oven-sh palantir pallets pandas-dev parcel-bundler paypal phoenixframework php playwright pmndrs pnpm postcss postgres preactjs prettier prisma prometheus psf pulumi puppeteer
py-pdf pydantic pypa pypi pyca pytest-dev python python-poetry pytorch qdrant quarkusio radix-ui rails rancher react-hook-form react-native-community reactjs readthedocs redis reduxjs remix-run
request rollup rubocop ruby rust-lang rustls salesforce sass scikit-learn scipy scrapy selenium semantic-release sendgrid serverless shadcn-ui shadcn shopify sindresorhus slackapi socketio solidjs
spring-projects square sqlalchemy storybookjs stripe strapi styled-components supabase sveltejs swagger-api swc-project swiftlang symfony t3-oss tailwindlabs tailwindcss tanstack tauri-apps tc39 tensorflow temporalio terraform-aws-modules terraform-providers
testing-library tj tokio-rs torvalds traefik trpc turborepo twbs twilio twitter types typescript-eslint typescriptlang typicode uber ultralytics unjs urllib3 vercel vim vitejs vitest-dev vllm-project
vuejs vuejs-templates w3c webpack webpack-contrib whatwg withastro wordpress yarnpkg yjs zeit zed-industries zloirock zxing swe-agent princeton-nlp sympy matplotlib astropy pylint-dev sphinx-doc
mwaskom pydata marshmallow-code library node swc nrwl angular aws-sdk aws-crypto smithy vue opentelemetry npmcli isaacs jridgewell sinclair octokit fortawesome heroicons headlessui
floating-ui dnd-kit tiptap lexical mdx-js next clerk sentry langchain modelcontextprotocol ai-sdk hono libsql tursodatabase`.split(
    /\s+/,
  ),
)

/** Companies with well-known shares or products, in lower case. Their published details do not identify a person. */
const NAMES = `
3m|google|alphabet|microsoft|apple|amazon|meta platforms|oracle|ibm|intel|nvidia|adobe|cisco|salesforce|netflix|uber|airbnb|
spotify|paypal|samsung|sony|huawei|alibaba|tencent|telekom|abb|abbott|abbvie|accenture|adidas|adyen|aegon|ahold delhaize|airbus|air liquide|akzo nobel|akzonobel|aldi|allianz|
alstom|american express|amgen|anheuser-busch|arcelormittal|asml|assa abloy|astrazeneca|at&t|atos|aviva|axa|bae systems|
banco santander|santander|bank of america|barclays|basf|bayer|bbva|beiersdorf|berkshire hathaway|bhp|blackrock|bmw|
bnp paribas|boeing|bosch|bp|british airways|broadcom|bt group|capgemini|carrefour|caterpillar|chevron|citigroup|citroën|
coca-cola|comcast|commerzbank|continental|costco|covestro|credit agricole|crédit agricole|credit suisse|daimler|danone|
danske bank|dassault|dell|delta air lines|deutsche bahn|deutsche bank|deutsche börse|deutsche post|deutsche telekom|dhl|
diageo|disney|dsm-firmenich|e\\.on|easyjet|edf|electrolux|eli lilly|endesa|enel|engie|eni|equinor|ericsson|essilorluxottica|
exxonmobil|exxon|fedex|ferrari|fiat|ford|fresenius|fujitsu|general electric|general motors|generali|glencore|gsk|
glaxosmithkline|goldman sachs|h&m|hannover rück|heidelberg materials|heineken|henkel|hermès|hewlett-packard|hitachi|
honda|honeywell|hp|hsbc|hyundai|iberdrola|ikea|inditex|infineon|ing groep|intesa sanpaolo|jaguar|johnson & johnson|
jpmorgan|kering|kia|klm|kpn|l'oréal|l’oréal|lenovo|lg|lidl|linde|lloyds|lockheed martin|lufthansa|lvmh|maersk|mastercard|
mazda|mcdonald's|mercedes-benz|merck|metro|michelin|mitsubishi|morgan stanley|munich re|nestlé|nestle|nike|nintendo|
nissan|nokia|nordea|novartis|novo nordisk|olympus|orange|panasonic|pepsico|pernod ricard|peugeot|pfizer|philips|porsche|
procter & gamble|prosus|puma|qualcomm|reliance industries|renault|repsol|rheinmetall|rio tinto|roche|rolls-royce|
royal bank of canada|rwe|ryanair|safran|saint-gobain|sandoz|sanofi|sap|schneider electric|schindler|shell|siemens|
siemens energy|siemens healthineers|skoda|škoda|société générale|softbank|standard chartered|starbucks|stellantis|
stmicroelectronics|swatch|swiss re|swisscom|swissport|symrise|target|tata|telefónica|telefonica|telenor|telia|tesco|tesla|
thales|the walt disney company|thyssenkrupp|toshiba|totalenergies|toyota|ubs|unicredit|unilever|ups|vattenfall|veolia|
verizon|vinci|visa|vodafone|volkswagen|volvo|vonovia|walmart|wells fargo|wolters kluwer|xiaomi|zalando|zeiss|zurich insurance`

/** Matches the name of a well-known company in a text. */
export const LISTED_COMPANY = new RegExp(
  `(?<![\\p{L}\\d&-])(?:${NAMES.replaceAll('\n', '')})(?![\\p{L}\\d&]|-\\p{L})`,
  'iu',
)
