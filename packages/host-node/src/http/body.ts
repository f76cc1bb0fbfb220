import type { IncomingMessage } from 'node:http'
import { BodyBroken } from '@tributary/core'

/** How slow a sender may be. Only time spent waiting for the sender counts, not time in which nobody read. */
export interface Patience {
  /** Milliseconds over which `bodyBytesPerSecond` is measured, again and again; default 10,000. */
  readonly bodyTimeoutMs: number
  /** Bytes a second that must come in each `bodyTimeoutMs`, so that a byte now and then holds no place for long; default 16,384. */
  readonly bodyBytesPerSecond: number
  /** Milliseconds for a whole body; default 300,000. */
  readonly bodyMaxMs: number
}

export const patience: Patience = { bodyTimeoutMs: 10_000, bodyBytesPerSecond: 16_384, bodyMaxMs: 300_000 }

/** The body of a request, chunk by chunk. Leaving the loop early leaves the rest unread. Throws `BodyBroken`. */
export async function* readBody(
  req: IncomingMessage,
  { bodyTimeoutMs, bodyBytesPerSecond, bodyMaxMs }: Patience,
): AsyncGenerator<Uint8Array> {
  let waitedMs = 0
  let measured = { ms: 0, bytes: 0 }
  for (;;) {
    const chunk = req.read() as Buffer | null
    if (chunk !== null) {
      measured.bytes += chunk.length
      yield chunk
      continue
    }
    if (req.readableEnded) return
    if (req.destroyed) throw new BodyBroken('aborted')
    if (waitedMs >= bodyMaxMs) throw new BodyBroken('timeout')
    if (measured.ms >= bodyTimeoutMs) {
      if (measured.bytes < (bodyBytesPerSecond * measured.ms) / 1000) throw new BodyBroken('timeout')
      measured = { ms: 0, bytes: 0 }
    }
    const since = performance.now()
    await more(req, Math.min(bodyTimeoutMs - measured.ms, bodyMaxMs - waitedMs))
    const ms = performance.now() - since
    waitedMs += ms
    measured.ms += ms
  }
}

/** Resolves when there is something to look at (bytes, the end, or the end of the connection), or when the time is over. */
function more(req: IncomingMessage, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (broken?: BodyBroken): void => {
      clearTimeout(timer)
      req.off('readable', look).off('end', look).off('close', look).off('error', gone)
      if (broken) reject(broken)
      else resolve()
    }
    const look = (): void => settle()
    const gone = (): void => settle(new BodyBroken('aborted'))
    const timer = setTimeout(look, Math.max(1, ms))
    req.on('readable', look).on('end', look).on('close', look).on('error', gone)
  })
}
