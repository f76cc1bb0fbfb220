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
    'sumologic-webhook': ['/receiver/v1/http/', /\/receiver\/v1\/http\/([A-Za-z0-9+/_-]{40,200}={0,2})/y],
    'webex-webhook': ['webhooks/incoming/', /webhooks\/incoming\/([\w-]{40,120})/y],
    'lark-webhook': ['/open-apis/bot/', /\/open-apis\/bot\/(?:v2\/)?hook\/([\w-]{16,64})/y],
    'dingtalk-webhook': ['robot/send?access_token=', /robot\/send\?access_token=([0-9a-f]{40,128})/iy],
    'wecom-webhook': ['/webhook/send?key=', /\/webhook\/send\?key=([0-9a-f-]{30,64})/iy],
    'mattermost-webhook': ['/hooks/', /\/hooks\/([a-z0-9]{26}|[A-Za-z0-9]{17}\/[A-Za-z0-9]{40,60})(?![A-Za-z0-9])/y],
    'power-automate-webhook': [
      'logic.azure.com',
      /logic\.azure\.com(?::443)?\/workflows\/[^\s"'<>]{1,400}?[?&]sig=([\w%-]{20,100})/y,
    ],
    'pagerduty-webhook': ['events.pagerduty.com/integration/', /events\.pagerduty\.com\/integration\/([0-9a-f]{32})/y],
    'healthchecks-webhook': ['hc-ping.com/', /hc-ping\.com\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/y],
    'n8n-webhook': ['/webhook/|/webhook-test/', /\/webhook(?:-test)?\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/y],
    // Excludes the token in Telegram's documentation.
    'telegram-bot-url': ['api.telegram.org/bot', /api\.telegram\.org\/bot(?!110201543:)(\d{8,10}:[\w-]{30,40})/y],
  },
}
