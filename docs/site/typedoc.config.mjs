// Writes the reference of the API: pages about the exports of each entry of a package, from their docstrings.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Converter, ReflectionKind } from 'typedoc'

const root = fileURLToPath(new URL('../..', import.meta.url))
const entries = ['core', 'host-node', 'host-lambda', 'test-kit'].flatMap((folder) => {
  const { name, exports } = JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8'))
  return Object.entries(exports)
    .filter(([, entry]) => entry['tributary-source'])
    .map(([path, entry]) => ({
      name: name + path.slice(1),
      file: join('packages', folder, entry['tributary-source']),
    }))
})
const names = new Map(entries.map(({ name, file }) => [file.replace(/(\/index)?\.ts$/, ''), name]))

/** Names a module as people import it: `@tributary/core/client`, not `packages/core/src/client`. */
function nameModules(app) {
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (context, reflection) => {
    if (reflection.kindOf(ReflectionKind.Module)) reflection.name = names.get(reflection.name) ?? reflection.name
  })
}

/** @type {import('typedoc').TypeDocOptions} */
export default {
  name: 'API reference',
  plugin: ['typedoc-plugin-markdown', nameModules],
  entryPoints: entries.map(({ file }) => join(root, file)),
  basePath: root,
  tsconfig: join(root, 'tsconfig.json'),
  readme: 'none',
  disableSources: true,
  excludePrivate: true,
  excludeInternal: true,
  // `npm test` checks types.
  skipErrorChecking: true,
  treatWarningsAsErrors: true,
  hideBreadcrumbs: true,
  hidePageHeader: true,
  outputFileStrategy: 'modules',
  entryFileName: 'index.md',
  out: 'pages/reference',
}
