import type { Message, Trace } from './sessions/trace.ts'

/** Decoded bytes of one upload: far below the service's 64 MiB, so that progress moves and a retry costs little. */
export const chunkBytes = 4 * 1024 * 1024
/** The interface's limit of traces in one upload. */
export const chunkTraces = 1000

export interface Chunk {
  readonly traces: readonly Trace[]
  /** The JSON body. */
  readonly body: string
}

/**
 * Cuts a conversation that is longer than one upload should be into pieces, `segmentIndex` 0, 1, 2 and so on, between
 * messages. A single message longer than that is cut at its end and marked `truncated`.
 */
export function segments(trace: Trace, limit = chunkBytes): Trace[] {
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
  return pieces.map((messages, segmentIndex) => ({ ...trace, messages, segmentIndex }))
}

/** Packs traces into bodies of at most `chunkTraces` traces and about `limit` bytes; one longer than that goes alone. */
export function chunks(traces: readonly Trace[], limit = chunkBytes, most = chunkTraces): Chunk[] {
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
    if (held.length === most || size + text.length > limit) close()
    texts.push(text)
    held.push(trace)
    size += text.length
  }
  close()
  return packed
}
