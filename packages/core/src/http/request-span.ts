import type { SpanDescription } from '../tracing.ts'
import type { PlainRequest } from './message.ts'

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/**
 * Returns the method of a request, or `_OTHER` for an unknown method, so that the number of span names and metric
 * labels is limited.
 */
export const knownMethod = (method: string): string => (methods.has(method) ? method : '_OTHER')

/**
 * Describes the span of a request by OpenTelemetry's stable conventions for HTTP servers, without values that may be
 * personal or secret: the client's address, the query, and a path with parameters, which may be an id, a code or the
 * secret of an upload.
 */
export function describeRequest(
  { method, path, headers }: PlainRequest,
  route: string,
  requestId: string,
  isSecure: boolean,
): SpanDescription {
  const known = knownMethod(method)
  const userAgent = headers['user-agent']
  return {
    name: `tributary ${known} ${route}`,
    kind: 'SERVER',
    attributes: {
      'http.request.method': known,
      'http.route': route,
      'url.scheme': isSecure ? 'https' : 'http',
      ...(route.includes(':') ? {} : { 'url.path': path }),
      ...(userAgent === undefined ? {} : { 'user_agent.original': userAgent.slice(0, 256) }),
      'tributary.request.id': requestId,
    },
  }
}
