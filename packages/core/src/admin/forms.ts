import * as z from 'zod'
import { topics } from '../ads/rules.ts'
import { CredentialText } from '../auth/passkeys/contract.ts'
import { eventTypes } from '../events/schema.ts'
import { statuses as reportStatuses } from '../reports/rules.ts'
import { EnteredDollars, Email, Name, Text, Timestamp, Uuid } from '../http/fields.ts'
import { undeliveredStatuses } from '../outbox/store.ts'
import { SaleForm } from '../traces/dataset/sale-form.ts'

/** Builds a check box for each name. A check box that is not selected is absent from the form data. */
const boxes = <Name extends string>(names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, z.literal('yes').optional()])) as Readonly<
    Record<Name, z.ZodOptional<z.ZodLiteral<'yes'>>>
  >

/** A field as it was entered. The contract of the JSON route validates the field. */
const entered = z.string().max(4096).optional()

const Campaign = z.object({
  name: entered,
  brandName: entered,
  title: entered,
  text: entered,
  url: entered,
  favicon: entered,
  cpmUsd: entered,
  budgetUsd: entered,
  dailyCap: entered,
  startsAt: entered,
  endsAt: entered,
  ...boxes(topics),
})

const count = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number)

/** Whether the person confirmed the action. The form is submitted twice: the second time with this field. */
const confirmed = z.literal('yes').optional()

/**
 * A sale that was reviewed, with the totals that the page showed. `until` is the position up to which traces were
 * counted.
 */
const ReviewedSale = SaleForm.extend({
  until: count,
  traces: count,
  tokens: count,
  confirmed,
})

/** An amount to add, or to subtract when it is negative. */
const signedDollars = z
  .string()
  .regex(/^-?\d{1,9}(?:\.\d{1,6})?$/)
  .refine((usd) => Number(usd) !== 0)

const Webhook = z.object({
  url: z.url({ protocol: /^https?$/ }).max(2048),
  description: Name(1, 256).optional(),
  /** Absent: the webhook receives the events whose boxes are selected, or all events if no box is selected. */
  which: z.enum(['all', 'selected']).optional(),
  ...boxes(eventTypes),
})
const WebhookId = z.object({ id: Uuid })

const ApplicationReview = z.object({
  id: Uuid,
  decision: z.enum(['approve', 'reject']),
  reason: Text(1, 2000).optional(),
  reconsider: z.literal('yes').optional(),
})

/** The forms of the operator's page by section and action, for their routes. */
export const adminForms = {
  applications: {
    review: { summary: 'Review an application', form: ApplicationReview },
  },
  contributors: {
    review: { summary: 'Review the application of a contributor', form: ApplicationReview },
    sign_out: {
      summary: 'Sign a contributor out',
      asks: true,
      form: z.object({ userId: z.string().min(1).max(128), confirmed }),
    },
    pause: {
      summary: 'Pause or resume a contributor',
      form: z.object({ userId: z.string().min(1).max(128), paused: z.enum(['yes', 'no']) }),
    },
  },
  jobs: {
    retry: { summary: 'Retry a failed job', form: z.object({ jobId: Uuid }) },
  },
  sales: {
    sell: { summary: 'Record a sale', form: ReviewedSale },
  },
  buyers: {
    create: {
      summary: 'Create a buyer',
      showsOnce: true,
      form: z.object({
        name: Name(1, 256),
        email: Email.optional(),
        sale: z
          .string()
          .max(4096)
          .describe('The query of the sale that is continued')
          .meta({ examples: ['buyer=Lab&usd=12.50'] })
          .optional(),
      }),
    },
    address: { summary: "Change a buyer's address", form: z.object({ id: Uuid, email: Email.optional() }) },
    rotate: {
      summary: "Rotate a buyer's token",
      showsOnce: true,
      form: z.object({ id: Uuid, name: Name(1, 256), confirmed }),
    },
    revoke: {
      summary: "Revoke a buyer's token",
      asks: true,
      form: z.object({ id: Uuid, name: Name(1, 256), confirmed }),
    },
    withdraw: {
      summary: 'Withdraw a trace',
      asks: true,
      form: z.object({
        id: Uuid,
        reason: Name(1, 500),
        sale: Uuid.describe('The sale whose page is shown afterwards').optional(),
        confirmed,
      }),
    },
  },
  payouts: {
    reject: {
      summary: 'Reject a payout request',
      form: z.object({ id: Uuid, reason: Text(1, 500) }),
    },
    // Each of these forms is submitted twice. The second time, it contains the ID of the person in the confirmation.
    record: {
      summary: 'Record a payout',
      asks: true,
      form: z.object({
        userId: z.string().min(1).max(128),
        usd: EnteredDollars.refine((usd) => Number(usd) > 0),
        reference: Name(1, 128),
        confirmed: z.string().max(128).optional(),
      }),
    },
    correct: {
      summary: 'Record a correction',
      asks: true,
      form: z.object({
        userId: z.string().min(1).max(128),
        usd: signedDollars,
        reason: Text(1, 500),
        overdraw: z.literal('yes').optional(),
        confirmed: z.string().max(128).optional(),
      }),
    },
  },
  campaigns: {
    create: { summary: 'Create a campaign', form: Campaign },
    edit: { summary: 'Edit a campaign', form: Campaign.extend({ id: Uuid }) },
    status: {
      summary: 'Pause or resume a campaign',
      form: z.object({ id: Uuid, status: z.enum(['active', 'paused']) }),
    },
    end: { summary: 'End a campaign', asks: true, form: z.object({ id: Uuid, confirmed }) },
    correct: {
      summary: "Correct a campaign's spend",
      form: z.object({ id: Uuid, usd: signedDollars, reason: Text(1, 500) }),
    },
    rotate: {
      summary: "Create or rotate a campaign's sponsor link",
      showsOnce: true,
      form: z.object({ id: Uuid, confirmed }),
    },
    revoke: { summary: "Revoke a campaign's sponsor link", asks: true, form: z.object({ id: Uuid, confirmed }) },
  },
  waitlist: {
    notify: {
      summary: 'Notify the waitlist of a country',
      form: z.object({ country: z.string().regex(/^[A-Z]{2}$/) }),
    },
    remove: {
      summary: 'Remove a person from the waitlist',
      form: z.object({ userId: z.string().min(1).max(128) }),
    },
  },
  webhooks: {
    create: { summary: 'Create a webhook', form: Webhook, showsOnce: true },
    edit: { summary: 'Edit a webhook', form: Webhook.extend({ id: Uuid }) },
    rotate: { summary: "Rotate a webhook's secret", form: WebhookId, showsOnce: true },
    status: {
      summary: 'Enable or disable a webhook',
      form: WebhookId.extend({ status: z.enum(['enabled', 'disabled']) }),
    },
    test: { summary: 'Send a test event', form: WebhookId },
    delete: { summary: 'Delete a webhook', form: WebhookId },
    redeliver: { summary: 'Redeliver an event', form: WebhookId.extend({ deliveryId: Uuid }) },
  },
  keys: {
    register: {
      summary: 'Register a passkey of the operator',
      form: z.object({ name: Name(1, 64), response: CredentialText }),
    },
    remove: {
      summary: 'Remove a passkey of an operator',
      asks: true,
      form: z.object({ id: Uuid, confirmed }),
    },
  },
  outbox: {
    resend: {
      summary: 'Send dead deliveries again',
      form: z.object({ status: z.literal('dead'), id: Uuid.optional(), until: Timestamp.optional() }),
    },
    delete: {
      summary: 'Delete deliveries',
      form: z.object({ status: z.enum(undeliveredStatuses), id: Uuid.optional(), until: Timestamp.optional() }),
    },
  },
  feedback: {
    handle: {
      summary: 'Mark feedback as handled',
      form: z.object({ id: Uuid, handled: z.enum(['yes', 'no']) }),
    },
  },
  reports: {
    status: {
      summary: 'Update report status',
      form: z.object({ id: Uuid, status: z.enum(reportStatuses) }),
    },
    merge: { summary: 'Merge a report into another', form: z.object({ id: Uuid, into: Uuid }) },
    separate: { summary: 'Separate a duplicate', form: z.object({ id: Uuid }) },
  },
} as const
