import type { JsonSchema } from './documented-failures.ts'
import { callerOf, failureText, groupByTag } from './listing.ts'
import { jsonSchema } from './openapi.ts'
import { Html, html, icon } from './html.ts'
import type { NamedRoute, RouteShape } from './route.ts'
import type * as z from 'zod'

/** The style sheet of the page. It stands in the page itself, so a host names its SHA-256 in the page's policy. */
export const docsStyle = `
:root { color-scheme: light dark; --paper: light-dark(#fcfcfa, #12171d); --raised: light-dark(#fff, #1a2129); --ink: light-dark(#1b2430, #e6eaee); --soft: light-dark(#55606e, #a3aeba); --line: light-dark(#d9dde1, #303a45); --accent: light-dark(#0b5f77, #6cc5dd) }
* { box-sizing: border-box } body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif; overflow-wrap: break-word }
main { margin: 0 auto; padding: 2.25rem 1.25rem 5rem; max-width: 60rem }
h1 { font-size: clamp(1.7rem, 1.3rem + 2vw, 2.3rem); line-height: 1.2; letter-spacing: -.02em; margin: 0 } h2 { margin: 2.5rem 0 .25rem } a { color: var(--accent); text-underline-offset: .18em }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px }
code, pre { font: .875rem/1.5 ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace } pre { background: var(--paper); padding: .75rem; overflow-x: auto; border: 1px solid var(--line); border-radius: 8px }
details { background: var(--raised); border: 1px solid var(--line); border-radius: 8px; margin: .5rem 0; padding: .25rem .9rem } summary { cursor: pointer; padding: .4rem 0; overflow-wrap: anywhere }
.method { font-weight: 700; color: var(--accent) } .who { float: right; padding-left: 1rem; font-size: .85rem; color: var(--soft) }
nav ul { columns: 12rem; padding-left: 1.25rem } nav li { margin: .2rem 0 }
`

// In one string: the hash in the policy is of every character between the tags.
const styleElement = new Html(`<style>${docsStyle}</style>`)

interface DocsOptions {
  /** The path of the public address, which every link starts with. */
  readonly prefix: string
  /** The public URL of the service, without a slash at its end. */
  readonly baseUrl: string
  /** The name of the brand. Default: Tributary. */
  readonly name?: string
}

/** Makes the API reference as one page without scripts; nothing is loaded from elsewhere. */
export function docsPage(routes: readonly NamedRoute[], { prefix, baseUrl, name = 'Tributary' }: DocsOptions): string {
  const groups = groupByTag(routes.filter((one) => !isOfSite(one)))
  const siteRoutes = routes.filter(isOfSite)
  const components: Record<string, JsonSchema> = {}
  const slug = (name: string): string => `tag-${name.toLowerCase().replaceAll(' ', '-')}`
  const sections = groups.map(
    ({ name, description, routes: own }) =>
      html`<h2 id="${slug(name)}">${name}</h2>
        <p>${description}</p>
        ${own.map((route) => operation(route, components))}`,
  )
  const schemas = Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1))
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>API reference · ${name}</title>
        <link rel="icon" href="${icon}" />
        ${styleElement}
      </head>
      <body>
        <main>
          <p><a href="${prefix}/">← ${name}</a></p>
          <h1>API reference</h1>
          <p>
            Also as an <a href="${prefix}/docs">interactive page</a>, as an
            <a href="${prefix}/openapi.json">OpenAPI 3.1 document</a> and as
            <a href="${prefix}/llms.txt">plain text</a>.
          </p>
          ${firstCall(baseUrl)}
          <nav aria-label="Sections">
            <ul>
              ${groups.map(({ name }) => html`<li><a href="#${slug(name)}">${name}</a></li>`)}
              <li><a href="#site">Pages and forms</a></li>
              <li><a href="#schemas">Schemas</a></li>
            </ul>
          </nav>
          ${sections}
          <h2 id="site">Pages and forms</h2>
          <p>What a browser shows and sends. Clients use the routes above.</p>
          ${siteRoutes.map((route) => operation(route, components))}
          <h2 id="schemas">Schemas</h2>
          ${schemas.map(
            ([name, definition]) =>
              html`<details id="schema-${name}">
                <summary>${name}</summary>
                ${block(definition)}
              </details>`,
          )}
        </main>
      </body>
    </html> `.text
}

/** Returns whether a route is a page, or the form of one. */
function isOfSite({ route }: NamedRoute): boolean {
  return route.sends === 'page' || route.form !== undefined
}

function firstCall(baseUrl: string): Html {
  return html`<h2>Get a token and make the first call</h2>
    <ol>
      <li>
        Start an authorization. The reply has a <code>userCode</code> for the person, a <code>deviceCode</code> for your
        client and a <code>verificationUrl</code>.
      </li>
      <li>The person signs in at that address and authorizes the device.</li>
      <li>
        Ask for the token until it is there, no more often than the <code>interval</code> of the reply, in seconds.
      </li>
      <li>Send the token with each call, such as one that says who is signed in.</li>
    </ol>
    <pre
      tabindex="0"
    ><code>curl ${baseUrl}/api/cli/device/start -H 'content-type: application/json' -d '{"machine": "my-laptop"}'
curl '${baseUrl}/api/cli/device/poll?deviceCode=DEVICE_CODE'
curl ${baseUrl}/api/cli/session -H 'authorization: Bearer TOKEN'</code></pre>`
}

function operation({ name, route }: NamedRoute, components: Record<string, JsonSchema>): Html {
  const section = (title: string, schema: z.ZodType | undefined, io: 'input' | 'output' = 'input') =>
    schema
      ? html`<p>${title}</p>
          ${block(jsonSchema(schema, io, components))}`
      : null
  return html`<details id="${name}">
    <summary>
      <span class="who">${callerOf(route)}</span><code><span class="method">${route.method}</span> ${route.path}</code>
      ${route.id ? html`<b>${route.id}</b> ` : null}${route.summary}
    </summary>
    ${route.description ? html`<p>${route.description}</p>` : null}${section('Path', route.params)}
    ${section('Query', route.query)}${section('Body', route.body ?? route.form)}
    <p>Success: ${replyText(route)}</p>
    ${section('Reply', typeof route.reply === 'string' ? route.content : route.reply, 'output')}
    <p>Failures: ${failureText(route)}</p>
  </details> `
}

function replyText(route: RouteShape): string {
  const kinds = { json: 'JSON', page: 'a page', stream: route.media ?? 'a document', none: 'no content' }
  return `${(route.success ?? [200]).join(' or ')}, ${kinds[route.sends]}`
}

const block = (schema: JsonSchema): Html =>
  html`<pre tabindex="0"><code>${JSON.stringify(schema, null, 2)}</code></pre>`
