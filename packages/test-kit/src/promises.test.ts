import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** A row of docs/promises.md: a sentence of a file, and the test that fails if it is not true. */
interface Promised {
  readonly sentence: string
  readonly file: string
  readonly test: string
  readonly title: string
}

function listPromises(markdown: string): Promised[] {
  const row = /^\| (.+?) \| `([^`]+)` \| `([^`]+)`: (.+?) \|$/gm
  return [...markdown.matchAll(row)].map(([, sentence, file, path, title]) => ({
    sentence: sentence!,
    file: file!,
    test: path!,
    title: title!,
  }))
}

/** Removes the characters from a text that only its file's format adds: line ends, joined strings, escaped quotes. */
function normalizeText(text: string): string {
  return text
    .replace(/' \+\s+'/g, '')
    .replaceAll("\\'", "'")
    .replace(/\s+(?:\* )?/g, ' ')
}

const read = (path: string): string =>
  existsSync(join(root, path)) ? normalizeText(readFileSync(join(root, path), 'utf8')) : ''

/** Returns the faults of a row in words, or none. */
function listFaults({ sentence, file, test: path, title }: Promised): string[] {
  const faults: string[] = []
  if (!read(file).includes(normalizeText(sentence))) faults.push(`${file} does not say "${sentence}"`)
  if (!read(path).includes(normalizeText(title))) faults.push(`${path} has no test "${title}"`)
  return faults
}

describe('docs/promises.md', () => {
  const promises = listPromises(readFileSync(join(root, 'docs/promises.md'), 'utf8'))

  test('lists the promises of the documents, pages and terms', () => {
    expect(promises.length).toBeGreaterThan(60)
    const files = new Set(promises.map(({ file }) => file))
    for (const file of [
      'README.md',
      'docs/operations.md',
      'packages/host-node/README.md',
      'packages/core/SCRUB.md',
      'packages/core/src/contributors/policy/terms.ts',
    ]) {
      expect(files).toContain(file)
    }
  })

  test.each(promises)('names a sentence and a test that exist: $sentence', (promised) => {
    expect(listFaults(promised)).toEqual([])
  })

  test('names a missing sentence and a missing test', () => {
    const gone = '| Nothing ever fails. | `README.md` | `packages/core/src/service/free-text.test.ts`: nothing fails |'
    expect(listPromises(gone).flatMap(listFaults)).toEqual([
      'README.md does not say "Nothing ever fails."',
      'packages/core/src/service/free-text.test.ts has no test "nothing fails"',
    ])
  })
})
