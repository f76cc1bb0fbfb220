import { parseArgs } from 'node:util'

/** A flag as data: the command line, its environment variable, the help text and the value's kind are all read from it. */
export interface Flag {
  /** A `number` is whole, a `decimal` need not be. */
  readonly kind: 'text' | 'number' | 'decimal' | 'switch'
  readonly help: string
  /** What the help shows as the value: `N`, `URL`. */
  readonly value?: string
  readonly preset?: string | number | boolean
  /** The only values allowed. */
  readonly among?: readonly string[]
  readonly least?: number
  readonly most?: number
}

export type Flags = Readonly<Record<string, Flag>>

type ValueOf<F extends Flag> = F extends { kind: 'switch' }
  ? boolean
  : F extends { kind: 'number' | 'decimal' }
    ? F extends { preset: number }
      ? number
      : number | undefined
    : F extends { preset: string }
      ? string
      : string | undefined

/** The values by the flags' names. */
export type Values<F extends Flags> = { readonly [K in keyof F]: ValueOf<F[K]> }

/** What is wrong with how the command was called, in words for the person who called it. Exit code 2. */
export class UsageError extends Error {}

/** Declares flags, typed as they were written. */
export function flags<const F extends Flags>(all: F): F {
  return all
}

/** `database-token` is `TRIBUTARY_DATABASE_TOKEN`. */
export const variable = (name: string): string => `TRIBUTARY_${name.toUpperCase().replaceAll('-', '_')}`

/** Reads the command line, then the environment, then the presets. Throws `UsageError`. */
export function readFlags<F extends Flags>(all: F, argv: readonly string[], env: NodeJS.ProcessEnv): Values<F> {
  const given = onCommandLine(all, argv)
  const entries = Object.entries(all).map(([name, flag]) => {
    const typed = given[name]
    const set = env[variable(name)]
    if (typed !== undefined) return [name, value(`--${name}`, flag, typed)]
    if (set !== undefined && set !== '') return [name, value(variable(name), flag, set)]
    return [name, flag.preset ?? (flag.kind === 'switch' ? false : undefined)]
  })
  return Object.fromEntries(entries) as Values<F>
}

function onCommandLine(all: Flags, argv: readonly string[]): Record<string, string | boolean | undefined> {
  const options = Object.fromEntries(
    Object.entries(all).map(([name, { kind }]) => [
      name,
      { type: kind === 'switch' ? ('boolean' as const) : ('string' as const) },
    ]),
  )
  try {
    return parseArgs({ args: [...argv], options, strict: true, allowPositionals: false }).values as Record<
      string,
      string | boolean
    >
  } catch (error) {
    const said = error instanceof Error ? error.message.split(/\.? (?=[A-Z])|\n/)[0]! : String(error)
    const dashed = /^(?:Option )?'(--[a-z-]+)[^']*' argument is ambiguous/.exec(said)
    if (dashed)
      throw new UsageError(
        `${dashed[1]} needs a value; one that begins with a dash is written ${dashed[1]}=-VALUE. --help lists every flag.`,
      )
    throw new UsageError(`${said.replace(/\.$/, '')}. --help lists every flag.`)
  }
}

function value(from: string, flag: Flag, given: string | boolean): string | number | boolean {
  if (flag.kind === 'switch') {
    if (given === true || given === '1' || given === 'true' || given === 'on') return true
    if (given === false || given === '0' || given === 'false' || given === 'off') return false
    throw new UsageError(`${from} is on or off, not "${given}".`)
  }
  const text = String(given)
  if (flag.among && !flag.among.includes(text))
    throw new UsageError(`${from} is one of ${flag.among.join(', ')}, not "${text}".`)
  if (flag.kind === 'text') return text
  const [shape, words] =
    flag.kind === 'number' ? [/^\d{1,15}$/, 'a whole number'] : [/^\d{1,15}(?:\.\d{1,9})?$/, 'a number']
  if (!shape.test(text))
    throw new UsageError(`${from} is ${words}${flag.least ? ` of ${flag.least} or more` : ''}, not "${text}".`)
  const number = Number(text)
  if (number < (flag.least ?? 0) || number > (flag.most ?? Infinity)) {
    throw new UsageError(
      `${from} is ${flag.least ?? 0}${flag.most === undefined ? ' or more' : ` to ${flag.most}`}, not ${text}.`,
    )
  }
  return number
}

/** The flags of a command for its `--help`: name, variable, what it does, the preset. */
export function flagHelp(all: Flags): string {
  const rows = Object.entries(all).map(([name, flag]) => {
    const shown = flag.among?.join('|') ?? flag.value ?? (flag.kind === 'text' ? 'TEXT' : 'N')
    const preset = flag.preset === undefined || flag.preset === false ? '' : ` (default ${flag.preset})`
    return [`--${name}${flag.kind === 'switch' ? '' : ` ${shown}`}`, variable(name), flag.help + preset] as const
  })
  const [first, second] = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows.map(([flag, env, help]) => `  ${flag.padEnd(first!)}  ${env.padEnd(second!)}  ${help}`).join('\n')
}
