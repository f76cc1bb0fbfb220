import * as z from 'zod'
import { DateTime, Uuid, Whole } from '../http/fields.ts'
import { storedDetailFields } from './detail-schemas.ts'

/** The document of `GET /api/traces/:id/download` and of each line of the dataset. */
export const TraceDocument = z
  .strictObject({
    id: Uuid,
    source: z.string(),
    sourceId: z.string(),
    title: z.string().nullable(),
    model: z.string().nullable(),
    createdAt: DateTime,
    parentTraceId: z.string().nullable(),
    segmentIndex: Whole.nullable(),
    contentHash: z.string(),
    scrub: z.strictObject({ version: z.string(), redactions: z.record(z.string(), Whole) }),
    ...storedDetailFields,
    messages: z.array(
      z.strictObject({
        position: Whole,
        role: z.string().nullable(),
        content: z.string(),
        tokenCount: Whole,
        createdAt: DateTime.nullable(),
        truncated: z.boolean(),
      }),
    ),
  })
  .meta({ id: 'TraceDocument' })
export type TraceDocument = z.output<typeof TraceDocument>
