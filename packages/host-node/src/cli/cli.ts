#!/usr/bin/env node
import { backupCommand } from './commands/backup.ts'
import type { Command, Io } from './commands/command.ts'
import { devCommand } from './commands/dev.ts'
import { doctorCommand } from './commands/doctor.ts'
import { migrateCommand } from './commands/migrate.ts'
import { restoreCommand } from './commands/restore.ts'
import { seedCommand } from './commands/seed.ts'
import { startCommand } from './commands/start.ts'
import { explain } from './commands/trouble.ts'
import { workerCommand } from './commands/worker.ts'

const commands: readonly Command[] = [
  devCommand,
  startCommand,
  migrateCommand,
  workerCommand,
  doctorCommand,
  backupCommand,
  restoreCommand,
  seedCommand,
]

const overview = `tributary: the server behind a command-line client that contributes AI conversation traces

${commands.map(({ name, summary }) => `  ${name.padEnd(8)}  ${summary}`).join('\n')}
  scrub     takes secrets and personal data out of text, and shows what it found

tributary COMMAND --help says what each takes. Flags and environment variables are all there is; no file is read.
`

/** Runs the command that `argv` names and resolves with the exit code. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  const [name, ...rest] = argv
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    io.out(overview)
    return name === undefined ? 2 : 0
  }
  try {
    if (name === 'scrub') {
      const { scrubCommand } = await import('./scrub.ts')
      return await scrubCommand(rest, io)
    }
    const command = commands.find((one) => one.name === name)
    if (command) return await command.run(rest, io)
    io.err(`There is no command "${name}".\n\n${overview}`)
    return 2
  } catch (error) {
    const known = explain(error)
    const text = known?.message ?? (error instanceof Error ? (error.stack ?? error.message) : String(error))
    if (rest.includes('--json')) io.out(`${JSON.stringify({ ok: false, error: known?.message ?? String(error) })}\n`)
    else io.err(`${text}\n`)
    return known?.code ?? 1
  }
}

const write =
  (stream: NodeJS.WriteStream) =>
  (text: string): void =>
    void stream.write(text)

process.exitCode = await main(process.argv.slice(2), {
  env: process.env,
  out: write(process.stdout),
  err: write(process.stderr),
})
// Whatever still holds the loop (an idle connection, a timer of a library) has nothing more to do.
process.stdout.write('', () => process.exit())
