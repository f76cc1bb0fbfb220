import { checkOptionNames } from './option-names.ts'

/**
 * A rule for a value, and the message when the value breaks it: `trustedProxies must be a whole number, 0 or more, not
 * -1`.
 */
export interface OptionRule<Value = unknown> {
  readonly expected: string
  isValid(value: Value): boolean
  /** Whether the value is a list whose elements are checked one by one. */
  readonly isOfElements?: boolean
}

/** The command-line flag that sets an option. The flag has the kind, default and range of the option. */
export interface OptionFlag {
  readonly name: string
  readonly help: string
  /** The name of the value in the help. */
  readonly placeholder?: string
  /** The least and the greatest value of the flag, if the option itself has a wider range. */
  readonly min?: number
  readonly max?: number
}

/** One entry of a table of options: everything about an option except its name and description. */
export interface Option<Value, Resolved = Value | null> {
  readonly rules: readonly OptionRule[]
  readonly isRequired?: boolean
  /** The default value. An option without a default and without a value resolves to null. */
  readonly default?: Value
  /** The methods that the value must have, if the option is a port. */
  readonly methods?: readonly string[]
  /** The fields of an option whose value is an object. */
  readonly options?: OptionTable
  readonly flag?: OptionFlag
  /** This field is only for types and is never set. */
  readonly types?: { readonly value: Value; readonly resolved: Resolved }
}

/** Options by name. The comment of an entry is the description of its option. */
export type OptionTable = Readonly<Record<string, Option<unknown, unknown>>>

type ValueOf<O> = O extends Option<infer Value, infer _> ? Value : never
type ResolvedOf<O> = O extends Option<infer _, infer Resolved> ? Resolved : never
type RequiredNames<Table> = {
  [Name in keyof Table]: Table[Name] extends { readonly isRequired: true } ? Name : never
}[keyof Table]

/** The options of a table, in the form in which a caller gives them. */
export type OptionsOf<Table extends OptionTable> = {
  readonly [Name in keyof Table as Name extends RequiredNames<Table> ? Name : never]: ValueOf<Table[Name]>
} & {
  readonly [Name in keyof Table as Name extends RequiredNames<Table> ? never : Name]?: ValueOf<Table[Name]>
}

/** The options of a table with every default filled in. */
export type ResolvedOptionsOf<Table extends OptionTable> = {
  readonly [Name in keyof Table]: ResolvedOf<Table[Name]>
}

/** Declares the condition that a value must meet. */
export function rule<Value>(expected: string, isValid: (value: Value) => boolean): OptionRule<Value> {
  return { expected, isValid }
}

/** Declares the condition that each element of a list must meet. */
export function elementRule<Element>(expected: string, isValid: (value: Element) => boolean): OptionRule<Element> {
  return { expected, isValid, isOfElements: true }
}

/** Declares an option that must be given. */
export function required<Value>(...rules: OptionRule<Value>[]): Option<Value, Value> & { readonly isRequired: true } {
  return { rules, isRequired: true }
}

/** Declares an option without a default. The option is null when it is not given. */
export function optional<Value>(...rules: OptionRule<never>[]): Option<Value> {
  return { rules }
}

/** Declares an option with a default. */
export function withDefault<Value>(standard: Value, ...rules: OptionRule<never>[]): Option<Value, Value> {
  return { rules, default: standard }
}

/** Declares a port without a default: an object with these methods. */
export function port<Port extends object>(methods: readonly (keyof Port & string)[]): Option<Port> {
  return { rules: [], methods }
}

/** Declares a port with a default: an object with these methods. */
export function portWithDefault<Port extends object>(
  methods: readonly (keyof Port & string)[],
  standard: Port,
): Option<Port, Port> {
  return { rules: [], methods, default: standard }
}

/** Declares a port that is a function, without a default. */
export function callable<Call>(): Option<Call> {
  return { rules: [isFunction] }
}

/** Declares a port that is a function, with a default. */
export function callableWithDefault<Call>(standard: Call): Option<Call, Call> {
  return { rules: [isFunction], default: standard }
}

/** Declares options within one option. */
export function group<const Table extends OptionTable>(
  options: Table,
): Option<OptionsOf<Table>, ResolvedOptionsOf<Table>> & { readonly options: Table } {
  return { rules: [], options }
}

interface NumberDefinition {
  readonly default?: number
  readonly min?: number
  readonly max?: number
  readonly flag?: OptionFlag
}
type Defined<Value, Definition> = Option<Value, Definition extends { readonly default: Value } ? Value : Value | null> &
  Definition

/** Declares a whole number from `min` (default 0) to `max`. */
export function integer<const D extends NumberDefinition>(
  definition: D,
): Defined<number, D> & { readonly kind: 'number' } {
  const isValid = (value: number): boolean => Number.isSafeInteger(value) && isInRange(definition, value)
  return { kind: 'number', rules: [rule(`a whole number${describeRange(definition)}`, isValid)], ...definition }
}

/** Declares a number from `min` (default 0) to `max`. */
export function decimal<const D extends NumberDefinition>(
  definition: D,
): Defined<number, D> & { readonly kind: 'decimal' } {
  const isValid = (value: number): boolean => isInRange(definition, value)
  return { kind: 'decimal', rules: [rule(`a number${describeRange(definition)}`, isValid)], ...definition }
}

/** Declares an option that is true or false. */
export function toggle<const D extends { readonly default: boolean; readonly flag?: OptionFlag }>(
  definition: D,
): Option<boolean, boolean> & D & { readonly kind: 'switch' } {
  const isValid = (value: unknown): boolean => typeof value === 'boolean'
  return { kind: 'switch', rules: [rule('true or false', isValid)], ...definition }
}

/** Declares an option that is one of several words. */
export function choice<
  const Choice extends string,
  const D extends { readonly default: NoInfer<Choice>; readonly flag?: OptionFlag },
>(
  choices: readonly Choice[],
  definition: D,
): Option<Choice, Choice> & D & { readonly kind: 'text'; readonly choices: readonly Choice[] } {
  const isValid = (value: Choice): boolean => choices.includes(value)
  return { kind: 'text', choices, rules: [rule(choices.join(' or '), isValid)], ...definition }
}

/** Declares an option that is a text and has no default. */
export function text<const D extends { readonly flag: OptionFlag }>(
  definition: D,
  ...rules: OptionRule<string>[]
): Option<string> & D & { readonly kind: 'text' } {
  return { kind: 'text', rules, ...definition }
}

type Port = Readonly<Record<string, unknown>>
const isFunction = rule('a function', (value) => typeof value === 'function')

const isInRange = ({ min = 0, max = Infinity }: NumberDefinition, value: number): boolean =>
  value >= min && value <= max

const describeRange = ({ min = 0, max }: NumberDefinition): string =>
  max === undefined ? `, ${min} or more` : ` from ${min} to ${max}`

/**
 * Fills in the defaults of a table. Throws for an option that is not in the table or whose value cannot work; the error
 * names the option. `path` is the prefix of the names: `webhooks.`.
 */
export function resolveTable<Table extends OptionTable>(
  table: Table,
  given: OptionsOf<Table>,
  path = '',
): ResolvedOptionsOf<Table> {
  checkOptionNames<object>(given, table, path)
  const entries = Object.entries(table).map(([name, option]) => {
    const value = (given as Readonly<Record<string, unknown>>)[name]
    if (option.options) return [name, resolveTable(option.options, (value ?? {}) as never, `${path}${name}.`)]
    if (value === undefined && !option.isRequired) return [name, option.default ?? null]
    for (const one of option.rules) checkValue(path + name, value, one)
    const missing = option.methods?.find((method) => typeof (value as Port)[method] !== 'function')
    if (missing) throw new Error(`${path}${name} needs a method ${missing}`)
    return [name, value]
  })
  return Object.fromEntries(entries) as ResolvedOptionsOf<Table>
}

function checkValue(name: string, value: unknown, { expected, isValid, isOfElements }: OptionRule): void {
  const wrong = isOfElements ? (value as unknown[]).filter((one) => !isValid(one)) : isValid(value) ? [] : [value]
  if (wrong.length === 0) return
  const shown = typeof wrong[0] === 'object' ? JSON.stringify(wrong[0]) : String(wrong[0])
  throw new Error(`${name} must be ${expected}, not ${shown}`)
}
