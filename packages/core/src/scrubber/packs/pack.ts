import type { Finder } from '../engine/findings.ts'
import type { Table } from '../engine/detect.ts'
import type { Rule } from '../engine/rule.ts'
import type { FinderGate } from '../engine/scanner.ts'
import { packIds, type PackId } from '../engine/scrubber-types.ts'

/** Rules that stand together in the table. */
export interface Section {
  /** The place in the table: where two findings overlap, the one whose rule is first names it. */
  readonly rank: number
  readonly rules: readonly Rule[]
}

/** A part of the table that can be loaded apart, with the functions that its rules name. */
export interface RulePack {
  readonly sections?: readonly Section[]
  /** The functions that rules name as their `finder`, and what replaces one of the base. */
  readonly finders?: Readonly<Record<string, Finder>>
  /** By finder. */
  readonly gates?: Readonly<Record<string, FinderGate>>
  /** Tells findings that identify nobody. */
  readonly isPublished?: Table['isPublished']
}

/** The source of a scrubber's packs: a server has them all, a browser loads them when they are needed. */
export interface PackSource {
  readonly loaded: ReadonlyMap<PackId, RulePack>
  /** Loads a pack into `loaded`. */
  load(id: PackId): Promise<void>
}

/** Returns the rules of packs in the order of the table. */
export const rulesOf = (packs: readonly RulePack[]): readonly Rule[] =>
  packs
    .flatMap(({ sections = [] }) => sections)
    .toSorted((a, b) => a.rank - b.rank)
    .flatMap(({ rules }) => rules)

/** Loads the packs of a list that are missing, at once. */
export const loadPacks = async ({ loaded, load }: PackSource, ids: readonly PackId[] = packIds): Promise<void> => {
  await Promise.all(ids.filter((id) => !loaded.has(id)).map(load))
}
