/**
 * Finds names and other personal data in prose with a token-classification model. Runs wherever transformers.js runs.
 */
export {
  defaultLabels,
  defaultModel,
  modelDetector,
  type ModelDetectorOptions,
  type ModelLabel,
  type TokenClassifier,
} from './detector.ts'
export type { ClassifiedToken } from './tokens.ts'
