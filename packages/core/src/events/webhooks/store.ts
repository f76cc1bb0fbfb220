import type { AuditContext } from '../../audit/store.ts'
import type { AttemptResult, ClaimedEntry } from '../../outbox/store.ts'
import type { EventType } from '../schema.ts'

/** The maximum number of endpoints of one service. */
export const maxWebhooks = 20

/** An endpoint to which events are sent. Times are milliseconds since 1970. */
export interface Webhook {
  /** UUID version 7. */
  readonly id: string
  readonly url: string
  readonly description: string
  /** The events to send. Null means all. */
  readonly events: readonly EventType[] | null
  /** Events are neither sent to a disabled endpoint nor stored for it. */
  readonly status: 'enabled' | 'disabled'
  /** The reason why the service disabled the endpoint, or null. */
  readonly disabledReason: string | null
  readonly createdAt: number
  readonly updatedAt: number
}

/** The secrets of an endpoint, sealed by `sealSecret`. The previous secret also signs until `previousUntil`. */
export interface WebhookSecrets {
  readonly secret: string
  readonly previousSecret: string | null
  readonly previousUntil: number
}

export interface CreateWebhookParams {
  readonly webhook: Pick<Webhook, 'id' | 'url' | 'description' | 'events'> & { readonly secret: string }
  readonly audit: AuditContext
}

/** A change of an endpoint; an omitted field keeps its value. */
export interface UpdateWebhookParams {
  readonly id: string
  readonly changes: Partial<Pick<Webhook, 'url' | 'description' | 'events' | 'status'>>
  readonly audit: AuditContext
}

export interface RotateSecretParams {
  readonly id: string
  readonly secret: string
  readonly previousUntil: number
  readonly audit: AuditContext
}

export interface SendTestParams {
  readonly id: string
  readonly deliveryId: string
  /** The event as JSON. */
  readonly payload: string
  readonly audit: AuditContext
}

/**
 * The status of a delivery: `waiting` until the delivery is due, `sending`, `sent`, or `dead` after its last attempt.
 */
export const deliveryStatuses = ['waiting', 'sending', 'sent', 'dead'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** A delivery as the operator sees it. */
export interface ListedDelivery {
  readonly id: string
  readonly eventType: string
  readonly status: DeliveryStatus
  readonly attempts: number
  readonly lastError: string | null
  /** The results of the delivery's attempts, oldest first, including the attempts before an operator sent it again. */
  readonly results: readonly AttemptResult[]
  /** The event as JSON. */
  readonly payload: string
  readonly createdAt: number
  readonly dueAt: number
  readonly finishedAt: number | null
}

export interface ClaimDeliveriesParams {
  readonly id: string
  readonly lease: string
  readonly now: number
  readonly until: number
  readonly limit: number
}

/** Claimed deliveries of one endpoint, each with a different subject. */
export interface ClaimedDeliveries extends WebhookSecrets {
  readonly url: string
  readonly entries: readonly ClaimedEntry[]
}

/**
 * Stores the endpoints of webhooks and their deliveries. A delivery is an entry of the outbox on the channel `webhook`,
 * with the endpoint's id as recipient. Other stores add deliveries in the transaction of the event's effect.
 * `OutboxStore` acknowledges, retries and fails deliveries. Every method is atomic.
 */
export interface WebhookStore {
  /** Returns the endpoints, oldest first. */
  listWebhooks(): Promise<Webhook[]>
  /**
   * Creates an enabled endpoint with an audit entry. Returns `exists` when another endpoint has the URL, and `too_many`
   * when there are already `maxWebhooks`.
   */
  createWebhook(params: Readonly<CreateWebhookParams>): Promise<Webhook | 'exists' | 'too_many'>
  /**
   * Changes an endpoint, with an audit entry. When an endpoint is disabled, its waiting deliveries become `dead`.
   * Returns null when there is no such endpoint, and `exists` when another endpoint has the URL.
   */
  updateWebhook(params: Readonly<UpdateWebhookParams>): Promise<Webhook | 'exists' | null>
  /** Deletes an endpoint with its deliveries, with an audit entry. Returns whether the endpoint existed. */
  deleteWebhook(params: { readonly id: string; readonly audit: AuditContext }): Promise<boolean>
  /** Replaces the secret, with an audit entry. The previous secret also signs until `previousUntil`. */
  rotateSecret(params: Readonly<RotateSecretParams>): Promise<Webhook | null>
  /** Disables an endpoint that answered 410 Gone, and ends its waiting deliveries. */
  disableWebhook(params: { readonly id: string; readonly reason: string; readonly now: number }): Promise<void>

  /**
   * Enqueues a delivery of a test event to one enabled endpoint, with an audit entry. Returns null when there is no
   * such endpoint, and false when it is disabled.
   */
  sendTest(params: Readonly<SendTestParams>): Promise<boolean | null>
  /**
   * Returns an endpoint's deliveries, newest first, with ids below `cursor`, or null when there is no such endpoint.
   */
  listDeliveries(params: {
    readonly id: string
    readonly status: DeliveryStatus | null
    readonly cursor: string | null
    readonly limit: number
  }): Promise<ListedDelivery[] | null>
  /**
   * Makes a sent or dead delivery due again with the full number of attempts, and writes an audit entry. Returns
   * `pending` when the delivery is not finished, `disabled` when its endpoint is disabled, and null when there is no
   * such delivery.
   */
  redeliver(params: {
    readonly id: string
    readonly deliveryId: string
    readonly audit: AuditContext
  }): Promise<'redelivered' | 'pending' | 'disabled' | null>

  /** Returns the ids of endpoints with deliveries that may be claimed. */
  listDueWebhooks(params: { readonly now: number }): Promise<string[]>
  /**
   * Claims due deliveries of an endpoint, including deliveries whose lease expired. The longest due come first. A
   * delivery is not claimed before the earlier deliveries of its subject are finished. Counts an attempt. Returns null
   * when nothing is due.
   */
  claimDeliveries(params: Readonly<ClaimDeliveriesParams>): Promise<ClaimedDeliveries | null>
}
