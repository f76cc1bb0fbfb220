// Spans go to the app's OpenTelemetry SDK. Without an SDK, no span is created and the API is not loaded.
import type { SpanStatusCode } from '@opentelemetry/api'
import { lazy } from './lazy.ts'
import type { Fetch, Mailer, Queue } from './ports.ts'
import type { OpenSpan, SpanDescription, SpanParent } from './spans.ts'

export type { OpenSpan, SpanDescription, SpanParent } from './spans.ts'

/** The global property in which every copy of version 1 of the API stores what an app registers. */
const registry = Symbol.for('opentelemetry.js.api.1')
const hasSdk = (): boolean => registry in globalThis

let spans: typeof import('./spans.ts') | null = null
const loadSpans = lazy(async () => (spans = await import('./spans.ts')))

const noSpan = { setAttribute: () => noSpan, setStatus: () => noSpan } as unknown as OpenSpan

/**
 * Runs an operation in a span. When the operation rejects, its span gets the status `ERROR` and the error's code or
 * name, but not its message.
 */
export function inSpan<Result>(
  describe: () => SpanDescription,
  run: (span: OpenSpan) => Promise<Result>,
  parent?: SpanParent,
): Promise<Result> {
  return hasSdk() ? runInSpan(describe, run, parent) : run(noSpan)
}

async function runInSpan<Result>(
  describe: () => SpanDescription,
  run: (span: OpenSpan) => Promise<Result>,
  parent?: SpanParent,
): Promise<Result> {
  return (await loadSpans()).runInSpan(describe(), run, noSpan, parent)
}

/**
 * Works like `inSpan` within an operation that has a span. Elsewhere, such as in the polls of a worker, runs the
 * operation without a span.
 */
export async function inChildSpan<Result>(
  describe: () => SpanDescription,
  run: () => Promise<Result>,
): Promise<Result> {
  return hasSdk() && (await loadSpans()).isInSpan() ? inSpan(describe, run) : run()
}

/** The status `ERROR` of a span. */
const errorStatus = 2 satisfies SpanStatusCode.ERROR

/** Marks the operation of a span as failed. `type` is one of few values: a code, a status or the name of an error. */
export function markFailed(span: OpenSpan, type: string): void {
  span.setAttribute('error.type', type)
  span.setStatus({ code: errorStatus })
}

/** Returns the trace of the running operation, to be stored with a job, or null without an SDK. */
export const currentTraceparent = (): string | null => spans?.traceHeaders()['traceparent'] ?? null

/** Returns the id of the running operation's trace as a field of a log event. Returns no field without an SDK. */
export function traceFields(): { readonly traceId?: string } {
  const traceId = spans?.findTraceId()
  return traceId === undefined ? {} : { traceId }
}

/**
 * Returns a `fetch` whose requests carry the trace and have a span named `tributary METHOD target`, where `target` is
 * the kind of receiver. Only the host of the URL is included, because paths of webhooks may be secrets. An
 * instrumentation of the platform's `fetch` adds no second span and no second header.
 */
export function traceFetch(send: Fetch, target: string): Fetch {
  return (url, init) =>
    inSpan(
      () => describeFetch(url, init.method, target),
      async (span) => {
        const answer = await (spans ? spans.sendWithTrace(send, url, init) : send(url, init))
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

/** Returns a mailer whose mails have spans. The spans contain no part of a mail. */
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
