import { ListQuery } from '../http/list.ts'
import * as z from 'zod'
import { DateTime, RangeEnd, RangeStart, True, Uuid } from '../http/fields.ts'
import { plainLine, plainText } from '../http/text.ts'
import { route } from '../http/route.ts'
import {
  categories,
  evidenceTypes,
  frequencies,
  kinds,
  maxEvidenceItems,
  maxListedDuplicates,
  maxReportBytes,
  severities,
  statuses,
} from './rules.ts'

/**
 * Returns the schema of a text without control, bidirectional and invisible characters; its length is checked after
 * these characters are removed.
 */
const Line = (min: number, max: number) => z.string().overwrite(plainLine).min(min).max(max)
const Prose = (min: number, max: number) => z.string().overwrite(plainText).min(min).max(max)

const Evidence = z.object({
  type: z.enum(evidenceTypes),
  content: Prose(0, 8192),
  redacted: z.boolean().optional().describe('whether the sender removed parts of the content'),
})

const Reporter = z.object({
  agent_vendor: Line(1, 64).describe('vendor of the agent'),
  agent_product: Line(1, 64),
  agent_version: Line(0, 64).optional(),
})

const Subject = z.object({
  surface: Line(1, 512).describe('subject of the report: an endpoint, a page, a command'),
  domain: Line(0, 253).optional(),
  kind: z.enum(kinds).optional(),
})

const Signal = z.object({
  category: z.enum(categories).optional(),
  severity: z.enum(severities).optional(),
  reproducibility: z.enum(frequencies).optional(),
  confidence: z.number().min(0).max(1).optional().describe('confidence of the reporter, 0 to 1'),
})

/** The agent report, from which the published JSON Schema is made. */
export const AgentReport = z.object({
  reporter: Reporter,
  subject: Subject,
  signal: Signal.optional(),
  content: z.object({
    title: Line(1, 256),
    summary: Prose(0, 4096).optional(),
    hypothesis: Prose(0, 2048).optional(),
  }),
  evidence: z.array(Evidence).max(maxEvidenceItems).optional(),
})

/** Evidence for a report that was already sent. */
export const Attachments = z.object({ evidence: z.array(Evidence).min(1).max(maxEvidenceItems) })

/** An observation: the fields of a report without nesting. */
export const Observation = z.object({
  surface: Subject.shape.surface,
  domain: Subject.shape.domain,
  agent_vendor: Reporter.shape.agent_vendor,
  agent_product: Reporter.shape.agent_product,
  agent_version: Reporter.shape.agent_version,
  category: Signal.shape.category,
  severity: Signal.shape.severity,
  confidence: Signal.shape.confidence,
  summary: Prose(1, 4096),
})

const standing = z.enum(['accepted', 'duplicate'])

export const Receipt = z
  .object({
    receipt: z.object({
      id: z.string(),
      feedback_id: z.string().describe('id of this report; evidence is attached to it'),
      status: standing,
      evidence_ids: z.array(z.string()),
      duplicate_of: z.string().nullable().describe('feedback_id of the open report with the same meaning'),
      created_at: DateTime,
    }),
  })
  .meta({ id: 'Receipt' })

const ObservationReceipt = z
  .object({
    receipt: z.object({
      id: z.string(),
      observation_id: z.string(),
      status: standing,
      duplicate_of: z.string().nullable(),
      created_at: DateTime,
    }),
  })
  .meta({ id: 'ObservationReceipt' })

const rates = z
  .object({ submissions_per_hour: z.int(), observations_per_hour: z.int() })
  .nullable()
  .describe('per IP address, counted together; null if there is no limit')
const words = z.array(z.string())

/** The discovery document, which an agent reads first. */
export const Discovery = z
  .object({
    schema_version: z.literal('1.0'),
    name: z.string(),
    description: z.string(),
    endpoints: z.object({
      feedback: z.string(),
      policy: z.string(),
      observations: z.string(),
      attachments: z.string(),
      receipts: z.string(),
    }),
    categories: words,
    evidence_types: words,
    rate_limits: rates,
    auth: z.literal('none'),
  })
  .meta({ id: 'ReportDiscovery' })

/** The report policy: lists, limits, schemas, examples, and how long reports are stored. */
export const Policy = z
  .object({
    schema_version: z.literal('1.0'),
    auth_required: z.literal(false),
    categories: words,
    severities: words,
    reproducibility: words,
    subject_kinds: words,
    evidence_types: words,
    rate_limits: rates,
    max_body_bytes: z.int(),
    max_evidence_items: z.int().describe('per call'),
    max_attachment_bytes: z.int(),
    max_evidence_per_report: z
      .int()
      .describe(
        'in total, including evidence of duplicates; the receipt lists in evidence_ids which evidence was stored',
      ),
    kept_days: z.int().describe('days after the last change: a new duplicate, new evidence or a new status'),
    idempotency: z.object({
      header: z.string(),
      format: z.literal('uuid'),
      required: z.literal(false),
      kept_days: z.int(),
    }),
    privacy: z.string(),
    schemas: z.record(z.string(), z.record(z.string(), z.unknown())).describe('JSON Schema of each body, by endpoint'),
    examples: z.record(z.string(), z.array(z.record(z.string(), z.unknown()))).describe('valid bodies by endpoint'),
  })
  .meta({ id: 'ReportPolicy' })

const word = z.string().optional()

/** A report in the form that the operator sees. The scrubbed text may be longer than the text that was sent. */
export const ReportItem = z
  .object({
    id: z.string(),
    status: z.enum(statuses),
    duplicateOf: z.string().nullable().describe('the report that this one is a duplicate of'),
    observation: z.boolean(),
    reporter: z.object({ agent_vendor: z.string(), agent_product: z.string(), agent_version: word }),
    subject: z.object({ surface: z.string(), domain: word, kind: Subject.shape.kind }),
    signal: Signal,
    content: z.object({ title: z.string(), summary: word, hypothesis: word }),
    evidence: z
      .array(
        z.object({
          id: z.string(),
          reportId: z.string().describe('the report with which it was sent, which may be a duplicate'),
          type: z.enum(evidenceTypes),
          content: z.string(),
          redacted: z.boolean(),
        }),
      )
      .describe('the first 20 items'),
    evidenceCount: z.int(),
    duplicates: z.int().describe('number of reports with the same meaning'),
    createdAt: DateTime,
    changedAt: DateTime,
  })
  .meta({ id: 'Report' })

const open = { auth: 'none', envelope: 'bare' } as const
const operator = { auth: 'admin', envelope: 'ok' } as const
type Status = (typeof statuses)[number]

/** The filter of the operator's list of reports. */
export const ReportsQuery = ListQuery(['createdAt', 'changedAt']).extend({
  status: z.enum(statuses).optional(),
  kind: z.enum(kinds).optional(),
})

/** The filter of a count of reports. */
const filter = z.object({
  kind: z.enum(kinds).optional(),
  from: RangeStart.describe('the earliest `createdAt`').optional(),
  to: RangeEnd.describe('the latest `createdAt`').optional(),
  q: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .optional()
    .describe('words that each occur in the report or one of its duplicates: id, texts, surface, domain or reporter'),
})

/** A change of a report by an operator: a new status, a merge or a separation. */
export const ReportChange = z
  .object({
    at: DateTime,
    actor: z.string().describe('the name of the operator'),
    action: z.enum(['update', 'merge', 'separate']),
    from: z.enum(statuses).nullable().describe('the status before; null where it did not change'),
    to: z.enum(statuses).nullable().describe('the status after; null where it did not change'),
  })
  .meta({ id: 'ReportChange' })

/** The open feedback.now protocol. */
export const reportsContract = {
  sendReport: route({
    ...open,
    id: 'E20',
    method: 'POST',
    path: '/api/v1/feedback',
    tool: 'submit_feedback',
    summary: 'Submit an agent report',
    description:
      '201: a new report. 200: the same key and report were sent before. 202: an open report has the same meaning.',
    headers: {
      'idempotency-key': {
        description: 'A UUID, bare or quoted. The same key with the same report creates no second report.',
        example: '5f2c6f0e-7d0b-4a55-9a3c-0d6c1b8e9f21',
      },
    },
    rates: ['reports'],
    byteRate: 'report_bytes',
    body: AgentReport.meta({ id: 'AgentReport' }),
    bodyLimit: maxReportBytes,
    issues: true,
    reply: Receipt,
    success: [201, 200, 202],
    failures: { invalid_idempotency_key: 400, idempotency_in_progress: 409, idempotency_mismatch: 422 },
  }),
  attachEvidence: route({
    ...open,
    method: 'POST',
    path: '/api/v1/feedback/:id/attachments',
    summary: 'Attach evidence to a report',
    description: '`id` is the `feedback_id` of the receipt.',
    rates: ['reports'],
    byteRate: 'report_bytes',
    params: z.object({ id: Uuid }),
    body: Attachments,
    bodyLimit: maxReportBytes,
    reply: Receipt,
    success: [201],
    failures: { not_found: 404 },
  }),
  observe: route({
    ...open,
    method: 'POST',
    path: '/api/v1/observations',
    summary: 'Submit an observation',
    description: '201: a new observation. 202: an open observation has the same meaning.',
    rates: ['reports'],
    byteRate: 'report_bytes',
    body: Observation.meta({ id: 'Observation' }),
    bodyLimit: maxReportBytes,
    reply: ObservationReceipt,
    success: [201, 202],
    failures: {},
  }),
  readReceipt: route({
    ...open,
    method: 'GET',
    path: '/api/v1/receipts/:id',
    tool: 'get_feedback_receipt',
    summary: 'Get a receipt',
    params: z.object({ id: Uuid }),
    reply: Receipt,
    failures: { not_found: 404 },
  }),
  policy: route({
    ...open,
    method: 'GET',
    path: '/api/v1/policy',
    tool: 'get_policy',
    summary: 'Get the report policy',
    description: 'Returns the lists, limits, schemas and examples for reports.',
    reply: Policy,
    failures: {},
  }),
  discovery: route({
    ...open,
    method: 'GET',
    path: '/.well-known/agent-feedback.json',
    summary: 'Get the report discovery document',
    reply: Discovery,
    failures: {},
  }),
  adminReports: route({
    method: 'GET',
    path: '/api/admin/reports',
    auth: 'admin',
    envelope: 'ok',
    tool: 'admin_list_reports',
    summary: 'List reports',
    description: 'Returns reports of agents, newest first, without duplicates.',
    query: ReportsQuery,
    reply: z.object({ ok: True, items: z.array(ReportItem), nextCursor: z.string().nullable() }),
    failures: {},
  }),
  getReportStats: route({
    ...operator,
    method: 'GET',
    path: '/api/admin/reports/stats',
    tool: 'admin_count_reports',
    summary: 'Count reports',
    description: 'Counts the reports that match, without duplicates, by status.',
    query: filter,
    reply: z.object({
      ok: True,
      reports: z.int(),
      statuses: z.object(Object.fromEntries(statuses.map((status) => [status, z.int()])) as Record<Status, z.ZodInt>),
      duplicates: z.int().describe('duplicates of these reports'),
    }),
    failures: {},
  }),
  getReport: route({
    ...operator,
    method: 'GET',
    path: '/api/admin/reports/:id',
    tool: 'admin_get_report',
    summary: 'Get a report',
    description: `Returns a report, a duplicate too, with its latest ${maxListedDuplicates} duplicates, newest first.`,
    params: z.object({ id: Uuid }),
    reply: z.object({
      ok: True,
      report: ReportItem,
      duplicates: z.array(ReportItem),
      history: z.array(ReportChange).describe('The latest 100 changes by operators, newest first'),
    }),
    failures: { not_found: 404 },
  }),
  mergeReport: route({
    ...operator,
    method: 'POST',
    path: '/api/admin/reports/:id/merge',
    summary: 'Merge a report into another',
    description:
      'Makes the report a duplicate of `into`, together with its duplicates and evidence. Later reports ' +
      'with the same meaning become duplicates of `into`. `separate` undoes the merge. Returns the report `into`.',
    params: z.object({ id: Uuid }),
    body: z.object({ into: Uuid }),
    reply: z.object({ ok: True, report: ReportItem }),
    failures: { not_found: 404, same_report: 409, already_merged: 409 },
  }),
  separateReport: route({
    ...operator,
    method: 'POST',
    path: '/api/admin/reports/:id/separate',
    summary: 'Separate a duplicate',
    description:
      'Undoes a merge. The report gets back its status, and the duplicates and evidence with which it was merged.',
    params: z.object({ id: Uuid }),
    reply: z.object({ ok: True, report: ReportItem }),
    failures: { not_found: 404, not_duplicate: 409 },
  }),
  triageReport: route({
    method: 'PATCH',
    path: '/api/admin/reports/:id',
    auth: 'admin',
    envelope: 'ok',
    summary: 'Update report status',
    description:
      'While a report is open, investigating or accepted, a report with the same meaning becomes its duplicate.',
    params: z.object({ id: Uuid }),
    body: z.object({ status: z.enum(statuses) }),
    reply: z.object({ ok: True, report: ReportItem }),
    failures: { not_found: 404 },
  }),
}
