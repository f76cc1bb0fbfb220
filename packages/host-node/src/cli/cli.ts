#!/usr/bin/env node
import { backupCommand } from './commands/backup.ts'
import { devCommand } from './commands/dev.ts'
import { doctorCommand } from './commands/doctor.ts'
import { migrateCommand } from './commands/migrate.ts'
import { restoreCommand } from './commands/restore.ts'
import { scrubCommand } from './commands/scrub.ts'
import { seedCommand } from './commands/seed.ts'
import { startCommand } from './commands/start.ts'
import { workerCommand } from './commands/worker.ts'
import { runProgram } from './program.ts'

const commands = [
  devCommand,
  startCommand,
  migrateCommand,
  workerCommand,
  doctorCommand,
  backupCommand,
  restoreCommand,
  seedCommand,
  scrubCommand,
]

process.exitCode = await runProgram(commands, process.argv.slice(2), {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
})
// Idle connections and timers of libraries would keep the process alive.
process.stdout.write('', () => process.exit())
