import { ListQuery } from '../http/list.ts'
import * as z from 'zod'
import { DateTime, Email, Name, Text, True, Uuid, WebUrl } from '../http/fields.ts'
import { AccountDocument } from './account/contract.ts'
import { sanitizeText } from '../http/text.ts'
import { route } from '../http/route.ts'

const eitherWay = { auth: 'bearer-or-cookie', envelope: 'ok' } as const
const operator = { auth: 'admin', envelope: 'ok' } as const
const form = { auth: 'page', envelope: 'ok', reply: 'page', failures: {} } as const

const applicationStatuses = ['pending', 'approved', 'rejected'] as const
const Status = z.enum(['not_applied', ...applicationStatuses])
export const contributorFilters = [...applicationStatuses, 'not_applied', 'paused'] as const

const Link = WebUrl.overwrite(sanitizeText)
/** Adds `https://` to a URL that a person entered without a scheme, such as `example.com`. */
const completeUrl = (sent: unknown): unknown =>
  typeof sent === 'string' && /^[^\s:/?#@.]+(\.[^\s:/?#@.]+)+(?=[:/?#]|$)/.test(sent) ? `https://${sent}` : sent

/** The contributor application of the interface. Fields that were omitted or are not known yet are null. */
export const Application = z
  .object({
    id: Uuid,
    companyName: z.string(),
    incubatorBatch: z.string().nullable(),
    website: z.string(),
    directoryUrl: z.string().nullable(),
    email: z.string().describe('given by the applicant, not verified'),
    role: z.string(),
    authorized: z.boolean(),
    status: z.enum(applicationStatuses),
    submittedAt: DateTime,
    reviewedAt: DateTime.nullable(),
    reviewReason: z.string().nullable(),
  })
  .meta({ id: 'Application' })

const Draft = z.object({
  companyName: Name(1, 200),
  incubatorBatch: Name(0, 64).optional().describe('the incubator batch of the company'),
  website: Link.describe('http or https, at most 2048 characters'),
  directoryUrl: Link.optional().describe('http or https, at most 2048 characters'),
  email: Email,
  role: Name(1, 128).describe('role of the applicant in the company'),
})
const ContactDetails = z
  .object({ name: Name(1, 200), email: Email, phone: Name(1, 64).optional() })
  .meta({ id: 'ContactDetails' })
const Consent = z.object({ attribution: z.boolean(), pixel: z.boolean() }).meta({ id: 'Consent' })

export const SubmittedApplication = Application.extend({
  userId: z.string(),
  accountEmail: z.string().nullable().describe("the verified address of the applicant's account"),
}).meta({ id: 'SubmittedApplication' })
export const Contributor = z
  .object({
    userId: z.string(),
    status: Status,
    companyName: z.string().nullable(),
    email: z.string().nullable().describe('the verified address of the account'),
    signedUpAt: DateTime,
    termsVersion: z.string().nullable(),
    residencyConfirmed: z.boolean(),
    contactCompleted: z.boolean(),
    paused: z.boolean().describe('paused by the contributor'),
    operatorPaused: z.boolean(),
  })
  .meta({ id: 'Contributor' })

const Review = z
  .object({
    decision: z.enum(['approve', 'reject']),
    reason: Text(0, 2000).optional(),
    reconsider: z.boolean().optional(),
  })
  .refine(({ decision, reconsider }) => !reconsider || decision === 'approve', { path: ['reconsider'] })

/** The filter of the operator's list of applications. */
export const ApplicationsQuery = ListQuery(['submittedAt', 'companyName']).extend({
  status: z.enum(applicationStatuses).optional(),
})

/** The filter of the operator's list of contributors. */
export const ContributorsQuery = ListQuery(['signedUpAt', 'email']).extend({
  status: z.enum(contributorFilters).optional(),
})

/** The filter of the operator's list of contributors whose uploads are mostly copies, and an item of the list. */
export const CopiersQuery = ListQuery(['signedUpAt'])
export const Copier = z.object({
  userId: z.string(),
  email: z.string().nullable(),
  traces: z.number(),
  copiedTraces: z.number(),
})

/** The application, contact, consent and account of a contributor, and the operator's routes for these. */
export const contributorsContract = {
  access: route({
    ...eitherWay,
    id: 'E12',
    method: 'GET',
    path: '/api/traces/access',
    tool: 'get_contributor_status',
    summary: 'Get contributor status',
    description: 'Returns the status of the caller as a contributor, and the application.',
    reply: z.object({ ok: True, status: Status, application: Application.nullable(), applyUrl: z.string() }),
    failures: {},
  }),
  contact: route({
    ...eitherWay,
    id: 'E13',
    method: 'GET',
    path: '/api/traces/contact',
    summary: 'Get contact status',
    description: 'Returns whether the caller has set contact details.',
    reply: z.object({ ok: True, completed: z.boolean(), contactUrl: z.string() }),
    failures: {},
  }),
  apply: route({
    ...eitherWay,
    method: 'POST',
    path: '/api/account/application',
    summary: 'Apply as a contributor',
    body: Draft.extend({ authorized: z.literal(true).describe('the applicant is authorized to act for the company') }),
    reply: z.object({ ok: True, status: Status, application: Application }),
    failures: { application_exists: 409 },
  }),
  saveContact: route({
    ...eitherWay,
    method: 'POST',
    path: '/api/account/contact',
    summary: 'Set the contact',
    description:
      'The first contact details may be set with either credential. A change needs a browser that signed in within the last ' +
      '15 minutes, and is mailed to the address of the account.',
    body: ContactDetails,
    reply: z.object({ ok: True, completed: z.literal(true), contactUrl: z.string() }),
    failures: { reauthentication_required: 403 },
  }),
  setConsent: route({
    ...eitherWay,
    method: 'PUT',
    path: '/api/account/consent',
    summary: 'Set consent',
    description: 'Sets what may be shared with the ad network beyond what /account lists. Both are off by default.',
    body: Consent,
    reply: z.object({ ok: True, consent: Consent }),
    failures: {},
  }),
  exportAccount: route({
    ...eitherWay,
    method: 'GET',
    path: '/api/account/export',
    summary: 'Export the account',
    description:
      'Returns all data of the caller as one JSON document. Entries of the ledger are as in GET /api/account/earnings. ' +
      'A document that the host cannot send in one reply (on Lambda above 3 MB) is refused with 409: use ' +
      'POST /api/account/exports.',
    reply: 'stream',
    media: 'application/json',
    content: AccountDocument,
    failures: { export_too_large: 409 },
  }),
  eraseAccount: route({
    ...eitherWay,
    method: 'DELETE',
    path: '/api/account',
    summary: 'Delete the account',
    description:
      'Every credential is revoked immediately, other data is deleted in the background. Buyers of sold traces are told ' +
      'to delete their copies; the header `link` with `rel="status"` is a page that says which buyers acknowledged. Requires a ' +
      'sign-in within the last 15 minutes.',
    reply: z.object({ ok: True }),
    failures: { browser_required: 403, reauthentication_required: 403 },
  }),
  applyPage: route({
    ...form,
    method: 'GET',
    path: '/apply',
    summary: 'Show the application page',
  }),
  applyForm: route({
    ...form,
    method: 'POST',
    path: '/apply',
    summary: 'Submit the application form',
    form: Draft.extend({
      website: z.preprocess(completeUrl, Link),
      directoryUrl: z.preprocess(completeUrl, Link.optional()),
      authorized: z.literal('yes'),
    }),
    success: [303, 400, 409],
  }),
  contactPage: route({ ...form, method: 'GET', path: '/contact', summary: 'Show the contact page' }),
  contactForm: route({
    ...form,
    method: 'POST',
    path: '/contact',
    summary: 'Submit the contact form',
    form: ContactDetails,
    success: [303, 400],
  }),
  adminApplications: route({
    ...operator,
    method: 'GET',
    path: '/api/admin/applications',
    tool: 'admin_list_applications',
    summary: 'List applications',
    description: 'Returns applications, newest first.',
    query: ApplicationsQuery,
    reply: z.object({ ok: True, items: z.array(SubmittedApplication), nextCursor: z.string().nullable() }),
    failures: {},
  }),
  adminReview: route({
    ...operator,
    method: 'POST',
    path: '/api/admin/applications/:id',
    summary: 'Approve or reject an application',
    description:
      'An application is reviewed once; `reconsider` approves a rejected application, unless the applicant applied again.',
    params: z.object({ id: Uuid }),
    body: Review,
    reply: z.object({ ok: True, application: SubmittedApplication }),
    failures: { not_found: 404, already_reviewed: 409 },
  }),
  adminContributors: route({
    ...operator,
    method: 'GET',
    path: '/api/admin/contributors',
    tool: 'admin_list_contributors',
    summary: 'List contributors',
    description: 'Returns contributors, latest sign-up first.',
    query: ContributorsQuery,
    reply: z.object({ ok: True, items: z.array(Contributor), nextCursor: z.string().nullable() }),
    failures: {},
  }),
  adminPause: route({
    ...operator,
    method: 'POST',
    path: '/api/admin/contributors/:userId',
    summary: 'Pause or resume a contributor',
    description: 'This pause is separate from a pause by the contributor.',
    params: z.object({ userId: z.string().min(1).max(128) }),
    body: z.object({ paused: z.boolean() }),
    reply: z.object({ ok: True, contributor: Contributor }),
    failures: { not_found: 404 },
  }),
}
