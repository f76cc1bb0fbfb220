import * as z from 'zod'
import { route } from '../../http/route.ts'

/** The current session. Clients ask for it most, so that it loads neither sign-in nor its pages. */
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
    reply: z.object({ ok: z.literal(true), userId: z.string() }),
    failures: {},
  }),
}
