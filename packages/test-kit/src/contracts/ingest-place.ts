import type { DatasetStore, IngestStore, NewTrace, TraceStore } from '@tributary/core/stores'

export interface IngestPlace {
  /** Two stores over the same data, as two hosts have them; a store that lives in one process gives itself twice. */
  readonly stores: readonly [IngestStore, IngestStore]
  /** The traces beside it. */
  readonly traces: TraceStore & DatasetStore
  /** Makes a person. */
  person(id: string): Promise<void>
  /**
   * Stores traces of a person as they were before conversations had keyed hashes; absent: the store has no such traces.
   */
  storeFormerTraces?(ownerId: string, traces: readonly NewTrace[]): Promise<void>
  close(): Promise<void>
}
