import type { JsonSchema } from '../http/documented-failures.ts'
import { describeCaller, failureText, firstCalls, groupByTag, isOfSite } from '../http/listing.ts'
import { jsonSchema } from '../http/openapi.ts'
import { docsMessages } from '../messages/docs.ts'
import { html, messagesOf, page, type Html, type PageFrame } from './html.ts'
import type { NamedRoute, RouteShape } from '../http/route.ts'
import type * as z from 'zod'

const message = messagesOf(docsMessages)

interface DocsOptions {
  /** The path of the public URL, with which every link starts. */
  readonly prefix: string
  /** The public URL of the service, without a slash at its end. */
  readonly baseUrl: string
  /** The path of an interactive reference below the prefix. Null if there is no such reference. */
  readonly interactive: string | null
}

const callers = ['anyone', 'token', 'browser', 'buyer', 'operator', 'inBrowser'] as const

const code = (text: string): Html => html`<code>${text}</code>`

/** Returns the page of the API reference, without scripts. */
export function referencePage(content: Html, frame: Pick<PageFrame, 'prefix' | 'email' | 'signedIn'>): string {
  return page({ ...frame, title: message('docs.title'), wide: true, main: content })
}

/** Returns the content of the API reference, which lists every route of a service. */
export function referenceContent(routes: readonly NamedRoute[], { prefix, baseUrl, interactive }: DocsOptions): Html {
  const groups = groupByTag(routes.filter(({ route }) => !isOfSite(route)))
  const siteRoutes = routes.filter(({ route }) => isOfSite(route))
  const components: Record<string, JsonSchema> = {}
  const slug = (name: string): string => `tag-${name.toLowerCase().replaceAll(' ', '-')}`
  const sections = groups.map(
    ({ name, description, routes: own }) =>
      html`<h2 id="${slug(name)}" lang="en">${name}</h2>
        <p lang="en">${description}</p>
        ${own.map((route) => operation(route, components))}`,
  )
  const schemas = Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1))
  const others = {
    openapi: html`<a href="${prefix}/openapi.json">${message('docs.openapi')}</a>`,
    text: html`<a href="${prefix}/llms.txt">${message('docs.text')}</a>`,
  }
  const link = html`<a href="${prefix}${interactive}">${message('docs.interactive')}</a>`
  return html`<p>
      ${
        interactive === null
          ? message('docs.also', others)
          : message('docs.alsoInteractive', { ...others, interactive: link })
      }
    </p>
    <h2 id="contents">${message('docs.sections')}</h2>
    <nav class="contents" aria-labelledby="contents">
      <ul>
        <li><a href="#first">${message('docs.firstCall')}</a></li>
        <li><a href="#callers">${message('docs.callersTitle')}</a></li>
        <li><a href="#errors">${message('docs.errorsTitle')}</a></li>
        ${groups.map(({ name }) => html`<li lang="en"><a href="#${slug(name)}">${name}</a></li>`)}
        <li><a href="#site">${message('docs.site')}</a></li>
        <li><a href="#schemas">${message('docs.schemas')}</a></li>
      </ul>
    </nav>
    ${firstCall(baseUrl)}
    <h2 id="callers">${message('docs.callersTitle')}</h2>
    <p>${message('docs.callers')}</p>
    <ul>
      ${callers.map((name) => html`<li>${message(`docs.caller.${name}`)}</li>`)}
    </ul>
    <h2 id="errors">${message('docs.errorsTitle')}</h2>
    <p>${message('docs.errors', { error: code('error'), status: code('401 unauthorized') })}</p>
    <p>
      ${message('docs.issues', {
        issues: code('issues'),
        path: code('path'),
        code: code('code'),
        message: code('message'),
        header: code('x-error-detail'),
      })}
    </p>
    <p>${message('docs.requestId', { header: code('x-request-id') })}</p>
    ${sections}
    <h2 id="site">${message('docs.site')}</h2>
    <p>${message('docs.siteText')}</p>
    ${siteRoutes.map((route) => operation(route, components))}
    <h2 id="schemas">${message('docs.schemas')}</h2>
    ${schemas.map(
      ([name, definition]) =>
        html`<details class="operation" id="schema-${name}">
          <summary><code>${name}</code></summary>
          ${block(definition)}
        </details>`,
    )}`
}

function firstCall(baseUrl: string): Html {
  const names = {
    userCode: code('userCode'),
    deviceCode: code('deviceCode'),
    verificationUrl: code('verificationUrl'),
  }
  const { start, poll, call } = firstCalls(baseUrl)
  const step = (number: number, text: Html, { command, reply }: typeof start): Html =>
    html`<li>
      ${text}
      <pre tabindex="0" role="region" aria-label="${message('docs.command', { number })}"><code>${command}</code></pre>
      <p>${message('docs.replyIs', { reply: html`<code>${reply}</code>` })}</p>
    </li>`
  return html`<h2 id="first">${message('docs.firstCall')}</h2>
    <ol>
      ${step(1, message('docs.start', names), start)}
      <li>${message('docs.authorize')}</li>
      ${step(
        3,
        message('docs.poll', {
          interval: code('interval'),
          pending: code('pending'),
          denied: code('access_denied'),
          expired: code('expired_token'),
        }),
        poll,
      )}
      ${step(4, message('docs.call'), call)}
    </ol>`
}

function operation({ name, route }: NamedRoute, components: Record<string, JsonSchema>): Html {
  const section = (title: Html, schema: z.ZodType | undefined, io: 'input' | 'output' = 'input') =>
    schema
      ? html`<p>${title}</p>
          ${block(jsonSchema(schema, io, components))}`
      : null
  return html`<details class="operation" id="${name}">
    <summary lang="en">
      <span class="who">${describeCaller(route)}</span
      ><code><span class="method">${route.method}</span> ${route.path}</code>
      <span class="what">${route.summary}</span>
    </summary>
    ${route.description ? html`<p lang="en">${route.description}</p>` : null}${section(message('docs.path'), route.params)}
    ${section(message('docs.query'), route.query)}${section(message('docs.body'), route.body ?? route.form)}
    <p>${message('docs.success', { reply: html`<span lang="en">${replyText(route)}</span>` })}</p>
    ${section(message('docs.reply'), typeof route.reply === 'string' ? route.content : route.reply, 'output')}
    <p>${message('docs.failures', { failures: html`<span lang="en">${failureText(route)}</span>` })}</p>
  </details> `
}

function replyText(route: RouteShape): string {
  const kinds = { json: 'JSON', page: 'a page', stream: route.media ?? 'a document', none: 'no content' }
  return `${(route.success ?? [200]).join(' or ')}, ${kinds[route.sends]}`
}

const block = (schema: JsonSchema): Html =>
  html`<pre tabindex="0"><code>${JSON.stringify(schema, null, 2)}</code></pre>`
