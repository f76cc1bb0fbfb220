#!/usr/bin/env node
import { homedir, hostname } from 'node:os'
import { createInterface } from 'node:readline/promises'
import { setTimeout } from 'node:timers/promises'
import { main } from './main.ts'
import type { Terminal } from './terminal.ts'

const interactive = process.stderr.isTTY === true
let redrawing = false

function end(): void {
  if (redrawing) process.stderr.write('\n')
  redrawing = false
}

const terminal: Terminal = {
  env: process.env,
  home: homedir(),
  machine: hostname(),
  interactive,
  fetch,
  out(text) {
    end()
    process.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
  },
  note(text) {
    end()
    process.stderr.write(`${text}\n`)
  },
  progress(text) {
    process.stderr.write(interactive ? `\r\u001b[2K${text}` : `${text}\n`)
    redrawing = interactive
  },
  async wait(ms) {
    await setTimeout(ms)
  },
  async confirm(question) {
    if (process.stdin.isTTY !== true) return false
    const lines = createInterface({ input: process.stdin, output: process.stderr })
    const answer = await lines.question(`${question} [y/N] `)
    lines.close()
    return /^y(es)?$/i.test(answer.trim())
  },
}

process.exitCode = await main(process.argv.slice(2), terminal)
