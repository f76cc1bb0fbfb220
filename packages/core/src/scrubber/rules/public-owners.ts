/** Owners of public projects, in lower case. They are not replaced. */
export const publicOwners: ReadonlySet<string> = new Set(
  `actions adobe airbnb airbytehq alibaba ansible anthropics anthropic-ai antfu apache apollographql apple argoproj astral-sh atom auth0 aws awslabs azure babel babeljs
bazelbuild bitnami bitwarden biomejs bootstrap caddyserver calcom celery chakra-ui chartjs cilium clap-rs clickhouse cloudflare cncf cockroachdb coder codemirror containerd
conda-forge cypress-io d3 dagster-io dart-lang datadog dbt-labs denoland dependabot directus discord discordjs django docker docker-library dotnet drizzle-team elastic electron
elixir-lang emotion-js envoyproxy es-shims eslint esbuild expo expressjs facebook facebookresearch facebookincubator fastapi fastify figma firebase flutter formatjs framer freecodecamp
fluxcd getsentry ggerganov ggml-org gin-gonic git github gitlab-org go-gorm godotengine goharbor golang google googleapis googlecloudplatform gradio-app grafana graphql grpc h3 handlebars-lang
hashicorp helm heroku home-assistant homebrew honojs huggingface ibm influxdata ionic-team istio jestjs jetbrains jquery jsx-eslint juliaang jupyter jupyterhub k3s-io karpathy kubernetes
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
