#!/usr/bin/env node
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { homedir, hostname } from 'node:os'
import { createInterface } from 'node:readline/promises'
import { setTimeout } from 'node:timers/promises'
import { main } from './main.ts'
import type { Terminal } from './terminal.ts'

const interactive = process.stderr.isTTY === true
let isRedrawing = false
let interruptMessage = 'Stopped.'

function endProgress(): void {
  if (isRedrawing) process.stderr.write('\n')
  isRedrawing = false
}

const opener = { darwin: 'open', win32: 'explorer' }[process.platform as string] ?? 'xdg-open'

const terminal: Terminal = {
  env: process.env,
  home: homedir(),
  machine: hostname(),
  interactive,
  fetch,
  now: () => performance.now(),
  out(text) {
    endProgress()
    process.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
  },
  note(text) {
    endProgress()
    process.stderr.write(`${text}\n`)
  },
  progress(text) {
    process.stderr.write(interactive ? `\r\u001b[2K${text}` : `${text}\n`)
    isRedrawing = interactive
  },
  async wait(ms) {
    await setTimeout(ms)
  },
  async ask(question) {
    if (process.stdin.isTTY !== true) return ''
    const lines = createInterface({ input: process.stdin, output: process.stderr })
    // While a line is read, Ctrl-C arrives as a key press and not as a signal.
    lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'))
    // Ctrl-D closes the input without an answer.
    const closed = once(lines, 'close').then(() => '')
    const answer = await Promise.race([lines.question(question), closed])
    lines.close()
    return answer
  },
  onInterrupt(message) {
    interruptMessage = message
  },
  openBrowser(url) {
    if (!interactive) return
    const child = spawn(opener, [url], { stdio: 'ignore', detached: true })
    child.once('error', () => undefined).unref()
  },
}

process.once('SIGINT', () => {
  terminal.note(interruptMessage)
  process.exit(130)
})

process.exitCode = await main(process.argv.slice(2), terminal)
