import type { RouteShape } from './route.ts'

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
