import type { ResolvedBrand } from '../ui/brand.ts'
import { fail } from '../http/failures.ts'
import { listParams } from '../http/list.ts'
import { mount, type Handlers, type Mounted } from '../http/route.ts'
import { timestamp, timestampOrNull, uuid7 } from '../ids.ts'
import { quoteText, sanitizeSubject } from '../outbox/rules.ts'
import type { Logger, Random } from '../ports.ts'
import { scrubJson, type Scrubber } from '../scrubber/index.ts'
import { telemetryContract } from './contract.ts'
import { declinesTelemetry, isPlainId } from './rules.ts'
import type { NewFeedback, NewTelemetry, StoredFeedback, TelemetryStore } from './store.ts'

export interface TelemetryDeps {
  readonly store: TelemetryStore
  readonly scrubber: () => Scrubber | Promise<Scrubber>
  readonly random: Random
  readonly logger: Logger
  /** The address that feedback is mailed to, or null. */
  readonly contactEmail: string | null
  readonly brand: Pick<ResolvedBrand, 'name'>
  /** Whether a telemetry sink is configured. */
  readonly sink: boolean
}

/** A request must not wait for an asynchronous detector (a model). */
const atOnce = { skipAsyncDetectors: true }

export const telemetryHandlers: Handlers<typeof telemetryContract, TelemetryDeps> = {
  async reportTelemetry({ user, body, request, now }, deps) {
    const notStored = { ok: true as const, accepted: 0, forwarded: false }
    if (declinesTelemetry(request.headers)) return notStored
    const { deviceId, cliVersion = null, platform = null, arch = null, command = null, sentAt = null } = body
    const { diagnostics = [], events = [] } = body
    const isPlain = isPlainId(deviceId)
    const freeText = { cliVersion, platform, arch, command, sentAt, diagnostics, events }
    const scrubbed = scrubJson(await deps.scrubber(), isPlain ? freeText : { ...freeText, deviceId }, atOnce)
    if (!scrubbed.ok) {
      deps.logger.warn({ reason: scrubbed.reason }, 'telemetry.scrub.failed')
      return notStored
    }
    const id = uuid7(now, deps.random)
    const report: NewTelemetry = { deviceId, ...scrubbed.value, id, receivedAt: now }
    const forward = deps.sink
      ? { id, channel: 'telemetry' as const, recipient: '', subject: '', payload: id, createdAt: now }
      : null
    if (!(await deps.store.recordReport({ ownerId: user.id, report, forward }))) return fail('unauthorized')
    return { ok: true, accepted: diagnostics.length + events.length, forwarded: deps.sink }
  },

  async sendFeedback({ user, body, effectId: id, now, requestId }, deps) {
    const {
      email = null,
      message,
      deviceId = null,
      cliVersion = null,
      platform = null,
      arch = null,
      command = null,
    } = body
    const isPlain = deviceId === null || isPlainId(deviceId)
    const freeText = { message, cliVersion, platform, arch, command }
    const scrubbed = scrubJson(await deps.scrubber(), isPlain ? freeText : { ...freeText, deviceId }, atOnce)
    if (!scrubbed.ok) {
      deps.logger.error({ reason: scrubbed.reason }, 'feedback.scrub.failed')
      return fail('unavailable')
    }
    const feedback: NewFeedback = { deviceId, ...scrubbed.value, email, id, receivedAt: now }
    const mail =
      deps.contactEmail === null
        ? null
        : {
            id,
            channel: 'mail' as const,
            recipient: deps.contactEmail,
            subject: sanitizeSubject(`[${deps.brand.name}] Feedback: ${feedback.message}`),
            payload: buildFeedbackText(feedback),
            createdAt: now,
            requestId,
          }
    return (await deps.store.recordFeedback({ ownerId: user.id, feedback, mail }))
      ? { ok: true, id }
      : fail('unauthorized')
  },

  async adminFeedback({ query }, { store }) {
    const handled = query.handled === undefined ? undefined : query.handled === 'true'
    const { items, next } = await store.listFeedback({ ...listParams(query), handled })
    return { ok: true, items: items.map(feedbackView), nextCursor: next }
  },

  async handleFeedback({ params, body, audit }, { store }) {
    const feedback = await store.handleFeedback({ ...params, ...body, audit })
    return feedback ? { ok: true, feedback: feedbackView(feedback) } : fail('not_found')
  },
}

const feedbackView = ({ receivedAt, handledAt, ...feedback }: StoredFeedback) => ({
  ...feedback,
  receivedAt: timestamp(receivedAt),
  handledAt: timestampOrNull(handledAt),
})

/**
 * Builds the text of a feedback mail. The user's text is quoted, so that none of it looks like a text of the service.
 */
function buildFeedbackText(feedback: NewFeedback): string {
  const { id, message, email, cliVersion, platform, arch, command, receivedAt } = feedback
  const client = [cliVersion, platform, arch].filter((part) => part).join(' ')
  const details = Object.entries({ 'reply to': email, client, command })
    .map(([name, value]) => (value ? `${name}: ${sanitizeSubject(value)}\n` : ''))
    .join('')
  const head = `Feedback from the command line, ${timestamp(receivedAt)} (${id}):\n\n${quoteText(message)}\n`
  return details === '' ? head : `${head}\n${details}`
}

/** Binds the routes of telemetry and feedback to their handlers. */
export const mountTelemetry = (deps: TelemetryDeps): Mounted[] => mount(telemetryContract, telemetryHandlers, deps)
