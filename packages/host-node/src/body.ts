import type { IncomingMessage } from 'node:http'
import { BodyBroken } from '@tributary/core'

/** How slow a sender may be. */
export interface Patience {
  /** Milliseconds without a byte, and what a whole body gets beside its bytes' share; default 30,000. */
  readonly bodyTimeoutMs: number
  /** Bytes a second that a body must reach beyond `bodyTimeoutMs`, so that a byte now and then does not hold a place for ever; default 4,096. */
  readonly bodyBytesPerSecond: number
}

export const patience: Patience = { bodyTimeoutMs: 30_000, bodyBytesPerSecond: 4_096 }

/**
 * The body of a request, chunk by chunk. Only time spent waiting for the sender counts against it, not time in which
 * nobody read. Leaving the loop early leaves the rest unread. Throws `BodyBroken`.
 */
export async function* readBody(req: IncomingMessage, { bodyTimeoutMs, bodyBytesPerSecond }: Patience): AsyncGenerator<Uint8Array> {
  let received = 0
  let waited = 0
  for (;;) {
    const chunk = req.read() as Buffer | null
    if (chunk !== null) {
      received += chunk.length
      yield chunk
      continue
    }
    if (req.readableEnded) return
    if (req.destroyed) throw new BodyBroken('aborted')
    const left = bodyTimeoutMs + (received / bodyBytesPerSecond) * 1000 - waited
    const since = performance.now()
    await more(req, Math.min(bodyTimeoutMs, left))
    waited += performance.now() - since
  }
}

/** Resolves when there is something to look at: bytes, the end, or the end of the connection. */
function more(req: IncomingMessage, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (broken?: BodyBroken): void => {
      clearTimeout(timer)
      req.off('readable', look).off('end', look).off('close', look).off('error', gone)
      if (broken) reject(broken)
      else resolve()
    }
    const look = (): void => settle()
    const gone = (): void => settle(new BodyBroken('aborted'))
    const timer = setTimeout(() => settle(new BodyBroken('timeout')), Math.max(1, timeoutMs))
    req.on('readable', look).on('end', look).on('close', look).on('error', gone)
  })
}
