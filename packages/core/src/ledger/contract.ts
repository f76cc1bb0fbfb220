import { ListQuery } from '../http/list.ts'
import * as z from 'zod'
import { DateTime, Name, Page, Text, True, Usd, Uuid, Whole } from '../http/fields.ts'
import { route } from '../http/route.ts'

const operator = { auth: 'admin', envelope: 'ok' } as const
const UserId = z.string().min(1).max(128)
const Cursor = Page.extend({
  cursor: z
    .string()
    .regex(/^\d{1,15}$/)
    .optional(),
})

export const Entry = z
  .object({
    id: Uuid,
    kind: z.enum(['sale', 'impressions', 'payout', 'correction']),
    usd: z.number().describe('dollars with at most 6 decimals; negative for a payout'),
    at: DateTime,
    availableAt: DateTime.describe('when a payout may include it'),
    saleId: Uuid.optional().describe('of a sale'),
    traces: Whole.optional().describe('for a sale: the number of your traces that were sold in it'),
    tokens: Whole.optional().describe('for a sale: the tokens of these traces'),
    newTokens: Whole.optional().describe('for a sale: the tokens that you are paid for'),
    deviceId: z.string().optional().describe('of impressions'),
    day: z.iso
      .date()
      .meta({ examples: ['2026-11-20'] })
      .optional()
      .describe('for impressions: the UTC day'),
    reference: z
      .string()
      .meta({ examples: ['transfer-1'] })
      .optional()
      .describe('the reference of a payout, or the reason of a correction'),
  })
  .meta({ id: 'LedgerEntry' })

const balances = {
  balanceUsd: z.number().describe('the amount that can be paid out'),
  pendingUsd: z.number().describe('shares of sales that are not available yet'),
  lifetimeUsd: z.number().describe('everything earned, paid out or not'),
}

/** The balance of a contributor, for the operator who pays it out. */
export const PersonBalance = z
  .object({
    userId: z.string(),
    email: z.string().nullable().describe('the verified address of the account'),
    unpaidUsd: z.number().describe('balanceUsd and pendingUsd together'),
    ...balances,
  })
  .meta({ id: 'Balance' })

/** A payout in the operator's list. */
export const PayoutItem = z
  .object({
    id: Uuid,
    userId: z.string().nullable().describe('null means that the account was erased'),
    email: z.string().nullable().describe('the verified address of the account'),
    usd: z.number(),
    at: DateTime,
    reference: z.string(),
  })
  .meta({ id: 'Payout' })

/** The filter of the operator's list of balances and payouts. */
export const BalancesQuery = ListQuery(['signedUpAt', 'unpaidUsd', 'lifetimeUsd'])
export const PayoutsQuery = ListQuery(['at', 'usd'])

export const RequestItem = z
  .object({
    id: Uuid,
    userId: z.string(),
    email: z.string().nullable().describe('the verified address of the account'),
    usd: z.number().describe('the available balance when it was requested'),
    status: z.enum(['open', 'paid', 'rejected']),
    requestedAt: DateTime,
    decidedAt: DateTime.nullable(),
    reason: z.string().nullable(),
  })
  .meta({ id: 'PayoutRequest' })

/** The filter of the operator's list of payout requests. */
export const RequestsQuery = ListQuery(['requestedAt']).extend({ status: RequestItem.shape.status.optional() })

/** Earnings of contributors, payouts and corrections. */
export const ledgerContract = {
  listEarnings: route({
    method: 'GET',
    path: '/api/account/earnings',
    auth: 'bearer-or-cookie',
    envelope: 'ok',
    tool: 'list_earnings',
    summary: 'List earnings',
    description:
      "Returns the caller's balance, and the entries of their ledger, newest first. Shares of sales are " +
      'pending for 14 days by default. Impressions are added once their UTC day is over.',
    query: Cursor,
    reply: z.object({ ok: True, ...balances, items: z.array(Entry), nextCursor: z.string().nullable() }),
    failures: {},
  }),
  earningsPage: route({
    method: 'GET',
    path: '/earnings',
    auth: 'page',
    envelope: 'ok',
    summary: 'Show the earnings page',
    description: 'Shows your balance, your earnings of each day, and every entry of your ledger.',
    query: z.object({ cursor: z.string().optional() }),
    reply: 'page',
    failures: {},
  }),
  requestPayout: route({
    method: 'POST',
    path: '/api/account/payout-requests',
    auth: 'bearer-or-cookie',
    envelope: 'ok',
    summary: 'Request a payout',
    description:
      'Asks the operator to pay the whole available balance, of at least 25 dollars by default. One request is open at a ' +
      'time: a recorded payout closes it, or the operator rejects it.',
    body: z.object({}),
    reply: z.object({ ok: True, request: z.object({ id: Uuid, usd: z.number(), status: z.literal('open') }) }),
    failures: { insufficient_balance: 409, payout_request_open: 409, contributor_not_approved: 409 },
  }),
  requestPayoutForm: route({
    method: 'POST',
    path: '/earnings',
    auth: 'page',
    envelope: 'ok',
    summary: 'Submit the form that requests a payout',
    form: z.object({}),
    reply: 'page',
    success: [303],
    failures: {},
  }),
  listPayoutRequests: route({
    ...operator,
    method: 'GET',
    path: '/api/admin/payout-requests',
    tool: 'admin_list_payout_requests',
    summary: 'List payout requests',
    description: 'Returns payout requests, newest first.',
    query: RequestsQuery,
    reply: z.object({ ok: True, items: z.array(RequestItem), nextCursor: z.string().nullable() }),
    failures: {},
  }),
  rejectPayoutRequest: route({
    ...operator,
    method: 'POST',
    path: '/api/admin/payout-requests/:id',
    summary: 'Reject a payout request',
    description:
      'Rejects an open request, and mails the reason to the contributor. A recorded payout also closes the request.',
    params: z.object({ id: Uuid }),
    body: z.object({ decision: z.literal('reject'), reason: Text(1, 500) }),
    reply: z.object({
      ok: True,
      request: z.object({ id: Uuid, usd: z.number(), status: z.literal('rejected'), reason: z.string() }),
    }),
    failures: { not_found: 404, already_decided: 409 },
  }),
  recordPayout: route({
    ...operator,
    method: 'POST',
    path: '/api/admin/payouts',
    summary: 'Record a payout',
    description:
      'Records a payout that was made elsewhere, and mails the contributor. The same reference for the ' +
      'same user and amount is the same payout, and is recorded once.',
    idempotent: true,
    body: z.object({
      userId: UserId,
      usd: Usd.positive(),
      reference: Name(1, 128)
        .meta({ examples: ['transfer-1'] })
        .describe('the name of the payout in the system that made it; do not enter personal data'),
    }),
    reply: z.object({ ok: True, entry: Entry, balanceUsd: balances.balanceUsd }),
    failures: { not_found: 404, insufficient_balance: 409, reference_used: 409, contributor_not_approved: 409 },
  }),
  recordCorrection: route({
    ...operator,
    method: 'POST',
    path: '/api/admin/corrections',
    summary: 'Record a correction',
    description: 'Adds an amount to the balance of a contributor, or subtracts it. The contributor sees the reason.',
    idempotent: true,
    body: z.object({
      userId: UserId,
      usd: Usd.refine((usd) => usd !== 0, 'must not be 0').describe('negative to subtract an amount'),
      reason: Text(1, 500),
      reference: Name(1, 128)
        .meta({ examples: ['ticket-7'] })
        .describe(
          'the reference of the correction in other records; a correction with the same reference is recorded once',
        )
        .optional(),
    }),
    reply: z.object({ ok: True, entry: Entry, balanceUsd: balances.balanceUsd }),
    failures: { not_found: 404, reference_used: 409 },
  }),
  listPayouts: route({
    ...operator,
    method: 'GET',
    path: '/api/admin/payouts',
    tool: 'admin_list_payouts',
    summary: 'List payouts',
    description: 'Returns the recorded payouts, newest first.',
    query: PayoutsQuery,
    reply: z.object({ ok: True, items: z.array(PayoutItem), nextCursor: z.string().nullable() }),
    failures: {},
  }),
  listBalances: route({
    ...operator,
    method: 'GET',
    path: '/api/admin/balances',
    tool: 'admin_list_balances',
    summary: 'List balances',
    description: 'Returns the contributors who have earnings, with the amounts that can be paid out to them.',
    query: BalancesQuery,
    reply: z.object({ ok: True, items: z.array(PersonBalance), nextCursor: z.string().nullable() }),
    failures: {},
  }),
}
