import * as z from 'zod'
import { DateTime, Email, Page, True } from '../../http/fields.ts'
import { route } from '../../http/route.ts'
import { reasons } from './rules.ts'

/** The upload policy of the interface's section 2. `reason` is null when eligible, `country` when unknown. */
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
const Done = z.object({ done: z.string().max(32).optional() })
const CountryCode = z
  .string()
  .regex(/^[A-Za-z]{2}$/, 'not a country code of two letters')
  .toUpperCase()

const WaitlistItem = z
  .object({
    userId: z.string(),
    email: z.string(),
    country: z.string().nullable(),
    joinedAt: DateTime,
    notifiedAt: DateTime.nullable().describe('when the mail that uploads are open was put into the outbox'),
  })
  .meta({ id: 'WaitlistEntry' })

/** Whether a person may upload, and what they can do about it (decisions section 5). */
export const policyContract = {
  uploadPolicy: route({
    ...eitherWay,
    id: 'E11',
    method: 'GET',
    path: '/api/traces/upload-policy',
    summary: 'Whether the caller may upload, and if not, the first reason',
    reply: UploadPolicy,
    failures: {},
  }),
  acceptTerms: route({
    ...eitherWay,
    method: 'POST',
    path: '/api/account/terms',
    summary: 'Accept the current terms; an older version is refused with the current one',
    body: z.object({ termsVersion: z.string().min(1).max(64), residencyConfirmed: z.boolean() }),
    reply: z.object({ ok: True, policy: UploadPolicy }),
    failures: { terms_outdated: 409 },
  }),
  updateAccount: route({
    ...eitherWay,
    method: 'PATCH',
    path: '/api/account',
    summary: "The caller's own pause; an operator's stands beside it",
    body: z.object({ paused: z.boolean() }),
    reply: z.object({ ok: True, paused: z.boolean(), policy: UploadPolicy }),
    failures: {},
  }),
  joinWaitlist: route({
    ...eitherWay,
    method: 'POST',
    path: '/api/waitlist',
    summary: 'Ask to hear when uploads open in another country; a later entry replaces the earlier one',
    body: z.object({ email: Email, country: CountryCode.optional() }),
    reply: z.object({ ok: True }),
    failures: {},
  }),
  listWaitlist: route({
    method: 'GET',
    path: '/api/admin/waitlist',
    auth: 'admin',
    envelope: 'ok',
    summary: 'List the waitlist',
    query: Page.extend({
      cursor: z
        .string()
        .regex(/^\d{1,15}$/)
        .optional(),
      country: CountryCode.optional(),
    }),
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
    summary: 'Mail everyone on the waitlist of a country that uploads are open there, once each',
    body: z.object({ country: CountryCode }),
    reply: z.object({ ok: True, notified: z.int().describe('mails put into the outbox') }),
    failures: { country_not_open: 409 },
  }),
  termsPage: route({
    method: 'GET',
    path: '/terms',
    auth: 'optional',
    envelope: 'ok',
    summary: 'Read the terms; signed in, accept them',
    query: Done,
    reply: 'page',
    failures: {},
  }),
  termsForm: route({
    method: 'POST',
    path: '/terms',
    auth: 'page',
    envelope: 'ok',
    summary: 'The form of /terms',
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
    summary: 'Ask to hear when uploads open in your country',
    query: Done,
    reply: 'page',
    failures: {},
  }),
  waitlistForm: route({
    method: 'POST',
    path: '/waitlist',
    auth: 'page',
    envelope: 'ok',
    summary: 'The form of /waitlist',
    form: z.object({ email: Email, country: CountryCode.optional() }),
    reply: 'page',
    success: [303, 400],
    failures: {},
  }),
}
