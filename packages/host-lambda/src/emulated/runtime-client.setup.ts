import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const packageName = 'aws-lambda-ric@4.0.2'
const folder = fileURLToPath(new URL(`../../../../node_modules/.cache/tributary/${packageName}`, import.meta.url))
const client = join(folder, 'node_modules/aws-lambda-ric')
const isBuilt = (): boolean => existsSync(join(client, 'rapid-client.node'))
const tools = ['g++', 'cmake', 'make', 'python3', 'autoconf', 'automake', 'libtool']

/**
 * Builds the runtime client of Lambda's own images from C++ sources, if it is not built yet, and puts the folder of the
 * client into `TRIBUTARY_RIC`. If this is not possible, the client's tests are skipped. Vitest runs this function
 * before the emulated tests.
 */
export function setup(): void {
  if (!isBuilt()) {
    const hasTools = spawnSync('sh', ['-c', 'command -v g++ && command -v cmake && command -v make']).status === 0
    if (!hasTools && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
      const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
      spawnSync('apt-get', ['update', '-q'], { env })
      spawnSync('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...tools], { env })
    }
    console.log(`Building ${packageName} (a minute, once)…`)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{"private":true}\n')
    const { stderr } = spawnSync('npm', ['install', '--no-audit', '--no-fund', packageName], { cwd: folder })
    if (!isBuilt())
      return console.log(`${String(stderr).slice(-1_000)}\n${packageName} could not be built: tests skip.`)
  }
  process.env['TRIBUTARY_RIC'] = client
}
