#!/usr/bin/env node
import { commands } from './commands/index.ts'
import { runProgram } from './program.ts'

process.exitCode = await runProgram(commands, process.argv.slice(2), {
  isTerminal: process.stdout.isTTY === true,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
})
// The process exits here, because idle connections and timers of libraries would keep it alive.
process.stdout.write('', () => process.exit())
