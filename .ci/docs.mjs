// `npm run docs`: builds the documents as a static site in docs/site/dist, whose packages have a lockfile of their own.
import { join } from 'node:path'
import { install, installApp, root } from './prepare.mjs'

await install()
await installApp('docs/site')
await import(join(root, 'docs/site/build.mjs'))
