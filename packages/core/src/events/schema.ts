import * as z from 'zod'
import { DateTime } from '../http/fields.ts'

const Id = z.string()
const UserId = z.string().describe('the id of the contributor')

/** The data of each event, without its id, type and time. */
const eventData = {
  'application.submitted': z.object({ userId: UserId, applicationId: Id }),
  'contributor.approved': z.object({ userId: UserId, applicationId: Id }),
  'contributor.rejected': z.object({ userId: UserId, applicationId: Id }),
  'contributor.paused': z.object({ userId: UserId, by: z.enum(['contributor', 'operator']) }),
  'contributor.copies_found': z.object({
    userId: UserId,
    traceCount: z
      .int()
      .describe('traces of one batch with less than a fifth of new text; later traces of the day are not reported'),
  }),
  'job.completed': z.object({
    userId: UserId,
    jobId: Id,
    traceCount: z.int().describe('traces stored'),
    rejectedCount: z.int().describe('traces not stored'),
    estimatedUsd: z.number(),
  }),
  'job.failed': z.object({ userId: UserId, jobId: Id, errorMessage: z.string() }),
  'traces.deleted': z.object({ userId: UserId, traceIds: z.array(Id) }),
  'sale.recorded': z.object({ saleId: Id, buyer: z.string(), usd: z.number(), traceCount: z.int() }),
  'trace.removal_requested': z.object({
    id: Id.describe('the id of the removal'),
    saleId: Id,
    buyer: z.string(),
    buyerTraceId: Id.describe('the id that the buyer has for the trace'),
    reason: z.enum(['erased', 'withdrawn']),
  }),
  'account.erased': z.object({ userId: UserId.describe('the id that the account had') }),
  'report.received': z.object({
    feedbackId: Id,
    duplicateOf: Id.nullable().describe('the open report with the same meaning'),
  }),
  'campaign.exhausted': z.object({ campaignId: Id, budgetUsd: z.number() }),
} as const

/** The names of the events. These names never change. */
export type EventType = keyof typeof eventData
export type EventData<Type extends EventType = EventType> = z.output<(typeof eventData)[Type]>

/** The names of the events. */
export const eventTypes = Object.keys(eventData) as [EventType, ...EventType[]]

const makeSchema = (type: EventType) =>
  z.object({
    id: z.uuid().describe('the same each time the event is delivered'),
    type: z.literal(type),
    createdAt: DateTime,
    data: eventData[type],
  })

/** The schema of an event, as `onEvent` and webhooks get it. */
export const ServiceEventSchema = z.discriminatedUnion('type', [
  makeSchema(eventTypes[0]),
  ...eventTypes.slice(1).map(makeSchema),
])

/** An event whose effect was committed. It contains no text of a trace and no secret. */
export type ServiceEvent = {
  readonly [Type in EventType]: {
    /** A UUID version 7. It is the same each time the event is delivered. */
    readonly id: string
    readonly type: Type
    /** ISO 8601, UTC, milliseconds. */
    readonly createdAt: string
    readonly data: Readonly<EventData<Type>>
  }
}[EventType]
