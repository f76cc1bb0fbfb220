/** The state of one trace, according to the replies that its person received. */
export interface KnownTrace {
  readonly sourceId: string
  /** The value is `either` if a reply was lost, so that both values are possible. */
  kept: boolean | 'either'
  excluded: boolean | 'either'
  /** The ID of the trace. Null until a list contained the trace. */
  id: string | null
}

/**
 * A batch as it was sent. `accepted` is null when the reply was lost: then either all traces of the batch are stored,
 * or none of them.
 */
export interface SentBatch {
  readonly sourceIds: readonly string[]
  jobId: string | null
}

/**
 * Everything that the service acknowledged to one person. At the end it is compared with the answers of the service.
 */
export interface Ledger {
  readonly traces: Map<string, KnownTrace>
  readonly sent: SentBatch[]
  /** The `feedback_id` of each agent's report, by idempotency key. */
  readonly reports: Map<string, string>
  /** The sums for the summary of the run. */
  acts: number
  unanswered: number
  /** Replies with a status that the interface does not allow for the request. */
  readonly wrong: string[]
}

export const emptyLedger = (): Ledger => ({
  traces: new Map(),
  sent: [],
  reports: new Map(),
  acts: 0,
  unanswered: 0,
  wrong: [],
})

/** A trace as `GET /api/traces` lists it. */
export interface ListedTrace {
  readonly id: string
  readonly sellExcluded: boolean
}

/** The reply of `GET .../outcomes` for a job that is done. */
export interface Outcome {
  readonly sourceId: string
  readonly outcome: string
  readonly traceId: string | null
}

/**
 * Compares a person's ledger with the answers of the service after all processes have ended: everything acknowledged
 * must be true, and each trace must exist once. `outcomes` contains the outcomes of all acknowledged jobs.
 */
export function findDifferences(
  ledger: Ledger,
  listed: readonly ListedTrace[],
  names: ReadonlyMap<string, string>,
): string[] {
  const found: string[] = []
  const byName = new Map<string, ListedTrace[]>()
  for (const one of listed) {
    const name = names.get(one.id)
    if (name === undefined) found.push(`${one.id} is listed and nobody sent it`)
    else byName.set(name, [...(byName.get(name) ?? []), one])
  }
  for (const [name, same] of byName) if (same.length > 1) found.push(`${name} is stored ${same.length} times`)
  for (const { sourceId, kept, excluded } of ledger.traces.values()) {
    const [one] = byName.get(sourceId) ?? []
    if (kept === true && !one) found.push(`${sourceId} was acknowledged and is lost`)
    if (kept === false && one) found.push(`${sourceId} was deleted and is back`)
    if (one && excluded !== 'either' && one.sellExcluded !== excluded)
      found.push(`${sourceId} is ${one.sellExcluded ? '' : 'not '}excluded, against what was acknowledged`)
  }
  for (const { sourceIds, jobId } of ledger.sent) {
    if (jobId !== null || sourceIds.some((name) => ledger.traces.get(name)!.kept !== 'either')) continue
    const there = sourceIds.filter((name) => byName.has(name)).length
    if (there !== 0 && there !== sourceIds.length)
      found.push(`of a batch without an answer ${there} of ${sourceIds.length} are stored`)
  }
  return found
}
