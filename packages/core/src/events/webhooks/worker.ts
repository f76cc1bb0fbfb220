import { within } from '../../deadline.ts'
import type { WorkOptions } from '../../work.ts'
import type { Measurements } from '../../measurements.ts'
import type { ClaimedEntry, OutboxStore } from '../../outbox/store.ts'
import type { Clock, Fetch, Logger, Random } from '../../ports.ts'
import { runLoop, createLease, logLoopError, type LoopLog } from '../../queue/loop.ts'
import { queueTimes, retryDelay } from '../../queue/times.ts'
import type { Secrets } from '../../auth/hmac.ts'
import { openSecret, signMessage } from './secret.ts'
import type { ClaimedDeliveries, WebhookStore } from './store.ts'

export interface WebhookWorkerDeps extends Secrets {
  readonly webhooks: WebhookStore
  readonly outbox: Pick<OutboxStore, 'acknowledge' | 'retry' | 'fail'>
  readonly fetch: Fetch
  readonly allowPrivateAddresses: boolean
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly measurements: Measurements
}

const times = queueTimes.webhooks
/** The maximum time in which an endpoint must answer, in milliseconds. */
const timeoutMs = 15_000
/**
 * The maximum number of deliveries in one claim, and of deliveries sent in parallel. With these limits, all deliveries
 * of a claim end within its lease.
 */
const [claimLimit, parallel] = [20, 4]

/** The result of an attempt: the status of the answer, or the reason why there was no answer. */
type Attempt = { readonly status: number } | { readonly error: string }
const isAccepted = (attempt: Attempt): boolean => 'status' in attempt && attempt.status >= 200 && attempt.status < 300

/**
 * Creates the worker that sends events to the endpoints of webhooks, each at least once. Endpoints are served in
 * parallel, so that a slow endpoint does not delay other endpoints. An endpoint that refuses everything is called again
 * when its next delivery is due.
 */
export function createWebhookWorker(
  deps: WebhookWorkerDeps,
): (options: Pick<WorkOptions, 'signal' | 'wait'>) => Promise<void> {
  const { webhooks, clock, logger } = deps
  const log: LoopLog = { loop: 'webhooks', logger, outage: 'webhook.store.unavailable' }
  return async (options) => {
    const { signal, wait } = options
    const running = new Map<string, Promise<void>>()
    const failures: unknown[] = []
    const start = (id: string): void => {
      const ended = deliverTo(deps, id, signal)
        .catch((error: unknown) => {
          if (wait) logLoopError(error, log, { webhookId: id })
          else failures.push(error)
        })
        .finally(() => running.delete(id))
      running.set(id, ended)
    }
    await runLoop(options, {
      ...log,
      async step() {
        for (const id of await webhooks.listDueWebhooks({ now: clock() })) if (!running.has(id)) start(id)
        if (wait || running.size === 0) return false
        await Promise.all(running.values())
        if (failures.length > 0) throw failures[0]
        return true
      },
    })
    await Promise.all(running.values())
  }
}

/** Sends the due deliveries of one endpoint, until none is due or the endpoint refused all deliveries of a claim. */
async function deliverTo(deps: WebhookWorkerDeps, id: string, signal: AbortSignal | undefined): Promise<void> {
  const { webhooks, clock, random } = deps
  while (!signal?.aborted) {
    const [now, lease] = [clock(), createLease(random)]
    const claim = await webhooks.claimDeliveries({ id, lease, now, until: now + times.leaseMs, limit: claimLimit })
    if (!claim) return
    const secrets = await openSecrets(deps, id, claim)
    const attempts = new Map<ClaimedEntry, Attempt>()
    const waiting = [...claim.entries]
    const send = async (): Promise<void> => {
      for (let entry = waiting.shift(); entry; entry = waiting.shift()) {
        attempts.set(entry, await sendEvent(deps, id, claim.url, secrets, entry, signal))
      }
    }
    await Promise.all(Array.from({ length: parallel }, send))
    if (!(await writeResults(deps, id, lease, attempts))) return
  }
}

/** Returns the secrets that sign at this time, the newest first. */
async function openSecrets(deps: WebhookWorkerDeps, id: string, claim: ClaimedDeliveries): Promise<string[]> {
  const { secret, previousSecret, previousUntil } = claim
  const sealed = [secret, ...(previousSecret !== null && previousUntil > deps.clock() ? [previousSecret] : [])]
  return Promise.all(sealed.map((one) => openSecret(deps, id, one)))
}

async function sendEvent(
  deps: WebhookWorkerDeps,
  webhookId: string,
  url: string,
  secrets: readonly string[],
  { payload, subject, attempt }: ClaimedEntry,
  stop: AbortSignal | undefined,
): Promise<Attempt> {
  const { fetch, allowPrivateAddresses, clock, logger, measurements } = deps
  const { id: eventId } = JSON.parse(payload) as { id: string }
  const startedAt = clock()
  const timestamp = Math.floor(startedAt / 1000)
  let result: Attempt
  try {
    // This module is loaded here, because most serverless functions send no webhook.
    const { toPublicUrl } = await import('../../http/public-address.ts')
    if (!allowPrivateAddresses && toPublicUrl(url) === null)
      throw new Error('the URL does not lead to a public address')
    const { status, body } = await within(timeoutMs, (signal) =>
      fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'Tributary-Webhooks',
          'webhook-id': eventId,
          'webhook-timestamp': String(timestamp),
          'webhook-signature': signMessage(secrets, { id: eventId, timestamp, body: payload }),
        },
        body: payload,
        redirect: 'manual',
        signal: stop ? AbortSignal.any([signal, stop]) : signal,
      }),
    )
    await body?.cancel().catch(() => undefined)
    result = { status }
  } catch (error) {
    result = { error: error instanceof Error ? error.message : String(error) }
  }
  const fields = { webhookId, eventId, eventType: subject, attempt, ms: clock() - startedAt, ...result }
  measurements.count('tributary_webhook_deliveries_total', { outcome: isAccepted(result) ? 'accepted' : 'failed' })
  if (isAccepted(result)) logger.info(fields, 'webhook.delivery.completed')
  else logger.warn(fields, 'webhook.delivery.failed')
  return result
}

/**
 * Stores the results of deliveries, and disables an endpoint that is gone. Returns whether the endpoint accepted at
 * least one delivery.
 */
async function writeResults(
  { webhooks, outbox, clock, logger }: WebhookWorkerDeps,
  id: string,
  lease: string,
  attempts: ReadonlyMap<ClaimedEntry, Attempt>,
): Promise<boolean> {
  const now = clock()
  // The accepted deliveries are grouped by the status of the answer, which is stored with each delivery.
  const accepted = new Map<number, string[]>()
  for (const [entry, attempt] of attempts)
    if ('status' in attempt && isAccepted(attempt))
      accepted.set(attempt.status, [...(accepted.get(attempt.status) ?? []), entry.id])
  for (const [status, ids] of accepted)
    await outbox.acknowledge({ lease, ids, now, result: { at: now, status, error: null } })
  for (const [entry, attempt] of attempts) {
    if (isAccepted(attempt)) continue
    const error = 'status' in attempt ? `answered ${attempt.status}` : attempt.error.slice(0, 300)
    const result =
      'status' in attempt ? { at: now, status: attempt.status, error: null } : { at: now, status: null, error }
    const delay = retryDelay(times, entry.attempt)
    const isGone = 'status' in attempt && attempt.status === 410
    if (isGone || delay === null) await outbox.fail({ lease, ids: [entry.id], status: 'dead', error, now, result })
    else await outbox.retry({ lease, ids: [entry.id], error, dueAt: now + delay, result })
  }
  if ([...attempts.values()].some((attempt) => 'status' in attempt && attempt.status === 410)) {
    await webhooks.disableWebhook({ id, reason: 'The endpoint answered 410 Gone.', now })
    logger.warn({ webhookId: id }, 'webhook.disabled')
    return false
  }
  return accepted.size > 0
}
