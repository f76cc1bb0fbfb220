import type { ClassifiedToken } from '@tributary/core/scrub-model'

/** The start data of a model's thread. */
export interface ModelThreadData {
  /**
   * A model of the Hugging Face hub, such as `openai/privacy-filter`, or the path of a folder that contains a model.
   */
  readonly model: string
}

/** A batch of texts for the thread. */
export interface ModelRequest {
  readonly id: number
  readonly texts: string[]
}

/** A message from the thread. */
export type ModelReply =
  | { readonly kind: 'loaded' }
  | { readonly kind: 'load-failed'; readonly message: string }
  | { readonly kind: 'classified'; readonly id: number; readonly tokens: readonly (readonly ClassifiedToken[])[] }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string }
