import { isReference, keyOfReference } from '../../traces/content-store.ts'

/** The blobs that no content names, which `MemoryTraces` keeps in step with the contents. */
export class MemoryContentBlobs {
  readonly byKey = new Map<string, { until: number; isDeleting: boolean }>()

  /**
   * Ends the reservation of the blob that a content names, and releases that of the content before it. Throws without
   * one.
   */
  replace(before: string | null, after: string | null): void {
    if (before === after) return
    if (after !== null && isReference(after)) {
      const reserved = this.byKey.get(keyOfReference(after))
      if (!reserved || reserved.isDeleting) throw new Error('the blob of a content is not reserved')
      this.byKey.delete(keyOfReference(after))
    }
    if (before !== null && isReference(before)) this.byKey.set(keyOfReference(before), { until: 0, isDeleting: false })
  }
}
