import * as z from 'zod'
import { DateTime, True, Whole } from '../../http/fields.ts'
import { route } from '../../http/route.ts'
import { AuditItem } from '../../audit/contract.ts'

const Text = z.string().nullable()

const Application = z.object({
  id: z.string(),
  companyName: z.string(),
  incubatorBatch: Text,
  website: z.string(),
  directoryUrl: Text,
  email: z.string().describe('given by the applicant, not verified'),
  role: z.string(),
  status: z.enum(['pending', 'approved', 'rejected']),
  submittedAt: DateTime,
  reviewedAt: DateTime.nullable(),
  reviewReason: Text,
})

const Machine = z.object({
  id: z.string(),
  kind: z.enum(['machine', 'browser']),
  status: z.enum(['signed_in', 'approved']),
  label: z.string(),
  createdAt: DateTime,
  lastUsedAt: DateTime.nullable(),
})

const Job = z.object({
  id: z.string(),
  source: z.string(),
  status: z.enum(['queued', 'parsing', 'ingesting', 'done', 'failed']),
  traceCount: Whole,
  rejectedCount: Whole,
  estimatedUsd: z.number().nullable(),
  errorMessage: Text,
  enqueuedAt: DateTime,
  startedAt: DateTime.nullable(),
  finishedAt: DateTime.nullable(),
})

const Contact = z.object({
  name: z.string(),
  email: z.string().describe('given by the person, not verified'),
  phone: Text,
})

const AcceptedTerms = z.object({ version: z.string(), acceptedAt: DateTime })

/** The data of the service about a person, for an operator. The data does not include the content of traces. */
export const ContributorSummary = z.object({
  userId: z.string(),
  email: Text.describe('the verified address of the account'),
  companyName: Text,
  signedUpAt: DateTime,
  status: z.enum(['not_applied', 'pending', 'approved', 'rejected']),
  termsVersion: Text,
  residencyConfirmed: z.boolean(),
  contactCompleted: z.boolean(),
  paused: z.boolean().describe('paused by the contributor'),
  operatorPaused: z.boolean(),
  application: Application.nullable().describe('the latest'),
  contact: Contact.nullable(),
  acceptedTerms: z.array(AcceptedTerms),
  machines: z.array(Machine).describe('machines that hold a token and browsers that are signed in'),
  traces: z.object({ total: Whole, forSale: Whole, excluded: Whole, sold: Whole, tokens: Whole }),
  copiedTraces: Whole.describe('traces with less than a fifth of new text'),
  copiedTokens: Whole.describe('tokens that earlier traces contain, including earlier traces of this person'),
  jobs: z.array(Job).describe('the latest 50, newest first'),
  earnings: z.object({ balanceUsd: z.number(), pendingUsd: z.number(), lifetimeUsd: z.number() }),
  audit: z.array(AuditItem).describe('the latest 50 changes of this person by operators, newest first'),
})

/** A contributor, in the form that an operator sees. */
export const contributorContract = {
  getContributor: route({
    method: 'GET',
    path: '/api/admin/contributors/:userId',
    auth: 'admin',
    envelope: 'ok',
    tool: 'admin_get_contributor',
    summary: 'Get a contributor',
    description:
      'Returns status, application, contact, accepted terms, machines, traces by state, copies, jobs, earnings and the audit of one ' +
      'person, without the content of traces.',
    params: z.object({ userId: z.string().min(1).max(128) }),
    reply: ContributorSummary.extend({ ok: True }),
    failures: { not_found: 404 },
  }),
  signOutContributor: route({
    method: 'POST',
    path: '/api/admin/contributors/:userId/sign-out',
    auth: 'admin',
    envelope: 'ok',
    summary: 'Sign a contributor out',
    description:
      'Signs a person out of every browser and device, and ends the device authorizations whose token was not fetched.',
    params: z.object({ userId: z.string().min(1).max(128) }),
    reply: z.object({ ok: True, ended: Whole }),
    failures: {},
  }),
}
