/**
 * The first characters of a reference, which is a content that names the blob with the messages. Messages are a JSON
 * list.
 */
export const referenceStart = '{"blob":"content/'

/** Returns whether a content is a reference to a blob. */
export const isReference = (content: string): boolean => content.startsWith(referenceStart)

/** Returns the content that stands for messages in the blob of this key. */
export const makeReference = (key: string): string => JSON.stringify({ blob: key })

/** Returns the key of the blob that a reference names. */
export const keyOfReference = (reference: string): string => (JSON.parse(reference) as { blob: string }).blob

/** A content that may be moved between the database and the blobs. */
export interface MovableContent {
  /** The place of the trace in the order in which traces were first stored. */
  readonly num: number
  readonly traceId: string
}

interface Keys {
  readonly keys: readonly string[]
}

/**
 * Keeps the contents of traces as they are stored, messages or references to blobs, and every blob to which no content
 * refers. A blob is reserved before it is put. The step that stores a reference ends the reservation, and throws when
 * there is none; the step that deletes or replaces a reference releases the blob, in every method of every store. So
 * every blob has either a content or an entry here. Every method is one atomic step. Times are milliseconds since 1970.
 */
export interface ContentStore {
  /** Reserves blobs until a time; from then on they count as released. */
  reserveBlobs(params: Readonly<Keys & { until: number }>): Promise<void>
  /** Releases those of the blobs that are still reserved. */
  releaseBlobs(params: Readonly<Keys>): Promise<void>
  /**
   * Returns the keys of released blobs, which can no longer be stored as references, including those that it returned
   * before.
   */
  claimReleasedBlobs(params: Readonly<{ now: number; limit: number }>): Promise<string[]>
  /** Forgets blobs that are deleted. */
  forgetBlobs(params: Readonly<Keys>): Promise<void>

  /** Returns the content of a trace as it is stored, or null when there is none. */
  readContent(params: Readonly<{ traceId: string }>): Promise<string | null>
  /**
   * Returns contents after a place, at most `limit`: references, or messages of `minBytes` bytes and more. These must
   * be moved to the database or to the blobs.
   */
  listMovable(
    params: Readonly<{ to: 'blobs' | 'database'; minBytes: number; after: number; limit: number }>,
  ): Promise<MovableContent[]>
  /** Replaces a content. Returns false, and changes nothing, when it is no longer the expected one. */
  replaceContent(params: Readonly<{ traceId: string; expected: string; content: string }>): Promise<boolean>
}
