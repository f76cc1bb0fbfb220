// Packs every package as it would be published and looks at it from outside: publint, the types by
// @arethetypeswrong/cli, what core takes on a disk, and its types without `skipLibCheck`. `npm run test:full` runs it
// after the build.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root, run } from './prepare.mjs'

/** What the files of core and its dependencies may hold, without optional peers. */
const maxInstalledMegabytes = 15

const packages = readdirSync(join(root, 'packages'))
const folder = mkdtempSync(join(tmpdir(), 'tributary-packages-'))
const tarballs = new Map()

async function must(...command) {
  const options = typeof command.at(-1) === 'object' ? command.pop() : {}
  const { code, output } = await run(command, { cwd: folder, quiet: true, ...options })
  if (code !== 0) throw new Error(`${command.join(' ')} failed:\n${output.trim()}`)
  return output
}

async function install(name, dependencies, ...flags) {
  const cwd = mkdtempSync(join(folder, `${name}-`))
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }))
  await must('npm', 'install', '--no-audit', '--no-fund', ...flags, { cwd })
  return cwd
}

async function pack() {
  for (const name of packages) {
    await must('npx', '-y', 'pnpm@12.21.0', 'pack', '--pack-destination', folder, { cwd: join(root, 'packages', name) })
    const file = readdirSync(folder).find((one) => one.startsWith(`tributary-${name}-`) && one.endsWith('.tgz'))
    tarballs.set(`@tributary/${name}`, join(folder, file))
  }
}

async function inspect() {
  for (const [name, tarball] of tarballs) {
    await must('npx', '-y', 'publint@0.3.25', tarball, '--strict')
    await must('npx', '-y', '@arethetypeswrong/cli@0.18.5', tarball, '--profile', 'esm-only')
    console.log(`${name}: publint and @arethetypeswrong/cli find nothing`)
  }
}

async function measure() {
  const core = { '@tributary/core': tarballs.get('@tributary/core') }
  const cwd = await install('size', core, '--omit=optional', '--omit=peer')
  const size = (...flags) => Number.parseInt(execFileSync('du', ['-sk', ...flags, 'node_modules'], { cwd }), 10) / 1024
  const megabytes = size('--apparent-size')
  console.log(
    `@tributary/core and its dependencies: ${megabytes.toFixed(1)} MB, ${size().toFixed(1)} MB in disk blocks`,
  )
  if (megabytes > maxInstalledMegabytes) throw new Error(`more than ${maxInstalledMegabytes} MB`)
}

/**
 * Compiles the types of core without `skipLibCheck`; those of `/libsql` are left out, since drizzle's own do not
 * compile so.
 */
async function checkTypes() {
  const cwd = await install('types', { '@tributary/core': tarballs.get('@tributary/core') })
  const { exports } = JSON.parse(readFileSync(join(root, 'packages/core/package.json'), 'utf8'))
  const entries = Object.keys(exports).filter((entry) => entry !== './libsql')
  const imports = entries.map((entry, at) => `export * as entry${at} from '@tributary/core${entry.slice(1)}'`)
  writeFileSync(join(cwd, 'index.ts'), imports.join('\n'))
  const compilerOptions = {
    strict: true,
    module: 'nodenext',
    lib: ['ES2024', 'DOM', 'DOM.Iterable'],
    types: [],
    noEmit: true,
  }
  writeFileSync(
    join(cwd, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...compilerOptions, skipLibCheck: false } }),
  )
  for (const compiler of ['typescript', 'typescript7']) {
    const folder = join(root, 'node_modules', compiler)
    await must(process.execPath, join(folder, 'bin/tsc'), { cwd })
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    console.log(
      `TypeScript ${version}: the types of ${entries.length} entries of @tributary/core compile without skipLibCheck`,
    )
  }
}

try {
  for (const step of [pack, inspect, measure, checkTypes]) await step()
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
