import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** A row of docs/promises.md: a sentence of a file, and the test that fails if the sentence is not true. */
interface Promised {
  readonly sentence: string
  readonly file: string
  readonly test: string
  readonly id: string
}

function listPromises(markdown: string): Promised[] {
  const row = /^\| (.+?) \| `([^`]+)` \| `([^`]+)`: `([^`]+)` \|$/gm
  return [...markdown.matchAll(row)].map(([, sentence, file, test, id]) => ({
    sentence: sentence!,
    file: file!,
    test: test!,
    id: id!,
  }))
}

/** Removes the characters that only the format of a file adds to a text: line ends, joined strings, escaped quotes. */
function normalizeText(text: string): string {
  return text
    .replace(/' \+\s+'/g, '')
    .replaceAll("\\'", "'")
    .replace(/\s+(?:\* )?/g, ' ')
}

const read = (path: string): string => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : '')

/** Returns the ids in the comments `// promise: id` that are directly above a test. */
const listTested = (source: string): string[] =>
  [...source.matchAll(/^ *\/\/ promise: (\S+)\n *(?:test|describe|check)\b/gm)].map(([, id]) => id!)

/** Describes the problems of a row, or returns an empty list. */
function listFaults({ sentence, file, test, id }: Promised): string[] {
  const faults: string[] = []
  if (!normalizeText(read(file)).includes(normalizeText(sentence))) faults.push(`${file} does not say "${sentence}"`)
  if (listTested(read(test)).filter((one) => one === id).length !== 1)
    faults.push(`${test} does not have one test below the comment "// promise: ${id}"`)
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

  test('names each promise whose id is above a test', () => {
    const listed = new Set(promises.map(({ id }) => id))
    const tested = [...new Set(promises.map(({ test: path }) => path))].flatMap((path) => listTested(read(path)))
    expect(tested.filter((id) => !listed.has(id))).toEqual([])
  })

  test('reports a missing sentence and a missing test', () => {
    const gone =
      '| Nothing ever fails. | `README.md` | `packages/core/src/service/free-text.test.ts`: `nothing-fails` |'
    expect(listPromises(gone).flatMap(listFaults)).toEqual([
      'README.md does not say "Nothing ever fails."',
      'packages/core/src/service/free-text.test.ts does not have one test below the comment "// promise: nothing-fails"',
    ])
  })
})
