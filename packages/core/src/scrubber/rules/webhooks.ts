import { shapeOf } from '../engine/randomness.ts'
import type { Rule } from '../engine/rule.ts'

const webhook = (id: string, keywords: string, pattern: RegExp): Rule => ({
  id,
  category: 'webhook',
  placeholder: 'WEBHOOK',
  keywords: keywords.split(' '),
  pattern,
  inside: true,
  valid: (value) => !/X{8}|x{8}|\{|<|\$|your/i.test(value),
})

/** Rules for addresses that accept messages from everyone who knows the address. */
export const webhookRules: readonly Rule[] = [
  // This rule precedes the rule for assignments, which would find only the first of the four words.
  {
    id: 'app-password',
    category: 'password',
    placeholder: 'PASSWORD',
    keywords: ['passw', 'pass=', 'pass:', 'pass ', 'pass\\', 'pass"', "pass'"],
    inside: true,
    pattern:
      /(?:[Pp]ass(?:[Ww](?:or)?d)?|PASS(?:W(?:OR)?D)?)\\{0,7}["']?\s{0,3}[:=]\s{0,3}\\{0,7}["']?([a-z]{4}[ -][a-z]{4}[ -][a-z]{4}[ -][a-z]{4})(?![\w-])/y,
    valid: (value) => shapeOf(value.replace(/[ -]/g, '')).cost >= 5,
  },
  webhook(
    'outlook-webhook',
    '/webhook/',
    /\/webhook\/([\w-]{36}@[\w-]{36}\/IncomingWebhook\/[a-z0-9]{32}\/[\w-]{36})/y,
  ),
  webhook(
    'ifttt-webhook',
    'maker.ifttt.com/',
    /maker\.ifttt\.com\/(?:trigger\/[\w{}.-]{1,64}(?:\/json)?\/with\/key|use)\/([\w-]{15,60})/iy,
  ),
  webhook('sumologic-webhook', '/receiver/v1/http/', /\/receiver\/v1\/http\/([A-Za-z0-9+/_-]{40,200}={0,2})/y),
  webhook('webex-webhook', 'webhooks/incoming/', /webhooks\/incoming\/([\w-]{40,120})/y),
  webhook('lark-webhook', '/open-apis/bot/', /\/open-apis\/bot\/(?:v2\/)?hook\/([\w-]{16,64})/y),
  webhook('dingtalk-webhook', 'robot/send?access_token=', /robot\/send\?access_token=([0-9a-f]{40,128})/iy),
  webhook('wecom-webhook', '/webhook/send?key=', /\/webhook\/send\?key=([0-9a-f-]{30,64})/iy),
  webhook(
    'mattermost-webhook',
    '/hooks/',
    /\/hooks\/([a-z0-9]{26}|[A-Za-z0-9]{17}\/[A-Za-z0-9]{40,60})(?![A-Za-z0-9])/y,
  ),
  webhook(
    'power-automate-webhook',
    'logic.azure.com',
    /logic\.azure\.com(?::443)?\/workflows\/[^\s"'<>]{1,400}?[?&]sig=([\w%-]{20,100})/y,
  ),
  webhook(
    'pagerduty-webhook',
    'events.pagerduty.com/integration/',
    /events\.pagerduty\.com\/integration\/([0-9a-f]{32})/y,
  ),
  webhook('healthchecks-webhook', 'hc-ping.com/', /hc-ping\.com\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/y),
  webhook(
    'n8n-webhook',
    '/webhook/ /webhook-test/',
    /\/webhook(?:-test)?\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/y,
  ),
  webhook('telegram-bot-url', 'api.telegram.org/bot', /api\.telegram\.org\/bot(\d{8,10}:[\w-]{30,40})/y),
]
