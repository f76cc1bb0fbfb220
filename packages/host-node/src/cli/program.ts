import { closeSync, openSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import { addFlags, readFlags, removeUnsetVariables, type Flags, type FlagValues } from './flags/flag.ts'
import { describeFileError } from './system-errors.ts'

/** The output of a command. */
export interface Output {
  /** Writes to stdout. */
  out(text: string): void
  /** Writes to stderr. */
  err(text: string): void
  /** Whether stdout is a terminal that a person reads. */
  readonly isTerminal?: boolean
}

/** A command that is not loaded yet, with the texts for the list of commands. */
export interface NamedCommand {
  readonly name: string
  readonly summary: string
  readonly load: () => Promise<CliCommand>
}

/** A command of the CLI as data. */
export interface CliCommand<F extends Flags = Flags> {
  /** The paragraphs of the help after the summary. */
  readonly description?: string
  readonly example: string
  readonly flags: F
  /** The name of the file arguments in the help. Without it the command has no arguments. */
  readonly files?: string
  /** Resolves with the exit code. Throws `UsageError` (2) and `CommandError` (1). */
  run(values: FlagValues<F>, output: Output, files: readonly string[]): Promise<number>
}

const exitCodes = `Exit codes: 0 success; 1 failure, the message says what to do; 2 invalid flags or arguments;
130 or 143 ended immediately by a second Ctrl-C or SIGTERM.`

/** Declares a command. Its `run` receives the values of the flags with their types. */
export function defineCommand<const F extends Flags>(definition: CliCommand<F>): CliCommand {
  return definition as unknown as CliCommand
}

/**
 * Loads and runs the command that `argv` names. Flags are also read from `process.env`. Resolves with the exit code.
 */
export async function runProgram(
  commands: readonly NamedCommand[],
  argv: readonly string[],
  output: Output,
): Promise<number> {
  let exitCode = 0
  const program = new Command('tributary')
    .description('The server behind command-line clients that contribute AI conversation traces.')
    .version(packageJson.version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => output.out(text),
      writeErr: (text) => output.err(text),
      outputError: () => undefined,
    })
    .addHelpText('after', '\nFlags and environment variables are the only configuration; no file is read.')
  try {
    for (const { name, summary, load } of commands) {
      const command = program.command(name).summary(summary).description(`${summary}.`)
      // The name is also found in `help NAME`.
      if (!argv.slice(0, 2).includes(name)) continue
      const definition = await load()
      describeCommand(command, definition)
      removeUnsetVariables(definition.flags, process.env)
      command.action(async () => {
        exitCode = await definition.run(readFlags(command, definition.flags), output, command.args)
      })
    }
    await program.parseAsync([...argv], { from: 'user' })
    return exitCode
  } catch (error) {
    return reportError(error, argv, output)
  }
}

function describeCommand(command: Command, { description, example, flags, files }: CliCommand): void {
  if (description) command.description(`${command.description()}\n\n${description}`)
  command.addHelpText('after', `\nExample:\n  ${example}\n\n${exitCodes}`)
  if (files) command.argument(`<${files}...>`)
  addFlags(command, flags)
}

function describeUnloaded(error: unknown): { readonly exitCode: number; readonly message: string } | null {
  const message = describeFileError(error)
  return message === null ? null : { exitCode: 1, message }
}

/** An upper limit for the number of files that are open at the same time while a command is loaded. */
const loadedFiles = 170

/**
 * Returns the error that explains a limit of open files that is too low for loading a command. Node itself would report
 * a missing module.
 */
function revealLimit(error: unknown): unknown {
  if ((error as { code?: unknown } | null)?.code !== 'ERR_MODULE_NOT_FOUND') return error
  const opened: number[] = []
  try {
    while (opened.length < loadedFiles) opened.push(openSync(process.execPath, 'r'))
    return error
  } catch (limit) {
    return limit
  } finally {
    for (const file of opened) closeSync(file)
  }
}

async function reportError(thrown: unknown, argv: readonly string[], { out, err }: Output): Promise<number> {
  const error = revealLimit(thrown)
  // The user requested help, or help was printed because no command was given.
  if (error instanceof CommanderError && error.code.startsWith('commander.help')) return error.exitCode === 0 ? 0 : 2
  if (error instanceof CommanderError && error.exitCode === 0) return 0
  const known = await import('./errors.ts').then(
    ({ describeError }) => describeError(error),
    // This function is loaded already. Without free descriptors, no further module can be loaded.
    () => describeUnloaded(error),
  )
  if (argv.includes('--json')) out(`${JSON.stringify({ ok: false, error: known?.message ?? String(error) })}\n`)
  else err(`${known?.message ?? (error instanceof Error ? (error.stack ?? error.message) : String(error))}\n`)
  return known?.exitCode ?? 1
}
