import { isRandom } from '../engine/randomness.ts'
import type { Rule } from '../engine/rule.ts'
import { token } from './providers.ts'

/** Tokens of younger services. Each has a characteristic mark, as the service's documentation shows. */
export const moreProviderRules: readonly Rule[] = [
  token('new-relic-keys', 'nrbr- nraa- nriq- nrii- nrra-', /NR(?:BR|AA|IQ|II|RA)-[A-Za-z0-9_-]{17,48}(?![\w-])/y, {
    placeholder: 'NEW_RELIC_KEY',
  }),
  token('odt-token', 'odt_', /odt_[A-Za-z0-9]{20,80}(?![A-Za-z0-9])/y, { placeholder: 'TOKEN', valid: isRandom }),
  token('posthog-oauth', 'phr_ pha_', /ph[ra]_[A-Za-z0-9]{32,64}(?![A-Za-z0-9])/y, { placeholder: 'POSTHOG_TOKEN' }),
  token('postman-access', 'pmat-', /PMAT-[A-Z0-9]{24,32}(?![A-Z0-9])/y, { placeholder: 'POSTMAN_TOKEN' }),
  token('llama-cloud-key', 'llx-', /llx-[A-Za-z0-9_-]{40,64}(?![\w-])/y, { placeholder: 'LLAMA_CLOUD_KEY' }),
  token('tkn-v1', 'tkn.v1_', /tkn\.v1_[A-Za-z0-9+/=_-]{24,200}/y, { placeholder: 'TOKEN' }),
  token('slk-token', 'slk_', /slk_[A-Za-z0-9]{24,80}(?![A-Za-z0-9])/y, { placeholder: 'TOKEN', valid: isRandom }),
  token('swarm-unlock-key', 'swmkey-1-', /SWMKEY-1-[A-Za-z0-9+/]{40,48}={0,2}/y, { placeholder: 'SWARM_KEY' }),
  token('nats-seed', 'sua sao soa sna sca sxa', /S[UAONCX]A[A-Z2-7]{55,56}(?![A-Za-z0-9])/y, {
    placeholder: 'NATS_SEED',
  }),
  token(
    'aws-session-token',
    'fwogzxivyxdz iqojb3jpz2lux2vj',
    /(?:FwoGZXIvYXdz|IQoJb3JpZ2luX2Vj)[A-Za-z0-9+/=%]{100,2000}/y,
  ),
  token('tencent-key', 'akid', /AKID[A-Za-z0-9]{32}(?![A-Za-z0-9])/y, { placeholder: 'TENCENT_KEY', valid: isRandom }),
  token('volcengine-key', 'aklt', /AKLT[A-Za-z0-9]{40,60}={0,2}(?![A-Za-z0-9])/y, {
    placeholder: 'VOLCENGINE_KEY',
    valid: isRandom,
  }),
  token('tavily-key', 'tvly-', /tvly-(?:dev-|prod-)?[A-Za-z0-9]{30,64}(?![A-Za-z0-9])/y, { placeholder: 'TAVILY_KEY' }),
  token('jina-key', 'jina_', /jina_[A-Za-z0-9_-]{50,70}(?![\w-])/y, { placeholder: 'JINA_KEY' }),
  token('firecrawl-key', 'fc-', /fc-[a-f0-9]{32}(?![A-Za-z0-9])/y, { placeholder: 'FIRECRAWL_KEY' }),
  token('e2b-key', 'e2b_', /e2b_[a-f0-9]{40}(?![A-Za-z0-9])/y, { placeholder: 'E2B_KEY' }),
  token('fireworks-key', 'fw_', /fw_[A-Za-z0-9]{20,32}(?![A-Za-z0-9])/y, {
    placeholder: 'FIREWORKS_KEY',
    valid: isRandom,
  }),
  token('cerebras-key', 'csk-', /csk-[a-z0-9]{40,60}(?![A-Za-z0-9])/y, { placeholder: 'CEREBRAS_KEY' }),
  token('elevenlabs-key', 'sk_', /sk_[a-f0-9]{48}(?![A-Za-z0-9])/y, { placeholder: 'ELEVENLABS_KEY' }),
  token('anyscale-key', 'esecret_', /esecret_[A-Za-z0-9]{20,60}(?![A-Za-z0-9])/y, { placeholder: 'ANYSCALE_KEY' }),
  token('inngest-key', 'signkey-', /signkey-(?:prod|test|branch)-[a-f0-9]{32,64}(?![A-Za-z0-9])/y, {
    placeholder: 'INNGEST_KEY',
  }),
  token(
    'trigger-key',
    'tr_prod_ tr_dev_ tr_stg_ tr_pat_',
    /tr_(?:prod|dev|stg|pat)_[A-Za-z0-9]{16,60}(?![A-Za-z0-9])/y,
    { placeholder: 'TRIGGER_KEY' },
  ),
  token('neon-key', 'napi_', /napi_[a-z0-9]{50,80}(?![A-Za-z0-9])/y, { placeholder: 'NEON_KEY' }),
  token('xata-key', 'xau_', /xau_[A-Za-z0-9]{30,50}(?![A-Za-z0-9])/y, { placeholder: 'XATA_KEY' }),
  token('stytch-secret', 'secret-live- secret-test-', /secret-(?:live|test)-[\w-]{30,50}={0,2}/y, {
    placeholder: 'STYTCH_SECRET',
  }),
  token('polar-token', 'polar_', /polar_(?:oat|pat|at)_[A-Za-z0-9]{30,64}(?![A-Za-z0-9])/y),
  token('paddle-key', 'pdl_', /pdl_(?:live|sdbx)_apikey_[a-z0-9]{26}_[A-Za-z0-9]{22}_[A-Za-z0-9]{3}(?![A-Za-z0-9])/y, {
    placeholder: 'PADDLE_KEY',
  }),
  token('mailersend-token', 'mlsn.', /mlsn\.[a-f0-9]{64}(?![A-Za-z0-9])/y),
  token('ghost-key', ':', /:[a-f0-9]{64}(?![A-Za-z0-9])/y, {
    finder: 'ghost',
    placeholder: 'GHOST_KEY',
    inside: true,
    next: 'hex',
  }),
  token('axiom-token', 'xaat- xapt-', /xa[ap]t-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![A-Za-z0-9])/y),
  token('honeycomb-key', 'hcaik_ hcxik_ hcalk_ hcxlk_ hcamk_', /hc[ax][ilm]k_[a-z0-9]{26,70}(?![A-Za-z0-9])/y, {
    placeholder: 'HONEYCOMB_KEY',
  }),
  token('nuget-key', 'oy2', /oy2[a-z0-9]{43}(?![A-Za-z0-9])/y, { placeholder: 'NUGET_KEY' }),
  token('scaleway-key', 'scw', /SCW[A-Z0-9]{17}(?![A-Za-z0-9])/y, { placeholder: 'SCALEWAY_KEY', valid: isRandom }),
  token('render-key', 'rnd_', /rnd_[A-Za-z0-9]{28,40}(?![A-Za-z0-9])/y, { placeholder: 'RENDER_KEY' }),
  token('deno-token', 'ddp_ ddw_', /dd[pw]_[A-Za-z0-9]{36,40}(?![A-Za-z0-9])/y),
  token('zuplo-key', 'zpka_', /zpka_[a-z0-9]{32}_[a-f0-9]{8}(?![A-Za-z0-9])/y, { placeholder: 'ZUPLO_KEY' }),
  token('kong-token', 'kpat_ spat_', /[ks]pat_[A-Za-z0-9]{40,70}(?![A-Za-z0-9])/y),
  token('onesignal-key', 'os_v2_', /os_v2_(?:app|org)_[a-z0-9]{40,120}(?![A-Za-z0-9])/y, {
    placeholder: 'ONESIGNAL_KEY',
  }),
  token('pubnub-key', 'sec-c- sub-c- pub-c-', /sec-c-[A-Za-z0-9+/=-]{30,60}/y, { placeholder: 'PUBNUB_KEY' }),
  token('telnyx-key', 'key', /KEY[A-F0-9]{32}_[A-Za-z0-9]{22}(?![A-Za-z0-9])/iy, {
    placeholder: 'TELNYX_KEY',
    next: 'hex',
  }),
  token('signalwire-token', 'pt', /PT[a-f0-9]{48}(?![A-Za-z0-9])/y),
  token('cal-key', 'cal_live_ cal_test_', /cal_(?:live|test)_[a-f0-9]{32}(?![A-Za-z0-9])/y, { placeholder: 'CAL_KEY' }),
  token('woocommerce-key', 'ck_ cs_', /c[ks]_[a-f0-9]{40}(?![A-Za-z0-9])/y, { placeholder: 'WOOCOMMERCE_KEY' }),
  token('clickup-token', 'pk_', /pk_\d{6,10}_[A-Z0-9]{32}(?![A-Za-z0-9])/y),
  token('klaviyo-key', 'pk_', /pk_[a-f0-9]{34}(?![A-Za-z0-9])/y, { placeholder: 'KLAVIYO_KEY' }),
  token('ramp-secret', 'ramp_', /ramp_(?:sec|id)_[A-Za-z0-9]{40,60}(?![A-Za-z0-9])/y, { placeholder: 'RAMP_SECRET' }),
  token('voiceflow-key', 'vf.', /VF\.(?:DM|WS)\.[a-f0-9]{24}\.[A-Za-z0-9]{16}(?![A-Za-z0-9])/y, {
    placeholder: 'VOICEFLOW_KEY',
  }),
  token('imagekit-key', 'private_', /private_[A-Za-z0-9+/_-]{24,32}={0,2}(?![A-Za-z0-9_])/y, {
    placeholder: 'IMAGEKIT_KEY',
    // The prefix is a word, with which one key in twenty would not look random.
    valid: (value) => isRandom(value.slice('private_'.length)),
  }),
  token('gitbook-token', 'gb_api_', /gb_api_[A-Za-z0-9]{36,44}(?![A-Za-z0-9])/y),
  token('zoho-token', '1000.', /1000\.[a-f0-9]{32}\.[a-f0-9]{32}(?![A-Za-z0-9])/y),
  token('deepl-key', ':fx', /:fx(?![A-Za-z0-9])/y, {
    finder: 'deepl',
    placeholder: 'DEEPL_KEY',
    inside: true,
    next: 'any',
  }),
  token('nightfall-key', 'nf-', /NF-[A-Za-z0-9]{32}(?![A-Za-z0-9])/y, { placeholder: 'NIGHTFALL_KEY' }),
  token('keygen-token', 'admin- prod-', /(?:admin|prod|user|env)-[a-f0-9]{64}v[23](?![A-Za-z0-9])/y),
  token('portainer-token', 'ptr_', /ptr_[A-Za-z0-9+/]{40,60}={0,2}(?![A-Za-z0-9])/y),
  token('rancher-token', 'token-', /token-[a-z0-9]{5}:[a-z0-9]{50,60}(?![A-Za-z0-9])/y),
  token(
    'plaid-secret-token',
    'link-',
    /(?:link|public)-(?:sandbox|development|production)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![A-Za-z0-9])/y,
  ),
  token('facebook-app-token', '|', /\|[\w-]{27}(?![\w-])/y, {
    finder: 'facebook',
    inside: true,
    placeholder: 'FACEBOOK_TOKEN',
  }),
  token('azure-account-key', '==" ==\' ==; ==\\', /==(?=\\{0,7}["';])/y, {
    finder: 'accountkey',
    inside: true,
    placeholder: 'AZURE_KEY',
    next: 'any',
  }),
  token('docker-config', 'eyjhdxrocyi6', /eyJhdXRocyI6[A-Za-z0-9+/]{20,8000}={0,2}/y, { placeholder: 'DOCKER_TOKEN' }),
  token(
    'ansible-vault',
    '$ansible_vault;',
    /\$ANSIBLE_VAULT;1\.[12];AES256[^\n\\]{0,60}((?:(?:\s|\\{1,4}[rn]|\+){1,14}[0-9a-f]{40,80}){1,200})/y,
    { category: 'password', placeholder: 'VAULT', next: 'any' },
  ),
  token('nostr-key', 'nsec1', /nsec1[02-9ac-hj-np-z]{58}(?![A-Za-z0-9])/y, {
    category: 'private_key',
    placeholder: 'PRIVATE_KEY',
  }),
  token('devin-key', 'cog_ apk_', /(?:cog_[A-Za-z0-9]{24,80}|apk_(?:user_)?[A-Za-z0-9+/_-]{32,240}={0,2})(?![\w-])/y, {
    placeholder: 'DEVIN_KEY',
    valid: isRandom,
  }),
  token('cockroach-key', 'ccdb1_', /CCDB1_[A-Za-z0-9]{22}_[A-Za-z0-9]{40}(?![A-Za-z0-9])/y, {
    placeholder: 'COCKROACH_KEY',
  }),
  token('ubidots-token', 'bbff- bbus-', /BB(?:FF|US)-[A-Za-z0-9]{28,40}(?![\w-])/y),
  token('cursor-key', 'key_', /key_[a-f0-9]{28,64}(?![A-Za-z0-9])/y, { placeholder: 'API_KEY' }),
  token('appwrite-key', 'standard_', /standard_[a-f0-9]{200,300}(?![A-Za-z0-9])/y, { placeholder: 'APPWRITE_KEY' }),
  token('kerberos-hash', '$krb5', /\$krb5(?:tgs|asrep|pa)\$\d{1,2}\$[^\s"'\\]{40,6000}/y, {
    category: 'password',
    placeholder: 'PASSWORD_HASH',
    next: 'any',
  }),
  token(
    'ntlm-hash',
    'aad3b435b51404eeaad3b435b51404ee: ntlm',
    /(?:aad3b435b51404eeaad3b435b51404ee|ntlm(?: hash)?) ?: ?([0-9a-f]{32})(?![0-9a-f])/iy,
    { category: 'password', placeholder: 'PASSWORD_HASH', next: 'any' },
  ),
]
