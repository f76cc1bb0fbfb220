// The documents of the repository as a static site. `build.mjs` copies pages to the same paths below `pages`, so that
// their relative links are valid in the repository and here; a link to any other file leads to a copy of it below
// /files.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig, type DefaultTheme } from 'vitepress'

const root = fileURLToPath(new URL('../../..', import.meta.url))

const groups: readonly { readonly text: string; readonly pages: readonly string[] }[] = [
  { text: 'Start', pages: ['README', 'docs/getting-started', 'docs/embedding', 'docs/stores', 'docs/growing'] },
  { text: 'Operate', pages: ['docs/configuration', 'docs/operations', 'docs/proxies', 'docs/observability'] },
  { text: 'Interface', pages: ['docs/endpoints', 'docs/oauth', 'docs/events', 'docs/messages'] },
  {
    text: 'Data and money',
    pages: ['docs/dataset', 'docs/earnings', 'packages/core/SCRUB', 'packages/core/SCRUB-RULES'],
  },
  { text: 'Promises', pages: ['docs/promises', 'docs/security', 'SECURITY'] },
  { text: 'Project', pages: ['docs/architecture', 'CONTRIBUTING', 'CHANGELOG'] },
]
const grouped = new Set(groups.flatMap(({ pages }) => pages))
const readmesOf = (folder: string): string[] =>
  readdirSync(join(root, folder))
    .map((name) => `${folder}/${name}/README`)
    .filter((page) => existsSync(join(root, `${page}.md`)))
const others = readdirSync(join(root, 'docs'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name.slice(0, -3)}`)
  .filter((page) => !grouped.has(page))

/** Returns the link of a page with the text of its first heading. */
function itemOf(page: string): DefaultTheme.SidebarItem {
  const heading = /^# (.+)$/m.exec(readFileSync(join(root, `${page}.md`), 'utf8'))
  return { text: (heading?.[1] ?? page).replaceAll('`', ''), link: `/${page.replace(/README$/, '')}` }
}

const linkedFiles = new Set<string>()
/**
 * Returns the target of a link to a file that is not a page, relative to the page. Returns null for links to pages and
 * addresses.
 */
function linkOfFile(href: string, page: string): string | null {
  if (/^([a-z]+:|#|\/)/i.test(href)) return null
  const [path = ''] = href.split('#')
  const file = resolve(root, dirname(page), path)
  if (path.endsWith('.md') || !existsSync(file) || !statSync(file).isFile()) return null
  linkedFiles.add(relative(root, file))
  return relative(dirname(page), join('files', relative(root, file)))
}

export default defineConfig({
  title: 'Tributary',
  description: 'The server behind a command-line client that contributes AI conversation traces',
  srcDir: 'pages',
  outDir: 'dist',
  cacheDir: 'node_modules/.cache/vitepress',
  cleanUrls: true,
  rewrites: (page) => page.replace(/(^|\/)README\.md$/, '$1index.md'),
  ignoreDeadLinks: [/^(\.\.?\/)*files\//, /^https?:\/\/(localhost|127\.0\.0\.1)/],
  markdown: {
    // Links to headings are written as GitHub and TypeDoc name them.
    anchor: {
      slugify: (text) =>
        text
          .toLowerCase()
          .replace(/[^\p{L}\p{N}\s_-]/gu, '')
          .trim()
          .replace(/\s/g, '-'),
    },
    config(markdown) {
      // Escapes `{{`, which Vue would read as an expression.
      for (const type of ['text', 'code_inline'] as const) {
        const render = markdown.renderer.rules[type]!
        markdown.renderer.rules[type] = (...args) => render(...args).replaceAll('{{', '&#123;&#123;')
      }
      markdown.core.ruler.push('files', (state) => {
        for (const block of state.tokens)
          for (const token of block.children ?? []) {
            if (token.type !== 'link_open') continue
            const href = String(token.attrGet('href'))
            // A README is the index of its folder, also in links.
            if (!/^[a-z]+:/i.test(href)) token.attrSet('href', href.replace(/(^|\/)README\.md(?=#|$)/, '$1./'))
            const link = linkOfFile(href, state.env.relativePath)
            if (link !== null)
              token.attrs = [
                ['href', link],
                ['target', '_self'],
                ['download', ''],
              ]
          }
      })
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: [
      ...groups.map(({ text, pages }) => ({ text, items: pages.map(itemOf) })),
      ...(others.length > 0 ? [{ text: 'More', items: others.map(itemOf) }] : []),
      { text: 'Packages', collapsed: true, items: readmesOf('packages').map(itemOf) },
      { text: 'Examples', collapsed: true, items: readmesOf('examples').map(itemOf) },
      { text: 'API reference', link: '/reference/' },
    ],
  },
  buildEnd({ outDir }) {
    for (const file of linkedFiles) {
      const copy = join(outDir, 'files', file)
      mkdirSync(dirname(copy), { recursive: true })
      copyFileSync(join(root, file), copy)
    }
  },
})
