import { CursorOf, ListQuery } from '../../http/list.ts'
import * as z from 'zod'
import { DateTime, Email, Name, Page, RangeStart, True, Uuid, Whole } from '../../http/fields.ts'
import { route } from '../../http/route.ts'
import { StoredFilter } from '../dataset/contract.ts'
import { DatasetLine } from '../dataset/lines.ts'
import { datasetFormats, lineFormats } from '../dataset/formats.ts'
import { removalReasons, removalStatuses } from './store.ts'

const operator = { auth: 'admin', envelope: 'ok' } as const
const buyer = { auth: 'buyer', envelope: 'ok' } as const
const page = { auth: 'buyer-page', envelope: 'ok', reply: 'page' } as const
const params = z.object({ id: Uuid })
const List = Page.extend({
  cursor: z
    .string()
    .regex(/^\d{1,15}$/)
    .optional(),
})
/** Only digits are accepted, as in `Count`. Without a limit, everything is returned. */
const Limit = z.preprocess(
  (sent) => (typeof sent === 'string' && /^\d{1,15}$/.test(sent) ? Number(sent) : sent),
  z.int().min(1).max(200).optional(),
)

const Token = z.string().describe('`trbb_…`, shown only once: give it to the buyer')
export const BuyerShape = z
  .object({
    id: Uuid,
    name: z.string().describe('The sales of this name, trimmed and without regard to case, belong to the buyer'),
    email: z.string().nullable().describe('The address to which notices of removals are sent'),
    createdAt: DateTime,
    isActive: z.boolean().describe('Whether the buyer has a token'),
    tokenAt: DateTime.describe('When the token was created or revoked'),
  })
  .meta({ id: 'Buyer' })

export const RemovalShape = z
  .object({
    id: Uuid,
    saleId: Uuid,
    buyerTraceId: Uuid.describe('The `id` that the trace has in the dataset of the sale'),
    reason: z
      .enum(removalReasons)
      .describe("`erased`: the contributor's account was erased; `withdrawn`: an operator withdrew the trace"),
    at: DateTime,
    acknowledgedAt: DateTime.nullable(),
  })
  .meta({ id: 'Removal' })

export const ListedRemovalShape = RemovalShape.extend({
  buyer: z.string(),
  email: z.string().nullable().describe('the address of the buyer for notices'),
})

/** The only sort and order of a buyer's purchases. */
export const purchaseOrder = { sort: 'soldAt', order: 'desc' } as const

/** The filter of the operator's list of buyers. */
export const BuyersQuery = ListQuery(['createdAt', 'name'])

/** The filter of the operator's list of removals. */
export const RemovalsQuery = ListQuery(['at'], 'asc').extend({ status: z.enum(removalStatuses).default('open') })

const SaleShape = z.object({ id: Uuid, usd: z.number(), soldAt: DateTime, traces: Whole })
const format = z.enum(datasetFormats).default('documents')

export const buyersContract = {
  createBuyer: route({
    ...operator,
    method: 'POST',
    path: '/api/admin/buyers',
    summary: 'Create a buyer',
    description: 'The sales under this name, also earlier sales, belong to the buyer. Case is ignored.',
    body: z.object({ name: Name(1, 256), email: Email.optional() }),
    reply: z.object({ ok: True, id: Uuid, token: Token }),
    failures: { buyer_exists: 409 },
  }),
  listBuyers: route({
    ...operator,
    method: 'GET',
    path: '/api/admin/buyers',
    tool: 'admin_list_buyers',
    summary: 'List buyers',
    description: 'Returns buyers, newest first.',
    query: BuyersQuery,
    reply: z.object({ ok: True, items: z.array(BuyerShape), nextCursor: z.string().nullable() }),
    failures: {},
  }),
  changeBuyer: route({
    ...operator,
    method: 'PATCH',
    path: '/api/admin/buyers/:id',
    summary: "Change a buyer's address",
    params,
    body: z.object({ email: Email.nullable() }),
    reply: z.object({ ok: True, buyer: BuyerShape }),
    failures: { not_found: 404 },
  }),
  rotateBuyerToken: route({
    ...operator,
    method: 'POST',
    path: '/api/admin/buyers/:id/rotate',
    summary: "Rotate a buyer's token",
    description: 'Creates a new token. The old token and the browser sessions end immediately.',
    params,
    reply: z.object({ ok: True, id: Uuid, token: Token }),
    failures: { not_found: 404 },
  }),
  revokeBuyerToken: route({
    ...operator,
    method: 'POST',
    path: '/api/admin/buyers/:id/revoke',
    summary: "Revoke a buyer's token",
    description: 'Ends the token and the browser sessions immediately. `rotate` creates a new token.',
    params,
    reply: z.object({ ok: True }),
    failures: { not_found: 404 },
  }),
  withdrawTrace: route({
    ...operator,
    method: 'POST',
    path: '/api/admin/traces/:id/withdraw',
    summary: 'Withdraw a trace',
    description:
      'Removes a trace permanently from sales and deliveries, and asks each buyer of the trace to delete it. Repeating ' +
      'the call changes nothing.',
    params,
    body: z.object({ reason: Name(1, 500).describe('For the audit log; buyers do not see the reason') }),
    reply: z.object({
      ok: True,
      removals: Whole.describe('The number of copies that buyers must delete or have deleted'),
    }),
    failures: { not_found: 404 },
  }),
  listAllRemovals: route({
    ...operator,
    method: 'GET',
    path: '/api/admin/removals',
    tool: 'admin_list_removals',
    summary: 'List removals of all buyers',
    description: 'Returns removals of all buyers, oldest first.',
    query: RemovalsQuery,
    reply: z.object({ ok: True, items: z.array(ListedRemovalShape), nextCursor: z.string().nullable() }),
    failures: {},
  }),

  listPurchases: route({
    ...buyer,
    method: 'GET',
    path: '/api/buyer/sales',
    summary: 'List purchases',
    description: "Returns the buyer's sales, newest first.",
    query: List.extend({ cursor: CursorOf(purchaseOrder).optional() }),
    reply: z.object({ ok: True, items: z.array(SaleShape), nextCursor: z.string().nullable() }),
    failures: {},
  }),
  readPurchase: route({
    ...buyer,
    method: 'GET',
    path: '/api/buyer/sales/:id',
    summary: 'Get a purchase',
    params,
    reply: z.object({
      ok: True,
      sale: SaleShape.extend({
        tokens: Whole,
        filter: StoredFilter.nullable().describe('null for a sale of listed traces'),
        copies: z.object({ traces: Whole, tokens: Whole }).describe('Copies that were left out'),
      }),
    }),
    failures: { not_found: 404 },
  }),
  downloadPurchase: route({
    ...buyer,
    method: 'GET',
    path: '/api/buyer/sales/:id/dataset',
    summary: 'Download a purchase',
    description:
      'Returns the traces of a sale as JSON Lines, without traces that must be deleted. With `limit`, returns at most ' +
      'that number, and `x-next-cursor` is the cursor of the next page.',
    params,
    query: z.object({
      format: z.enum(lineFormats).default('documents').describe('A format, or `ids`: only the `id` of each trace'),
      cursor: Uuid.optional(),
      limit: Limit,
    }),
    reply: 'stream',
    media: 'application/jsonl',
    content: DatasetLine,
    failures: { not_found: 404 },
  }),
  listRemovals: route({
    ...buyer,
    method: 'GET',
    path: '/api/buyer/removals',
    summary: 'List removals',
    description:
      'Returns the traces that the buyer must delete, in the order in which they were recorded. Keep the last ' +
      '`nextCursor`, which skips no removal, or poll with `since`. A removal may be returned twice.',
    query: List.extend({ since: RangeStart.optional().describe('Only removals from this time on') }),
    reply: z.object({ ok: True, items: z.array(RemovalShape), nextCursor: z.string().nullable() }),
    failures: {},
  }),
  acknowledgeRemoval: route({
    ...buyer,
    method: 'POST',
    path: '/api/buyer/removals/:id/ack',
    summary: 'Acknowledge a removal',
    description: 'Confirms that every copy of the trace is deleted. The first acknowledgement counts.',
    params,
    reply: z.object({ ok: True, removal: RemovalShape }),
    failures: { not_found: 404 },
  }),

  buyerPage: route({
    ...page,
    method: 'GET',
    path: '/buyer',
    summary: 'Show the purchases of a buyer',
    description: 'Shows purchases, removals and confirmed deletions, or the sign-in form.',
    query: z.object({
      cursor: z.string().max(64).optional(),
      confirmed: z.string().max(64).describe('The cursor of a page of confirmed deletions').optional(),
    }),
    success: [200, 401],
    failures: {},
  }),
  buyerSalePage: route({
    ...page,
    method: 'GET',
    path: '/buyer/sales/:id',
    summary: 'Show a purchase',
    description: 'Shows the content of a purchase, and its downloads by format.',
    params,
    success: [200, 401],
    failures: { not_found: 404 },
  }),
  buyerDownload: route({
    ...page,
    method: 'GET',
    path: '/buyer/sales/:id/download',
    summary: 'Download a purchase in a browser',
    params,
    query: z.object({ format }),
    reply: 'stream',
    media: 'application/jsonl',
    failures: { unauthorized: 401, not_found: 404 },
  }),
  buyerSignIn: route({
    ...page,
    method: 'POST',
    path: '/buyer/sign-in',
    summary: 'Sign in as a buyer',
    rates: ['unknown_bearer'],
    form: z.object({ token: z.string().max(256) }),
    success: [303, 401],
    failures: {},
  }),
  buyerSignOut: route({
    ...page,
    method: 'POST',
    path: '/buyer/sign-out',
    summary: 'Sign out as a buyer',
    form: z.object({}),
    success: [303],
    failures: {},
  }),
  buyerAcknowledge: route({
    ...page,
    method: 'POST',
    path: '/buyer/acknowledge',
    summary: 'Acknowledge removals in a browser',
    form: z.object({
      ids: z
        .string()
        .max(8192)
        .describe('Ids of removals, separated by spaces')
        .meta({ examples: ['018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71'] }),
    }),
    success: [303, 401],
    failures: {},
  }),
}
