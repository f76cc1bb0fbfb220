import { createHash } from 'node:crypto'
import type { Random } from '@tributary/core'

/** Random numbers that depend only on a seed. Each part of a simulation has a separate stream (`fork`). */
export class SeededRandom {
  readonly #name: string
  #state: number

  constructor(name: string) {
    this.#name = name
    this.#state = createHash('sha256').update(name).digest().readUInt32LE()
  }

  /** Returns a stream that depends on the seed and the name, but not on earlier draws. */
  fork(name: string): SeededRandom {
    return new SeededRandom(`${this.#name}/${name}`)
  }

  /** Returns a number from 0 up to, but not including, 1 (mulberry32). */
  draw(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** Returns an integer from `least` to `most`. */
  between(least: number, most: number): number {
    return least + Math.floor(this.draw() * (most - least + 1))
  }

  /** Returns true with the given probability. */
  chance(probability: number): boolean {
    return this.draw() < probability
  }

  /** Returns one item of a list that is not empty. */
  pick<Item>(items: readonly Item[]): Item {
    return items[this.between(0, items.length - 1)]!
  }

  /** Returns an item with a probability in proportion to its weight. */
  pickWeighted<Item extends { readonly weight: number }>(items: readonly Item[]): Item {
    let left = this.draw() * items.reduce((sum, { weight }) => sum + weight, 0)
    return items.find(({ weight }) => (left -= weight) < 0) ?? items.at(-1)!
  }

  /** Returns some items of a list, in the order of the list. */
  sample<Item>(items: readonly Item[], probability: number): Item[] {
    return items.filter(() => this.chance(probability))
  }

  /** The `Random` port of core. */
  readonly bytes: Random = (length) => Uint8Array.from({ length }, () => this.between(0, 255))
}
