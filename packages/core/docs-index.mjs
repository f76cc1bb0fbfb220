// The documentation of the repository in sections, for `GET /api/docs/search`. Sources import this file; the build
// writes what it exports to `dist/docs-index.js`.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const packages = ['core/README', 'core/SCRUB', 'host-node/README', 'host-lambda/README', 'test-kit/README']
const files = [
  'README.md',
  ...readdirSync(`${root}docs`)
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => `docs/${name}`),
  ...packages.map((name) => `packages/${name}.md`),
]

/** The maximum number of characters of a section; a longer section is divided between its paragraphs. */
const maxLength = 1500

/** Returns the anchor of a heading as GitHub makes it. */
const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-')

/**
 * Splits a text into parts of at most `maxLength` characters where possible. It splits only at blank lines and before
 * rows of tables.
 */
function splitText(text) {
  const parts = ['']
  for (const block of text.split(/\n(?=\n|\|)/)) {
    if (parts.at(-1) !== '' && parts.at(-1).length + block.length > maxLength) parts.push('')
    parts[parts.length - 1] += `${parts.at(-1) === '' ? '' : '\n'}${block}`
  }
  return parts.map((part) => part.trim()).filter(Boolean)
}

function sectionsOf(file) {
  const found = []
  let isCode = false
  for (const line of readFileSync(root + file, 'utf8').split('\n')) {
    if (line.startsWith('```')) isCode = !isCode
    const [, heading] = (!isCode && /^#{1,4} (.+)$/.exec(line)) || []
    if (heading !== undefined) found.push({ heading, text: '' })
    else if (!/^<!-- .* -->$/.test(line) && found.length > 0) found.at(-1).text += `${line}\n`
  }
  const title = found[0].heading
  return found.flatMap(({ heading, text }, at) =>
    splitText(text).map((part) => ({
      source: at === 0 ? file : `${file}#${anchorOf(heading)}`,
      title: at === 0 ? title : `${title}: ${heading}`,
      text: part,
    })),
  )
}

export const sections = files.flatMap(sectionsOf)

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(
    fileURLToPath(new URL('./dist/docs-index.js', import.meta.url)),
    `export const sections = ${JSON.stringify(sections)}\n`,
  )
