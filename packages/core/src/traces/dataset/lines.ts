import * as z from 'zod'
import { DateTime, Uuid, Whole } from '../../http/fields.ts'
import { storedDetailFields } from '../detail-schemas.ts'
import { TraceDocument } from '../trace-document.ts'

const Role = z.enum(['user', 'assistant', 'system', 'tool'])
const AnyObject = z.record(z.string(), z.unknown())

/** A tool in the form of chat templates and ATIF. */
const Tool = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({
    name: z.string(),
    description: z.string().optional(),
    parameters: AnyObject.describe('JSON Schema of the arguments').optional(),
  }),
})

const openToolCalls = Whole.describe('Tool calls without a result')

/** A line of `format=messages`. */
export const MessagesLine = TraceDocument.omit({ messages: true, tools: true }).extend({
  messages: z.array(
    z.strictObject({
      role: Role,
      content: z.string(),
      reasoning_content: z.string().describe("The model's thinking").optional(),
      tool_calls: z
        .array(
          z.strictObject({
            id: z.string(),
            type: z.literal('function'),
            function: z.strictObject({
              name: z.string(),
              arguments: z.union([AnyObject, z.string()]).describe('An object, else text'),
            }),
          }),
        )
        .optional(),
      tool_call_id: z.string().describe('For a result: the call that it answers').optional(),
      name: z.string().describe('For a result: the tool').optional(),
    }),
  ),
  tools: z.array(Tool).optional(),
  openToolCalls,
  meta: z.strictObject({ openToolCalls }),
})

/** A line of `format=sts`: the line of the session, or the line of a message. */
export const SessionTraceLine = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('session'),
    harness: z.string(),
    id: Uuid,
    name: z.string().optional(),
    ...storedDetailFields,
  }),
  z.strictObject({
    type: z.literal('message'),
    message: z.strictObject({
      role: Role,
      content: z.string(),
      reasoningContent: z.string().optional(),
      toolCalls: z
        .array(
          z.strictObject({
            id: z.string(),
            function: z.strictObject({ name: z.string(), arguments: z.string().describe('JSON text') }),
          }),
        )
        .optional(),
      toolCallId: z.string().optional(),
      timestamp: Whole.describe('Milliseconds since 1970').optional(),
      model: z.string().optional(),
    }),
  }),
])

const Observation = z.strictObject({
  results: z.array(
    z.strictObject({
      source_call_id: z.string().describe('The call of this step that it answers').optional(),
      content: z.string(),
      extra: AnyObject.optional(),
    }),
  ),
})
const step = {
  step_id: z.int().min(1),
  timestamp: DateTime.optional(),
  message: z.string(),
  extra: AnyObject.optional(),
}

/** A line of `format=atif`: a trajectory of the Agent Trajectory Interchange Format 1.7. */
export const AtifTrajectory = z.strictObject({
  schema_version: z.literal('ATIF-v1.7'),
  session_id: z.string().min(1).describe('The conversation'),
  trajectory_id: Uuid.describe('The trace'),
  agent: z.strictObject({
    name: z.string().min(1),
    version: z.string().min(1),
    model_name: z.string().optional(),
    tool_definitions: z.array(Tool).optional(),
  }),
  steps: z.array(
    z.discriminatedUnion('source', [
      z.strictObject({ ...step, source: z.literal('user') }),
      z.strictObject({ ...step, source: z.literal('system'), observation: Observation.optional() }),
      z.strictObject({
        ...step,
        source: z.literal('agent'),
        reasoning_content: z.string().optional(),
        tool_calls: z
          .array(z.strictObject({ tool_call_id: z.string(), function_name: z.string(), arguments: AnyObject }))
          .optional(),
        observation: Observation.optional(),
        metrics: z
          .strictObject({ completion_tokens: Whole.describe('The tokens of the message, counted by the service') })
          .optional(),
      }),
    ]),
  ),
  final_metrics: z.strictObject({
    total_prompt_tokens: Whole.optional(),
    total_completion_tokens: Whole.optional(),
    total_cached_tokens: Whole.optional(),
    total_cost_usd: z.number().min(0).optional(),
    total_steps: Whole,
    extra: AnyObject.optional(),
  }),
  /** The fields for which the format has no field. */
  extra: TraceDocument.omit({
    id: true,
    sourceId: true,
    model: true,
    agent: true,
    tools: true,
    usage: true,
    messages: true,
  }),
})

/** The schema of a line by format. Its objects are strict, because the published schemas close every object. */
export const lineSchemas = {
  documents: TraceDocument,
  messages: MessagesLine,
  sts: SessionTraceLine,
  atif: AtifTrajectory,
} as const

const Origin = z.object({
  origin: z.object({ termsVersion: z.string().nullable(), country: z.string().nullable() }),
})

/** A line of `format=ids`. */
const IdLine = z.strictObject({ id: Uuid })

/** A line of the dataset in any format. */
export const DatasetLine = z
  .union([TraceDocument, TraceDocument.and(Origin), MessagesLine, SessionTraceLine, AtifTrajectory, IdLine])
  .meta({ id: 'DatasetLine' })
