import { countTokens, rankSimilar, type TokenRanges } from '../../traces/copies/rules.ts'
import type { CopyStore, PreparedCopies, SimilarTraces } from '../../traces/copies/store.ts'

/** The overlap of a trace with another one. */
interface StoredOverlap {
  readonly isEarlier: boolean
  readonly ranges: TokenRanges
}

/** The fingerprints and overlaps of traces in Maps, by their ids. */
export class MemoryCopies {
  version = 0
  /** The last UTC day on which copies of an owner were found. */
  readonly foundDays = new Map<string, number>()
  readonly #fingerprints = new Map<string, ReadonlySet<number>>()
  readonly #byFingerprint = new Map<number, Set<string>>()
  readonly #overlaps = new Map<string, Map<string, StoredOverlap>>()

  /** Stores what is stored with a trace, in place of what was; the words of a known pair stay those of who had them. */
  store(
    id: string,
    { fingerprints, overlaps }: PreparedCopies,
    resolve: (other: PreparedCopies['overlaps'][number]['other']) => string | undefined,
  ): void {
    const before = this.#overlaps.get(id) ?? new Map<string, StoredOverlap>()
    this.remove(id)
    this.version++
    this.#fingerprints.set(id, new Set(fingerprints))
    for (const fingerprint of fingerprints) {
      const ids = this.#byFingerprint.get(fingerprint)
      if (ids) ids.add(id)
      else this.#byFingerprint.set(fingerprint, new Set([id]))
    }
    for (const { other, ranges, otherRanges } of overlaps) {
      const otherId = resolve(other)
      if (otherId === undefined || otherId === id) continue
      const isEarlier = before.get(otherId)?.isEarlier ?? true
      this.#add(id, otherId, { isEarlier, ranges })
      this.#add(otherId, id, { isEarlier: !isEarlier, ranges: otherRanges })
    }
  }

  /** Forgets a trace. */
  remove(id: string): void {
    this.removeFingerprints(id)
    for (const otherId of this.#overlaps.get(id)?.keys() ?? []) this.#overlaps.get(otherId)?.delete(id)
    this.#overlaps.delete(id)
  }

  /** Lets no further trace be a copy of this one. */
  removeFingerprints(id: string): void {
    for (const fingerprint of this.#fingerprints.get(id) ?? []) this.#byFingerprint.get(fingerprint)?.delete(id)
    this.#fingerprints.delete(id)
  }

  overlapsOf(id: string): ({ readonly otherId: string } & StoredOverlap)[] {
    return [...(this.#overlaps.get(id) ?? [])].map(([otherId, overlap]) => ({ otherId, ...overlap }))
  }

  /** Returns how many tokens of a trace earlier stored ones have. */
  countCopiedTokens(id: string): number {
    return countTokens(this.overlapsOf(id).flatMap(({ isEarlier, ranges }) => (isEarlier ? [ranges] : [])))
  }

  /** As `CopyStore.findSimilarTraces`. */
  findSimilar(
    { lists, system, limit }: Parameters<CopyStore['findSimilarTraces']>[0],
    traceOf: (
      id: string,
    ) => { readonly num: number; readonly ownerId: string | null; readonly tokenCount: number } | undefined,
  ): SimilarTraces {
    const shingles = [...new Set([...system, ...lists.flat()])]
    const idsOf = new Map(
      shingles.flatMap((shingle) => {
        const ids = this.#byFingerprint.get(shingle)
        return ids ? [[shingle, ids] as const] : []
      }),
    )
    const found = new Map(
      [...idsOf.values()]
        .flatMap((ids) => [...ids])
        .flatMap((id) => {
          const trace = traceOf(id)
          const fingerprints = this.#fingerprints.get(id)?.size ?? 0
          return trace
            ? [
                [
                  id,
                  { trace: { num: trace.num, id, tokenCount: trace.tokenCount, fingerprints }, owner: trace.ownerId },
                ] as const,
              ]
            : []
        }),
    )
    return { version: this.version, ...rankSimilar(lists, idsOf, found, limit) }
  }

  #add(id: string, otherId: string, overlap: StoredOverlap): void {
    let others = this.#overlaps.get(id)
    if (!others) this.#overlaps.set(id, (others = new Map()))
    others.set(otherId, overlap)
  }
}
