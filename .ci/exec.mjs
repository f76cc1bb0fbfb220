// `node .ci/exec.mjs FOLDER FILE [ARGS]`: installs and builds what is missing, then runs FILE of a package with ARGS in
// this process, so that the program receives the signals and sets the exit code. A `.ts` file is bundled first. Without
// FILE it runs the folder's `npm start`.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, install, installApp, root, run, separateApps } from './prepare.mjs'

const [folder, file, ...args] = process.argv.slice(2)
try {
  await install()
  if (separateApps.includes(folder)) await installApp(folder)
  await build(folder, { dev: file === undefined || file.endsWith('.ts') })
} catch (error) {
  console.error(error.message)
  process.exit(1)
}
if (file === undefined) process.exit((await run(['npm', 'start', '--silent'], { cwd: join(root, folder) })).code)
let program = join(root, folder, file)
if (file.endsWith('.ts')) {
  const esbuild = await import('esbuild')
  const output = join(root, folder, 'dist', file.replace(/\.ts$/, '.mjs'))
  const options = { bundle: true, platform: 'node', format: 'esm', target: 'node20', packages: 'external' }
  await esbuild.build({ entryPoints: [program], outfile: output, logLevel: 'warning', ...options })
  program = output
}
process.argv = [process.argv[0], program, ...args]
await import(pathToFileURL(program).href)
