// `npm run conformance -- ADDRESS [flags]`: checks a running Tributary against its interface, from outside.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, closure } from './build.mjs'
import { install } from './install.mjs'
import { checkNode, giveUp, root } from './root.mjs'

try {
  checkNode()
  await install()
  await build({ only: closure('packages/test-kit'), types: false })
  const { conformanceCommand } = await import(pathToFileURL(join(root, 'packages/test-kit/dist/conformance.js')).href)
  // The first Ctrl-C ends the run, which then takes away what it made; the second ends the process.
  const end = new AbortController()
  process.once('SIGINT', () => {
    process.stderr.write('\nEnding: what the run made is taken away. Ctrl-C again leaves it.\n')
    end.abort()
  })
  process.exitCode = await conformanceCommand(process.argv.slice(2), {
    out: (text) => process.stdout.write(text),
    error: (text) => process.stderr.write(text),
    env: process.env,
    signal: end.signal,
  })
} catch (error) {
  giveUp(error)
}
