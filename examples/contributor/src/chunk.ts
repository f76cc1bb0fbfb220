import type { Message, Trace } from './sessions/trace.ts'

/**
 * The uncompressed size of one upload, in bytes. It is far below the service's limit of 64 MiB, so that progress is
 * visible and a retry costs little.
 */
export const chunkBytes = 4 * 1024 * 1024
/** The API's limit of traces in one upload. */
const chunkTraces = 1000

export interface Chunk {
  readonly traces: readonly Trace[]
  /** The JSON body. */
  readonly body: string
}

/**
 * Splits a conversation that is longer than `limit` between messages, into segments 0, 1, 2 and so on. A single message
 * that is too long is cut at its end and marked `truncated`.
 */
export function splitTrace(trace: Trace, limit: number): Trace[] {
  if (JSON.stringify(trace).length <= limit) return [trace]
  const pieces: Message[][] = [[]]
  let size = 0
  for (const message of trace.messages) {
    const kept =
      message.content.length > limit / 2
        ? { ...message, content: message.content.slice(0, limit / 2), truncated: true }
        : message
    const length = JSON.stringify(kept).length
    if (size + length > limit && size > 0) {
      pieces.push([])
      size = 0
    }
    pieces.at(-1)!.push(kept)
    size += length
  }
  // `usage` describes the whole conversation, so only the first segment contains it.
  const { usage, ...rest } = trace
  return pieces.map((messages, segmentIndex) => ({
    ...rest,
    ...(usage && segmentIndex === 0 && { usage }),
    messages,
    segmentIndex,
  }))
}

/**
 * Packs traces into bodies of at most `maxTraces` traces and about `limit` bytes; a longer trace is alone in its body.
 */
export function packChunks(traces: readonly Trace[], limit = chunkBytes, maxTraces = chunkTraces): Chunk[] {
  const packed: Chunk[] = []
  let texts: string[] = []
  let held: Trace[] = []
  let size = 0
  const close = (): void => {
    if (held.length > 0) packed.push({ traces: held, body: `{"traces":[${texts.join(',')}]}` })
    texts = []
    held = []
    size = 0
  }
  for (const trace of traces) {
    const text = JSON.stringify(trace)
    if (held.length === maxTraces || size + text.length > limit) close()
    texts.push(text)
    held.push(trace)
    size += text.length
  }
  close()
  return packed
}
