import type { DatasetStore, IngestStore, NewTrace, TraceStore } from '@tributary/core/stores'

export interface IngestPlace {
  /** Two stores over the same data, as two hosts have them. A store inside one process is passed twice. */
  readonly stores: readonly [IngestStore, IngestStore]
  /** The traces that the jobs store. */
  readonly traces: TraceStore & DatasetStore
  /** Creates a person. */
  person(id: string): Promise<void>
  /**
   * Stores traces of a person in the form from before conversations had keyed hashes. Absent if the store has no such
   * traces.
   */
  storeFormerTraces?(ownerId: string, traces: readonly NewTrace[]): Promise<void>
  close(): Promise<void>
}
