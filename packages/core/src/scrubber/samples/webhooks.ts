import type { Row } from './row.ts'

/** One for each rule of `rules/webhooks.ts`. */
export const webhooks: readonly Row[] = [
  ['ifttt-webhook', 'https://maker.ifttt.com/trigger/ring/with/key/{web:22}', 'https://maker.ifttt.com/trigger/ring', 'https://ifttt.com/maker_webhooks'],
  ['sumologic-webhook', 'https://endpoint4.collection.us2.sumologic.com/receiver/v1/http/{b64:80}==', 'https://endpoint4.collection.us2.sumologic.com/receiver/v1/http/', 'https://help.sumologic.com/docs/send-data/hosted-collectors/http-source/'],
  ['webex-webhook', 'https://webexapis.com/v1/webhooks/incoming/{mix:76}', 'https://webexapis.com/v1/webhooks/incoming/', 'https://apphub.webex.com/applications/incoming-webhooks-cisco-systems-38054-23307-75252'],
  ['lark-webhook', 'https://open.feishu.cn/open-apis/bot/v2/hook/{uuid}', 'https://open.feishu.cn/open-apis/bot/v2/info', 'https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot'],
  ['dingtalk-webhook', 'https://oapi.dingtalk.com/robot/send?access_token={hex:64}', 'https://oapi.dingtalk.com/robot/send', 'https://open.dingtalk.com/document/robots/custom-robot-access'],
  ['wecom-webhook', 'https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key={uuid}', 'https://qyapi.weixin.qq.com/cgi-bin/webhook/send', 'https://developer.work.weixin.qq.com/document/path/91770'],
  ['mattermost-webhook', 'https://chat.acme.io/hooks/{low:26}', 'https://chat.acme.io/hooks/list', 'https://developers.mattermost.com/integrate/webhooks/incoming/'],
  ['power-automate-webhook', 'https://prod-1.westeurope.logic.azure.com:443/workflows/{hex:32}/triggers/manual/paths/invoke?sig={web:43}', 'https://prod-1.westeurope.logic.azure.com/workflows', 'https://learn.microsoft.com/azure/logic-apps/logic-apps-http-endpoint'],
  ['pagerduty-webhook', 'https://events.pagerduty.com/integration/{hex:32}/enqueue', 'https://events.pagerduty.com/v2/enqueue', 'https://developer.pagerduty.com/docs/events-api-v1'],
  ['healthchecks-webhook', 'https://hc-ping.com/{uuid}', 'https://hc-ping.com/', 'https://healthchecks.io/docs/http_api/'],
  ['n8n-webhook', 'https://n8n.acme.io/webhook/{uuid}', 'https://n8n.acme.io/webhook/orders', 'https://docs.n8n.io/integrations/builtin/core-nodes/n8n-nodes-base.webhook/'],
  ['telegram-bot-url', 'https://api.telegram.org/bot{dec:9}1:AA{mix:33}/getMe', 'https://api.telegram.org/bot/getMe', 'https://core.telegram.org/bots/api#making-requests'],
  ['app-password', 'smtp_password = {az:4} {az:4} {az:4} {az:4}', 'smtp_password = must have more than', 'https://support.google.com/accounts/answer/185833'],
  ['outlook-webhook', 'https://outlook.office.com/webhook/{uuid}@{uuid}/IncomingWebhook/{hex:32}/{uuid}', 'https://outlook.office.com/webhook/', 'https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook'],
]
