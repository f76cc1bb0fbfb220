import * as z from 'zod'
import { DateTime, True, Uuid, Whole } from '../../http/fields.ts'
import { route } from '../../http/route.ts'

const shared = { path: '/account', auth: 'page', envelope: 'ok', reply: 'page', failures: {} } as const
const Ticked = z.literal('yes').optional()

/** What a form of the page asks for. `revoke` needs the id of the machine or browser; `erase` asks first, unless it is `confirmed`. */
export const actions = ['revoke', 'pause', 'resume', 'consent', 'export', 'erase'] as const

/** Everything held about a person, in parts by name. */
export const AccountDocument = z
  .object({
    ok: True,
    exportedAt: DateTime,
    userId: z.string(),
    account: z.record(z.string(), z.unknown()).meta({ examples: [{ consent: { attribution: false, pixel: false } }] }),
  })
  .meta({ id: 'AccountDocument' })

/** An export that is prepared in the background. Where it is fetched from needs no credential. */
export const AccountExport = z
  .object({
    id: Uuid,
    status: z.enum(['preparing', 'ready', 'failed']),
    requestedAt: DateTime,
    bytes: Whole.nullable().describe('length of the document'),
    url: z.string().nullable().describe('where it can be fetched until it expires; null unless it is ready'),
    expiresAt: DateTime.nullable(),
  })
  .meta({ id: 'AccountExport' })

const exportRoute = { auth: 'bearer-or-cookie', envelope: 'ok', failures: {} } as const
const ExportReply = z.object({ ok: True, export: AccountExport })

/** The account in a browser: machines, pause, consent, export, erasure, without script as the JSON routes do it. Prepared exports are here too. */
export const accountContract = {
  accountPage: route({
    ...shared,
    method: 'GET',
    summary: 'Machines, pause, consent, export and erasure in a browser',
    query: z.object({ done: z.string().max(32).optional() }),
  }),
  accountForm: route({
    ...shared,
    method: 'POST',
    summary: 'The forms of /account; erasing asks first, and takes a sign-in within the last 15 minutes',
    form: z.object({
      action: z.enum(actions),
      id: Uuid.optional(),
      attribution: Ticked,
      pixel: Ticked,
      confirmed: Ticked,
    }),
    success: [200, 303, 400],
  }),
  erasePage: route({
    ...shared,
    path: '/account/erase',
    method: 'GET',
    summary: 'Ask before erasing the account, after another sign-in unless there was one within the last 15 minutes',
  }),
  startExport: route({
    ...exportRoute,
    method: 'POST',
    path: '/api/account/exports',
    success: [202],
    reply: ExportReply,
    summary:
      'Prepare the account export in the background; one that is being prepared or can still be fetched is answered again',
  }),
  readExport: route({
    ...exportRoute,
    method: 'GET',
    path: '/api/account/exports/:id',
    summary: 'Get the status of a prepared export, and its address once it is ready',
    params: z.object({ id: Uuid }),
    reply: ExportReply,
  }),
  downloadExport: route({
    ...exportRoute,
    auth: 'none',
    method: 'GET',
    path: '/api/account/exports/files/:secret',
    reply: 'stream',
    media: 'application/json',
    content: AccountDocument,
    summary: 'Download a prepared export at its own address, which expires an hour after it was prepared',
    params: z.object({ secret: z.string().regex(/^[0-9a-f]{64}$/) }),
  }),
}
