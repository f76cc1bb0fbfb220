/** One change of a source text that a test should notice. */
export interface Mutant {
  readonly start: number
  readonly end: number
  readonly replacement: string
  /**
   * The kind of code that is changed: the operator, the number, the name of drizzle's function, `condition` of an `if`,
   * `statement`, `element`, and for conditions of SQL `and`, `when` or `iif`.
   */
  readonly what: string
  /** The names of the declarations around the change, with dots between. */
  readonly within: string
  /** The changed code, with the operands of an operator. */
  readonly code: string
  /** The line of the change, from 1. */
  readonly line: number
}

/** Returns the text with a mutant applied. */
export function applyMutant(text: string, { start, end, replacement }: Mutant): string {
  const mutated = text.slice(0, start) + replacement + text.slice(end)
  return mutated.includes('drizzleOperators)') ? `import * as drizzleOperators from 'drizzle-orm'\n${mutated}` : mutated
}

/** The content of `TRIBUTARY_MUTANT`, as JSON: the absolute path of a source file, and its mutant. */
export interface PlacedMutant {
  readonly path: string
  readonly mutant: Mutant
}

/**
 * Creates a Vite plugin that applies the mutant in the variable `TRIBUTARY_MUTANT` to its file. The variable is read
 * for each file, so that one process runs the tests of many mutants.
 */
export function mutantPlugin() {
  return {
    name: 'tributary-mutant',
    enforce: 'pre' as const,
    transform(code: string, id: string): string | null {
      const placed = process.env['TRIBUTARY_MUTANT']
      if (!placed) return null
      const { path, mutant } = JSON.parse(placed) as PlacedMutant
      return id.split('?')[0] === path ? applyMutant(code, mutant) : null
    },
  }
}
