import type { RuleTable } from '../engine/rule.ts'
import { PASSWORD, WEBHOOK } from './categories.ts'

/** Rules for URLs that accept messages from everyone who knows the URL. */
export const webhookRules: RuleTable = {
  defaults: { ...WEBHOOK, inside: true, valid: { not: /X{8}|x{8}|\{|<|\$|your/i } },
  rows: {
    // An app password consists of four words. The rule for assignments, which comes later, would find only the first
    // word.
    'app-password': [
      'passw|pass=|pass:|pass |pass\\|pass"|pass\'',
      /(?:[Pp]ass(?:[Ww](?:or)?d)?|PASS(?:W(?:OR)?D)?)\\{0,7}["']?\s{0,3}[:=]\s{0,3}\\{0,7}["']?([a-z]{4}[ -][a-z]{4}[ -][a-z]{4}[ -][a-z]{4})(?![\w-])/y,
      { ...PASSWORD, valid: 'randomLetters' },
    ],
    'outlook-webhook': ['/webhook/', /\/webhook\/([\w-]{36}@[\w-]{36}\/IncomingWebhook\/[a-z0-9]{32}\/[\w-]{36})/y],
    'ifttt-webhook': [
      'maker.ifttt.com/',
      /maker\.ifttt\.com\/(?:trigger\/[\w{}.-]{1,64}(?:\/json)?\/with\/key|use)\/([\w-]{15,60})/iy,
    ],
    // Sumo Logic, Webex, Lark, DingTalk, WeCom, PagerDuty, Healthchecks and n8n.
    'service-webhook': [
      `/receiver/v1/http/|webhooks/incoming/|/open-apis/bot/|robot/send?access_token=|/webhook/send?key=|
      events.pagerduty.com/integration/|hc-ping.com/|/webhook/|/webhook-test/`,
      /(?:\/receiver\/v1\/http\/|webhooks\/incoming\/|\/open-apis\/bot\/(?:v2\/)?hook\/|robot\/send\?access_token=|\/webhook\/send\?key=|events\.pagerduty\.com\/integration\/|(?:hc-ping\.com|\/webhook(?:-test)?)\/(?=[\da-f]{8}-[\da-f]{4}-))([\w+/-]{16,200}={0,2})/iy,
    ],
    'mattermost-webhook': ['/hooks/', /\/hooks\/([a-z0-9]{26}|[A-Za-z0-9]{17}\/[A-Za-z0-9]{40,60})(?![A-Za-z0-9])/y],
    'power-automate-webhook': [
      'logic.azure.com',
      /logic\.azure\.com(?::443)?\/workflows\/[^\s"'<>]{1,400}?[?&]sig=([\w%-]{20,100})/y,
    ],
    // Excludes the token in Telegram's documentation.
    'telegram-bot-url': ['api.telegram.org/bot', /api\.telegram\.org\/bot(?!110201543:)(\d{8,10}:[\w-]{30,40})/y],
  },
}
