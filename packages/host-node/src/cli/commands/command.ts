import { flagHelp, readFlags, type Flags, type Values } from '../flags.ts'

/** What a command may touch of the process. */
export interface Io {
  readonly env: NodeJS.ProcessEnv
  out(text: string): void
  err(text: string): void
}

/** A command of the CLI as data. */
export interface Command {
  readonly name: string
  readonly summary: string
  help(): string
  /** Resolves with the exit code. Throws `UsageError` (2) and `Problem` (1). */
  run(argv: readonly string[], io: Io): Promise<number>
}

/** A problem that the person can solve; the message says how. Exit code 1. */
export class Problem extends Error {}

const exits = `Exit codes: 0 done; 1 it failed, and the message says what to do; 2 a flag is wrong;
130 or 143 a second Ctrl-C or SIGTERM ended it at once.`

/** Declares a command whose `run` gets its flags typed. */
export function command<const F extends Flags>(shape: {
  name: string
  summary: string
  /** More words for the help. */
  about?: string
  example: string
  flags: F
  run(values: Values<F>, io: Io): Promise<number>
}): Command {
  const help = (): string => `tributary ${shape.name}: ${shape.summary}
${shape.about ? `\n${shape.about}\n` : ''}
Flags, with their environment variables:
${flagHelp(shape.flags)}

Example:
  ${shape.example}

${exits}
`
  return {
    name: shape.name,
    summary: shape.summary,
    help,
    async run(argv, io) {
      if (argv.includes('--help') || argv.includes('-h')) {
        io.out(help())
        return 0
      }
      return shape.run(readFlags(shape.flags, argv, io.env), io)
    },
  }
}
