/** One example of the training data: the indexes of the weights in its score, its label, and its own weight. */
export interface Example {
  readonly active: readonly number[]
  readonly isPositive: boolean
  readonly weight: number
}

const sigmoid = (score: number): number => 1 / (1 + Math.exp(-score))

/**
 * Fits the weights of a logistic regression with an L1 penalty, by accelerated proximal gradient descent (FISTA). The
 * same examples give the same weights. Source: Beck and Teboulle, "A fast iterative shrinkage-thresholding algorithm",
 * 2009. @param first the initial weights; the weight at index 0 is the bias and has no penalty.
 */
export function fitWeights(
  examples: readonly Example[],
  first: Float64Array,
  penalty: number,
  rounds: number,
): Float64Array {
  const size = first.length
  const total = examples.reduce((sum, { weight }) => sum + weight, 0)
  const widest = examples.reduce((most, { active }) => Math.max(most, active.length), 1)
  const step = 4 / widest
  let weights = first
  const ahead = Float64Array.from(first)
  let momentum = 1
  for (let round = 0; round < rounds; round++) {
    const gradient = new Float64Array(size)
    for (const { active, isPositive, weight } of examples) {
      let score = 0
      for (const index of active) score += ahead[index]!
      const error = ((sigmoid(score) - Number(isPositive)) * weight) / total
      for (const index of active) gradient[index]! += error
    }
    const next: Float64Array = new Float64Array(size)
    for (let i = 0; i < size; i++) {
      const moved = ahead[i]! - step * gradient[i]!
      const shrunk = i === 0 ? moved : Math.sign(moved) * Math.max(0, Math.abs(moved) - step * penalty)
      next[i] = shrunk
    }
    const nextMomentum = (1 + Math.sqrt(1 + 4 * momentum * momentum)) / 2
    for (let i = 0; i < size; i++) ahead[i] = next[i]! + ((momentum - 1) / nextMomentum) * (next[i]! - weights[i]!)
    weights = next
    momentum = nextMomentum
  }
  return weights
}

export const scoreOf = (weights: Float64Array, active: readonly number[]): number =>
  active.reduce((sum, index) => sum + weights[index]!, 0)
