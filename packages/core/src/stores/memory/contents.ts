import { isReference, type ContentStore } from '../../traces/content-store.ts'
import type { MemoryTraces } from './traces.ts'

/** Returns the store of contents over the traces in memory. */
export function memoryContents(traces: MemoryTraces): ContentStore {
  const { byKey } = traces.contentBlobs
  return {
    async reserveBlobs({ keys, until }) {
      for (const key of keys) byKey.set(key, { until, isDeleting: false })
    },
    async releaseBlobs({ keys }) {
      for (const key of keys) {
        const reserved = byKey.get(key)
        if (reserved) reserved.until = 0
      }
    },
    async claimReleasedBlobs({ now, limit }) {
      const released = [...byKey].filter(([, { until }]) => until <= now).slice(0, limit)
      for (const [, entry] of released) entry.isDeleting = true
      return released.map(([key]) => key)
    },
    async forgetBlobs({ keys }) {
      for (const key of keys) byKey.delete(key)
    },
    async readContent({ traceId }) {
      return traces.contentOf(traceId)
    },
    async listMovable({ to, minBytes, after, limit }) {
      const isMovable = (content: string): boolean =>
        to === 'database'
          ? isReference(content)
          : !isReference(content) && new TextEncoder().encode(content).length >= minBytes
      return traces
        .listAfter({ ownerId: null, cursor: after, limit: Infinity })
        .filter(({ id }) => isMovable(traces.contentOf(id) ?? '') && traces.contentOf(id) !== null)
        .slice(0, limit)
        .map(({ num, id }) => ({ num, traceId: id }))
    },
    async replaceContent({ traceId, expected, content }) {
      return traces.replaceContent(traceId, expected, content)
    },
  }
}
