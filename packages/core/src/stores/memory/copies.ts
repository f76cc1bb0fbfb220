import { commonOwners, commonTraces, type TokenRanges } from '../../traces/copies/rules.ts'
import type { PreparedCopies, SimilarTraces } from '../../traces/copies/store.ts'

/** What a trace has in common with another one. */
interface StoredOverlap {
  readonly isEarlier: boolean
  readonly ranges: TokenRanges
}

/** The fingerprints and overlaps of traces in Maps, by their ids. */
export class MemoryCopies {
  version = 0
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

  /** As `CopyStore.findSimilarTraces`. */
  findSimilar(
    lists: readonly (readonly number[])[],
    limit: number,
    traceOf: (id: string) => { readonly num: number; readonly ownerId: string | null } | undefined,
  ): SimilarTraces {
    const idsOf = this.#byFingerprint
    const isCommon = (ids: ReadonlySet<string>): boolean =>
      ids.size >= commonTraces && new Set([...ids].map((id) => traceOf(id)?.ownerId)).size >= commonOwners
    const common = new Set(lists.flat().filter((shingle) => isCommon(idsOf.get(shingle) ?? new Set())))
    const similar = lists.map((list) => {
      const hits = new Map<string, number>()
      for (const shingle of list)
        if (!common.has(shingle)) for (const id of idsOf.get(shingle) ?? []) hits.set(id, (hits.get(id) ?? 0) + 1)
      const traces = [...hits].flatMap(([id, count]) => {
        const num = traceOf(id)?.num
        return num === undefined ? [] : [{ num, id, hits: count, fingerprints: this.#fingerprints.get(id)?.size ?? 0 }]
      })
      return traces.sort((a, b) => b.hits - a.hits || a.num - b.num).slice(0, limit)
    })
    return { version: this.version, common: [...common], similar }
  }

  #add(id: string, otherId: string, overlap: StoredOverlap): void {
    let others = this.#overlaps.get(id)
    if (!others) this.#overlaps.set(id, (others = new Map()))
    others.set(otherId, overlap)
  }
}
