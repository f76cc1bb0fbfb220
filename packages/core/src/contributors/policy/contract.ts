import { ListQuery } from '../../http/list.ts'
import * as z from 'zod'
import { DateTime, Email, True } from '../../http/fields.ts'
import { route } from '../../http/route.ts'
import { reasons } from './rules.ts'

/**
 * The upload policy of the interface's section 2. `reason` is null when the user is eligible; `country` is null when
 * the country is unknown.
 */
export const UploadPolicy = z
  .object({
    ok: True,
    eligible: z.boolean(),
    reason: z.enum(reasons).nullable(),
    country: z.string().nullable(),
    policyVersion: z.string(),
    termsVersion: z.string(),
    termsAccepted: z.boolean(),
    residencyConfirmed: z.boolean(),
    acceptanceUrl: z.string(),
    waitlistUrl: z.string(),
  })
  .meta({ id: 'UploadPolicy' })

const eitherWay = { auth: 'bearer-or-cookie', envelope: 'ok' } as const
const CountryCode = z
  .string()
  .regex(/^[A-Za-z]{2}$/, 'not a country code of two letters')
  .toUpperCase()

export const WaitlistItem = z
  .object({
    userId: z.string(),
    email: z.string(),
    country: z.string().nullable(),
    joinedAt: DateTime,
    notifiedAt: DateTime.nullable().describe('when the mail that uploads are open was queued'),
  })
  .meta({ id: 'WaitlistEntry' })

/** The filter of the operator's list of entries of the waitlist. */
export const WaitlistQuery = ListQuery(['joinedAt'], 'asc').extend({
  country: CountryCode.optional(),
  notified: z.enum(['true', 'false']).optional(),
})

/** The upload policy, terms, pause and waitlist. */
export const policyContract = {
  uploadPolicy: route({
    ...eitherWay,
    id: 'E11',
    method: 'GET',
    path: '/api/traces/upload-policy',
    tool: 'get_upload_policy',
    summary: 'Get the upload policy',
    description: 'Returns whether the caller may upload and, if not, the first reason.',
    reply: UploadPolicy,
    failures: {},
  }),
  acceptTerms: route({
    ...eitherWay,
    method: 'POST',
    path: '/api/account/terms',
    summary: 'Accept the terms',
    description: 'Accepts the current version of the terms. An older version is refused.',
    body: z.object({ termsVersion: z.string().min(1).max(64), residencyConfirmed: z.boolean() }),
    reply: z.object({ ok: True, policy: UploadPolicy }),
    failures: { terms_outdated: 409 },
  }),
  readAccount: route({
    ...eitherWay,
    method: 'GET',
    path: '/api/account',
    summary: 'Get the account',
    description: 'Returns whose account this is.',
    reply: z.object({ ok: True, userId: z.string(), email: z.string().nullable() }),
    failures: {},
  }),
  updateAccount: route({
    ...eitherWay,
    method: 'PATCH',
    path: '/api/account',
    summary: 'Pause or resume uploads',
    description: 'While paused, new uploads are rejected. A pause by an operator is separate.',
    body: z.object({ paused: z.boolean() }),
    reply: z.object({ ok: True, paused: z.boolean(), policy: UploadPolicy }),
    failures: {},
  }),
  joinWaitlist: route({
    ...eitherWay,
    method: 'POST',
    path: '/api/waitlist',
    summary: 'Join the waitlist',
    description: 'A mail is sent when uploads open in the country. A later entry replaces an earlier one.',
    body: z.object({ email: Email, country: CountryCode.optional() }),
    reply: z.object({ ok: True }),
    failures: {},
  }),
  listWaitlist: route({
    method: 'GET',
    path: '/api/admin/waitlist',
    auth: 'admin',
    envelope: 'ok',
    tool: 'admin_list_waitlist',
    summary: 'List the waitlist',
    query: WaitlistQuery,
    reply: z.object({ ok: True, items: z.array(WaitlistItem), nextCursor: z.string().nullable() }),
    failures: {},
  }),
  exportWaitlist: route({
    method: 'GET',
    path: '/api/admin/waitlist/export',
    auth: 'admin',
    envelope: 'ok',
    summary: 'Export the waitlist as CSV',
    query: z.object({ country: CountryCode.optional() }),
    reply: 'stream',
    media: 'text/csv',
    failures: {},
  }),
  notifyWaitlist: route({
    method: 'POST',
    path: '/api/admin/waitlist/notify',
    auth: 'admin',
    envelope: 'ok',
    summary: 'Notify the waitlist of a country',
    description: 'Mails everyone on the waitlist of the country, once each, that uploads are open there.',
    body: z.object({ country: CountryCode }),
    reply: z.object({ ok: True, notified: z.int().describe('number of mails queued') }),
    failures: { country_not_open: 409 },
  }),
  removeFromWaitlist: route({
    method: 'DELETE',
    path: '/api/admin/waitlist/:userId',
    auth: 'admin',
    envelope: 'ok',
    summary: 'Remove a person from the waitlist',
    description: 'Use this when a person asks to be removed. The person can join again.',
    params: z.object({ userId: z.string().min(1).max(128) }),
    reply: z.object({ ok: True }),
    failures: { not_found: 404 },
  }),
  termsPage: route({
    method: 'GET',
    path: '/terms',
    auth: 'optional',
    envelope: 'ok',
    summary: 'Show the terms page',
    reply: 'page',
    failures: {},
  }),
  termsForm: route({
    method: 'POST',
    path: '/terms',
    auth: 'page',
    envelope: 'ok',
    summary: 'Submit the terms form',
    form: z.object({
      termsVersion: z.string().max(64),
      accepted: z.literal('yes'),
      residencyConfirmed: z.literal('yes').optional(),
    }),
    reply: 'page',
    success: [303, 400, 409],
    failures: {},
  }),
  waitlistPage: route({
    method: 'GET',
    path: '/waitlist',
    auth: 'page',
    envelope: 'ok',
    summary: 'Show the waitlist page',
    reply: 'page',
    failures: {},
  }),
  waitlistForm: route({
    method: 'POST',
    path: '/waitlist',
    auth: 'page',
    envelope: 'ok',
    summary: 'Submit the waitlist form',
    form: z.object({ email: Email, country: CountryCode }),
    reply: 'page',
    success: [303, 400],
    failures: {},
  }),
  leaveWaitlistPage: route({
    method: 'GET',
    path: '/waitlist/leave',
    auth: 'page',
    envelope: 'ok',
    summary: 'Show the page that asks to leave the waitlist',
    reply: 'page',
    success: [200, 303],
    failures: {},
  }),
  leaveWaitlist: route({
    method: 'POST',
    path: '/waitlist/leave',
    auth: 'page',
    envelope: 'ok',
    summary: 'Submit the form that leaves the waitlist',
    description: 'Deletes the entry, and no mail is sent when uploads open. Repeating it changes nothing.',
    form: z.object({}),
    reply: 'page',
    success: [303],
    failures: {},
  }),
}
