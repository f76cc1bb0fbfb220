// `npm start -- ARGS`: installs and builds what is missing, then becomes `tributary dev ARGS`.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, closure } from './build.mjs'
import { install } from './install.mjs'
import { checkNode, giveUp, Problem, root } from './root.mjs'

try {
  checkNode()
  await install()
  await build({ only: closure('packages/host-node'), types: false })
  const cli = join(root, 'packages/host-node/dist/cli.js')
  if (!existsSync(cli)) throw new Problem('packages/host-node built no dist/cli.js')
  // In this very process: Ctrl-C, SIGTERM and the exit code are then the server's own, with nobody in between.
  process.argv = [process.argv[0], cli, 'dev', ...process.argv.slice(2)]
  await import(pathToFileURL(cli).href)
} catch (error) {
  giveUp(error)
}
