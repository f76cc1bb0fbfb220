import { maxWebhooks, type Webhook, type WebhookSecrets, type WebhookStore } from '../../events/webhooks/store.ts'
import type { MemoryAudit } from './audit.ts'
import type { MemoryOutbox } from './outbox.ts'

type Row = { -readonly [Name in keyof (Webhook & WebhookSecrets)]: (Webhook & WebhookSecrets)[Name] } & {
  readonly num: number
}

/** Returns the store of webhooks in a Map; their deliveries are in the outbox. */
export function memoryWebhooks(outbox: MemoryOutbox, audits: Pick<MemoryAudit, 'record'>): WebhookStore {
  const rows = new Map<string, Row>()
  let lastNum = 0
  outbox.addWebhooks({
    findTargets: (type) =>
      [...rows.values()].filter(
        ({ status, events }) => status === 'enabled' && (events === null || events.includes(type)),
      ),
    isEnabled: (id) => rows.get(id)?.status === 'enabled',
  })
  const webhookOf = ({ num: _, secret: __, previousSecret: ___, previousUntil: ____, ...webhook }: Row): Webhook =>
    webhook
  const auditedState = ({ url, description, status, events }: Webhook) =>
    ({ url, description, status, events: events?.join(', ') ?? null }) as const
  const hasUrl = (url: string, id: string): boolean =>
    [...rows.values()].some((row) => row.url === url && row.id !== id)
  const endWaiting = (id: string, now: number): void => {
    if (rows.get(id)?.status === 'disabled') outbox.stopWaiting({ recipient: id, now })
  }

  return {
    async listWebhooks() {
      return [...rows.values()].map(webhookOf)
    },
    async createWebhook({ webhook, audit }) {
      if (hasUrl(webhook.url, '')) return 'exists'
      if (rows.size >= maxWebhooks) return 'too_many'
      const row: Row = {
        ...webhook,
        num: ++lastNum,
        status: 'enabled',
        disabledReason: null,
        previousSecret: null,
        previousUntil: 0,
        createdAt: audit.at,
        updatedAt: audit.at,
      }
      rows.set(row.id, row)
      audits.record(audit, 'webhook.create', row.id, null, auditedState(row))
      return webhookOf(row)
    },
    async updateWebhook({ id, changes, audit }) {
      const row = rows.get(id)
      if (!row) return null
      if (changes.url !== undefined && hasUrl(changes.url, id)) return 'exists'
      const before = auditedState(row)
      Object.assign(row, changes, { updatedAt: audit.at }, changes.status ? { disabledReason: null } : {})
      const after = auditedState(row)
      if (JSON.stringify(before) !== JSON.stringify(after)) audits.record(audit, 'webhook.update', id, before, after)
      endWaiting(id, audit.at)
      return webhookOf(row)
    },
    async deleteWebhook({ id, audit }) {
      const row = rows.get(id)
      if (!row) return false
      audits.record(audit, 'webhook.delete', id, auditedState(row), null)
      outbox.deleteOfRecipient(id)
      return rows.delete(id)
    },
    async rotateSecret({ id, secret, previousUntil, audit }) {
      const row = rows.get(id)
      if (!row) return null
      audits.record(audit, 'webhook.rotate_secret', id, null, null)
      Object.assign(row, { previousSecret: row.secret, secret, previousUntil, updatedAt: audit.at })
      return webhookOf(row)
    },
    async disableWebhook({ id, reason, now }) {
      const row = rows.get(id)
      if (row?.status === 'enabled') Object.assign(row, { status: 'disabled', disabledReason: reason, updatedAt: now })
      endWaiting(id, now)
    },

    async sendTest({ id, deliveryId, payload, audit }) {
      const row = rows.get(id)
      if (!row) return null
      if (row.status === 'disabled') return false
      const entry = { id: deliveryId, channel: 'webhook', recipient: id, subject: 'webhook.test', payload } as const
      outbox.enqueueNow({ ...entry, createdAt: audit.at })
      audits.record(audit, 'webhook.test', id, null, null)
      return true
    },
    async listDeliveries({ id, ...page }) {
      return rows.has(id) ? outbox.listOfRecipient({ recipient: id, ...page }) : null
    },
    async redeliver({ id, deliveryId, audit }) {
      const [delivery] = outbox.listOfRecipient({
        recipient: id,
        status: null,
        cursor: null,
        limit: Infinity,
        id: deliveryId,
      })
      if (!delivery) return null
      if (rows.get(id)?.status === 'disabled') return 'disabled'
      if (delivery.status !== 'sent' && delivery.status !== 'dead') return 'pending'
      const state = (status: string) => ({ delivery: deliveryId, status })
      audits.record(audit, 'webhook.redeliver', id, state(delivery.status), state('waiting'))
      outbox.restart({ id: deliveryId, now: audit.at })
      return 'redelivered'
    },

    async listDueWebhooks({ now }) {
      return [...rows.keys()].filter((id) => outbox.countDue({ recipient: id, now }) > 0)
    },
    async claimDeliveries({ id, ...claim }) {
      endWaiting(id, claim.now)
      const row = rows.get(id)
      const entries = row ? outbox.claimOfRecipient({ recipient: id, ...claim }) : []
      if (!row || entries.length === 0) return null
      const { url, secret, previousSecret, previousUntil } = row
      return { url, secret, previousSecret, previousUntil, entries }
    },
  }
}
