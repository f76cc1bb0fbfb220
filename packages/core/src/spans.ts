// The only file that imports OpenTelemetry's API. `tracing.ts` loads it when an app has registered an SDK.
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
import type { Fetch } from './ports.ts'
import { version } from './version.ts'

const instrumentation = '@tributary/core'

/** The description of a span's operation, without data of a person: no query, address, body, account or id. */
export interface SpanDescription {
  readonly name: string
  /** The kind of the span. Default: internal. */
  readonly kind?: keyof typeof SpanKind
  readonly attributes?: Attributes
}

/** The part of a span that operations write to while they run. */
export type OpenSpan = Pick<Span, 'setAttribute' | 'setStatus'>

/** The headers that carry a trace, by W3C Trace Context. */
interface TraceHeaders {
  readonly traceparent?: string | undefined
  readonly tracestate?: string | undefined
}

/** The operation to which a span belongs. */
export interface SpanParent {
  /** The trace that a request or job carries. */
  readonly headers: TraceHeaders
  /**
   * The trace that the span continues. `active`: the trace that is active here, such as a trace of the app's own HTTP
   * instrumentation; if none is active, the trace of the headers. `headers`: the trace of the headers, with a link to
   * the active trace.
   */
  readonly prefer: 'active' | 'headers'
}

/**
 * Returns the tracer of the registered SDK, or null. The tracer is looked up for each span, because an SDK may be
 * registered after this module is loaded, and by another copy of the API.
 */
function findTracer(): Tracer | null {
  const provider = trace.getTracerProvider() as Partial<ProxyTracerProvider> & Pick<ProxyTracerProvider, 'getTracer'>
  // A provider with `getDelegateTracer` is the API's placeholder, which delegates to an SDK once it is registered.
  if (provider.getDelegateTracer) return provider.getDelegateTracer(instrumentation, version) ?? null
  return provider.getTracer(instrumentation, version)
}

/** Returns whether the running operation has a span. */
export const isInSpan = (): boolean => trace.getActiveSpan() !== undefined

/**
 * Runs an operation in a span. When the operation rejects, its span gets the status `ERROR` and the error's code or
 * name, but not its message. Without a tracer, the operation gets `noSpan`.
 */
export async function runInSpan<Result>(
  { name, kind = 'INTERNAL', attributes = {} }: SpanDescription,
  run: (span: OpenSpan) => Promise<Result>,
  noSpan: OpenSpan,
  parent?: SpanParent,
): Promise<Result> {
  const tracer = findTracer()
  if (!tracer) return run(noSpan)
  const { from, links } = resolveParent(parent)
  // If the app's own server has a span, the service's span becomes its child.
  const above = trace.getSpanContext(from)
  const isInside = kind === 'SERVER' && above !== undefined && !above.isRemote
  const span = tracer.startSpan(name, { kind: SpanKind[isInside ? 'INTERNAL' : kind], attributes, links }, from)
  try {
    return await context.with(trace.setSpan(from, span), () => run(span))
  } catch (error) {
    span.setAttribute('error.type', errorType(error))
    span.setStatus({ code: SpanStatusCode.ERROR })
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

function errorType(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown }
  if (typeof code === 'string') return code
  return typeof name === 'string' ? name : '_OTHER'
}

/** The header `traceparent` of version 00; a later version may have more fields at its end. */
const traceparentPattern = /^(?!ff)([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/

function readTraceparent({ traceparent = '', tracestate }: TraceHeaders) {
  const [, version, traceId = '', spanId = '', flags = ''] = traceparentPattern.exec(traceparent) ?? []
  if (version === undefined || (version === '00' && traceparent.length !== 55)) return null
  const found = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(tracestate ? { traceState: createTraceState(tracestate) } : {}),
  }
  return isSpanContextValid(found) ? found : null
}

/** Returns the trace of the running operation as headers. Returns no headers without an SDK. */
export function traceHeaders(): Record<string, string> {
  const running = trace.getSpanContext(context.active())
  if (!running || !isSpanContextValid(running)) return {}
  const { traceId, spanId, traceFlags, traceState } = running
  const traceparent = `00-${traceId}-${spanId}-${(traceFlags & 1).toString(16).padStart(2, '0')}`
  const tracestate = traceState?.serialize()
  return { traceparent, ...(tracestate ? { tracestate } : {}) }
}

/** Returns the id of the running operation's trace. */
export const findTraceId = (): string | undefined => trace.getSpanContext(context.active())?.traceId

// The key by which SDKs mark a context in which instrumentations make no spans (`suppressTracing` of
// @opentelemetry/core).
const suppressed = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING')

/** Sends a request that carries the trace, without a span from an instrumentation of the platform's `fetch`. */
export function sendWithTrace(send: Fetch, ...[url, init]: Parameters<Fetch>): ReturnType<Fetch> {
  const headers = { ...init.headers, ...traceHeaders() }
  return context.with(context.active().setValue(suppressed, true), () => send(url, { ...init, headers }))
}
