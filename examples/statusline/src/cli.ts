#!/usr/bin/env node
import { spawn } from 'node:child_process'
import { homedir } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { main } from './main.ts'
import type { Runtime } from './runtime.ts'

/** Starts a process that outlives this one. Resolves with false when it cannot be started. */
function start(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<boolean> {
  return new Promise((resolve) => {
    try {
      const child = spawn(command, args, { detached: true, stdio: 'ignore', windowsHide: true, env })
      child
        .once('error', () => resolve(false))
        .once('spawn', () => resolve(true))
        .unref()
    } catch {
      resolve(false)
    }
  })
}

/** The program that opens a URL in the browser, by platform. It is run without a shell. */
const openers: Record<string, readonly string[]> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

const runtime: Runtime = {
  env: process.env,
  home: homedir(),
  tty: process.stdout.isTTY === true,
  columns: process.stdout.columns || Number(process.env['COLUMNS']) || 80,
  rows: process.stdout.rows || Number(process.env['LINES']) || 24,
  platform: process.platform,
  arch: process.arch,
  fetch: (...args) => fetch(...args),
  now: Date.now,
  async wait(ms) {
    await setTimeout(ms)
  },
  out: (text) => void process.stdout.write(`${text}\n`),
  note: (text) => void process.stderr.write(`${text}\n`),
  background: (args, env) =>
    void start(process.execPath, [fileURLToPath(import.meta.url), ...args], { ...process.env, ...env }),
  browse(url) {
    const [command, ...before] = openers[process.platform] ?? ['xdg-open']
    return start(command!, [...before, url], process.env)
  },
}

// A prompt may close the pipe early.
process.stdout.on('error', () => {})
process.exitCode = await main(process.argv.slice(2), runtime)
