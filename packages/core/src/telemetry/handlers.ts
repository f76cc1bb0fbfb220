import { fail } from '../http/failures.ts'
import { placeOf } from '../http/fields.ts'
import { mount, type Handlers, type Mounted } from '../http/route.ts'
import { timestamp, uuid7 } from '../ids.ts'
import { quoteText, sanitizeSubject } from '../outbox/rules.ts'
import type { Logger, Random } from '../ports.ts'
import { scrubJson, type Scrubber } from '../scrubber/index.ts'
import { telemetryContract } from './contract.ts'
import { declinesTelemetry, isPlainId } from './rules.ts'
import type { NewFeedback, NewTelemetry, TelemetryStore } from './store.ts'

export interface TelemetryDeps {
  readonly store: TelemetryStore
  readonly scrubber: () => Scrubber | Promise<Scrubber>
  readonly random: Random
  readonly logger: Logger
  /** Whom feedback is mailed to; null: nobody. */
  readonly contactEmail: string | null
  /** Whether a telemetry sink is configured. */
  readonly sink: boolean
}

export const telemetryHandlers: Handlers<typeof telemetryContract, TelemetryDeps> = {
  async reportTelemetry({ user, body, request, now }, deps) {
    const nothing = { ok: true as const, accepted: 0, forwarded: false }
    if (declinesTelemetry(request.headers)) return nothing
    const {
      deviceId,
      cliVersion = null,
      platform = null,
      arch = null,
      command = null,
      sentAt = null,
      diagnostics = [],
      events = [],
    } = body
    const known = isPlainId(deviceId) ? deviceId : null
    const done = scrubJson(await deps.scrubber(), {
      cliVersion,
      platform,
      arch,
      command,
      sentAt,
      diagnostics,
      events,
      ...(known ? {} : { deviceId }),
    })
    if (!done.ok) {
      deps.logger.warn({ reason: done.reason }, 'telemetry could not be scrubbed and is not kept')
      return nothing
    }
    const id = uuid7(now, deps.random)
    const report: NewTelemetry = { deviceId: known ?? '', ...done.value, id, receivedAt: now }
    const forward = deps.sink
      ? { id, channel: 'telemetry' as const, recipient: '', subject: '', payload: id, createdAt: now }
      : null
    if (!(await deps.store.recordReport(user.id, report, forward))) return fail('unauthorized')
    return { ok: true, accepted: diagnostics.length + events.length, forwarded: deps.sink }
  },

  async sendFeedback({ user, body, effectId: id, now }, deps) {
    const {
      email = null,
      message,
      deviceId = null,
      cliVersion = null,
      platform = null,
      arch = null,
      command = null,
    } = body
    const known = deviceId === null || isPlainId(deviceId) ? deviceId : null
    const done = scrubJson(await deps.scrubber(), {
      message,
      cliVersion,
      platform,
      arch,
      command,
      ...(known === deviceId ? {} : { deviceId }),
    })
    if (!done.ok) {
      deps.logger.error({ reason: done.reason }, 'feedback could not be scrubbed and is not kept')
      return fail('unavailable')
    }
    const feedback: NewFeedback = { deviceId: known, ...done.value, email, id, receivedAt: now }
    const mail =
      deps.contactEmail === null
        ? null
        : {
            id,
            channel: 'mail' as const,
            recipient: deps.contactEmail,
            subject: sanitizeSubject(`[Tributary] Feedback: ${feedback.message}`),
            payload: letter(feedback),
            createdAt: now,
          }
    return (await deps.store.recordFeedback(user.id, feedback, mail)) ? { ok: true, id } : fail('unauthorized')
  },

  async adminFeedback({ query }, { store }) {
    const { items, next } = await store.feedback({ cursor: placeOf(query.cursor), limit: query.limit })
    return {
      ok: true,
      nextCursor: next === null ? null : String(next),
      items: items.map(({ receivedAt, id, userId, message, email, cliVersion, platform, arch, deviceId, command }) => ({
        id,
        userId,
        message,
        email,
        cliVersion,
        platform,
        arch,
        deviceId,
        command,
        receivedAt: timestamp(receivedAt),
      })),
    }
  },
}

/** The mail of a message: what somebody wrote is quoted, so that nothing in it passes for ours. */
function letter({ id, message, email, cliVersion, platform, arch, command, receivedAt }: NewFeedback): string {
  const lines = [
    ['answer to', email],
    ['client', [cliVersion, platform, arch].filter((part) => part).join(' ') || null],
    ['command', command],
  ].flatMap(([name, value]) => (value ? [`${name}: ${sanitizeSubject(value)}`] : []))
  return `Somebody wrote from the command line, ${timestamp(receivedAt)} (${id}):\n\n${quoteText(message)}\n${lines.length > 0 ? `\n${lines.join('\n')}\n` : ''}`
}

/** Binds the routes of telemetry and feedback to their handlers. */
export const mountTelemetry = (deps: TelemetryDeps): Mounted[] => mount(telemetryContract, telemetryHandlers, deps)
