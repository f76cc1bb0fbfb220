import { spawn } from 'node:child_process'
import { readdirSync, existsSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository's root folder. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** The pnpm that the lockfile was made with; fetched by npx, never taken from the machine. */
export const pnpm = ['npx', '-y', 'pnpm@12.21.0']

/** A problem that the person at the terminal can solve: printed without a stack. */
export class Problem extends Error {}

/** Ends the process with a plain message for a `Problem`, with the stack for a bug. */
export function giveUp(error) {
  console.error(error instanceof Problem ? `\n${error.message}\n` : error)
  process.exit(1)
}

/** Refuses a Node that cannot run the project. */
export function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  throw new Problem(
    `Tributary needs Node 20.19 or newer; this is ${process.version}. Install a newer one: https://nodejs.org`,
  )
}

/** The folders of the workspace's packages, dependencies before dependents, as the build needs them. */
export function packages() {
  const first = ['packages/core', 'packages/test-kit', 'packages/host-node', 'packages/host-lambda']
  const folders = ['packages', 'examples'].flatMap((top) => {
    const at = join(root, top)
    return existsSync(at) ? readdirSync(at).map((name) => `${top}/${name}`) : []
  })
  const known = folders.filter((folder) => existsSync(join(root, folder, 'package.json')))
  return [
    ...first.filter((folder) => known.includes(folder)),
    ...known.filter((folder) => !first.includes(folder)).sort(),
  ]
}

/**
 * Runs a command to its end. `quiet` keeps the output back and hands it over; otherwise it goes to the terminal.
 * Resolves with the exit code (128 + n for a signal's end) and what was kept.
 */
export function run(command, { cwd = root, env = {}, quiet = false } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command[0], command.slice(1), {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', quiet ? 'pipe' : 'inherit', quiet ? 'pipe' : 'inherit'],
    })
    // A signal to us alone (npm passes them on) must not leave the child behind; Ctrl-C reaches both by itself.
    let told = null
    const forward = (signal) => child.kill((told = signal))
    for (const signal of ['SIGTERM', 'SIGHUP']) process.once(signal, forward)
    let output = ''
    child.stdout?.on('data', (data) => {
      output += data
    })
    child.stderr?.on('data', (data) => {
      output += data
    })
    child.on('error', (error) => reject(new Problem(`could not run ${command[0]}: ${error.message}`)))
    child.on('close', (code, signal) => {
      for (const name of ['SIGTERM', 'SIGHUP']) process.off(name, forward)
      if (told) process.exit(128 + constants.signals[told])
      resolve({ code: code ?? (signal ? 128 + constants.signals[signal] : 1), output })
    })
  })
}
