import type { SeededRandom } from './random.ts'

/** The probability of each fault at each call in one seed. */
export interface Weather {
  readonly failBefore: number
  readonly failAfter: number
  readonly crash: number
  readonly pause: number
  readonly delay: number
  readonly loseReply: number
  readonly skew: number
}

export const fairWeather: Weather = {
  failBefore: 0,
  failAfter: 0,
  crash: 0,
  pause: 0,
  delay: 0,
  loseReply: 0,
  skew: 0,
}

/** Draws the faults of a seed. Some seeds have no faults of a kind, other seeds have many. */
export function drawWeather(random: SeededRandom): Weather {
  const draw = (most: number): number => (random.chance(0.3) ? 0 : most * random.draw() ** 2)
  return {
    failBefore: draw(0.05),
    failAfter: draw(0.05),
    crash: draw(0.01),
    pause: draw(0.01),
    delay: draw(0.1),
    loseReply: draw(0.2),
    skew: draw(0.02),
  }
}
