// Bundles the scripts of the pages, with the libraries that they use, into a module that every host can serve without
// reading files: `npm run browser`. `src/browser/generated.test.ts` fails when a script was changed but not bundled
// again.
import { writeFile } from 'node:fs/promises'
import { build } from 'esbuild'

const folder = new URL('./', import.meta.url)
const target = new URL('../src/browser/generated.ts', import.meta.url)

/** The libraries that are bundled into a script. */
const libraries = {
  charts: { name: 'uPlot', url: 'https://github.com/leeoniya/uPlot' },
  passkeys: { name: 'SimpleWebAuthn', url: 'https://github.com/MasterKale/SimpleWebAuthn' },
}

/** Returns a script of this folder, bundled and minified. */
async function bundleScript(name) {
  const { outputFiles } = await build({
    entryPoints: [new URL(`${name}.ts`, folder).pathname],
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    banner: {
      js: libraries[name]
        ? `/* With ${libraries[name].name} (MIT), whose copyright and licence are at ${libraries[name].url} */`
        : '',
    },
    write: false,
  })
  return outputFiles[0].text
}

/** Returns the text of `generated.ts`. */
export async function generateScripts() {
  const scripts = await Promise.all(
    ['charts', 'campaign-preview', 'page', 'passkeys'].map(async (name) => [name, await bundleScript(name)]),
  )
  const entries = scripts.map(([name, text]) => `  '${name}':\n    ${JSON.stringify(text)},\n`)
  return `// Written by \`npm run browser\` from packages/core/browser.\nexport const scripts = {\n${entries.join('')}}\n`
}

if (process.argv[1] === import.meta.filename) await writeFile(target, await generateScripts())
