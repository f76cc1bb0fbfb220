import { route } from '../http/route.ts'

/** The home page, which is served at the mount prefix, or at the root of a host that serves nothing else. */
export const homeContract = {
  homePage: route({
    summary: 'Show the home page',
    description:
      'Shows what the service does and how to start, and shows a signed-in person the next step. Operators ' +
      'are redirected to their pages. Without a prefix an embedding app keeps its own page.',
    method: 'GET',
    path: '/',
    auth: 'optional',
    envelope: 'ok',
    reply: 'page',
    success: [200, 303],
    failures: {},
  }),
}
