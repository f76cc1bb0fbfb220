import * as z from 'zod'

/** The reply with the current session. */
export const sessionReply = z.object({ ok: z.literal(true), userId: z.string() })
