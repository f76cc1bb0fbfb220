import { itemAt } from '../lists.ts'
/** A section of the documentation. */
export interface Section {
  /** The file and the heading: `docs/oauth.md#revoke`. */
  readonly source: string
  readonly title: string
  readonly text: string
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** The weights of BM25: how fast repeated words lose weight, and how much the length of a section matters. */
const saturation = 1.2
const lengthWeight = 0.75
/** A word in a title counts as much as this many words in the text. */
const titleWeight = 4

/**
 * Makes a search of sections by BM25: rare words count more, and long sections less. A word also finds the words that
 * begin with it, with half the weight.
 */
export function createSearch(sections: readonly Section[]): (words: string, limit: number) => Section[] {
  const counted = sections.map(({ title, text }) => {
    const counts = new Map<string, number>()
    for (const [part, weight] of [
      [title, titleWeight],
      [text, 1],
    ] as const)
      for (const word of wordsOf(part)) counts.set(word, (counts.get(word) ?? 0) + weight)
    return { counts, length: [...counts.values()].reduce((sum, count) => sum + count, 0) }
  })
  const meanLength = counted.reduce((sum, { length }) => sum + length, 0) / counted.length
  const vocabulary = new Map<string, number>()
  for (const { counts } of counted)
    for (const word of counts.keys()) vocabulary.set(word, (vocabulary.get(word) ?? 0) + 1)

  function score(terms: readonly (readonly [word: string, weight: number])[], index: number): number {
    const { counts, length } = itemAt(counted, index)
    return terms.reduce((sum, [word, weight]) => {
      const count = counts.get(word) ?? 0
      if (count === 0) return sum
      const holders = vocabulary.get(word) ?? 0
      const rarity = Math.log(1 + (counted.length - holders + 0.5) / (holders + 0.5))
      const norm = saturation * (1 - lengthWeight + (lengthWeight * length) / meanLength)
      return sum + (weight * rarity * count * (saturation + 1)) / (count + norm)
    }, 0)
  }

  return (query, limit) => {
    const terms = [...new Set(wordsOf(query))].flatMap((word) =>
      [...vocabulary.keys()]
        .filter((known) => known === word || (word.length > 3 && known.startsWith(word)))
        .map((known) => [known, known === word ? 1 : 0.5] as const),
    )
    return sections
      .map((section, index) => ({ section, points: score(terms, index) }))
      .filter(({ points }) => points > 0)
      .toSorted((a, b) => b.points - a.points)
      .slice(0, limit)
      .map(({ section }) => section)
  }
}
