// Tests the static site of the documents, built as `npm run docs` builds it.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const site = join(root, 'docs/site/dist')
const filesOf = (extension: string): string[] =>
  readdirSync(site, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith(extension))

describe('npm run docs', () => {
  // The build fails on a link to a page or a file that does not exist.
  beforeAll(() => void execFileSync(process.execPath, ['.ci/docs.mjs'], { cwd: root, stdio: 'ignore' }))

  test('renders every page of the repository and the reference of every entry', () => {
    const listed = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' }).trim().split('\n')
    const pages = listed.map((page) => page.replace(/(^|\/)README\.md$/, '$1index.md').replace(/\.md$/, '.html'))
    expect(pages.filter((page) => !existsSync(join(site, page)))).toEqual([])
    const entries = ['core', 'core/client', 'core/scrub', 'host-node', 'host-lambda', 'test-kit']
    expect(entries.filter((name) => !existsSync(join(site, 'reference/@tributary', `${name}.html`)))).toEqual([])
  })

  test('contains the page and the heading of every link between the documents', () => {
    const pages = new Map(filesOf('.html').map((file) => [file, readFileSync(join(site, file), 'utf8')]))
    const hasHeading = (text: string | undefined, id: string): boolean =>
      text !== undefined && (id === '' || text.includes(` id="${decodeURIComponent(id)}"`))
    // TypeDoc itself writes the links within its reference.
    const documents = [...pages].filter(([file]) => !file.startsWith('reference/'))
    const broken = documents.flatMap(([file, text]) =>
      [...text.matchAll(/<a\b[^>]*href="(?![a-z]+:|[^"]*\/?files\/)([^"#]*)#?([^"]*)"/g)].flatMap(
        ([, path = '', id = '']) => {
          const { pathname } = new URL(path, `https://site.example/${file.replace(/(^|\/)index\.html$|\.html$/, '$1')}`)
          const target = path === '' ? file : `${pathname.slice(1)}${pathname.endsWith('/') ? 'index' : ''}.html`
          return hasHeading(pages.get(target), id) ? [] : [`${file}: ${path}#${id}`]
        },
      ),
    )
    expect(broken).toEqual([])
  })

  test('loads nothing from another host', () => {
    const loaded = filesOf('.html').flatMap((file) =>
      [...readFileSync(join(site, file), 'utf8').matchAll(/<(?:script|link|img|iframe)\b[^>]*(?:src|href)="([^"]+)"/g)]
        .map((match) => match[1]!)
        .filter((address) => /^(https?:)?\/\//.test(address)),
    )
    expect(loaded).toEqual([])
  })

  test('has an index for the search', () => {
    expect(filesOf('.js').filter((file) => file.includes('localSearchIndex')).length).toBeGreaterThan(0)
  })

  test('contains the files that pages link to', () => {
    expect(existsSync(join(site, 'files/docs/schemas/documents.json'))).toBe(true)
  })
})
