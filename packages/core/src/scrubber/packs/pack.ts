import type { Table } from '../engine/detect.ts'
import type { Rule } from '../engine/rule.ts'
import type { NamedFunctions } from '../engine/compile-rules.ts'
import { packIds, type PackId } from '../engine/scrubber-types.ts'

/** Consecutive rules of the table. */
export interface Section {
  /**
   * The position of the section in the table. Where two findings overlap, the merged finding gets the rule that is
   * first in the table.
   */
  readonly rank: number
  readonly rules: readonly Rule[]
}

/**
 * A part of the table that can be loaded separately, with the functions of its rules. A function of a pack replaces a
 * function of the base with the same name.
 */
export interface RulePack extends Partial<NamedFunctions> {
  readonly sections?: readonly Section[]
  /** Returns whether a finding identifies no person. */
  readonly isPublished?: Table['isPublished']
  /** Returns whether a finding is sample data in program code. */
  readonly isSampleData?: Table['isSampleData']
  /** Adds the names in records that contain another finding, such as a phone number. */
  readonly findInRecords?: Table['findInRecords']
  /** Returns the forms of the author's name and mail hosts. */
  readonly formsOfAuthor?: Table['formsOfAuthor']
  /** Returns other spellings of the labels of hosts. */
  readonly spellings?: Table['spellings']
}

/** The source of packs. On a server, all packs are loaded. A browser loads a pack when a scrubber needs it. */
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

/** Returns the functions of packs by their names. */
export function mergeFunctions(packs: readonly RulePack[]): NamedFunctions {
  const merge = (kind: keyof NamedFunctions) => Object.assign({}, ...packs.map((pack) => pack[kind]))
  return { finders: merge('finders'), gates: merge('gates'), checks: merge('checks') }
}

/** Loads the missing packs of a list concurrently. */
export const loadPacks = async ({ loaded, load }: PackSource, ids: readonly PackId[] = packIds): Promise<void> => {
  await Promise.all(ids.filter((id) => !loaded.has(id)).map(load))
}
