import * as z from 'zod'
import { route } from '../http/route.ts'

/** The home page: that of the mount prefix, or of the root of a host that serves nothing else. */
export const homeContract = {
  homePage: route({
    summary: 'Show the home page',
    description:
      'Says what the service does and how to start; to a person who is signed in, their next step. An operator is redirected to the operator pages. Without a prefix, an app that embeds the service keeps its own page here.',
    method: 'GET',
    path: '/',
    auth: 'optional',
    envelope: 'ok',
    query: z.object({ done: z.string().max(32).optional() }),
    reply: 'page',
    success: [200, 303],
    failures: {},
  }),
}
