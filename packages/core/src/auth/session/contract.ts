import { route } from '../../http/route.ts'

/** The current session. This request is the most frequent, so the module does not load sign-in, its pages or zod. */
export const sessionContract = {
  session: route({
    id: 'E14',
    summary: 'Get the current session',
    description: 'Returns the user of the bearer token.',
    method: 'GET',
    path: '/api/cli/session',
    auth: 'bearer',
    envelope: 'ok',
    requiresClientVersion: true,
    reply: async () => (await import('./reply.ts')).sessionReply,
    failures: {},
  }),
}
