import * as z from 'zod'
import { route } from '../http/route.ts'
import { categories, cleanLine, cleanText, evidenceTypes, frequencies, kinds, mostEvidence, reportLimit, severities } from './rules.ts'

/** Lengths count what is kept: control and bidi characters are gone before. */
const Line = (min: number, max: number) => z.string().overwrite(cleanLine).min(min).max(max)
const Prose = (min: number, max: number) => z.string().overwrite(cleanText).min(min).max(max)

export const Evidence = z.object({
  type: z.enum(evidenceTypes),
  content: Prose(1, 8192),
  redacted: z.boolean().optional().describe('whether the sender took something out'),
})

export const Reporter = z.object({
  agent_vendor: Line(1, 64).describe('who makes the agent'),
  agent_product: Line(1, 64),
  agent_version: Line(0, 64).optional(),
})

export const Subject = z.object({
  surface: Line(1, 512).describe('what the report is about: an endpoint, a page, a command'),
  domain: Line(0, 253).optional(),
  kind: z.enum(kinds).optional(),
})

export const Signal = z.object({
  category: z.enum(categories).optional(),
  severity: z.enum(severities).optional(),
  reproducibility: z.enum(frequencies).optional(),
  confidence: z.number().min(0).max(1).optional().describe('how sure the reporter is, 0 to 1'),
})

/** The agent report of the interface's section 2: what validates is what the documents publish. */
export const AgentReport = z.object({
  reporter: Reporter,
  subject: Subject,
  signal: Signal.optional(),
  content: z.object({ title: Line(1, 256), summary: Prose(0, 4096).optional(), hypothesis: Prose(0, 2048).optional() }),
  evidence: z.array(Evidence).max(mostEvidence).optional(),
})

export const Receipt = z.object({
  receipt: z.object({
    id: z.string(),
    feedback_id: z.string().describe('of this report; evidence is attached under it'),
    status: z.enum(['accepted', 'duplicate']),
    evidence_ids: z.array(z.string()),
    duplicate_of: z.string().nullable().describe('the feedback_id of the open report that means the same'),
    created_at: z.string(),
  }),
})

const open = { auth: 'none', envelope: 'bare' } as const

/** E20: the open feedback.now protocol (decisions section 10). */
export const reportsContract = {
  sendReport: route({
    ...open, id: 'E20', method: 'POST', path: '/api/v1/feedback',
    summary: 'A software agent\'s report: 201 new, 200 the same key and report again, 202 an open report means the same',
    headers: { 'idempotency-key': 'a UUID, bare or quoted: the same key and report again make no second report' },
    rates: ['reports'], body: AgentReport, bodyLimit: reportLimit, issues: true, reply: Receipt, success: [201, 200, 202],
    failures: { invalid_idempotency_key: 400, idempotency_in_progress: 409, idempotency_mismatch: 422 },
  }),
}
