import type { OptionsOf, OptionTable } from '@tributary/core/host'
import { InvalidArgumentError, Option, type Command } from 'commander'

/** A flag as data, which describes the command line, the environment variable, the help and the type of the value. */
export interface Flag {
  /** A `number` is an integer. A `decimal` may have decimal places. A `list` may be given several times. */
  readonly kind: 'text' | 'number' | 'decimal' | 'switch' | 'list'
  readonly help: string
  /** The name of the value in the help: `N`, `URL`. */
  readonly placeholder?: string
  readonly default?: string | number
  /** The allowed values. Any other value is an error. */
  readonly choices?: readonly string[]
  readonly min?: number
  readonly max?: number
}

export type Flags = Readonly<Record<string, Flag>>

type ValueOf<F extends Flag> = F extends { kind: 'switch' }
  ? boolean
  : F extends { kind: 'list' }
    ? readonly string[]
    : F extends { kind: 'number' | 'decimal' }
      ? F extends { default: number }
        ? number
        : number | undefined
      : F extends { default: string }
        ? string
        : string | undefined

/** The value of each flag, by the name of the flag. */
export type FlagValues<F extends Flags> = { readonly [K in keyof F]: ValueOf<F[K]> }

/** A mistake in the command line, with a message for the person who called the command. Exit code 2. */
export class UsageError extends Error {}

/** Declares flags and keeps the types of their values. */
export function defineFlags<const F extends Flags>(flags: F): F {
  return flags
}

type FlaggedOption<Table> = {
  [Name in keyof Table]: Table[Name] extends { readonly flag: { readonly name: string } } ? Name : never
}[keyof Table] &
  string
type FlagName<O> = O extends { readonly flag: { readonly name: infer Name extends string } } ? Name : never
type FlagOf<O> = (O extends { readonly kind: infer Kind extends Flag['kind'] } ? { readonly kind: Kind } : unknown) &
  (O extends { readonly default: infer Default extends string | number } ? { readonly default: Default } : unknown) &
  Flag

/** Returns flags for the named options of a table, which has their help, kind, default and range. */
export function optionFlags<Table extends OptionTable, Name extends FlaggedOption<Table>>(
  table: Table,
  ...names: readonly Name[]
): { readonly [N in Name as FlagName<Table[N]>]: FlagOf<Table[N]> } {
  const entries = names.map((name) => {
    const { flag, rules: _, ...option } = table[name] as OptionTable[string] & Omit<Flag, 'help' | 'default'>
    if (!flag) throw new Error(`the option ${name} has no flag`)
    const { name: flagName, ...changes } = flag
    const standard = typeof option.default === 'boolean' ? {} : { default: option.default }
    const { default: __, ...definition } = option
    return [flagName, { ...definition, ...(standard.default === undefined ? {} : standard), ...changes }]
  })
  return Object.fromEntries(entries) as never
}

/**
 * Returns the options of a table whose flags are among these values. Throws `UsageError` for a value that an option
 * does not accept.
 */
export function readOptions<Table extends OptionTable>(
  table: Table,
  values: Readonly<Record<string, unknown>>,
): Pick<OptionsOf<Table>, FlaggedOption<Table> & keyof OptionsOf<Table>> {
  const options: Record<string, unknown> = {}
  for (const [name, { flag, rules }] of Object.entries(table)) {
    const value = flag && values[flag.name]
    if (value === undefined) continue
    const broken = rules.find(({ isValid }) => !isValid(value))
    if (broken) throw new UsageError(`--${flag?.name}: expected ${broken.expected}, not "${String(value)}"`)
    options[name] = value
  }
  return options as never
}

/** Returns the environment variable of a flag: `TRIBUTARY_DATABASE_TOKEN` for `database-token`. */
export function environmentName(flag: string): string {
  return `TRIBUTARY_${flag.toUpperCase().replaceAll('-', '_')}`
}

/** Returns the name of a flag's value in the help: its choices, `URL`, `TEXT` or `N`. */
export function choosePlaceholder({ kind, choices, placeholder }: Flag): string {
  return choices?.join('|') ?? placeholder ?? (kind === 'text' || kind === 'list' ? 'TEXT' : 'N')
}

/**
 * Adds flags to a command. A value of the command line has precedence over one of the environment, which has precedence
 * over the default.
 */
export function addFlags(command: Command, flags: Flags): void {
  for (const [name, flag] of Object.entries(flags)) command.addOption(createOption(name, flag))
}

/** Returns the values of parsed flags. */
export function readFlags<F extends Flags>(command: Command, flags: F): FlagValues<F> {
  const entries = Object.entries(flags).map(([name, { kind }]) => {
    const value: unknown = command.getOptionValue(new Option(`--${name}`).attributeName())
    return [name, kind === 'switch' ? value === true : kind === 'list' ? (value ?? []) : value]
  })
  return Object.fromEntries(entries) as FlagValues<F>
}

/**
 * Removes variables that do not set their flag from the environment: empty variables, and switches with the value
 * `off`. Commander reads every existing variable, and treats any value of a switch as on. Throws `UsageError` for a
 * switch that is neither on nor off.
 */
export function removeUnsetVariables(flags: Flags, environment: NodeJS.ProcessEnv): void {
  for (const [name, { kind }] of Object.entries(flags)) {
    const variable = environmentName(name)
    const value = environment[variable]
    if (value === undefined) continue
    if (value === '' || (kind === 'switch' && /^(?:0|false|off)$/.test(value))) delete environment[variable]
    else if (kind === 'switch' && !/^(?:1|true|on)$/.test(value))
      throw new UsageError(`${variable}: expected on or off, not "${value}"`)
  }
}

function createOption(name: string, flag: Flag): Option {
  const option = new Option(`--${name}${flag.kind === 'switch' ? '' : ` <${choosePlaceholder(flag)}>`}`, flag.help)
  option.env(environmentName(name))
  if (flag.default !== undefined) option.default(flag.default, String(flag.default))
  if (flag.kind === 'list')
    option.argParser((text: string, earlier: readonly string[] = []) => [...earlier, String(parseValue(flag, text))])
  else if (flag.kind !== 'switch') option.argParser((text: string) => parseValue(flag, text))
  return option
}

function parseValue(flag: Flag, text: string): string | number {
  if (/^--[a-z]/.test(text)) throw new InvalidArgumentError('Expected a value before the next flag.')
  if (flag.choices && !flag.choices.includes(text))
    throw new InvalidArgumentError(`Expected ${flag.choices.join(' or ')}.`)
  if (flag.kind === 'text' || flag.kind === 'list') return text
  const { min = 0, max = Infinity } = flag
  const isNumber = flag.kind === 'number' ? /^\d{1,15}$/ : /^\d{1,15}(?:\.\d{1,9})?$/
  if (isNumber.test(text) && Number(text) >= min && Number(text) <= max) return Number(text)
  const range = max === Infinity ? `of ${min} or more` : `from ${min} to ${max}`
  throw new InvalidArgumentError(`Expected a ${flag.kind === 'number' ? 'whole ' : ''}number ${range}.`)
}
