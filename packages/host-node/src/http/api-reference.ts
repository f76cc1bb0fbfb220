import { createRequire } from 'node:module'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Page } from './page.ts'

/**
 * Scalar sends requests to this server only, shows none of its own products, and uses the fonts of the reader's system.
 */
const configuration = {
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
}

/**
 * Scripts and requests come from this origin alone. Scalar sets styles by attributes, which neither a hash nor a nonce
 * can allow, so inline styles are allowed on this page alone.
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
 * Returns the page of Scalar's API reference for `/docs`, with the script from its npm package. Null without that
 * package (an optional dependency): `/docs` is then the service's own page.
 */
export function referencePage(baseUrl: string): Page | null {
  if (!scalarFile()) return null
  const prefix = new URL(baseUrl).pathname.replace(/\/+$/, '')
  return {
    type: 'text/html; charset=utf-8',
    body: `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>API reference · Tributary</title>
    <link rel="icon" href="data:," />
  </head>
  <body>
    <noscript>
      <h1>API reference</h1>
      <p>This page needs JavaScript. <a href="${prefix}/docs/plain">Read the page without scripts</a>.</p>
    </noscript>
    <script
      id="api-reference"
      data-url="${prefix}/openapi.json"
      data-configuration='${JSON.stringify(configuration)}'
    ></script>
    <script src="${prefix}/docs/scalar.js"></script>
  </body>
</html>
`,
    headers: [
      ['content-security-policy', policy],
      ['x-frame-options', 'DENY'],
    ],
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
