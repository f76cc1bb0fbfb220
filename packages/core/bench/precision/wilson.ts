/** Returns the lower and upper end of Wilson's 95 % confidence interval for a share of `trials`. */
export function wilson(right: number, trials: number): readonly [number, number] {
  if (trials === 0) return [0, 1]
  const z = 1.96
  const share = right / trials
  const denominator = 1 + (z * z) / trials
  const center = (share + (z * z) / (2 * trials)) / denominator
  const half = (z * Math.sqrt((share * (1 - share)) / trials + (z * z) / (4 * trials * trials))) / denominator
  return [Math.max(0, center - half), Math.min(1, center + half)]
}
