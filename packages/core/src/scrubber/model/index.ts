/** Finds names and other personal data in prose by a token-classification model. Runs wherever transformers.js does. */
export { modelDetector, type ModelDetectorOptions, type ModelLabel, type TokenClassifier } from './detector.ts'
export { defaultLabels, defaultModel } from './labels.ts'
export type { ClassifiedToken } from './tokens.ts'
