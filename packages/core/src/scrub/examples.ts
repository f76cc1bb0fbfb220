/**
 * For every rule of the table: a text that it must find, one that it must leave alone, and where the format is documented.
 * Kept apart from the rules so that a bundle does not carry it; a test holds the two together, and SCRUB.md is made from both.
 *
 * `{hex:32}` and its kin stand for characters drawn at test time, so that this file holds no token that a secret scanner
 * could take for a real one: hex, dec, low (a-z0-9), up (A-Z0-9), mix (A-Za-z0-9), web (mix, - and _), b64 (mix, + and /),
 * let (A-Za-z), uuid. `{value}` marks nothing: the whole drawn text is compared by what must be gone from it, `gone`.
 */
export interface Example {
  readonly match: string
  readonly miss: string
  readonly docs: string
}

type Row = readonly [id: string, match: string, miss: string, docs: string]

const rows: readonly Row[] = [
  ['aws-access-key', 'AKIA{up:16}', 'AKIA{up:7}EXAMPLE', 'https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html'],
  ['aws-bedrock-key', 'ABSK{b64:120}', 'ABSK{b64:8}', 'https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys.html'],
  ['google-api-key', 'AIza{mix:35}', 'AIza{mix:12}', 'https://cloud.google.com/docs/authentication/api-keys'],
  ['google-oauth-token', 'ya29.{web:120}', 'ya29.{web:6}', 'https://developers.google.com/identity/protocols/oauth2'],
  ['google-oauth-secret', 'GOCSPX-{mix:28}', 'GOCSPX-{mix:9}', 'https://developers.google.com/identity/protocols/oauth2'],
  ['google-refresh-token', '1//0{mix:60}', '1//0{mix:9}', 'https://developers.google.com/identity/protocols/oauth2'],
  ['azure-ad-secret', '{mix:3}8Q~{mix:34}', '{mix:3}8Q~{mix:9}', 'https://learn.microsoft.com/entra/identity-platform/quickstart-register-app'],
  ['github-token', 'ghp_{mix:36}', 'ghp_{mix:12}', 'https://docs.github.com/en/authentication/keeping-your-account-and-data-secure/about-authentication-to-github'],
  ['gitlab-token', 'glpat-{mix:20}', 'glpat-{mix:6}', 'https://docs.gitlab.com/security/tokens/'],
  ['slack-token', 'xoxb-{dec:12}-{dec:12}-{mix:24}', 'xoxb-12', 'https://api.slack.com/authentication/token-types'],
  ['stripe-key', 'sk_live_{mix:24}', 'sk_live_{mix:5}', 'https://docs.stripe.com/keys'],
  ['anthropic-key', 'sk-ant-api03-{mix:93}AA', 'sk-ant-{mix:4}', 'https://docs.anthropic.com/en/api/overview'],
  ['openai-key', 'sk-proj-{mix:40}T3BlbkFJ{mix:40}', 'sk-proj-{mix:6}', 'https://platform.openai.com/docs/api-reference/authentication'],
  ['openrouter-key', 'sk-or-v1-{hex:64}', 'sk-or-v1-{hex:12}', 'https://openrouter.ai/docs/api-reference/authentication'],
  ['sk-key', 'sk-{mix:48}', 'sk-{mix:12}', 'https://platform.openai.com/docs/api-reference/authentication'],
  ['npm-token', 'npm_{mix:36}', 'npm_{mix:12}', 'https://docs.npmjs.com/about-access-tokens'],
  ['pypi-token', 'pypi-AgEIcHlwaS5vcmc{mix:80}', 'pypi-{mix:12}', 'https://pypi.org/help/#apitoken'],
  ['twilio-key', 'SK{hex:32}', 'SK{hex:12}', 'https://www.twilio.com/docs/iam/api-keys'],
  ['sendgrid-key', 'SG.{mix:22}.{mix:43}', 'SG.{mix:5}.{mix:5}', 'https://www.twilio.com/docs/sendgrid/ui/account-and-settings/api-keys'],
  ['telegram-token', '{dec:9}1:AA{mix:33}', '{dec:9}1:AA{mix:9}', 'https://core.telegram.org/bots/api#authorizing-your-bot'],
  ['digitalocean-token', 'dop_v1_{hex:64}', 'dop_v1_{hex:12}', 'https://docs.digitalocean.com/reference/api/create-personal-access-token/'],
  ['heroku-key', 'HRKU-{mix:60}', 'HRKU-{mix:8}', 'https://devcenter.heroku.com/articles/authentication'],
  ['cloudflare-ca-key', 'v1.0-{hex:24}-{hex:146}', 'v1.0-{hex:24}-{hex:6}', 'https://developers.cloudflare.com/fundamentals/api/get-started/ca-keys/'],
  ['huggingface-token', 'hf_{let:34}', 'hf_{let:9}', 'https://huggingface.co/docs/hub/security-tokens'],
  ['databricks-token', 'dapi{hex:32}', 'dapi{hex:9}', 'https://docs.databricks.com/dev-tools/auth/pat.html'],
  ['shopify-token', 'shpat_{hex:32}', 'shpat_{hex:9}', 'https://shopify.dev/docs/apps/build/authentication-authorization'],
  ['square-token', 'sq0atp-{mix:22}', 'sq0atp-{mix:6}', 'https://developer.squareup.com/docs/build-basics/access-tokens'],
  ['mailgun-key', 'key-{hex:32}', 'key-{hex:9}', 'https://documentation.mailgun.com/docs/mailgun/api-reference/mg-auth'],
  ['mailchimp-key', '{hex:32}-us12', '{hex:12}-us12', 'https://mailchimp.com/developer/marketing/guides/quick-start/'],
  ['postman-key', 'PMAK-{hex:24}-{hex:34}', 'PMAK-{hex:6}-{hex:6}', 'https://learning.postman.com/docs/developer/postman-api/authentication/'],
  ['vault-token', 'hvs.{mix:95}', 'hvs.{mix:9}', 'https://developer.hashicorp.com/vault/docs/concepts/tokens'],
  ['terraform-token', '{mix:14}.atlasv1.{mix:67}', '{mix:14}.atlasv1.{mix:9}', 'https://developer.hashicorp.com/terraform/cloud-docs/users-teams-organizations/api-tokens'],
  ['docker-token', 'dckr_pat_{mix:27}', 'dckr_pat_{mix:9}', 'https://docs.docker.com/security/access-tokens/'],
  ['discord-webhook', 'https://discord.com/api/webhooks/{dec:18}/{mix:68}', 'https://discord.com/api/webhooks/list', 'https://discord.com/developers/docs/resources/webhook'],
  ['slack-webhook', 'https://hooks.slack.com/services/T{up:8}/B{up:8}/{mix:24}', 'https://hooks.slack.com/docs', 'https://api.slack.com/messaging/webhooks'],
  ['1password-token', 'ops_eyJ{mix:250}', 'ops_eyJ{mix:9}', 'https://developer.1password.com/docs/service-accounts/'],
  ['1password-secret-key', 'A3-{up:6}-{up:6}-{up:5}-{up:5}-{up:5}-{up:5}', 'A3-{up:6}-{up:6}', 'https://support.1password.com/secret-key-security/'],
  ['adobe-secret', 'p8e-{low:32}', 'p8e-{low:9}', 'https://developer.adobe.com/developer-console/docs/guides/authentication/'],
  ['age-key', 'AGE-SECRET-KEY-1{up:58}', 'AGE-SECRET-KEY-1{up:9}', 'https://age-encryption.org/v1'],
  ['airtable-token', 'pat{mix:14}.{hex:64}', 'pat{mix:14}.{hex:9}', 'https://airtable.com/developers/web/guides/personal-access-tokens'],
  ['aiven-token', 'aivenv1{b64:380}', 'aivenv1{b64:9}', 'https://aiven.io/docs/platform/concepts/authentication-tokens'],
  ['alibaba-key', 'LTAI{mix:20}', 'LTAI{mix:5}', 'https://www.alibabacloud.com/help/en/ram/user-guide/create-an-accesskey-pair'],
  ['apify-token', 'apify_api_{mix:36}', 'apify_api_{mix:9}', 'https://docs.apify.com/platform/integrations/api'],
  ['artifactory-key', 'AKCp{mix:69}', 'AKCp{mix:5}', 'https://jfrog.com/help/r/jfrog-platform-administration-documentation/user-profile'],
  ['asana-token', '1/{dec:16}/{dec:16}:{hex:32}', '1/{dec:6}', 'https://developers.asana.com/docs/personal-access-token'],
  ['atlassian-token', 'ATATT3{mix:186}', 'ATATT3{mix:9}', 'https://support.atlassian.com/atlassian-account/docs/manage-api-tokens-for-your-atlassian-account/'],
  ['authress-key', 'sc_{mix:10}.{mix:5}.acc_{low:12}.{mix:44}', 'sc_{mix:10}.{mix:5}', 'https://authress.io/knowledge-base/docs/authorization/service-clients'],
  ['beamer-token', 'b_{mix:44}', 'b_{mix:9}', 'https://www.getbeamer.com/api'],
  ['brevo-key', 'xkeysib-{hex:64}-{mix:16}', 'xkeysib-{hex:9}', 'https://developers.brevo.com/docs/getting-started'],
  ['buildkite-token', 'bkua_{low:40}', 'bkua_{low:9}', 'https://buildkite.com/docs/apis/managing-api-tokens'],
  ['bitwarden-token', '0.{uuid}.{mix:30}:{b64:22}==', '0.{uuid}.{mix:3}', 'https://bitwarden.com/help/access-tokens/'],
  ['canva-secret', 'cnvca{mix:45}', 'cnvca{mix:9}', 'https://www.canva.dev/docs/connect/authentication/'],
  ['checkout-key', 'sk_sbox_{checkout:27}', 'sk_sbox_{checkout:9}', 'https://www.checkout.com/docs/developer-resources/api/api-keys'],
  ['circleci-token', 'CCIPAT_{mix:22}_{hex:40}', 'CCIPAT_{mix:22}', 'https://circleci.com/docs/managing-api-tokens/'],
  ['clerk-key', 'sk_live_{mix:42}', 'sk_live_{mix:6}', 'https://clerk.com/docs/deployments/clerk-environment-variables'],
  ['clickhouse-key', '4b1d{mix:38}', '4b1d{mix:9}', 'https://clickhouse.com/docs/cloud/manage/openapi'],
  ['clojars-token', 'CLOJARS_{hex:60}', 'CLOJARS_{hex:9}', 'https://github.com/clojars/clojars-web/wiki/Deploy-Tokens'],
  ['cloudflare-token', 'cfut_{mix:48}', 'cfut_{mix:9}', 'https://developers.cloudflare.com/fundamentals/api/get-started/create-token/'],
  ['coinbase-key', 'organizations/11111111-2222-3333-4444-555555555555/apiKeys/{uuid}', 'organizations/acme/apiKeys', 'https://docs.cdp.coinbase.com/get-started/docs/cdp-api-keys/'],
  ['cratesio-token', 'cio{mix:32}', 'cio{mix:9}', 'https://doc.rust-lang.org/cargo/reference/publishing.html'],
  ['contentful-token', 'CFPAT-{mix:43}', 'CFPAT-{mix:9}', 'https://www.contentful.com/developers/docs/references/authentication/'],
  ['deepseek-key', 'sk-{hex:32}', 'sk-{hex:9}', 'https://api-docs.deepseek.com/'],
  ['defined-token', 'dnkey-{mix:26}-{mix:52}', 'dnkey-{mix:9}', 'https://docs.defined.net/guides/automating-host-creation/'],
  ['doppler-token', 'dp.pt.{mix:43}', 'dp.pt.{mix:9}', 'https://docs.doppler.com/reference/auth-token-formats'],
  ['dropbox-token', 'sl.u.{mix:140}', 'sl.u.{mix:9}', 'https://developers.dropbox.com/oauth-guide'],
  ['duffel-token', 'duffel_test_{mix:43}', 'duffel_test_{mix:9}', 'https://duffel.com/docs/api/overview/authentication'],
  ['dynatrace-token', 'dt0c01.{up:24}.{up:64}', 'dt0c01.{up:24}', 'https://docs.dynatrace.com/docs/dynatrace-api/basics/dynatrace-api-authentication'],
  ['easypost-key', 'EZAK{mix:54}', 'EZAK{mix:9}', 'https://docs.easypost.com/docs/authentication'],
  ['endor-key', 'endr+{mix:16}', 'endr+{mix:5}', 'https://docs.endorlabs.com/'],
  ['facebook-token', 'EAAC{mix:150}', 'EAAC{mix:9}', 'https://developers.facebook.com/docs/facebook-login/guides/access-tokens'],
  ['figma-token', 'figd_{mix:40}', 'figd_{mix:9}', 'https://www.figma.com/developers/api#authentication'],
  ['finnhub-token', 'FINNHUB_TOKEN = "{low:20}"', 'finnhub is a service', 'https://finnhub.io/docs/api/authentication'],
  ['flutterwave-key', 'FLWSECK_TEST-{hex:32}-X', 'FLWSECK_TEST-{hex:5}', 'https://developer.flutterwave.com/docs/authentication'],
  ['fly-token', 'fo1_{mix:43}', 'fo1_{mix:9}', 'https://fly.io/docs/security/tokens/'],
  ['frameio-token', 'fio-u-{mix:64}', 'fio-u-{mix:9}', 'https://developer.adobe.com/frameio/guides/'],
  ['freemius-key', '"sk_{mix:29}"', '"sk_{mix:9}"', 'https://freemius.com/help/documentation/wordpress-sdk/'],
  ['gitea-token', 'gto_{low:52}', 'gto_{low:9}', 'https://docs.gitea.com/development/oauth2-provider'],
  ['gocardless-token', 'live_{mix:40}', 'live_{mix:9}', 'https://developer.gocardless.com/api-reference/'],
  ['lob-key', 'test_{hex:35}', 'test_{hex:9}', 'https://docs.lob.com/#tag/Authentication'],
  ['mollie-key', 'live_{mix:30}', 'live_{mix:8}', 'https://docs.mollie.com/reference/authentication'],
  ['grafana-token', 'glsa_{mix:32}_{hex:8}', 'glsa_{mix:9}', 'https://grafana.com/docs/grafana/latest/administration/service-accounts/'],
  ['groq-key', 'gsk_{mix:52}', 'gsk_{mix:9}', 'https://console.groq.com/docs/quickstart'],
  ['harness-key', 'pat.{mix:22}.{hex:24}.{mix:20}', 'pat.{mix:5}', 'https://developer.harness.io/docs/platform/automation/api/add-and-manage-api-keys/'],
  ['highnote-key', 'sk_test_{mix:100}', 'sk_test_{mix:6}', 'https://highnote.com/docs/basics/authentication'],
  ['hubspot-token', 'pat-na1-{uuid}', 'pat-na1-{hex:8}', 'https://developers.hubspot.com/docs/guides/apps/private-apps/overview'],
  ['infracost-token', 'ico-{mix:32}', 'ico-{mix:9}', 'https://www.infracost.io/docs/'],
  ['intra42-secret', 's-s4t2ud-{hex:64}', 's-s4t2ud-{hex:9}', 'https://api.intra.42.fr/apidoc/guides/getting_started'],
  ['ionic-token', 'ion_{low:42}', 'ion_{low:9}', 'https://ionic.io/docs/appflow/cli/overview'],
  ['langchain-key', 'lsv2_pt_{hex:32}_{hex:10}', 'lsv2_pt_{hex:9}', 'https://docs.smith.langchain.com/administration/how_to_guides/organization_management/create_account_api_key'],
  ['langfuse-key', 'sk-lf-{uuid}', 'sk-lf-{hex:8}', 'https://langfuse.com/docs/api'],
  ['launchdarkly-key', 'sdk-{uuid}', 'sdk-{hex:8}', 'https://launchdarkly.com/docs/sdk/concepts/client-side-server-side'],
  ['linear-key', 'lin_api_{mix:40}', 'lin_api_{mix:9}', 'https://linear.app/developers/graphql'],
  ['mapbox-token', 'sk.eyJ{mix:60}.{mix:22}', 'sk.eyJ{mix:9}', 'https://docs.mapbox.com/help/getting-started/access-tokens/'],
  ['maxmind-key', '{mix:6}_{mix:29}_mmk', '{mix:6}_mmk', 'https://support.maxmind.com/hc/en-us/articles/4407111582235-Generate-a-License-Key'],
  ['mercadopago-token', 'APP_USR-{dec:16}-{dec:6}-{hex:32}-{dec:9}', 'APP_USR-{dec:6}', 'https://www.mercadopago.com/developers/en/docs/your-integrations/credentials'],
  ['mongodb-key', 'mdb_sa_sk_{mix:40}', 'mdb_sa_sk_{mix:9}', 'https://www.mongodb.com/docs/atlas/api/service-accounts-overview/'],
  ['netlify-token', 'nfp_{mix:36}', 'nfp_{mix:9}', 'https://docs.netlify.com/api/get-started/'],
  ['newrelic-key', 'NRAK-{up:27}', 'NRAK-{up:9}', 'https://docs.newrelic.com/docs/apis/intro-apis/new-relic-api-keys/'],
  ['newrelic-license', '{hex:36}NRAL', '{hex:8}NRAL', 'https://docs.newrelic.com/docs/apis/intro-apis/new-relic-api-keys/'],
  ['notion-token', 'ntn_{dec:11}{mix:35}', 'ntn_{dec:6}', 'https://developers.notion.com/reference/authentication'],
  ['nvidia-key', 'nvapi-{mix:64}', 'nvapi-{mix:9}', 'https://docs.nvidia.com/nim/'],
  ['octopus-key', 'API-{up:26}', 'API-{up:9}', 'https://octopus.com/docs/octopus-rest-api/how-to-create-an-api-key'],
  ['openshift-token', 'sha256~{mix:43}', 'sha256~{mix:9}', 'https://docs.openshift.com/container-platform/latest/authentication/understanding-authentication.html'],
  ['paypal-token', 'access_token$production${low:16}${hex:32}', 'access_token$production', 'https://developer.paypal.com/api/rest/authentication/'],
  ['perplexity-key', 'pplx-{mix:48}', 'pplx-{mix:9}', 'https://docs.perplexity.ai/guides/getting-started'],
  ['pinecone-key', 'pcsk_{mix:6}_{mix:64}', 'pcsk_{mix:6}', 'https://docs.pinecone.io/guides/projects/manage-api-keys'],
  ['plaid-token', 'access-sandbox-{uuid}', 'access-sandbox-mode', 'https://plaid.com/docs/api/tokens/'],
  ['planetscale-token', 'pscale_tkn_{mix:43}', 'pscale_tkn_{mix:9}', 'https://planetscale.com/docs/concepts/service-tokens'],
  ['posthog-key', 'phx_{mix:44}', 'phx_{mix:9}', 'https://posthog.com/docs/api'],
  ['prefect-token', 'pnu_{mix:36}', 'pnu_{mix:9}', 'https://docs.prefect.io/v3/manage/cloud/manage-users/api-keys'],
  ['pulumi-token', 'pul-{hex:40}', 'pul-{hex:9}', 'https://www.pulumi.com/docs/pulumi-cloud/access-management/access-tokens/'],
  ['rapidapi-key', '{hex:10}mshp1{low:10}jsn{low:14}', 'mshp1{low:3}', 'https://docs.rapidapi.com/docs/keys-and-key-rotation'],
  ['razorpay-key', 'rzp_live_{mix:14}', 'rzp_live_{mix:5}', 'https://razorpay.com/docs/payments/dashboard/account-settings/api-keys/'],
  ['readme-token', 'rdme_{low:70}', 'rdme_{low:9}', 'https://docs.readme.com/main/reference/intro/authentication'],
  ['replicate-token', 'r8_{mix:37}', 'r8_{mix:9}', 'https://replicate.com/docs/reference/http#authentication'],
  ['resend-key', 're_{mix:8}_{mix:24}', 're_{mix:3}', 'https://resend.com/docs/dashboard/api-keys/introduction'],
  ['retool-token', 'retool_{low:26}', 'retool_{low:9}', 'https://docs.retool.com/org-users/guides/retool-api/authentication'],
  ['rubygems-token', 'rubygems_{hex:48}', 'rubygems_{hex:9}', 'https://guides.rubygems.org/api-key-scopes/'],
  ['salesforce-token', '00D{mix:12}!{mix:96}', '00D{mix:12}', 'https://help.salesforce.com/s/articleView?id=sf.remoteaccess_access_tokens.htm'],
  ['scalingo-token', 'tk-us-{mix:48}', 'tk-us-{mix:9}', 'https://developers.scalingo.com/'],
  ['segment-key', 'sgp_{hex:16}_{hex:40}', 'sgp_{hex:9}', 'https://sourcegraph.com/docs/cli/how-tos/creating_an_access_token'],
  ['sentry-token', 'sntryu_{hex:64}', 'sntryu_{hex:9}', 'https://docs.sentry.io/account/auth-tokens/'],
  ['settlemint-token', 'sm_pat_{mix:16}', 'sm_pat_{mix:5}', 'https://console.settlemint.com/documentation/'],
  ['shippo-token', 'shippo_live_{hex:40}', 'shippo_live_{hex:9}', 'https://docs.goshippo.com/docs/guides_general/authentication/'],
  ['sonar-token', 'squ_{hex:40}', 'squ_{hex:9}', 'https://docs.sonarsource.com/sonarqube-server/latest/user-guide/managing-tokens/'],
  ['slack-refresh', 'xoxe-1-{mix:146}', 'xoxe-1', 'https://api.slack.com/authentication/rotation'],
  ['snyk-token', 'snyk_uat.{hex:8}.{mix:60}', 'snyk_uat.{hex:8}', 'https://docs.snyk.io/snyk-api/authentication-for-api'],
  ['stackhawk-key', 'hawk.{mix:20}.{mix:20}', 'hawk.{mix:5}', 'https://docs.stackhawk.com/'],
  ['supabase-key', 'sbp_{hex:40}', 'sbp_{hex:9}', 'https://supabase.com/docs/guides/api/api-keys'],
  ['tailscale-key', 'tskey-auth-{mix:17}-{mix:32}', 'tskey-auth-{mix:3}', 'https://tailscale.com/kb/1085/auth-keys'],
  ['tines-token', 'tly_{mix:24}', 'tly_{mix:5}', 'https://www.tines.com/api/authentication/'],
  ['together-key', 'tgp_v1_{mix:43}', 'tgp_v1_{mix:9}', 'https://docs.together.ai/docs/quickstart'],
  ['trello-token', 'ATTA{hex:64}{hex:8}', 'ATTA{hex:9}', 'https://developer.atlassian.com/cloud/trello/guides/rest-api/api-introduction/'],
  ['tributary-token', 'trb_{mix:34}', 'trb_{mix:9}', 'https://github.com/'],
  ['twitch-token', 'oauth:{low:30}', 'oauth:{low:9}', 'https://dev.twitch.tv/docs/authentication/'],
  ['twitter-bearer', 'AAAAAAAAAAAAAAAAAAAAA{mix:80}', 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', 'https://docs.x.com/resources/fundamentals/authentication/oauth-2-0/bearer-tokens'],
  ['typeform-token', 'tfp_{mix:59}', 'tfp_{mix:9}', 'https://www.typeform.com/developers/get-started/personal-access-token/'],
  ['unkey-key', 'unkey_{mix:24}', 'unkey_{mix:5}', 'https://www.unkey.com/docs/security/root-keys'],
  ['vercel-token', 'vcp_{mix:56}', 'vcp_{mix:9}', 'https://vercel.com/docs/rest-api#authentication'],
  ['voyage-key', 'pa-{mix:43}', 'pa-{mix:9}', 'https://docs.voyageai.com/docs/api-key-and-installation'],
  ['weights-biases-key', 'wandb_v1_{mix:77}', 'wandb_v1_{mix:9}', 'https://docs.wandb.ai/support/find_api_key/'],
  ['xai-key', 'xai-{mix:80}', 'xai-{mix:9}', 'https://docs.x.ai/docs/overview'],
  ['yandex-key', 'AQVN{mix:36}', 'AQVN{mix:9}', 'https://yandex.cloud/en/docs/iam/concepts/authorization/api-key'],
  ['zapier-webhook', 'https://hooks.zapier.com/hooks/catch/{dec:7}/{low:7}', 'https://hooks.zapier.com/hooks/', 'https://help.zapier.com/hc/en-us/articles/8496288690317'],
  ['teams-webhook', 'https://acme.webhook.office.com/webhookb2/{uuid}@{uuid}/IncomingWebhook/{hex:32}/{uuid}', 'https://acme.webhook.office.com/webhookb2/', 'https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/'],
  ['google-chat-webhook', 'https://chat.googleapis.com/v1/spaces/{mix:11}/messages?key={mix:39}&token={mix:43}', 'https://chat.googleapis.com/v1/spaces/list', 'https://developers.google.com/workspace/chat/quickstart/webhooks'],
  ['make-webhook', 'https://hook.eu1.make.com/{low:32}', 'https://hook.eu1.make.com/docs', 'https://help.make.com/webhooks'],
  ['discord-token', 'M{mix:23}.{mix:6}.{mix:38}', 'M{mix:23}.{mix:6}.{mix:4}', 'https://discord.com/developers/docs/reference#authentication'],
  ['discord-mfa', 'mfa.{mix:84}', 'mfa.{mix:9}', 'https://discord.com/developers/docs/reference#authentication'],
  ['azure-devops-token', '{mix:76}AZDO{mix:4}', '{mix:9}AZDO{mix:4}', 'https://learn.microsoft.com/azure/devops/organizations/accounts/use-personal-access-tokens-to-authenticate'],
  ['azure-signature-key', '{mix:76}+ASt{mix:6}==', '{mix:9}+ASt{mix:6}==', 'https://learn.microsoft.com/azure/storage/common/storage-account-keys-manage'],
  ['azure-sas', 'https://a.blob.core.windows.net/c?sv=2022-11-02&sp=r&sig={mix:43}%3D', 'https://a.blob.core.windows.net/c?sig=x', 'https://learn.microsoft.com/azure/storage/common/storage-sas-overview'],
  ['aws-presigned', 'https://b.s3.amazonaws.com/k?X-Amz-Signature={hex:64}', 'https://b.s3.amazonaws.com/k?X-Amz-Signature=x', 'https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html'],
  ['aws-mws', 'amzn.mws.{uuid}', 'amzn.mws.{hex:8}', 'https://developer-docs.amazon.com/sp-api/'],
  ['amazon-oauth-secret', 'amzn1.oa2-cs.v1.{hex:64}', 'amzn1.oa2-cs.v1.{hex:9}', 'https://developer.amazon.com/docs/login-with-amazon/documentation-overview.html'],
  ['gcp-hmac', 'GOOG{up:20}', 'GOOGLE', 'https://cloud.google.com/storage/docs/authentication/hmackeys'],
  ['heroku-legacy', 'HEROKU_API_KEY={uuid}', 'heroku run bash', 'https://devcenter.heroku.com/articles/authentication'],
  ['ethereum-key', 'private key: 0x{hex:64}', 'tx hash: 0x{hex:64}', 'https://ethereum.org/en/developers/docs/accounts/'],
  ['bitcoin-wif', '5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ', '5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTK', 'https://en.bitcoin.it/wiki/Wallet_import_format'],
  ['bitcoin-xprv', 'xprv{base58:107}', 'xprv{base58:9}', 'https://github.com/bitcoin/bips/blob/master/bip-0032.mediawiki'],
  ['putty-key', 'Private-Lines: 2\n{mix:64}\n{mix:32}\nPrivate-MAC', 'Private-Lines: many', 'https://the.earth.li/~sgtatham/putty/latest/htmldoc/AppendixC.html'],
  ['naked-key', 'MIIEpAIBAAKCAQEA{mix:200}', 'MIIDdzCCAl{mix:200}', 'https://www.rfc-editor.org/rfc/rfc5208'],
  ['private-key', '-----BEGIN RSA PRIVATE KEY-----\n{mix:64}\n{mix:64}\n-----END RSA PRIVATE KEY-----', '-----BEGIN PUBLIC KEY-----\n{mix:64}\n-----END PUBLIC KEY-----', 'https://www.rfc-editor.org/rfc/rfc7468'],
  ['url-password', 'postgres://app:{mix:14}@db.acme.io:5432/shop', 'postgres://app:$DB_PASS@db.acme.io:5432/shop', 'https://www.rfc-editor.org/rfc/rfc3986#section-3.2.1'],
  ['jwt', 'eyJhbGciOiJIUzI1NiJ9.eyJ{mix:30}.{mix:43}', 'eyJhbGciOiJIUzI1NiJ9', 'https://www.rfc-editor.org/rfc/rfc7519'],
  ['authorization', 'Authorization: Bearer {mix:32}', 'Authorization: Bearer <token>', 'https://www.rfc-editor.org/rfc/rfc6750'],
  ['basic-authorization', 'Authorization: Basic amFuZTpodW50ZXIyMg==', 'Authorization: Basic realm', 'https://www.rfc-editor.org/rfc/rfc7617'],
  ['cookie', 'Cookie: session={mix:32}; theme=dark', 'Cookie: theme=dark', 'https://www.rfc-editor.org/rfc/rfc6265'],
  ['curl-user', 'curl -u jane:{mix:12} https://acme.io/', 'curl -u $USER:$PASS https://acme.io/', 'https://curl.se/docs/manpage.html#-u'],
  ['netrc', 'machine acme.io login jane password {mix:12}', 'machine acme.io login jane', 'https://www.gnu.org/software/inetutils/manual/html_node/The-_002enetrc-file.html'],
  ['auth-tuple', "get(url, auth=('jane', '{mix:12}'))", "get(url, auth=(user, password))", 'https://requests.readthedocs.io/en/latest/user/authentication/'],
  ['sshpass', "sshpass -p '{mix:12}' ssh jane@acme.io", 'sshpass -p $PASS ssh acme.io', 'https://linux.die.net/man/1/sshpass'],
  ['sql-password', "CREATE USER app IDENTIFIED BY '{mix:12}';", 'CREATE USER app IDENTIFIED BY password;', 'https://dev.mysql.com/doc/refman/8.4/en/create-user.html'],
  ['htpasswd', '$2b$12${mix:53}', '$2b$12${mix:9}', 'https://httpd.apache.org/docs/2.4/misc/password_encryptions.html'],
  ['assignment', 'client_secret = "{mix:32}"', 'client_secret = os.environ["CLIENT_SECRET"]', 'https://cheatsheetseries.owasp.org/cheatsheets/Secrets_Management_Cheat_Sheet.html'],
  ['vendor', 'datadog = "{hex:32}"', 'datadog = "enabled"', 'https://docs.datadoghq.com/account_management/api-app-keys/'],
  ['rabbitmq', 'rabbitmqctl add_user app {mix:14}', 'rabbitmqctl list_users', 'https://www.rabbitmq.com/docs/man/rabbitmqctl.8'],
  ['remote-desktop', 'xfreerdp /u:jane /p:{mix:14} /v:host', 'xfreerdp /u:jane /v:host', 'https://github.com/FreeRDP/FreeRDP/wiki/CommandLineInterface'],
  ['fernet', 'Fernet(b"{web:43}=")', 'Fernet(key)', 'https://cryptography.io/en/latest/fernet/'],
  ['azure-login', 'az login --service-principal -u app -p {mix:34}', 'az login -u app -p $PASS', 'https://learn.microsoft.com/cli/azure/authenticate-azure-cli-service-principal'],
  ['net-use', 'net use Z: \\\\srv\\share {mix:14} /user:jane', 'net use Z: \\\\srv\\share', 'https://learn.microsoft.com/windows-server/administration/windows-commands/net-use'],
  ['ldap-bind', 'ldapsearch -x -D cn=admin -w {mix:14}', 'ldapsearch -x -D cn=admin -W', 'https://www.openldap.org/software/man.cgi?query=ldapsearch'],
  ['samba-user', 'smbclient //srv/share -U jane%{mix:14}', 'smbclient //srv/share -U jane', 'https://www.samba.org/samba/docs/current/man-html/smbclient.1.html'],
  ['htpasswd-command', 'htpasswd -b -c .htpasswd jane {mix:14}', 'htpasswd -c .htpasswd jane', 'https://httpd.apache.org/docs/2.4/programs/htpasswd.html'],
  ['useradd', 'useradd -p {mix:14} jane', 'useradd -m jane', 'https://man7.org/linux/man-pages/man8/useradd.8.html'],
  ['zip', 'zip -P {mix:14} out.zip a b', 'zip -r out.zip a', 'https://infozip.sourceforge.net/Zip.html'],
  ['ssh-keygen', 'ssh-keygen -t ed25519 -N "{mix:14}" -f k', 'ssh-keygen -t ed25519 -N "" -f k', 'https://man.openbsd.org/ssh-keygen'],
  ['secure-string', "ConvertTo-SecureString '{mix:14}' -AsPlainText -Force", 'ConvertTo-SecureString $value -AsPlainText', 'https://learn.microsoft.com/powershell/module/microsoft.powershell.security/convertto-securestring'],
  ['expect-send', 'send {mix:20}9x\\r', 'send request\\r', 'https://core.tcl-lang.org/expect/index'],
  ['token-input', 'gh auth login --with-token <<< {mix:40}', 'gh auth login --with-token < file', 'https://cli.github.com/manual/gh_auth_login'],
  ['piped-password', 'echo "{mix:16}" | sudo -S apt update', 'echo $PASS | sudo -S apt update', 'https://www.sudo.ws/docs/man/sudo.man/'],
  ['oracle', 'jdbc:oracle:thin:app/{mix:14}@db:1521/x', 'jdbc:oracle:thin:@db:1521/x', 'https://docs.oracle.com/en/database/oracle/oracle-database/19/jjdbc/data-sources-and-URLs.html'],
  ['pgpass', 'db:5432:shop:app:{mix:14}', 'db:5432:shop', 'https://www.postgresql.org/docs/current/libpq-pgpass.html'],
  ['wifi', 'psk="{mix:16}"', 'psk="short"', 'https://w1.fi/cgit/hostap/plain/wpa_supplicant/wpa_supplicant.conf'],
  ['plist', '<key>password</key><string>{mix:14}</string>', '<key>title</key><string>Anything at all</string>', 'https://developer.apple.com/library/archive/documentation/CoreFoundation/Conceptual/CFPropertyLists/'],
  ['random-password', '"type": "random_password", "attributes": {"result": "{mix:24}"}', 'resource "random_password" "db" { length = 16 }', 'https://registry.terraform.io/providers/hashicorp/random/latest/docs/resources/password'],
  ['password-word', 'Passwort: {mix:13}9a', 'Passwort: vergessen', 'https://learn.microsoft.com/purview/sit-defn-general-password'],
  ['login-pair', 'log in with jane / {mix:13}9a', 'log in with jane / password', 'https://learn.microsoft.com/purview/sit-defn-user-login-credentials'],
  ['seed-phrase', 'seed phrase: legal winner thank year wave sausage worth useful legal winner thank yellow', 'the seed phrase is a list of words', 'https://github.com/bitcoin/bips/blob/master/bip-0039.mediawiki'],
  ['remark', 'x = "{mix:32}" # api key', 'x = "hello" # api key', 'https://cheatsheetseries.owasp.org/cheatsheets/Secrets_Management_Cheat_Sheet.html'],
  ['email-spelled', 'jane.roe (at) acme-corp.io', 'arrives (at) noon', 'https://www.rfc-editor.org/rfc/rfc5321#section-4.1.2'],
  ['url-user', 'git clone https://{hex:40}@git.acme.io/x.git', 'https://jane@git.acme.io/x.git', 'https://www.rfc-editor.org/rfc/rfc3986#section-3.2.1'],
  ['email', 'write to jane.roe@acme-corp.io', 'write to jane.roe@example.com', 'https://www.rfc-editor.org/rfc/rfc5321#section-4.1.2'],
  ['number', 'card 4539 5787 6362 1486', 'card 4539 5787 6362 1487', 'https://www.iso.org/standard/70484.html'],
  ['phone', 'call +49 30 901820', 'offset +49 30', 'https://www.itu.int/rec/T-REC-E.164'],
  ['ipv4', 'from 93.184.216.34', 'from 192.168.1.20', 'https://www.iana.org/assignments/iana-ipv4-special-registry/'],
  ['ipv6', 'from 2606:2800:220:1:248:1893:25c8:1946', 'from 2001:db8::1', 'https://www.iana.org/assignments/iana-ipv6-special-registry/'],
  ['mac-hyphens', 'HWaddr 3C-22-FB-9A-10-4E', 'HWaddr 3C-22-FB-9A', 'https://standards.ieee.org/products-programs/regauth/'],
  ['mac-dots', 'mac 001a.2b3c.4d5e', 'hash 001a.2b3c', 'https://standards.ieee.org/products-programs/regauth/'],
  ['home', '/home/jroe/work', '/home/runner/work', 'https://refspecs.linuxfoundation.org/FHS_3.0/fhs/ch03s08.html'],
  ['account', 'LOGNAME=jroe', 'LOGNAME=root', 'https://pubs.opengroup.org/onlinepubs/9799919799/basedefs/V1_chap08.html'],
  ['author', 'Author: Jane Roe <1+jroe@users.noreply.github.com>', 'Author: unknown', 'https://git-scm.com/docs/git-commit#_commit_information'],
  ['prompt', 'jroe@workstation7:~/app$ ls', 'see user@host for more', 'https://www.gnu.org/software/bash/manual/bash.html#Controlling-the-Prompt'],
  ['birth', '"dob": "1987-04-13"', '"released": "1987-04-13"', 'https://www.hhs.gov/hipaa/for-professionals/special-topics/de-identification/index.html'],
  ['street', 'lives at 742 Evergreen Terrace, Springfield', 'see 3 ways to drive', 'https://pe.usps.com/text/pub28/28c2_001.htm'],
  ['street-german', 'wohnt in der Hauptstraße 12', 'eine Straße weiter', 'https://www.upu.int/en/Postal-Solutions/Programmes-Services/Addressing-Solutions'],
  ['street-romance', 'habite 12 rue de Rivoli, Paris', 'la rue est longue', 'https://www.upu.int/en/Postal-Solutions/Programmes-Services/Addressing-Solutions'],
  ['postcode', 'zip: 94105-1234', 'zip files', 'https://pe.usps.com/text/pub28/28c2_008.htm'],
  ['po-box', 'send it to PO Box 5123', 'a box of 12', 'https://pe.usps.com/text/pub28/28c2_037.htm'],
  ['coordinates', '"latitude": 52.520008', '"ratio": 52.520008', 'https://www.rfc-editor.org/rfc/rfc5870'],
  ['bitcoin-bech32', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 'bc1qw508', 'https://github.com/bitcoin/bips/blob/master/bip-0173.mediawiki'],
]

export const examples: ReadonlyMap<string, Example> = new Map(rows.map(([id, match, miss, docs]) => [id, { match, miss, docs }]))

const ALPHABETS: Readonly<Record<string, string>> = {
  hex: '0123456789abcdef',
  dec: '123456789',
  low: 'abcdefghijklmnopqrstuvwxyz0123456789',
  up: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
  mix: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  web: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
  b64: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
  let: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
  base58: '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz',
  checkout: 'abcdefghijklmnopqrstuvwxyz234567',
}

/** Fills a template with drawn characters; the same seed draws the same. */
export function draw(template: string, seed: number): string {
  let state = (seed * 2_654_435_761) >>> 0 || 1
  const next = (below: number): number => {
    state ^= state << 13
    state >>>= 0
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state % below
  }
  const some = (alphabet: string, count: number): string => Array.from({ length: count }, () => alphabet[next(alphabet.length)]!).join('')
  return template.replace(/\{(\w+)(?::(\d+))?\}/g, (whole, kind: string, count?: string) => {
    if (kind === 'uuid') return [8, 4, 4, 4, 12].map((length) => some(ALPHABETS['hex']!, length)).join('-')
    const alphabet = ALPHABETS[kind]
    return alphabet ? some(alphabet, Number(count)) : whole
  })
}

/** The stretch of a drawn match that must not be left, by its template: the longest drawn part. */
export function secretOf(template: string, drawn: string): string {
  const fixed = template.split(/\{(?:uuid|\w+:\d+)\}/)
  if (fixed.length === 1) return ''
  let at = 0
  let longest = ''
  for (let i = 0; i + 1 < fixed.length; i++) {
    at += fixed[i]!.length
    const size = [...template.matchAll(/\{(?:uuid|(\w+):(\d+))\}/g)][i]!
    const length = size[2] ? Number(size[2]) : 36
    const part = drawn.slice(at, at + length)
    if (part.length > longest.length) longest = part
    at += length
  }
  return longest
}
