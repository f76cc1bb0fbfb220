import type { RouteShape, NamedRoute } from './route.ts'
import { codesByStatus } from './documented-failures.ts'

/** The chapters of the documents, in reading order; a route belongs to the first whose path begins its own. */
const chapters: readonly (readonly [name: string, description: string, paths: readonly string[]])[] = [
  ['Operator', 'What the operator does, with the admin token.', ['/api/admin', '/admin']],
  ['Device login', 'How a command-line client gets its token.', ['/api/cli/device', '/device']],
  [
    'Sessions',
    'Who is asking; signing in and out; machines.',
    ['/api/cli/session', '/api/auth', '/api/account/machines', '/sign-', '/assets/'],
  ],
  ['Telemetry', 'Diagnostics and feedback of the client.', ['/api/cli/telemetry', '/api/cli/feedback']],
  [
    'Contributor',
    'Policy, terms, application, contact, account.',
    [
      '/api/traces/upload-policy',
      '/api/traces/access',
      '/api/traces/contact',
      '/api/account',
      '/account',
      '/terms',
      '/apply',
      '/contact',
      '/waitlist',
      '/api/waitlist',
    ],
  ],
  ['Ingest', 'Batches of traces and their jobs.', ['/api/ingest', '/api/traces/known']],
  ['Traces', "A contributor's stored traces.", ['/api/traces', '/traces']],
  ['Ads', "The sponsor's line.", ['/api/ad', '/go/', '/earn/']],
  ['Program', 'Devices of the program.', ['/api/program']],
  ['Agent reports', 'Structured reports of software agents.', ['/api/v1', '/.well-known/agent-feedback.json']],
]

const other = { name: 'Other', description: 'Everything else.' }

/** Every tag with what it is about. */
export const tags: readonly { readonly name: string; readonly description: string }[] = [
  ...chapters.map(([name, description]) => ({ name, description })),
  other,
]

/** The tag of a route, from its path. */
export function tagOf(route: RouteShape): string {
  return chapters.find(([, , paths]) => paths.some((path) => route.path.startsWith(path)))?.[0] ?? other.name
}

const callers: Readonly<Record<RouteShape['auth'], string>> = {
  'none': 'anyone',
  'optional': 'anyone',
  'admin-page': 'operator, in a browser',
  'bearer': 'bearer',
  'bearer-or-cookie': 'bearer or cookie',
  'cookie': 'cookie',
  'page': 'signed in',
  'admin': 'operator',
}

/** Returns who may call a route, in words. */
export function callerOf(route: RouteShape): string {
  return callers[route.auth]
}

/** Groups routes by tag, in the order of the documents; tags without routes are left out. */
export function groupByTag(
  routes: readonly NamedRoute[],
): { readonly name: string; readonly description: string; readonly routes: readonly NamedRoute[] }[] {
  return tags
    .map((tag) => ({ ...tag, routes: routes.filter(({ route }) => tagOf(route) === tag.name) }))
    .filter((group) => group.routes.length > 0)
}

/** Returns the failures of a route as `400 invalid_json, invalid_body · 401 unauthorized`. */
export function failureText(route: RouteShape): string {
  return [...codesByStatus(route)]
    .sort(([a], [b]) => a - b)
    .map(([status, codes]) => `${status} ${codes.join(', ')}`)
    .join(' · ')
}

/** Makes `/llms.txt` (llmstxt.org): the whole service on one page for a program that reads text. */
export function llmsText(routes: readonly NamedRoute[], baseUrl: string): string {
  const base = baseUrl.replace(/\/+$/, '')
  const sections = groupByTag(routes).map(
    ({ name, description, routes: own }) => `## ${name}\n\n${description}\n\n${own.map(routeLine).join('\n')}`,
  )
  return `# Tributary

> The server behind a command-line client that contributes AI conversation traces and shows a sponsor line. JSON requests and replies in UTF-8 at ${base}.

- [OpenAPI 3.1 document](${base}/openapi.json): every request, reply and failure as schemas, with examples
- [API reference as a page](${base}/docs)

Send \`Authorization: Bearer <token>\`; a token comes from device authorization. Bodies need \`content-type: application/json\` and may be gzip. Failures are \`{"ok":false,"error":code}\` or \`{"error":code}\`.

${sections.join('\n\n')}
`
}

function routeLine({ route }: NamedRoute): string {
  const details = route.description ? ` ${route.description}` : ''
  const id = route.id ? `, ${route.id}` : ''
  return `- \`${route.method} ${route.path}\` (${callerOf(route)}${id}): ${route.summary}.${details} Failures: ${failureText(route)}.`
}

/** Makes the endpoint table of a README, as Markdown. */
export function endpointTable(routes: readonly NamedRoute[]): string {
  const rows = groupByTag(routes)
    .flatMap(({ routes: own }) => own)
    .map(
      ({ route }) =>
        `| ${route.id ?? ''} | \`${route.method} ${route.path}\` | ${callerOf(route)} | ${route.summary.replaceAll('|', '\\|')} |`,
    )
  return ['| | endpoint | who | what |', '|---|---|---|---|', ...rows].join('\n') + '\n'
}
