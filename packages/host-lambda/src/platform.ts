import { createHash, randomFillSync } from 'node:crypto'
import type { Logger, ServiceOptions } from '@tributary/core'

/** An event holds 6 MB, and a body in base64 takes four thirds of its bytes. */
export const plainBatchLimit = 4_500_000

/** A reply holds 6 MB as JSON, in which every quote of an export takes two bytes. */
export const replyExportLimit = 3_000_000

/**
 * What a service on Lambda should be made with: OpenSSL's SHA-256 and the system's randomness, a log of JSON lines, turns
 * of the event loop, the limit of an unpacked E5 (decisions section 12; packed ones may unpack to `ingestLimit`), and that of an
 * account export in a reply; a larger one is prepared.
 *
 * ```ts
 * const service = createService({ baseUrl: 'https://api.example.com', stores: memoryStores(), ...lambdaPlatform() })
 * ```
 */
export function lambdaPlatform(): Required<
  Pick<ServiceOptions, 'random' | 'digest' | 'yieldToEventLoop' | 'logger' | 'plainIngestLimit' | 'exportLimit'>
> {
  return {
    random: (length) => randomFillSync(new Uint8Array(length)),
    digest: (data) => createHash('sha256').update(data).digest(),
    yieldToEventLoop: () => new Promise((resolve) => setImmediate(resolve)),
    logger: jsonLogger(),
    plainIngestLimit: plainBatchLimit,
    exportLimit: replyExportLimit,
  }
}

const shown = (value: unknown): unknown =>
  value instanceof Error
    ? {
        name: value.name,
        message: value.message,
        stack: value.stack,
        ...(value.cause === undefined ? {} : { cause: shown(value.cause) }),
      }
    : value

/** One JSON object a line on stdout, which is what CloudWatch keeps. Core logs no credential and no content. */
export function jsonLogger(write: (line: string) => unknown = (line) => process.stdout.write(line)): Logger {
  const log =
    (level: string) =>
    (fields: Record<string, unknown>, msg: string): void => {
      const known = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, shown(value)]))
      write(`${JSON.stringify({ level, time: new Date().toISOString(), msg, ...known })}\n`)
    }
  return { info: log('info'), warn: log('warn'), error: log('error') }
}
