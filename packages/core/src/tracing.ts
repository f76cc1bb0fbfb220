// The only file that imports OpenTelemetry's API: spans go to the SDK that the app registered with it; without one
// nothing is made.
import {
  context,
  createContextKey,
  createTraceState,
  isSpanContextValid,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Link,
  type ProxyTracerProvider,
  type Span,
  type Tracer,
} from '@opentelemetry/api'
import type { Fetch, Mailer, Queue } from './ports.ts'

const instrumentation = '@tributary/core'

/**
 * What a span says about its operation. It never holds a value of a person: no query, address, body, account or id of
 * one.
 */
export interface SpanDescription {
  readonly name: string
  /** Default: internal. */
  readonly kind?: keyof typeof SpanKind
  readonly attributes?: Attributes
}

/** The part of a span that operations write to while they run. */
export type OpenSpan = Pick<Span, 'setAttribute'>

/** The headers that carry a trace, by W3C Trace Context. */
interface TraceHeaders {
  readonly traceparent?: string | undefined
  readonly tracestate?: string | undefined
}

/** The operation that a span belongs to. */
export interface SpanParent {
  /** The trace of a request or job that comes from elsewhere. */
  readonly headers: TraceHeaders
  /**
   * Which of two traces the span continues: `active` the one that runs here, such as that of the app's own HTTP
   * instrumentation, and the headers' one only without it; `headers` theirs, with a link to the one that runs here.
   */
  readonly prefer: 'active' | 'headers'
}

const noSpan: OpenSpan = trace.wrapSpanContext({ traceId: '0'.repeat(32), spanId: '0'.repeat(16), traceFlags: 0 })

/**
 * Returns the tracer of the registered SDK, or null. It is looked up for each span: an SDK may be registered after this
 * module is loaded, and by another copy of the API.
 */
function findTracer(): Tracer | null {
  const provider = trace.getTracerProvider() as Partial<ProxyTracerProvider> & Pick<ProxyTracerProvider, 'getTracer'>
  // The API's stand-in, which hands over to the SDK once there is one.
  if (provider.getDelegateTracer) return provider.getDelegateTracer(instrumentation) ?? null
  return provider.getTracer(instrumentation)
}

/**
 * Runs an operation in a span. The span of one that rejects has the status `ERROR` and the error's code or name, not
 * its message.
 */
export function inSpan<Result>(
  describe: () => SpanDescription,
  run: (span: OpenSpan) => Promise<Result>,
  parent?: SpanParent,
): Promise<Result> {
  const tracer = findTracer()
  return tracer ? runInSpan(tracer, describe(), run, parent) : run(noSpan)
}

/**
 * Works as `inSpan` within an operation that has a span; otherwise, such as for the polls of a worker, it starts none.
 */
export function inChildSpan<Result>(describe: () => SpanDescription, run: () => Promise<Result>): Promise<Result> {
  const tracer = findTracer()
  return tracer && trace.getActiveSpan() ? runInSpan(tracer, describe(), run) : run()
}

async function runInSpan<Result>(
  tracer: Tracer,
  { name, kind = 'INTERNAL', attributes = {} }: SpanDescription,
  run: (span: OpenSpan) => Promise<Result>,
  parent?: SpanParent,
): Promise<Result> {
  const { from, links } = resolveParent(parent)
  // Below a span of the app's own server, ours is a part of that one.
  const above = trace.getSpanContext(from)
  const isInside = kind === 'SERVER' && above !== undefined && !above.isRemote
  const span = tracer.startSpan(name, { kind: SpanKind[isInside ? 'INTERNAL' : kind], attributes, links }, from)
  try {
    return await context.with(trace.setSpan(from, span), () => run(span))
  } catch (error) {
    markFailed(span, errorType(error))
    throw error
  } finally {
    span.end()
  }
}

function resolveParent(parent: SpanParent | undefined): { from: Context; links: Link[] } {
  const active = context.active()
  const running = trace.getSpanContext(active)
  if (!parent || (running && parent.prefer === 'active')) return { from: active, links: [] }
  const remote = readTraceparent(parent.headers)
  if (!remote) return { from: active, links: [] }
  const links = running && running.traceId !== remote.traceId ? [{ context: running }] : []
  return { from: trace.setSpanContext(active, remote), links }
}

/** Marks the operation of a span as failed. `type` is one of few values: a code, a status or the name of an error. */
export function markFailed(span: OpenSpan, type: string): void {
  span.setAttribute('error.type', type)
  ;(span as Span).setStatus({ code: SpanStatusCode.ERROR })
}

function errorType(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown }
  if (typeof code === 'string') return code
  return typeof name === 'string' ? name : '_OTHER'
}

/** The header `traceparent` of version 00; a later version may have more fields at its end. */
const traceparentPattern = /^(?!ff)([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/

function readTraceparent({ traceparent, tracestate }: TraceHeaders) {
  const [, version, traceId = '', spanId = '', flags = ''] = traceparentPattern.exec(traceparent ?? '') ?? []
  if (version === undefined || (version === '00' && traceparent!.length !== 55)) return null
  const found = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(tracestate ? { traceState: createTraceState(tracestate) } : {}),
  }
  return isSpanContextValid(found) ? found : null
}

/** Returns the trace of the running operation as headers; none without an SDK. */
function traceHeaders(): Record<string, string> {
  const running = trace.getSpanContext(context.active())
  if (!running || !isSpanContextValid(running)) return {}
  const { traceId, spanId, traceFlags, traceState } = running
  const traceparent = `00-${traceId}-${spanId}-${(traceFlags & 1).toString(16).padStart(2, '0')}`
  const tracestate = traceState?.serialize()
  return { traceparent, ...(tracestate ? { tracestate } : {}) }
}

/** Returns the trace of the running operation, to be stored with a job; null without an SDK. */
export const currentTraceparent = (): string | null => traceHeaders()['traceparent'] ?? null

/** Returns the id of the running operation's trace as a field of a log event; none without an SDK. */
export function traceFields(): { readonly traceId?: string } {
  const traceId = trace.getSpanContext(context.active())?.traceId
  return traceId === undefined ? {} : { traceId }
}

// The key by which SDKs mark a context in which instrumentations make no spans (`suppressTracing` of
// @opentelemetry/core).
const suppressed = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING')

/**
 * Returns a `fetch` whose requests carry the trace and have a span `tributary METHOD target`, for which `target` names
 * the kind of receiver. The address is left out but for its host, since paths of webhooks may be secrets. An
 * instrumentation of the platform's `fetch` makes no second span of them and no second header.
 */
export function traceFetch(send: Fetch, target: string): Fetch {
  return (url, init) =>
    inSpan(
      () => describeFetch(url, init.method, target),
      async (span) => {
        const headers = { ...init.headers, ...traceHeaders() }
        const quiet = context.active().setValue(suppressed, true)
        const answer = await context.with(quiet, () => send(url, { ...init, headers }))
        span.setAttribute('http.response.status_code', answer.status)
        if (answer.status >= 400) markFailed(span, String(answer.status))
        return answer
      },
    )
}

function describeFetch(url: string, method: string, target: string): SpanDescription {
  const { protocol, hostname, port } = new URL(url)
  return {
    name: `tributary ${method} ${target}`,
    kind: 'CLIENT',
    attributes: {
      'http.request.method': method,
      'server.address': hostname,
      'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
      'url.scheme': protocol.slice(0, -1),
    },
  }
}

/** Returns a mailer whose mails have spans; nothing of a mail is in them. */
export const traceMailer = (mailer: Mailer): Mailer => ({
  send: (mail) =>
    inSpan(
      () => ({ name: 'tributary mail.send', kind: 'CLIENT' }),
      async () => mailer.send(mail),
    ),
})

/** Returns a queue whose messages have spans. The job itself carries the trace; see `EnqueueJobParams.traceparent`. */
export const traceQueue = (queue: Queue): Queue => ({
  send: (jobId, ownerId) =>
    inSpan(
      () => ({ name: 'tributary queue.send', kind: 'PRODUCER', attributes: { 'tributary.job.id': jobId } }),
      async () => queue.send(jobId, ownerId),
    ),
})
