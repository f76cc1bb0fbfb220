// Installs and builds what is missing. `node .ci/prepare.mjs` does both for every package.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))
const pnpm = ['npx', '-y', 'pnpm@12.21.0']

/** Runs a command until it ends, or for `timeout` ms. With `quiet` its output is returned, otherwise it is printed. */
export function run(command, { cwd = root, env = {}, quiet = false, timeout } = {}) {
  return new Promise((resolve, reject) => {
    const stdio = ['ignore', quiet ? 'pipe' : 'inherit', quiet ? 'pipe' : 'inherit']
    const child = spawn(command[0], command.slice(1), { cwd, env: { ...process.env, ...env }, stdio, timeout })
    // npm passes signals only to this process, so they are forwarded to the child.
    const forward = (signal) => child.kill(signal)
    for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, forward)
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => (output += data))
    child.on('error', reject)
    child.on('close', (code) => {
      for (const signal of ['SIGTERM', 'SIGHUP']) process.off(signal, forward)
      resolve({ code: code ?? 1, output })
    })
  })
}

async function runQuietly(command, options) {
  const { code, output } = await run(command, { ...options, quiet: true })
  if (code !== 0) throw new Error(`${command.join(' ')} failed:\n${output.trim()}`)
}

const manifestOf = (folder) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
const folders = ['packages', 'examples'].flatMap((top) =>
  readdirSync(join(root, top))
    .map((name) => `${top}/${name}`)
    .filter((folder) => existsSync(join(root, folder, 'package.json'))),
)

/**
 * Returns the time of the newest change of a file, in ms. For a folder, all files count except build output and
 * installed packages.
 */
function changedAt(path) {
  if (!existsSync(path)) return 0
  const { mtimeMs } = statSync(path)
  if (!statSync(path).isDirectory()) return mtimeMs
  const names = readdirSync(path).filter((name) => name !== 'dist' && name !== 'node_modules')
  return Math.max(0, ...names.map((name) => changedAt(join(path, name))))
}

/** Installs the lockfile's packages with the pinned pnpm, if anything changed since the last time. */
export async function install() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major < 20 || (major === 20 && minor < 19))
    throw new Error(`Tributary needs Node 20.19 or newer; this is ${process.version}: https://nodejs.org`)
  const stamp = join(root, 'node_modules/.tributary-installed')
  const inputs = ['pnpm-lock.yaml', 'package.json', ...folders.map((folder) => `${folder}/package.json`)]
  if (changedAt(stamp) > Math.max(...inputs.map((file) => changedAt(join(root, file))))) return
  console.error('Installing packages (the first time takes a minute or two)…')
  await runQuietly([...pnpm, 'install', '--frozen-lockfile'], { env: { CI: 'true' } })
  writeFileSync(stamp, process.version)
}

/** Apps that have a separate lockfile, because their packages are large and nothing else needs these packages. */
export const separateApps = folders.filter((folder) => existsSync(join(root, folder, 'pnpm-lock.yaml')))

/** Installs the packages of an app with a separate lockfile, within three minutes. */
export const installApp = (app) =>
  runQuietly([...pnpm, 'install', '--frozen-lockfile'], { cwd: join(root, app), env: { CI: 'true' }, timeout: 180_000 })

/**
 * Builds the packages that `folder` uses, and then `folder` itself, if sources are newer than the output. Without a
 * folder it builds all packages. `dev` includes the packages that tests and benchmarks use.
 */
export async function build(folder, { types = false, dev = true } = {}) {
  const builtAt = new Map()
  async function visit(one) {
    if (builtAt.has(one)) return builtAt.get(one)
    builtAt.set(one, 0)
    const { scripts, dependencies, devDependencies } = manifestOf(one)
    const find = (used) => folders.filter((other) => manifestOf(other).name in { ...used })
    let newest = Math.max(changedAt(join(root, one)), changedAt(join(root, 'pnpm-lock.yaml')))
    for (const other of find(dependencies)) newest = Math.max(newest, await visit(other))
    const stamp = join(root, one, 'dist', types ? '.built-with-types' : '.built')
    if (scripts?.build && changedAt(stamp) < newest) {
      console.error(`Building ${one}…`)
      const env = types ? {} : { TRIBUTARY_NO_TYPES: '1' }
      await runQuietly(['npm', 'run', '--silent', 'build'], { cwd: join(root, one), env })
      for (const name of types ? ['.built', '.built-with-types'] : ['.built'])
        writeFileSync(join(root, one, 'dist', name), '')
    }
    builtAt.set(one, scripts?.build ? changedAt(stamp) : 0)
    // The development dependencies are built after the package: the output of the package does not depend on them, but
    // their output may depend on the package's declarations.
    if (dev) for (const other of find(devDependencies)) await visit(other)
    return builtAt.get(one)
  }
  for (const one of folder ? [folder] : folders) await visit(one)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await install()
  await build(undefined, { types: process.argv.includes('--types') })
}
