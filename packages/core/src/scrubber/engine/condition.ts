/** Returns whether a value meets a condition. */
export type Check = (value: string) => boolean

/**
 * A condition for a value, as data: a regular expression that must match (without the flags `g` and `y`), the name of a
 * check, or a list of conditions that must all be met. Only rules of an app use a function.
 */
export type Condition =
  | RegExp
  | string
  | Check
  | { readonly not: Condition }
  | { readonly any: readonly Condition[] }
  | readonly Condition[]

/**
 * Compiles a condition. Throws for a name that is not in `checks`, and for a regular expression with the flag `g` or
 * `y`: it would start at the end of its last match, and so give different results for the same value.
 */
export function compileCondition(condition: Condition, checks: Readonly<Record<string, Check>>): Check {
  const compile = (one: Condition): Check => compileCondition(one, checks)
  if (typeof condition === 'function') return condition
  if (condition instanceof RegExp) {
    if (condition.global || condition.sticky) throw new Error(`valid: ${condition} must not have the flag g or y`)
    return (value) => condition.test(value)
  }
  if (typeof condition === 'string') {
    const check = Object.hasOwn(checks, condition) ? checks[condition] : undefined
    if (!check) throw new Error(`valid: there is no check "${condition}"`)
    return check
  }
  if ('not' in condition) {
    const holds = compile(condition.not)
    return (value) => !holds(value)
  }
  if ('any' in condition) {
    const some = condition.any.map(compile)
    return (value) => some.some((holds) => holds(value))
  }
  const all = condition.map(compile)
  return (value) => all.every((holds) => holds(value))
}
