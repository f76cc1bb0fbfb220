import * as z from 'zod'
import { DateTime, True, Uuid, Whole } from '../../http/fields.ts'
import { route } from '../../http/route.ts'

const shared = { path: '/account', auth: 'page', envelope: 'ok', reply: 'page', failures: {} } as const
const Ticked = z.literal('yes').optional()

/**
 * Actions of the forms of the page. `revoke` needs the id of a machine or browser. `erase` asks for confirmation unless
 * `confirmed` is sent, and requires `acceptLoss` too if there is a balance.
 */
const actions = ['revoke', 'revoke_others', 'pause', 'resume', 'consent', 'export', 'erase'] as const

/** All data of a person. `account` has one property for each part. */
export const AccountDocument = z
  .object({
    ok: True,
    exportedAt: DateTime,
    userId: z.string(),
    account: z
      .record(z.string(), z.unknown())
      .describe('one property for each part; times are timestamps, days are dates, and amounts are dollars')
      .meta({ examples: [{ consent: { attribution: false, pixel: false } }] }),
  })
  .meta({ id: 'AccountDocument' })

/** An export that is prepared in the background. Its URL needs no credential. */
export const AccountExport = z
  .object({
    id: Uuid,
    status: z.enum(['preparing', 'ready', 'failed']),
    requestedAt: DateTime,
    bytes: Whole.nullable().describe('length of the document in bytes'),
    url: z.string().nullable().describe('download URL; null unless the export is ready'),
    expiresAt: DateTime.nullable(),
  })
  .meta({ id: 'AccountExport' })

const exportRoute = { auth: 'bearer-or-cookie', envelope: 'ok', failures: {} } as const
const ExportReply = z.object({ ok: True, export: AccountExport })

/**
 * The routes of the account page and of prepared exports. The forms of the page work without scripts and have the same
 * effects as the JSON routes.
 */
export const accountContract = {
  accountPage: route({
    ...shared,
    method: 'GET',
    summary: 'Show the account page',
    description: 'Shows machines, pause, consent, export and erasure.',
  }),
  accountForm: route({
    ...shared,
    method: 'POST',
    summary: 'Submit a form of the account page',
    description:
      'Erasing asks for confirmation and requires a sign-in within the last 15 minutes, and `acceptLoss` when there is a balance.',
    form: z.object({
      action: z.enum(actions),
      id: Uuid.optional(),
      attribution: Ticked,
      pixel: Ticked,
      confirmed: Ticked,
      acceptLoss: Ticked,
    }),
    success: [200, 303, 400],
  }),
  erasePage: route({
    ...shared,
    path: '/account/erase',
    method: 'GET',
    summary: 'Show the page that confirms erasure',
    description: 'Requires a sign-in within the last 15 minutes.',
  }),
  erasureNotices: route({
    ...shared,
    auth: 'none',
    path: '/account/erasures/:id',
    method: 'GET',
    summary: 'Show who was told of an erasure',
    description: 'Shows how many buyers have to delete copies of the erased traces, and when they acknowledged.',
    params: z.object({ id: Uuid }),
  }),
  startExport: route({
    ...exportRoute,
    method: 'POST',
    path: '/api/account/exports',
    success: [202],
    reply: ExportReply,
    summary: 'Start an account export',
    description:
      'Prepares the export in the background. An export that is being prepared or can still be downloaded is returned again.',
  }),
  readExport: route({
    ...exportRoute,
    method: 'GET',
    path: '/api/account/exports/:id',
    summary: 'Get the status of an export',
    description: 'Returns its URL once it is ready.',
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
    summary: 'Download a prepared export',
    description:
      'The URL expires an hour after the export was prepared, and with the token or session that asked for it.',
    params: z.object({ secret: z.string().regex(/^[0-9a-f]{64}$/) }),
  }),
}
