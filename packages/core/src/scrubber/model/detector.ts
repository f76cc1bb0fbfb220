import type { AsyncDetector, DetectedSpan } from '../engine/rule.ts'
import { isCutOff, joinTokens, type ClassifiedToken } from './tokens.ts'

/** The category and placeholder of a model's label. */
export interface ModelLabel {
  readonly category: string
  readonly placeholder: string
}

/**
 * The model with the labels in `defaultLabels`. Its licence is Apache-2.0. It has 1.5 billion parameters, and was
 * trained mostly on English texts.
 */
export const defaultModel = 'openai/privacy-filter'

const person = { category: 'person', placeholder: 'PERSON' }

/**
 * The labels of `openai/privacy-filter`, and the labels for a person in other models. Other labels are ignored, because
 * most models learned organizations and places from news.
 */
export const defaultLabels: Readonly<Record<string, ModelLabel>> = {
  private_person: person,
  private_address: { category: 'street_address', placeholder: 'ADDRESS' },
  private_email: { category: 'email', placeholder: 'EMAIL' },
  private_phone: { category: 'phone', placeholder: 'PHONE' },
  private_url: { category: 'url', placeholder: 'URL' },
  private_date: { category: 'date', placeholder: 'DATE' },
  account_number: { category: 'account_number', placeholder: 'ACCOUNT_NUMBER' },
  secret: { category: 'secret', placeholder: 'SECRET' },
  PER: person,
  PERSON: person,
}

/**
 * A token-classification pipeline of transformers.js, or a function that behaves like one. It returns a list of tokens
 * for each text.
 */
export type TokenClassifier = (
  texts: string[],
  options: { readonly ignore_labels: string[] },
) => Promise<readonly (readonly ClassifiedToken[])[]>

export interface ModelDetectorOptions {
  readonly classify: TokenClassifier
  /** The model's name, which is a part of the scrubber version. Default: `openai/privacy-filter`. */
  readonly model?: string
  /** The minimum score of a replaced span: the mean score of its tokens, 0 to 1. Default: 0.5. */
  readonly threshold?: number
  /** The category of each label of the model, without prefixes such as `B-`. Default: `defaultLabels`. */
  readonly labels?: Readonly<Record<string, ModelLabel>>
  /**
   * The maximum number of characters of a text that is passed to the model. Default: 2,000, because few models truncate
   * such texts. A truncated text is halved and passed again.
   */
  readonly maxChars?: number
  /** The number of texts in one call. Default: 8. */
  readonly batchSize?: number
  /** The time limit of one call, in milliseconds. Default: 20,000. */
  readonly limitMs?: number
  /** Prepares the model. The time limit does not apply to this function. */
  readonly load?: () => Promise<void>
}

/** A text of up to this length is not halved: the model left out only characters that it does not know. */
const shortestHalf = 256
const overlap = 64

/**
 * Creates a detector from a token-classification model, which labels values such as names of people in prose. The
 * caller loads the pipeline.
 *
 * ```ts
 * const classify = await pipeline('token-classification', 'openai/privacy-filter', { dtype: 'q4' })
 * const scrubber = createScrubber({ detectors: [modelDetector({ classify })] })
 * ```
 */
export function modelDetector({
  classify,
  model = defaultModel,
  threshold = 0.5,
  labels = defaultLabels,
  maxChars = 2_000,
  batchSize = 8,
  limitMs = 20_000,
  load,
}: ModelDetectorOptions): AsyncDetector {
  if (!(threshold >= 0 && threshold <= 1)) throw new Error(`threshold must be 0 to 1, not ${threshold}`)
  const toSpans = (text: string, tokens: readonly ClassifiedToken[]): DetectedSpan[] =>
    joinTokens(text, tokens).flatMap(({ start, end, label, score }) => {
      const category = Object.hasOwn(labels, label) ? labels[label] : undefined
      return category && score >= threshold ? [{ start, end, ...category }] : []
    })

  async function detect(texts: readonly string[], signal: AbortSignal): Promise<DetectedSpan[][]> {
    signal.throwIfAborted()
    // Tokens without an entity are also requested. Their positions help to find the other tokens, and show whether the
    // model read the whole text.
    const lists = await classify([...texts], { ignore_labels: [] })
    if (lists.length !== texts.length)
      throw new Error(`the model returned ${lists.length} lists for ${texts.length} texts`)
    const found: DetectedSpan[][] = []
    for (const [i, text] of texts.entries()) {
      const tokens = lists[i] ?? []
      const isHalved = text.length > shortestHalf && isCutOff(text, tokens)
      found.push(isHalved ? await detectHalves(text, signal) : toSpans(text, tokens))
    }
    return found
  }

  async function detectHalves(text: string, signal: AbortSignal): Promise<DetectedSpan[]> {
    const middle = text.length >> 1
    const from = middle - overlap
    const [left = [], right = []] = await detect([text.slice(0, middle + overlap), text.slice(from)], signal)
    return [...left, ...right.map((span) => ({ ...span, start: from + span.start, end: from + span.end }))]
  }

  return {
    id: 'model',
    version: JSON.stringify([model, threshold, maxChars, labels]),
    maxChars,
    batchSize,
    limitMs,
    detect,
    ...(load ? { load } : {}),
  }
}
