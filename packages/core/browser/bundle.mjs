// Bundles the script of the charts, with the library that it uses, into a module that every host can serve without reading
// files: `npm run browser`. `src/admin/browser/generated.test.ts` fails when a script was changed and not bundled again.
import { writeFile } from 'node:fs/promises'
import { build } from 'esbuild'

const folder = new URL('./', import.meta.url)
const target = new URL('../src/admin/browser/generated.ts', import.meta.url)

/** Returns the text of `generated.ts`: the scripts, bundled and minified. */
export async function generateScripts() {
  const { outputFiles } = await build({
    entryPoints: [new URL('charts.ts', folder).pathname],
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    banner: { js: '/* With uPlot (MIT), whose copyright and licence are at https://github.com/leeoniya/uPlot */' },
    write: false,
  })
  const charts = JSON.stringify(outputFiles[0].text)
  return `// Written by \`npm run browser\` from packages/core/browser.\nexport const chartsScript =\n  ${charts}\n`
}

if (process.argv[1] === import.meta.filename) await writeFile(target, await generateScripts())
