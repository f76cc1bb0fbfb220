// `npm run docs`: builds the documents as a static site in docs/site/dist. The site has its own lockfile.
import { join } from 'node:path'
import { install, installApp, root } from './prepare.mjs'

await install()
await installApp('docs/site')
await import(join(root, 'docs/site/build.mjs'))
