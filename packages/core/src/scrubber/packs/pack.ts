import type { Finder } from '../engine/findings.ts'
import type { Table } from '../engine/detect.ts'
import type { Rule } from '../engine/rule.ts'
import type { FinderGate } from '../engine/scanner.ts'
import { packIds, type PackId } from '../engine/scrubber-types.ts'

/** Rules that are next to each other in the table. */
export interface Section {
  /**
   * The place in the table. Where two findings overlap, the rule that is first in the table names the merged finding.
   */
  readonly rank: number
  readonly rules: readonly Rule[]
}

/** A part of the table that can be loaded separately, with the functions that its rules name. */
export interface RulePack {
  readonly sections?: readonly Section[]
  /** The functions that rules name in `finder`. A function replaces that of the base with the same name. */
  readonly finders?: Readonly<Record<string, Finder>>
  /** The gates by finder. */
  readonly gates?: Readonly<Record<string, FinderGate>>
  /** Returns whether a finding identifies no person. */
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

/** Loads the missing packs of a list, all at the same time. */
export const loadPacks = async ({ loaded, load }: PackSource, ids: readonly PackId[] = packIds): Promise<void> => {
  await Promise.all(ids.filter((id) => !loaded.has(id)).map(load))
}
