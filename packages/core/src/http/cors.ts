import type { PlainReply, PlainRequest } from './message.ts'

/** Headers that let a page of a configured origin read the reply (Fetch standard, CORS protocol). Never `*`. */
export function corsHeaders(request: PlainRequest, origins: readonly string[]): [string, string][] {
  if (origins.length === 0) return []
  const origin = request.headers['origin']
  // Caches must keep replies to different origins apart, the refused ones too.
  if (origin === undefined || !origins.includes(origin)) return [['vary', 'origin']]
  return [
    ['vary', 'origin'],
    ['access-control-allow-origin', origin],
    ['access-control-allow-credentials', 'true'],
    [
      'access-control-expose-headers',
      'x-request-id, x-body-limit, retry-after, ratelimit, ratelimit-policy, x-next-cursor, idempotency-replayed',
    ],
  ]
}

/** The answer to a browser's question before a cross-origin call, or null when it is none from a configured origin. */
export function preflight(
  request: PlainRequest,
  origins: readonly string[],
  methods: string,
  base: [string, string][],
): PlainReply | null {
  const origin = request.headers['origin']
  if (request.method !== 'OPTIONS' || origin === undefined || !origins.includes(origin)) return null
  if (request.headers['access-control-request-method'] === undefined) return null
  return {
    status: 204,
    body: null,
    headers: [
      ...base,
      ['access-control-allow-methods', methods],
      [
        'access-control-allow-headers',
        'authorization, content-type, content-encoding, idempotency-key, x-cli-version, x-request-id',
      ],
      ['access-control-max-age', '600'],
    ],
  }
}
