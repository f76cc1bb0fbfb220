import { Html, html } from './html.ts'
import { caller, chapters, failureText } from './listing.ts'
import { jsonSchema, type Named } from './openapi.ts'
import type { RouteShape } from './route.ts'
import type * as z from 'zod'

/** The style sheet of the page. It stands in the page itself, so a host names its SHA-256 in the page's policy. */
export const docsStyle = `
:root { color-scheme: light dark; --line: light-dark(#d5d9de, #3a4149); --soft: light-dark(#f4f6f8, #1c2126); --accent: light-dark(#0b5cad, #7db8ff) }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 60rem; font: 1rem/1.55 system-ui, sans-serif; background: light-dark(#fff, #12161a); color: light-dark(#1b1f24, #e4e8ec) }
h1 { margin: 0 } h2 { margin: 2.5rem 0 .25rem } a { color: var(--accent) }
code, pre { font: .875rem/1.5 ui-monospace, monospace } pre { background: var(--soft); padding: .75rem; overflow-x: auto; border-radius: .375rem }
details { border: 1px solid var(--line); border-radius: .5rem; margin: .5rem 0; padding: .25rem .75rem } summary { cursor: pointer; padding: .375rem 0; overflow-wrap: anywhere }
.method { font-weight: 700; color: var(--accent) } .who { float: right; font-size: .8125rem; opacity: .8 }
nav ul { columns: 12rem; padding-left: 1.25rem }
`

/** The routes as one page for a person: no script, nothing from elsewhere. */
export function docsPage(routes: readonly Named[], prefix: string): string {
  const parts = chapters(routes)
  const slug = (name: string): string => name.toLowerCase().replaceAll(' ', '-')
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tributary: the interface</title>
<style>${new Html(docsStyle)}</style>
</head>
<body>
<h1>Tributary: the interface</h1>
<p>Made from the routes that serve it. Also as <a href="${prefix}/openapi.json">OpenAPI 3.1</a> and <a href="${prefix}/llms.txt">plain text</a>.</p>
<nav aria-label="Chapters"><ul>${parts.map(({ name }) => html`<li><a href="#${slug(name)}">${name}</a></li>`)}</ul></nav>
<main>${parts.map(({ name, description, routes: own }) => html`
<h2 id="${slug(name)}">${name}</h2>
<p>${description}</p>
${own.map(entry)}`)}
</main>
</body>
</html>
`.text
}

function entry({ name, route }: Named): Html {
  return html`<details id="${name}"><summary><span class="who">${caller(route)}</span><code><span class="method">${route.method}</span> ${route.path}</code> ${route.id ? html`<b>${route.id}</b> ` : null}${route.summary}</summary>
${schema('Path', route.params)}${schema('Query', route.query)}${schema('Body', route.body ?? route.form)}${answer(route)}
<p>Failures: ${failureText(route)}</p>
</details>
`
}

function answer(route: RouteShape): Html {
  const status = (route.success ?? [200]).join(' or ')
  if (typeof route.reply !== 'string') return schema(`Answers ${status}`, route.reply, 'output') ?? html``
  const words = { page: 'a page', stream: 'a document', none: 'nothing' }
  return html`<p>Answers ${status} with ${words[route.reply]}.</p>`
}

function schema(title: string, given: z.ZodType | undefined, io: 'input' | 'output' = 'input'): Html | null {
  return given ? html`<p>${title}</p><pre><code>${JSON.stringify(jsonSchema(given, io), null, 2)}</code></pre>` : null
}
