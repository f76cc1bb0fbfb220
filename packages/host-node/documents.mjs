// Writes `dist/llms-full.txt`, which the host serves: every document of the repository in one text, for programs such
// as language models.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = fileURLToPath(new URL('./dist', import.meta.url))
const first = ['getting-started', 'embedding', 'configuration', 'stores', 'architecture'].map((name) => `${name}.md`)

const rest = readdirSync(`${root}docs`).filter((name) => name.endsWith('.md') && !first.includes(name))
const ofPackages = ['core/SCRUB', 'core/README', 'host-node/README', 'host-lambda/README', 'test-kit/README']
const files = [
  'README.md',
  ...[...first, ...rest.sort()].map((name) => `docs/${name}`),
  ...ofPackages.map((name) => `packages/${name}.md`),
]
const texts = files.map((file) => `<!-- ${file} -->\n\n${readFileSync(root + file, 'utf8').trim()}\n`)
mkdirSync(folder, { recursive: true })
writeFileSync(`${folder}/llms-full.txt`, texts.join('\n'))
