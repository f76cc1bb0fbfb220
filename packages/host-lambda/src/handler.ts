import type { Context } from 'aws-lambda'
import type { Logger, PlainReply, Service } from '@tributary/core'
import { plainRequest, shapeOf, type HttpEvent, type Shape } from './events.ts'
import { carried, fits, gathered, replyLimit, resultOf, sizeOf, type HttpResult } from './replies.ts'

export interface LambdaOptions {
  /**
   * What stands before the service's paths in the events; default: the service's own prefix. Set it where the two differ:
   * `''` for a REST API called at its stage's address (`https://….amazonaws.com/prod` is the `baseUrl`, but events leave
   * the stage out), `/v1` for a base path that a custom domain maps and `baseUrl` does not have. Nothing is guessed.
   */
  readonly basePath?: string
  readonly logger?: Logger
}

/** A Lambda function's handler of HTTP events. Two parameters: Node 24's runtime refuses a third. */
export type LambdaHandler = (event: HttpEvent, context?: Context) => Promise<HttpResult>

/** A stream's end is looked for up to here: packed, it may still fit. */
const mostBytes = 32 * 1024 * 1024

/**
 * The service as a Lambda handler, for API Gateway REST (payload 1.0) and HTTP (2.0) APIs, function URLs and load
 * balancers, told apart by the event's shape. Any number of calls may run at once. Rejects with `UnsupportedEvent` for an
 * event that is none of HTTP; every other trouble is a reply. A reply that no event holds is packed where the client takes
 * gzip, else 500 `reply_too_large` with the limit in `x-reply-limit`.
 *
 * ```ts
 * const service = createService({ baseUrl: 'https://api.example.com', stores: memoryStores(), ...lambdaPlatform() })
 * export const handler = toLambdaHandler(service)
 * ```
 */
export function toLambdaHandler(service: Service, { basePath, logger }: LambdaOptions = {}): LambdaHandler {
  const base = (basePath ?? service.prefix).replace(/\/+$/, '')
  if (base !== '' && !base.startsWith('/')) throw new Error('basePath starts with a slash')
  return async (event, _context) => {
    const shape = shapeOf(event)
    try {
      const inside = plainRequest(event, shape, base, service.prefix)
      const request = inside ?? plainRequest(event, shape, '', '')!
      const reply = (inside ? await service.handle(inside) : null) ?? service.missing(request)
      return await sent(service, shape, reply, request.headers['accept-encoding'])
    } catch (error) {
      logger?.error({ err: error }, 'the handler failed')
      return trouble(service, shape, 'internal_error', [])
    }
  }
}

async function sent(
  service: Service,
  shape: Shape,
  { status, headers, body }: PlainReply,
  accepts: string | undefined,
): Promise<HttpResult> {
  const limit = replyLimit[shape]
  const whole = await gathered(body, mostBytes)
  const type = headers.find(([name]) => name === 'content-type')?.[1]
  const headerBytes = sizeOf(headers)
  if (whole !== null) {
    const plain = carried(whole, type)
    if (fits(plain.body, headerBytes, limit)) return resultOf(shape, status, headers, plain)
    const packable =
      /(?:^|[\s,])(?:x-)?gzip(?!\s*;\s*q=0(?:\.0+)?(?:\s|,|$))/i.test(accepts ?? '') &&
      !headers.some(([name]) => name === 'content-encoding')
    if (packable) {
      // Few replies need it, and every start would load it.
      const { gzipSync } = await import('node:zlib')
      const packed = gzipSync(whole).toString('base64')
      if (fits(packed, headerBytes, limit)) {
        const more: [string, string][] = [
          ['content-encoding', 'gzip'],
          ['vary', 'accept-encoding'],
        ]
        return resultOf(shape, status, [...headers, ...more], { body: packed, isBase64Encoded: true })
      }
    }
  }
  const id = headers.filter(([name]) => name === 'x-request-id')
  return trouble(service, shape, 'reply_too_large', [...id, ['x-reply-limit', String(limit)]])
}

/** A failure of this host, with the headers of what has no route. */
function trouble(service: Service, shape: Shape, error: string, headers: PlainReply['headers']): HttpResult {
  const nothing = service.missing({ method: 'GET', path: '*', query: [], headers: {}, address: null, body: null })
  const others = nothing.headers.filter(([name]) => !headers.some(([given]) => given === name))
  return resultOf(shape, 500, [...headers, ...others], {
    body: JSON.stringify({ ok: false, error }),
    isBase64Encoded: false,
  })
}
