import type { Named } from './openapi.ts'
import { failuresOf } from './outcomes.ts'
import type { RouteShape } from './route.ts'
import { tagOf, tags } from './tags.ts'

const whoCalls: Readonly<Record<RouteShape['auth'], string>> = {
  'none': 'anyone',
  'optional': 'anyone',
  'admin-page': 'operator, in a browser',
  'bearer': 'bearer',
  'bearer-or-cookie': 'bearer or cookie',
  'cookie': 'cookie',
  'page': 'signed in',
  'admin': 'operator',
}

/** Who may call a route, in words. */
export function caller(route: RouteShape): string {
  return whoCalls[route.auth]
}

/** Routes by tag, in the documents' order; tags without routes are left out. */
export function chapters(
  routes: readonly Named[],
): { readonly name: string; readonly description: string; readonly routes: readonly Named[] }[] {
  return tags
    .map((tag) => ({ ...tag, routes: routes.filter(({ route }) => tagOf(route) === tag.name) }))
    .filter((chapter) => chapter.routes.length > 0)
}

/** Failures of a route as `400 invalid_json, invalid_body · 401 unauthorized`. */
export function failureText(route: RouteShape): string {
  const byStatus = new Map<number, string[]>()
  for (const [code, status] of Object.entries(failuresOf(route)))
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  return [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, codes]) => `${status} ${codes.join(', ')}`)
    .join(' · ')
}

/** `/llms.txt` (llmstxt.org): the whole service on one page, for a reader that is a program. */
export function llmsText(routes: readonly Named[], baseUrl: string): string {
  const base = baseUrl.replace(/\/+$/, '')
  const parts = chapters(routes).map(
    ({ name, description, routes: own }) =>
      `## ${name}\n\n${description}\n\n${own.map((one) => entry(one)).join('\n')}`,
  )
  return `# Tributary

> The server behind a command-line client that contributes AI conversation traces and shows a sponsor's line. JSON in and out, UTF-8, at ${base}.

- [OpenAPI 3.1 document](${base}/openapi.json): every request, reply and failure as schemas
- [The same as a page](${base}/docs)

Send \`Authorization: Bearer <token>\`; a token comes from the device login. Bodies need \`content-type: application/json\` and may be gzip. Failures are \`{"ok":false,"error":code}\` or \`{"error":code}\`.

${parts.join('\n\n')}
`
}

const entry = ({ route }: Named): string =>
  `- \`${route.method} ${route.path}\` (${caller(route)}${route.id ? `, ${route.id}` : ''}): ${sentence(route.summary)} Failures: ${failureText(route)}.`

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

/** The endpoint table of a README, as Markdown. */
export function endpointTable(routes: readonly Named[]): string {
  const rows = chapters(routes)
    .flatMap(({ routes: own }) => own)
    .map(
      ({ route }) =>
        `| ${route.id ?? ''} | \`${route.method} ${route.path}\` | ${caller(route)} | ${route.summary.replaceAll('|', '\\|')} |`,
    )
  return ['| | endpoint | who | what |', '|---|---|---|---|', ...rows].join('\n') + '\n'
}
