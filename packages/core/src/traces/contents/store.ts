/**
 * The first characters of a reference. The stored content of a trace is a JSON list of messages, or a reference: a JSON
 * object with the key of the blob that contains the messages.
 */
export const referenceStart = '{"blob":"content/'

/** Returns whether the stored content is a reference to a blob. */
export const isReference = (content: string): boolean => content.startsWith(referenceStart)

/** Returns the reference to the blob with this key, which is stored in place of the messages. */
export const makeReference = (key: string): string => JSON.stringify({ blob: key })

/** Returns the key of the blob that a reference names. */
export const keyOfReference = (reference: string): string => (JSON.parse(reference) as { blob: string }).blob

/** A content that may be moved between the database and the blobs. */
export interface MovableContent {
  /** The position of the trace in the order in which traces were first stored. */
  readonly num: number
  readonly traceId: string
}

interface Keys {
  readonly keys: readonly string[]
}

/**
 * Stores the contents of traces (messages, or references to blobs) and the key of every blob to which no content
 * refers. A blob is reserved before it is put. The step that stores a reference ends the reservation, and throws when
 * the blob is not reserved. The step that deletes or replaces a reference releases the blob, in every method of every
 * store. So every blob has either a reference or a key in this store. Every method is one atomic step. Times are
 * milliseconds since 1970.
 */
export interface ContentStore {
  /** Reserves blobs until a time; from then on they count as released. */
  reserveBlobs(params: Readonly<Keys & { until: number }>): Promise<void>
  /** Releases the blobs that are still reserved. */
  releaseBlobs(params: Readonly<Keys>): Promise<void>
  /**
   * Returns the keys of released blobs, including keys that it returned before. A released blob can no longer be stored
   * as a reference.
   */
  claimReleasedBlobs(params: Readonly<{ now: number; limit: number }>): Promise<string[]>
  /** Removes the entries of blobs that are deleted. */
  forgetBlobs(params: Readonly<Keys>): Promise<void>

  /** Returns the content of a trace as it is stored, or null when there is none. */
  readContent(params: Readonly<{ traceId: string }>): Promise<string | null>
  /**
   * Returns at most `limit` contents after the position `after` that must be moved: references if `to` is `database`,
   * and messages of at least `minBytes` bytes if `to` is `blobs`.
   */
  listMovable(
    params: Readonly<{ to: 'blobs' | 'database'; minBytes: number; after: number; limit: number }>,
  ): Promise<MovableContent[]>
  /**
   * Replaces the content of a trace. Returns false, and changes nothing, when the stored content is not the expected
   * content.
   */
  replaceContent(params: Readonly<{ traceId: string; expected: string; content: string }>): Promise<boolean>
}
