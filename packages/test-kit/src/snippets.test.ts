import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { endpointTable } from '@tributary/core/documents'
import { describe, expect, test } from 'vitest'
import { createTestStores } from './fixtures/database.ts'
import { fixture } from './fixtures/service.ts'
import {
  listDeadLinks,
  readExcerptedFile,
  isRunnable,
  listShownOutputs,
  listSnippets,
  typeErrors,
  listUnknownScripts,
  listWrongExcerpts,
  listWrongOutputs,
  type Snippet,
} from './snippets.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', '*.md'], {
  cwd: root,
  encoding: 'utf8',
})
const documents = listed.split('\n').filter((path) => path !== '' && existsSync(join(root, path)))
const every = documents.flatMap((file) => listSnippets(file, readFileSync(join(root, file), 'utf8')))
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }

/**
 * Returns the folder in which a document's snippets are checked. Root documents are for people who embed the service,
 * so their snippets are checked where core and the Node host are installed. The snippets for standard OAuth clients and
 * for databases are checked where these clients are installed.
 */
const findHome = (file: string): string => {
  if (file === 'docs/oauth.md' || file === 'docs/stores.md') return 'packages/host-node'
  return file.includes('/') && !file.startsWith('docs/') ? dirname(file) : 'examples/embed'
}
/** Excerpts of files are left out, because they are compiled with their own files. */
const isCode = (snippet: Snippet): boolean =>
  (snippet.language === 'ts' || snippet.language === 'typescript') && readExcerptedFile(snippet) === null
const isShell = ({ language }: { language: string }): boolean => ['sh', 'bash', 'console', 'shell'].includes(language)

test('every TypeScript snippet in the documents compiles', { tags: 'slow' }, async () => {
  expect(every.filter(isCode).length).toBeGreaterThan(0)
  expect(await typeErrors(root, every.filter(isCode), findHome)).toEqual([])
})

test('every excerpt in the documents is in the file that it names', () => {
  expect(every.filter((snippet) => readExcerptedFile(snippet) !== null).length).toBeGreaterThan(10)
  expect(listWrongExcerpts(root, every)).toEqual([])
})

describe('snippets without external dependencies', () => {
  const runnable = every.filter((snippet) => isCode(snippet) && isRunnable(snippet))

  test('include most snippets about the scrubber', () => {
    expect(runnable.filter(({ file }) => file.endsWith('SCRUB.md')).length).toBeGreaterThanOrEqual(3)
  })

  test.each(runnable.map((snippet) => [`${snippet.file}:${snippet.line}`, snippet] as const))(
    '%s runs and prints the values in its comments',
    { tags: 'long' },
    async (_, snippet) => {
      expect(await listWrongOutputs(root, snippet, findHome)).toEqual([])
    },
  )
})

test('every npm script that the documents name exists', () => {
  expect(every.filter(isShell).length).toBeGreaterThan(0)
  expect(listUnknownScripts(every.filter(isShell), ['start', 'test', ...Object.keys(scripts)])).toEqual([])
})

test('every link between the documents leads to a file', () => {
  expect(documents.flatMap((file) => listDeadLinks(root, file, readFileSync(join(root, file), 'utf8')))).toEqual([])
})

test('the endpoint table in docs/endpoints.md is generated from the contracts (TRIBUTARY_WRITE=1 writes it)', async () => {
  const routes = await fixture({ stores: createTestStores(), adminToken: 'only-for-the-table' }).service.routes()
  const path = join(root, 'docs/endpoints.md')
  const document = readFileSync(path, 'utf8')
  const [begin, end] = ['<!-- endpoints -->\n', '<!-- /endpoints -->']
  const from = document.indexOf(begin) + begin.length
  const to = document.indexOf(end)
  expect(from).toBeGreaterThan(begin.length)
  const fresh = document.slice(0, from) + endpointTable(routes) + document.slice(to)
  if (process.env['TRIBUTARY_WRITE'] === '1') writeFileSync(path, fresh)
  expect(readFileSync(path, 'utf8')).toBe(fresh)
})

describe('the checks of documents', () => {
  const parseSnippet = (code: string, language = 'ts') =>
    listSnippets('README.md', `# A\n\n\`\`\`${language}\n${code}\n\`\`\`\n`)

  test('report a snippet that does not compile, with file and line', { tags: 'slow' }, async () => {
    const found = await typeErrors(
      root,
      parseSnippet("import { nothing } from '@tributary/core'\nconst a: number = 'text'"),
      findHome,
    )
    expect(found).toHaveLength(2)
    expect(found[0]).toMatch(/^README\.md:4: .*nothing/)
    expect(found[1]).toMatch(/^README\.md:5: /)
  })

  test('report a comment with a value that the snippet does not return', async () => {
    const [snippet] = parseSnippet("const sum: number = 1 + 1\n// 3\nconst word = 'a' // 'a'")
    expect(listShownOutputs(snippet!.code)).toEqual([
      { name: 'sum', value: '3' },
      { name: 'word', value: "'a'" },
    ])
    expect(await listWrongOutputs(root, snippet!, findHome)).toEqual(['README.md:3: sum is 2, and the comment shows 3'])
  })

  test('report an excerpt that is not in its file', () => {
    expect(
      listWrongExcerpts(root, parseSnippet('// examples/embed/src/signin.ts\nexport function nothing() {}')),
    ).toEqual(['README.md:3: this is not in examples/embed/src/signin.ts'])
  })

  test('report a link to a missing file', () => {
    expect(
      listDeadLinks(
        root,
        'packages/core/README.md',
        '[a](SCRUB.md) [b](https://example.com) [c](#top) [d](NOTHING.md#x)',
      ),
    ).toEqual(['packages/core/README.md: NOTHING.md is not there'])
  })

  test('report a script that does not exist', () => {
    expect(listUnknownScripts(parseSnippet('npm run fly -- --high\nnpm start', 'sh'), ['start'])).toEqual([
      'README.md:3: there is no script `fly`',
    ])
  })
})
