import type { DatasetStore, IngestStore, NewTrace, TraceStore } from '@tributary/core/stores'

export interface IngestPlace {
  /** Two stores over the same data, like those of two hosts. A store that lives in one process is given twice. */
  readonly stores: readonly [IngestStore, IngestStore]
  /** The traces that the jobs store. */
  readonly traces: TraceStore & DatasetStore
  /** Makes a person. */
  person(id: string): Promise<void>
  /**
   * Stores traces of a person as they were before conversations had keyed hashes. Absent if the store has no such
   * traces.
   */
  storeFormerTraces?(ownerId: string, traces: readonly NewTrace[]): Promise<void>
  close(): Promise<void>
}
