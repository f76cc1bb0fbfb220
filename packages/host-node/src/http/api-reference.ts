import { createRequire } from 'node:module'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { brandLink, brandName, docsMessages, Html, html, icon, language, messagesOf } from '@tributary/core/host'
import type { LayoutPage, Page } from './page.ts'

const message = messagesOf(docsMessages)

/**
 * Styles of Scalar in the colors of our pages, with the contrast that WCAG 2.2 AA requires. Code and the tabs of
 * replies wrap, so that nothing is cut on a phone.
 */
const colors = `
.light-mode {
  --scalar-background-1: #fcfcfa; --scalar-background-2: #f3f4f3; --scalar-background-3: #e6e9ea;
  --scalar-border-color: #d9dde1; --scalar-color-1: #1b2430; --scalar-color-accent: #0b5f77;
  --scalar-color-2: #555; --scalar-color-3: #5f5f5f; --scalar-color-green: #00693f; --scalar-color-blue: #0060a1;
  --scalar-color-orange: #9a4a00; --scalar-color-yellow: #7a5b00; --scalar-color-red: #b3001b; --scalar-color-purple: #5b3fa8
}
.dark-mode {
  --scalar-background-1: #12171d; --scalar-background-2: #1a2129; --scalar-background-3: #25303b;
  --scalar-border-color: #303a45; --scalar-color-1: #e6eaee; --scalar-color-accent: #6cc5dd;
  --scalar-color-2: #b5b5b5; --scalar-color-3: #a5a5a5; --scalar-color-red: #ff7b72
}
.scalar-app pre, .scalar-app pre * { width: auto !important; white-space: pre-wrap !important; overflow-wrap: anywhere }
.scalar-app code, .scalar-app a { overflow-wrap: anywhere }
.scalar-app :has(> button.tab) { flex-wrap: wrap }
.scalar-app .endpoint, .scalar-app .endpoints * {
  white-space: normal !important; overflow: visible !important; overflow-wrap: anywhere
}
.scalar-app .markdown *, .scalar-app [class*=truncate], .scalar-app [class*=line-clamp] { line-height: 1.5 !important }
@media (max-width: 1000px) { .scalar-app, .scalar-app > * { max-width: 100vw; overflow-x: clip } }
.t-doc__header .scalar-icon-button {
  display: flex !important; align-items: center; gap: .4rem; width: auto !important; aspect-ratio: auto !important;
  color: inherit !important
}
.t-doc__header .scalar-icon-button svg { width: 1rem; height: 1rem }
.t-doc__header .scalar-icon-button .sr-only {
  position: static; width: auto; height: auto; margin: 0; clip: auto; clip-path: none; white-space: nowrap
}
`
/**
 * Scalar sends requests only to this server, shows no product of its own, and uses the fonts of the reader's system.
 */
const configuration = {
  customCss: colors,
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  // The schemas are shown with each operation, so the second list, called models, is hidden.
  hideModels: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
}

/**
 * Scripts and requests come only from this origin. Scalar sets styles by attributes, which a hash or a nonce cannot
 * allow, so only this page allows inline styles.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * The style of the header above Scalar's page, in Scalar's own colors. The service's style sheet would also change
 * Scalar's content.
 */
const style = `
:root { --scalar-custom-header-height: 3.25rem }
html, body { overflow-x: clip }
body { margin: 0 }
body > header {
  position: sticky; top: 0; z-index: 10; box-sizing: border-box; height: var(--scalar-custom-header-height);
  display: flex; align-items: center; justify-content: space-between; gap: 1rem; padding: 0 1.25rem;
  font: 1rem/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif;
  color: var(--scalar-color-1, CanvasText); background: var(--scalar-background-1, Canvas);
  border-bottom: 1px solid var(--scalar-border-color, GrayText)
}
body > header a { color: inherit }
body > header .brand { display: inline-flex; align-items: center; gap: .5rem; font-weight: 600; text-decoration: none }
.note {
  margin: 0; padding: .75rem 1.25rem; font: .9375rem/1.5 system-ui, sans-serif;
  color: var(--scalar-color-1, CanvasText); background: var(--scalar-background-2, Canvas)
}
body > .note a { color: inherit }
noscript, .loading { display: block; padding: 1.25rem; font: 1rem/1.5 system-ui, sans-serif }
.loading { max-width: 45rem }
.loading i { display: block; height: 1rem; margin: 1.25rem 0; border-radius: 4px; background: GrayText; opacity: .2 }
.loading i:nth-of-type(3n) { width: 60% }
body:has(.scalar-app) > .loading { display: none }
@media (scripting: none) { .loading, .note { display: none } }
`

/**
 * Returns the page of Scalar's API reference, with the script from its npm package. Returns null if this optional
 * package is not installed. `prefix` is the prefix of the service's links.
 */
export function referencePage(prefix: string): LayoutPage | null {
  if (!scalarFile()) return null
  const title = message('docs.title')
  const plain = (name: 'docs.plain' | 'docs.toPlain') => html`<a href="${prefix}/docs">${message(name)}</a>`
  return {
    html: html`<!doctype html>
      <html lang="${language}">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <title>${title} · ${brandName}</title>
          <link rel="icon" href="${icon}" />
          <style>
            ${new Html(style)}
          </style>
        </head>
        <body>
          <header>${brandLink(prefix)} ${plain('docs.plain')}</header>
          <p class="note">
            ${message('docs.testRequest', { link: html`<a href="${prefix}/sign-in">${message('docs.signIn')}</a>` })}
          </p>
          <noscript>
            <h1>${title}</h1>
            <p>${message('docs.needsScripts', { link: plain('docs.toPlain') })}</p>
          </noscript>
          <div class="loading">
            <h1>${title}</h1>
            <p role="status">${message('docs.loading')}</p>
            <p>${message('docs.isSlow', { link: plain('docs.toPlain') })}</p>
            ${new Html('<i></i>'.repeat(6))}
          </div>
          <script
            id="api-reference"
            data-url="${prefix}/openapi.json"
            data-configuration="${JSON.stringify(configuration)}"
          ></script>
          <script src="${prefix}/docs/scalar.js"></script>
        </body>
      </html> `.text,
    headers: [['content-security-policy', policy]],
  }
}

/** Returns Scalar's browser bundle, compressed. */
export async function scalarScriptPage(): Promise<Page> {
  return {
    type: 'text/javascript; charset=utf-8',
    body: await promisify(gzip)(await readFile(scalarFile()!)),
    headers: [
      ['content-encoding', 'gzip'],
      ['cache-control', 'public, max-age=3600'],
    ],
  }
}

function scalarFile(): string | null {
  try {
    const entry = createRequire(import.meta.url).resolve('@scalar/api-reference')
    return join(dirname(entry), 'browser/standalone.js')
  } catch {
    return null
  }
}
