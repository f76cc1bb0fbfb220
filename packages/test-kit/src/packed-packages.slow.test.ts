// Packs every package as for publishing, and checks it from outside. CI and `npm run test:full` build the types.
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'tributary-packages-'))
const packages = readdirSync(join(root, 'packages'))
const tarballs = new Map<string, string>()
const execute = promisify(execFile)

beforeAll(async () => {
  for (const name of packages) {
    const args = ['-y', 'pnpm@12.21.0', 'pack', '--pack-destination', folder]
    await execute('npx', args, { cwd: join(root, 'packages', name) })
    const file = readdirSync(folder).find((one) => one.startsWith(`tributary-${name}-`) && one.endsWith('.tgz'))
    tarballs.set(name, join(folder, file!))
  }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Installs packed packages into an empty folder. Returns that folder. */
async function installPacked(names: readonly string[], ...flags: string[]): Promise<string> {
  const cwd = mkdtempSync(join(folder, 'app-'))
  const packed = Object.fromEntries(names.map((name) => [`@tributary/${name}`, tarballs.get(name)]))
  const dependencies = { ...packed, ...(names.includes('host-lambda') ? { '@types/node': '^20.19.0' } : {}) }
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }))
  await execute('npm', ['install', '--no-audit', '--no-fund', ...flags], { cwd })
  return cwd
}
const installCore = (...flags: string[]): Promise<string> => installPacked(['core'], ...flags)

/**
 * Compiles an import of each entry of a package in `cwd` without `skipLibCheck`. Returns the errors of TypeScript 5.9
 * and 7.
 */
async function compileEntries(
  cwd: string,
  name: string,
  isChecked: (entry: string) => boolean,
  types: readonly string[] = [],
): Promise<string> {
  const manifest = join(root, 'packages', name, 'package.json')
  const { exports } = JSON.parse(readFileSync(manifest, 'utf8')) as { exports: object }
  const imports = Object.keys(exports)
    .filter(isChecked)
    .map((entry, at) => `export * as entry${at} from '@tributary/${name}${entry.slice(1)}'`)
  expect(imports.length).toBeGreaterThan(0)
  writeFileSync(join(cwd, 'index.ts'), imports.join('\n'))
  const compilerOptions = {
    strict: true,
    module: 'nodenext',
    lib: ['ES2024', 'DOM', 'DOM.Iterable'],
    types,
    noEmit: true,
    skipLibCheck: false,
  }
  writeFileSync(join(cwd, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  const errors = ['typescript', 'typescript7'].map((compiler) =>
    execute(process.execPath, [join(root, 'node_modules', compiler, 'bin/tsc')], { cwd }).catch(
      (error: { stdout: string }) => error,
    ),
  )
  return (await Promise.all(errors)).map(({ stdout }) => stdout).join('')
}

describe.each(packages)('the packed @tributary/%s', (name) => {
  test('satisfies publint', async () => {
    const { stdout } = await execute('npx', ['-y', 'publint@0.3.25', tarballs.get(name)!, '--strict'])
    expect(stdout).toContain('All good!')
  })

  test('has everything that a registry shows, has source maps, and has no intermediate file of the build', () => {
    const tar = (...args: string[]): string => execFileSync('tar', args, { encoding: 'utf8' })
    const files = tar('-tzf', tarballs.get(name)!).trim().split('\n')
    expect(files).toEqual(
      expect.arrayContaining(['package/LICENSE', 'package/dist/index.js', 'package/dist/index.js.map']),
    )
    expect(files.filter((file) => /\/\.|\.tsbuildinfo$|\.test\./.test(file))).toEqual([])
    expect(JSON.parse(tar('-xzOf', tarballs.get(name)!, 'package/package.json'))).toMatchObject({
      description: expect.stringContaining('Tributary'),
      keywords: expect.arrayContaining(['tributary']),
      license: 'MIT',
      publishConfig: { access: 'public', provenance: true },
    })
  })

  test('has types that resolve from ES modules', async () => {
    const args = ['-y', '@arethetypeswrong/cli@0.18.5', tarballs.get(name)!, '--profile', 'esm-only']
    // The command fails on a problem, and then this rejects.
    const { stdout } = await execute('npx', args)
    expect(stdout).toContain('🟢')
  })
})

test('the packed core contains the page about the scrubber', () => {
  const files = execFileSync('tar', ['-tzf', tarballs.get('core')!], { encoding: 'utf8' })
  expect(files.split('\n')).toContain('package/SCRUB.md')
})

describe('the packed core in an app', () => {
  test('takes at most 15 MB with its dependencies, without optional peers', async () => {
    const cwd = await installCore('--omit=optional', '--omit=peer')
    const kilobytes = Number.parseInt(
      execFileSync('du', ['-sk', '--apparent-size', 'node_modules'], { cwd }).toString(),
    )
    console.log(`@tributary/core and its dependencies: ${(kilobytes / 1024).toFixed(1)} MB`)
    expect(kilobytes).toBeLessThanOrEqual(15 * 1024)
  })

  // Types of `/libsql` and `/postgres` are left out, because drizzle's own types do not compile in this way.
  test('has types that compile without skipLibCheck', async () => {
    const cwd = await installCore()
    expect(await compileEntries(cwd, 'core', (entry) => entry !== './libsql' && entry !== './postgres')).toBe('')
  })
})

test('the packed host-lambda has types that compile without skipLibCheck', async () => {
  // The clients of AWS and the linter are peers. An app installs them only for the entries that need them.
  const cwd = await installPacked(['core', 'host-lambda'], '--omit=peer')
  const isChecked = (entry: string): boolean => entry === '.' || entry === './turso'
  expect(await compileEntries(cwd, 'host-lambda', isChecked, ['node'])).toBe('')
})
