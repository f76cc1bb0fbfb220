/** The values that a report may have: closed lists, so that an unknown value is refused. */
export const kinds = ['api_endpoint', 'docs_page', 'cli_command', 'sdk_method', 'other'] as const
export const categories = ['bug', 'docs_mismatch', 'friction', 'feature_gap', 'quality_degradation', 'other'] as const
export const severities = ['critical', 'high', 'medium', 'low'] as const
export const frequencies = ['always', 'sometimes', 'intermittent', 'once'] as const
export const evidenceTypes = [
  'http_summary',
  'stderr_excerpt',
  'repro_steps',
  'screenshot',
  'log_excerpt',
  'other',
] as const

/** The operator's status of a report. */
export const statuses = ['open', 'investigating', 'accepted', 'resolved', 'dismissed', 'spam'] as const

/** The maximum number of duplicates that are listed with a report. */
export const maxListedDuplicates = 50

/** Returns counts by status that are all 0, as a start for sums. */
export const noReports = () => ({
  statuses: { open: 0, investigating: 0, accepted: 0, resolved: 0, dismissed: 0, spam: 0 } satisfies Record<
    (typeof statuses)[number],
    number
  >,
  duplicates: 0,
})

/** The maximum size of a report in decoded bytes. */
export const maxReportBytes = 32 * 1024
/** The maximum number of pieces of evidence in one call. */
export const maxEvidenceItems = 10

/** The fields that decide whether two reports are duplicates; reporter, confidence and evidence do not. */
export interface ComparableReport {
  readonly subject: {
    readonly surface: string
    readonly domain?: string | undefined
    readonly kind?: string | undefined
  }
  readonly signal?: { readonly category?: string | undefined } | undefined
  readonly content: {
    readonly title: string
    readonly summary?: string | undefined
    readonly hypothesis?: string | undefined
  }
}

/** Returns a report's fields as text for comparison, without differences of case and white space. */
export function similarityText({ subject, signal, content }: ComparableReport): string {
  const parts = [
    subject.surface,
    subject.domain,
    subject.kind,
    signal?.category,
    content.title,
    content.summary,
    content.hypothesis,
  ]
  return JSON.stringify(parts.map((part) => (part ?? '').normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim()))
}

const uuid =
  /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|0{8}-0{4}-0{4}-0{4}-0{12}|f{8}-f{4}-f{4}-f{4}-f{12})$/

/** Returns the UUID of an `Idempotency-Key` header, bare or quoted, in lower case. Returns null for any other text. */
export function parseIdempotencyKey(header: string): string | null {
  const value = header.trim().toLowerCase()
  const bare = /^"(.*)"$/.exec(value)?.[1] ?? value
  return uuid.test(bare) ? bare : null
}
