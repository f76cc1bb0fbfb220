import type { Logger, ServiceOptions } from '@tributary/core'
import { xrayFields } from './xray.ts'

/**
 * The maximum number of bytes of an uncompressed batch. An event has at most 6 MB, and base64 needs four thirds of a
 * body's bytes.
 */
const plainBatchLimit = 4_500_000

/**
 * The maximum number of bytes of an export in a reply. A reply has at most 6 MB of JSON, in which each quotation mark
 * of the export becomes two bytes.
 */
const replyExportLimit = 3_000_000

/**
 * Returns the service options for Lambda: OpenSSL's SHA-256 and the system's randomness, JSON lines as log,
 * `setImmediate` to yield, the limit of an uncompressed body of `POST /api/ingest` (a gzip body may have `ingestLimit`
 * bytes), and the limit of an account export in a reply, above which an export is prepared.
 *
 * ```ts
 * const service = createService({ baseUrl: 'https://api.example.com', stores: lazyLibsqlStores(client), ...lambdaPlatform() })
 * ```
 */
export function lambdaPlatform(): Required<
  Pick<ServiceOptions, 'random' | 'digest' | 'yieldToEventLoop' | 'logger' | 'plainIngestLimit' | 'exportLimit'>
> {
  return {
    // An `import` of node:crypto also loads Web Crypto, which takes 3 ms of a cold start.
    random: (length) => process.getBuiltinModule('node:crypto').randomFillSync(new Uint8Array(length)),
    digest: (data) => process.getBuiltinModule('node:crypto').createHash('sha256').update(data).digest(),
    yieldToEventLoop: () => new Promise((resolve) => setImmediate(resolve)),
    logger: jsonLogger(),
    plainIngestLimit: plainBatchLimit,
    exportLimit: replyExportLimit,
  }
}

const toLogFields = (value: unknown): unknown =>
  value instanceof Error
    ? {
        name: value.name,
        message: value.message,
        stack: value.stack,
        ...(value.cause === undefined ? {} : { cause: toLogFields(value.cause) }),
      }
    : value

/**
 * Writes each log event as one line of JSON to stdout, which CloudWatch keeps, with the X-Ray trace of the invocation.
 * Core does not log credentials or content.
 */
export function jsonLogger(write: (line: string) => unknown = (line) => process.stdout.write(line)): Logger {
  const log =
    (level: string) =>
    (fields: Record<string, unknown>, msg: string): void => {
      const known = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, toLogFields(value)]))
      write(`${JSON.stringify({ level, time: new Date().toISOString(), msg, ...xrayFields(), ...known })}\n`)
    }
  return { info: log('info'), warn: log('warn'), error: log('error') }
}
