import type { Context } from 'aws-lambda'
import type { Logger, PlainReply, PlainRequest, Service } from '@tributary/core'
import { checkOptionNames } from '@tributary/core/adapter'
import type { EmfMeter } from './emf.ts'
import { toPlainRequest, detectEventShape, type HttpEvent, type Shape } from './events.ts'
import {
  encodeBody,
  fitsInEvent,
  readBody,
  replyLimit,
  toResult,
  countHeaderBytes,
  type HttpResult,
} from './replies.ts'
import { toOpener, type WithSecrets } from './secrets.ts'
import { xrayTraceparent } from './xray.ts'

export interface LambdaOptions {
  /**
   * The path before the service's paths in events. Default: the service's prefix. Set it if the two paths differ: `''`
   * for a REST API that is called at its stage's URL (`https://….amazonaws.com/prod` is the `baseUrl`, but events do
   * not contain the stage), or `/v1` for a base path that a custom domain maps and `baseUrl` does not contain.
   */
  readonly basePath?: string
  readonly logger?: Logger
  /** The meter, which is flushed at the end of each invocation. */
  readonly meter?: Pick<EmfMeter, 'flush'>
}

/** Handles HTTP events of a Lambda function. It has two parameters, because Node 24's runtime rejects a third. */
export type LambdaHandler = (event: HttpEvent, context?: Context) => Promise<HttpResult>

/** A stream is read up to this size, because it may still fit when compressed. */
const maxStreamBytes = 32 * 1024 * 1024

/**
 * Makes the Lambda handler of a service, for API Gateway REST (payload 1.0) and HTTP (2.0) APIs, function URLs and load
 * balancers. The handler detects the kind of an event by its fields. Any number of calls may run concurrently. Rejects
 * with `UnsupportedEvent` for an event that is not an HTTP event; every other failure is a reply. A reply that is too
 * large for an event is compressed when the client accepts gzip, else it is 500 `reply_too_large` with the limit in
 * `x-reply-limit`. While the secrets of a service `withSecrets` cannot be read, every route returns 503.
 * Rejects when such a service cannot be made.
 *
 * ```ts
 * const service = createService({ baseUrl: 'https://api.example.com', stores: lazyLibsqlStores(client), ...lambdaPlatform() })
 * export const handler = toLambdaHandler(service)
 * ```
 */
export function toLambdaHandler(given: Service | WithSecrets<Service>, options: LambdaOptions = {}): LambdaHandler {
  checkOptionNames(options, { basePath: true, logger: true, meter: true })
  const { basePath, logger, meter } = options
  if (basePath && !basePath.startsWith('/')) throw new Error(`basePath must start with a slash, not ${basePath}`)
  const { open } = toOpener(given)
  return async (event, context) => {
    const shape = detectEventShape(event)
    const { service, outage } = await open()
    const base = (basePath ?? service.prefix).replace(/\/+$/, '')
    try {
      const inside = addInvocation(toPlainRequest(event, shape, base, service.prefix), context)
      const request = inside ?? toPlainRequest(event, shape, '', '')!
      const reply = (inside ? await service.handle(inside, outage) : null) ?? (await service.answerMissing(request))
      return await toEventResult(service, shape, reply, request.headers['accept-encoding'])
    } catch (error) {
      logger?.error({ err: error }, 'lambda.handler.failed')
      return toFailureResult(service, shape, 'internal_error', [])
    } finally {
      meter?.flush()
    }
  }
}

/**
 * Adds the X-Ray trace and Lambda's invocation id, which Lambda's log lines contain, to a request without a trace or an
 * id.
 */
function addInvocation(request: PlainRequest | null, context: Context | undefined): PlainRequest | null {
  if (!request) return null
  const traceparent = xrayTraceparent()
  const headers = {
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(context?.awsRequestId === undefined ? {} : { 'x-request-id': context.awsRequestId }),
    ...request.headers,
  }
  return { ...request, headers }
}

/** Converts a reply to the result of the handler, and compresses it if it does not fit otherwise. */
async function toEventResult(
  service: Service,
  shape: Shape,
  { status, headers, body }: PlainReply,
  accepts: string | undefined,
): Promise<HttpResult> {
  const limit = replyLimit[shape]
  const whole = await readBody(body, maxStreamBytes)
  const type = headers.find(([name]) => name === 'content-type')?.[1]
  const bytesOfHeaders = countHeaderBytes(headers)
  if (whole !== null) {
    const plain = encodeBody(whole, type)
    if (fitsInEvent(plain.body, bytesOfHeaders, limit)) return toResult(shape, status, headers, plain)
    const packable =
      /(?:^|[\s,])(?:x-)?gzip(?!\s*;\s*q=0(?:\.0+)?(?:\s|,|$))/i.test(accepts ?? '') &&
      !headers.some(([name]) => name === 'content-encoding')
    if (packable) {
      // The module is loaded here, because few replies need it.
      const { gzipSync } = await import('node:zlib')
      const packed = gzipSync(whole).toString('base64')
      if (fitsInEvent(packed, bytesOfHeaders, limit)) {
        const more: [string, string][] = [
          ['content-encoding', 'gzip'],
          ['vary', 'accept-encoding'],
        ]
        const others = headers.filter(([name]) => name !== 'content-length')
        return toResult(shape, status, [...others, ...more], { body: packed, isBase64Encoded: true })
      }
    }
  }
  const id = headers.filter(([name]) => name === 'x-request-id')
  return toFailureResult(service, shape, 'reply_too_large', [...id, ['x-reply-limit', String(limit)]])
}

/** Returns a failure of this host, with the headers of the service's 404. */
function toFailureResult(service: Service, shape: Shape, error: string, headers: PlainReply['headers']): HttpResult {
  const nothing = service.missing({ method: 'GET', path: '*', query: [], headers: {}, address: null, body: null })
  const others = nothing.headers.filter(([name]) => !headers.some(([given]) => given === name))
  return toResult(shape, 500, [...headers, ...others], {
    body: JSON.stringify({ ok: false, error }),
    isBase64Encoded: false,
  })
}
