// `npm run bench [-- NAME...] [-- --flags]`: builds, then runs packages/host-node/bench, one process each.
// `npm run bench:scrub` runs packages/core/bench the same way, `npm run soak` packages/host-node/bench/soak. A bench is a
// `*.ts` there; when there is an `index.ts`, that alone is the entry and decides what runs.
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build } from './build.mjs'
import { install } from './install.mjs'
import { checkNode, giveUp, Problem, root, run } from './root.mjs'

const [folder, ...rest] = process.argv.slice(2)[0]?.startsWith('packages/')
  ? process.argv.slice(2)
  : ['packages/host-node/bench', ...process.argv.slice(2)]
try {
  checkNode()
  await install()
  await build({ types: false })
  const at = join(root, folder)
  const every = existsSync(at)
    ? readdirSync(at)
        .filter((name) => name.endsWith('.ts'))
        .map((name) => basename(name, '.ts'))
    : []
  const entries = every.includes('index') ? ['index'] : every.sort()
  const named = rest.filter((word) => !word.startsWith('-') && entries.includes(word))
  const chosen = named.length > 0 ? named : entries
  const args = rest.filter((word) => !named.includes(word))
  if (chosen.length === 0) throw new Problem(`no benches in ${folder}`)
  const { build: bundle } = await import('esbuild')
  const out = join(root, ...folder.split('/').slice(0, 2), 'dist', basename(folder))
  mkdirSync(out, { recursive: true })
  await bundle({
    entryPoints: chosen.map((name) => join(at, `${name}.ts`)),
    outdir: out,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    logLevel: 'warning',
  })
  let worst = 0
  for (const name of chosen) {
    if (chosen.length > 1) console.log(`\n== ${name}`)
    const { code } = await run([process.execPath, '--expose-gc', join(out, `${name}.js`), ...args])
    worst = Math.max(worst, code)
  }
  process.exitCode = worst
} catch (error) {
  giveUp(error)
}
