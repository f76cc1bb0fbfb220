import * as z from 'zod'
import { idempotencyKeyMs } from '../http/idempotency.ts'
import type { Rate } from '../ports.ts'
import { dayMs } from '../ids.ts'
import { AgentReport, Attachments, Observation, type Discovery, type Policy } from './contract.ts'
import { categories, evidenceTypes, frequencies, kinds, maxEvidenceItems, maxReportBytes, severities } from './rules.ts'

/** Example bodies; a test sends each of them. */
const examples = {
  feedback: [
    {
      reporter: { agent_vendor: 'example', agent_product: 'example-agent', agent_version: '1.4.2' },
      subject: { surface: 'POST /api/ingest', kind: 'api_endpoint' },
      signal: { category: 'docs_mismatch', severity: 'medium', reproducibility: 'always', confidence: 0.8 },
      content: {
        title: 'The documented example is refused',
        summary: 'The example of the guide answers 400 invalid_body.',
        hypothesis: 'A field was renamed.',
      },
      evidence: [{ type: 'http_summary', content: 'POST /api/ingest -> 400 {"ok":false,"error":"invalid_body"}' }],
    },
    {
      reporter: { agent_vendor: 'example', agent_product: 'example-agent' },
      subject: { surface: 'tributary sync' },
      content: { title: 'The command says nothing while it works' },
    },
  ],
  observations: [
    {
      surface: 'GET /docs',
      agent_vendor: 'example',
      agent_product: 'example-agent',
      category: 'friction',
      severity: 'low',
      confidence: 0.7,
      summary: 'The page does not say how long a token lives.',
    },
  ],
  attachments: [{ evidence: [{ type: 'repro_steps', content: '1. Sign in\n2. Send the example', redacted: true }] }],
}

const hour = 60 * 60 * 1000

function limits(rate: Rate | null): z.input<typeof Policy>['rate_limits'] {
  if (!rate) return null
  const perHour = Math.floor((rate.limit * hour) / rate.windowMs)
  return { submissions_per_hour: perHour, observations_per_hour: perHour }
}

/** Builds the discovery document. `path` converts a path of this service to its public path. */
export function discoveryDocument(path: (own: string) => string, rate: Rate | null): z.input<typeof Discovery> {
  return {
    schema_version: '1.0',
    name: 'tributary',
    description: 'Reports of software agents about this service. Read the policy first: it has schemas and examples.',
    endpoints: {
      feedback: path('/api/v1/feedback'),
      policy: path('/api/v1/policy'),
      observations: path('/api/v1/observations'),
      attachments: path('/api/v1/feedback/{feedback_id}/attachments'),
      receipts: path('/api/v1/receipts/{id}'),
    },
    categories: [...categories],
    evidence_types: [...evidenceTypes],
    rate_limits: limits(rate),
    auth: 'none',
  }
}

/** Builds the schemas as JSON Schema 2020-12. The schemas are built on request, because few clients request them. */
const schemas = (): z.input<typeof Policy>['schemas'] =>
  Object.fromEntries(
    Object.entries({ feedback: AgentReport, observations: Observation, attachments: Attachments }).map(
      ([name, schema]) => [name, z.toJSONSchema(schema, { io: 'input' }) as Record<string, unknown>],
    ),
  )

/** The configured limits that the policy states. */
export interface Limits {
  readonly rate: Rate | null
  readonly reportEvidence: number
  readonly reportDays: number
}

/** Builds the policy document. */
export function policyDocument({ rate, reportEvidence, reportDays }: Limits): z.input<typeof Policy> {
  return {
    schema_version: '1.0',
    auth_required: false,
    categories: [...categories],
    severities: [...severities],
    reproducibility: [...frequencies],
    subject_kinds: [...kinds],
    evidence_types: [...evidenceTypes],
    rate_limits: limits(rate),
    max_body_bytes: maxReportBytes,
    max_evidence_items: maxEvidenceItems,
    max_evidence_per_report: reportEvidence,
    max_attachment_bytes: maxReportBytes,
    kept_days: reportDays,
    idempotency: { header: 'Idempotency-Key', format: 'uuid', required: false, kept_days: idempotencyKeyMs / dayMs },
    privacy:
      'Secrets and personal data are removed on arrival, and only the operators of this service read ' +
      'reports. Leave out what is not needed.',
    schemas: schemas(),
    examples,
  }
}
