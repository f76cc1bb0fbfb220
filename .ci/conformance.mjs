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
  process.exitCode = await conformanceCommand(process.argv.slice(2), {
    out: (text) => process.stdout.write(text), error: (text) => process.stderr.write(text), env: process.env,
  })
} catch (error) {
  giveUp(error)
}
