import type { Rule } from './rule.ts'

/**
 * A rule in short form. `keywords` is a text with `|` between the keywords, and line breaks are allowed after `|`. If a
 * keyword contains `|`, `keywords` is a list. If the keywords are computed, `keywords` is empty. `reader` is the rule's
 * pattern, or the name of the rule's finder.
 */
export type RuleRow = readonly [keywords: string | readonly string[], reader: RegExp | string, more?: Partial<Rule>]

/** Rules by id, with the properties that most of these rules share. */
export interface RuleTable {
  /**
   * The default of the placeholder is the category in capital letters. In a placeholder, `*` is the first word of the
   * rule's id.
   */
  readonly defaults?: Partial<Rule>
  readonly rows: Readonly<Record<string, RuleRow>>
}

/**
 * Returns the rules of a table.
 * @param computed the keywords of rows without keywords, by the rule's id.
 */
export const expandRules = (
  { defaults, rows }: RuleTable,
  computed: Readonly<Record<string, readonly string[]>> = {},
): readonly Rule[] =>
  Object.entries(rows).map(([id, [keywords, reader, more]]) => {
    const rule = { category: '', ...defaults, ...more }
    return {
      ...rule,
      [typeof reader === 'string' ? 'finder' : 'pattern']: reader,
      id,
      placeholder: (rule.placeholder ?? rule.category.toUpperCase()).replace('*', id.replace(/-.*/, '').toUpperCase()),
      keywords: computed[id] ?? (typeof keywords === 'string' ? keywords.split(/\|(?:\n\s*)?/) : keywords),
    }
  })
