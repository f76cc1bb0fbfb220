// `npm run faults [-- --flow NAME --store NAME --json]`: makes each port call of each flow fail once, and checks what is left.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, closure } from './build.mjs'
import { install } from './install.mjs'
import { checkNode, giveUp, root } from './root.mjs'

try {
  checkNode()
  await install()
  await build({ only: closure('packages/test-kit'), types: false })
  const { faultsCommand } = await import(pathToFileURL(join(root, 'packages/test-kit/dist/faults.js')).href)
  process.exitCode = await faultsCommand(process.argv.slice(2), {
    out: (text) => process.stdout.write(text),
    error: (text) => process.stderr.write(text),
  })
} catch (error) {
  giveUp(error)
}
