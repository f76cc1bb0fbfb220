import type { RouteShape, NamedRoute } from './route.ts'
import { codesByStatus } from './documented-failures.ts'

/** The tags in the order of the documents, with the prefixes of their paths. */
const tagList: readonly { readonly name: string; readonly description: string; readonly paths: readonly string[] }[] = [
  {
    name: 'Device authorization',
    description:
      'How a command-line client gets its token, in one of two ways that lead to the same token: below ' +
      '/api/cli/device, or below /oauth for a client with an OAuth library (RFC 8628).',
    paths: ['/api/cli/device', '/device', '/oauth', '/.well-known/oauth'],
  },
  {
    name: 'Sessions',
    description: 'Sign-in, sign-out, and the devices and browsers that are signed in.',
    paths: ['/api/cli/session', '/api/auth', '/api/account/machines', '/sign-'],
  },
  {
    name: 'Contributor',
    description: 'Upload policy, terms, application, contact and account.',
    paths: [
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
  },
  {
    name: 'Uploads',
    description: 'Each batch of traces becomes one job.',
    paths: ['/api/ingest', '/api/traces/known'],
  },
  {
    name: 'Buyers',
    description: 'The purchases of a buyer, and the traces that it must delete.',
    paths: ['/api/buyer', '/buyer', '/.well-known/tributary-keys.json'],
  },
  { name: 'Traces', description: 'The stored traces of a contributor.', paths: ['/api/traces', '/traces'] },
  {
    name: 'Sponsor lines',
    description: 'The line of a sponsor that a client shows.',
    paths: ['/api/ad', '/go/', '/earn/', '/sponsor/'],
  },
  {
    name: 'Earnings',
    description: 'The earnings of a contributor and the payouts to them.',
    paths: ['/api/account/earnings', '/earnings'],
  },
  { name: 'Linked devices', description: 'Devices whose sponsor lines count for an account.', paths: ['/api/program'] },
  {
    name: 'Telemetry',
    description: 'Diagnostics and feedback of the client.',
    paths: ['/api/cli/telemetry', '/api/cli/feedback'],
  },
  {
    name: 'Agent reports',
    description: 'Structured reports of software agents.',
    paths: ['/api/v1', '/.well-known/agent-feedback.json'],
  },
  {
    name: 'Service',
    description: 'Probes and documents.',
    paths: ['/healthz', '/readyz', '/openapi.json', '/docs', '/api/docs', '/llms.txt', '/privacy', '/mcp'],
  },
  { name: 'Operator', description: 'Operations that need the token of an operator.', paths: ['/api/admin', '/admin'] },
]

const site = {
  name: 'Pages and forms',
  description: "Pages that a browser loads and forms that it sends. API clients don't need them.",
}
const other = { name: 'Other', description: 'Everything else.' }

/** Every tag with its description, in the order of the documents. */
export const tags: readonly { readonly name: string; readonly description: string }[] = [
  ...tagList.map(({ name, description }) => ({ name, description })),
  other,
  site,
]

/**
 * Returns whether a route is a page, a form of a page, or a file that pages load. The forms of OAuth are excluded,
 * because programs send them.
 */
export function isOfSite({ sends, form, path, envelope }: RouteShape): boolean {
  return sends === 'page' || (form !== undefined && envelope !== 'oauth') || path.startsWith('/assets/')
}

/**
 * Returns the tag of a route. Pages and forms have one tag; another route has the tag with the longest prefix of its
 * path.
 */
export function chooseTag(route: RouteShape): string {
  if (isOfSite(route)) return site.name
  const { path } = route
  let found = { name: other.name, length: 0 }
  for (const { name, paths } of tagList)
    for (const prefix of paths)
      if (prefix.length > found.length && path.startsWith(prefix)) found = { name, length: prefix.length }
  return found.name
}

const callers: Readonly<Record<RouteShape['auth'], string>> = {
  'none': 'anyone',
  'optional': 'anyone',
  'admin-page': 'operator, in a browser',
  'bearer': 'token',
  'bearer-or-cookie': 'token or signed-in browser',
  'cookie': 'signed-in browser',
  'page': 'signed-in browser',
  'admin': 'operator',
  'any': 'anyone',
  'buyer': 'buyer',
  'buyer-page': 'buyer, in a browser',
}

/** Returns who may call a route, in words. */
export function describeCaller(route: RouteShape): string {
  return callers[route.auth]
}

/** Groups routes by tag, in the order of the documents; tags without routes are left out. */
export function groupByTag(
  routes: readonly NamedRoute[],
): { readonly name: string; readonly description: string; readonly routes: readonly NamedRoute[] }[] {
  return tags
    .map((tag) => ({ ...tag, routes: routes.filter(({ route }) => chooseTag(route) === tag.name) }))
    .filter((group) => group.routes.length > 0)
}

/** Returns the failures of a route as `400 invalid_json, invalid_body · 401 unauthorized`. */
export function failureText(route: RouteShape): string {
  return [...codesByStatus(route)]
    .sort(([a], [b]) => a - b)
    .map(([status, codes]) => `${status} ${codes.join(', ')}`)
    .join(' · ')
}

/** Returns the commands that get a token and call an endpoint. */
export const firstCalls = (baseUrl: string) => ({
  start: {
    command: `curl ${baseUrl}/api/cli/device/start \\
  -H 'content-type: application/json' \\
  -d '{"machine": "my-laptop"}'`,
    reply: '{"ok":true,"deviceCode":"DEVICE_CODE","userCode":"BCDF-GHJK","verificationUrl":"…","interval":5,…}',
  },
  poll: {
    command: `curl '${baseUrl}/api/cli/device/poll?deviceCode=DEVICE_CODE'`,
    reply: '{"ok":true,"status":"approved","token":"TOKEN",…}',
  },
  call: {
    command: `curl ${baseUrl}/api/cli/session \\
  -H 'authorization: Bearer TOKEN'`,
    reply: '{"ok":true,"userId":"USER_ID"}',
  },
})

/** Whether a service with these routes serves ads. */
export const hasSponsorLine = (routes: readonly NamedRoute[]): boolean =>
  routes.some(({ route }) => route.path === '/api/ad')

/** Makes `/llms.txt` (llmstxt.org): the whole service on one page for a program that reads text. */
export function llmsText(routes: readonly NamedRoute[], baseUrl: string, title = 'Tributary'): string {
  const base = baseUrl.replace(/\/+$/, '')
  const does = `contributes AI conversation traces${hasSponsorLine(routes) ? ' and shows a sponsor line' : ''}`
  const sections = groupByTag(routes).map(
    ({ name, description, routes: own }) => `## ${name}\n\n${description}\n\n${own.map(routeLine).join('\n')}`,
  )
  return `# ${title}

> The server behind a command-line client that ${does}. JSON requests and replies in UTF-8 at ${base}.

- [OpenAPI 3.1 document](${base}/openapi.json): every request, reply and failure as schemas, with examples
- [API reference as a page](${base}/docs)
${routes.some(({ route }) => route.path === '/mcp') ? `- [Tools for agents](${base}/mcp): Model Context Protocol, streamable HTTP\n` : ''}
Send \`Authorization: Bearer <token>\`; a token comes from device authorization.
Bodies need \`content-type: application/json\` and may be gzip. Failures are \`{"ok":false,"error":code}\` or \`{"error":code}\`.

${sections.join('\n\n')}
`
}

function routeLine({ route }: NamedRoute): string {
  const details = route.description ? ` ${route.description}` : ''
  const id = route.id ? `, ${route.id}` : ''
  return `- \`${route.method} ${route.path}\` (${describeCaller(route)}${id}): ${route.summary}.${details} Failures: ${failureText(route)}.`
}

/** Makes the table of `docs/endpoints.md`, as Markdown. */
export function endpointTable(routes: readonly NamedRoute[]): string {
  const rows = groupByTag(routes)
    .flatMap(({ routes: own }) => own)
    .map(
      ({ route }) =>
        `| ${route.id ?? ''} | \`${route.method} ${route.path}\` | ${describeCaller(route)} | ${route.summary.replaceAll('|', '\\|')} |`,
    )
  return ['| | endpoint | who | what |', '|---|---|---|---|', ...rows].join('\n') + '\n'
}
