#!/usr/bin/env node
import { runProgram, type NamedCommand } from './program.ts'

/** The commands in the order of the help. Each is loaded when it is named, since what they need takes half a second to load. */
const commands: readonly NamedCommand[] = [
  {
    name: 'dev',
    summary: 'Serve on this machine only, with a mailbox in place of a mail server',
    load: async () => (await import('./commands/dev.ts')).devCommand,
  },
  {
    name: 'start',
    summary: 'Serve in production, behind a TLS proxy',
    load: async () => (await import('./commands/start.ts')).startCommand,
  },
  {
    name: 'migrate',
    summary: 'Apply pending database migrations',
    load: async () => (await import('./commands/migrate.ts')).migrateCommand,
  },
  {
    name: 'worker',
    summary: 'Ingest jobs and send mail, without serving',
    load: async () => (await import('./commands/worker.ts')).workerCommand,
  },
  {
    name: 'doctor',
    summary: 'Check what `start` needs, and say what to fix',
    load: async () => (await import('./commands/doctor.ts')).doctorCommand,
  },
  {
    name: 'backup',
    summary: 'Copy the database while servers write to it, and check the copy',
    load: async () => (await import('./commands/backup.ts')).backupCommand,
  },
  {
    name: 'restore',
    summary: 'Replace the database with a backup, while no server runs',
    load: async () => (await import('./commands/restore.ts')).restoreCommand,
  },
  {
    name: 'seed',
    summary: 'Fill a database with demo users and traces',
    load: async () => (await import('./commands/seed.ts')).seedCommand,
  },
  {
    name: 'dataset',
    summary: 'Export what was sold, or what may be sold, as a package for a buyer',
    load: async () => (await import('./commands/dataset.ts')).datasetCommand,
  },
  {
    name: 'scrub',
    summary: 'Show what the scrubber would replace in files',
    load: async () => (await import('./commands/scrub.ts')).scrubCommand,
  },
]

process.exitCode = await runProgram(commands, process.argv.slice(2), {
  isTerminal: process.stdout.isTTY === true,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
})
// Idle connections and timers of libraries would keep the process alive.
process.stdout.write('', () => process.exit())
