import { Command } from 'commander'
import { addFlags, readFlags, removeUnsetVariables, type Flags, type FlagValues } from './flag.ts'

/** Returns the values of flags for a command line and an environment that replaces the process's own variables. */
export function parseFlags<F extends Flags>(
  flags: F,
  argv: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): FlagValues<F> {
  const before = { ...process.env }
  for (const name of Object.keys(process.env)) if (name.startsWith('TRIBUTARY_')) delete process.env[name]
  Object.assign(process.env, environment)
  try {
    const command = new Command('test').exitOverride().configureOutput({ outputError: () => undefined })
    addFlags(command, flags)
    removeUnsetVariables(flags, process.env)
    command.parse([...argv], { from: 'user' })
    return readFlags(command, flags)
  } finally {
    process.env = before
  }
}
