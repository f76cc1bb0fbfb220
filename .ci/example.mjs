// `npm run example:contributor -- ARGS`: builds examples/NAME with what it stands on, then runs it.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, closure } from './build.mjs'
import { install } from './install.mjs'
import { checkNode, giveUp, Problem, root } from './root.mjs'

const [name, ...args] = process.argv.slice(2)
try {
  checkNode()
  const folder = `examples/${name}`
  if (!name || !existsSync(join(root, folder, 'package.json')))
    throw new Problem(`there is no example named ${name ?? ''}`)
  await install()
  await build({ only: closure(folder), types: false })
  const cli = join(root, folder, 'dist', 'cli.js')
  process.argv = [process.argv[0], cli, ...args]
  await import(pathToFileURL(cli).href)
} catch (error) {
  giveUp(error)
}
