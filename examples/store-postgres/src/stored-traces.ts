import type { DatasetFilter, SaleState, StoredTrace, TitleOfTrace } from '@tributary/core'
import { and, asc, eq, inArray, sql, type SQL } from 'drizzle-orm'
import type { Database, Postgres } from './database.ts'
import { contents, traces, users } from './tables.ts'

/** The columns of a trace without its messages. */
export const traceFields = {
  id: traces.id,
  source: traces.source,
  sourceId: traces.sourceId,
  segmentIndex: traces.segmentIndex,
  title: traces.title,
  model: traces.model,
  createdAt: traces.createdAt,
  parentTraceId: traces.parentTraceId,
  contentHash: traces.contentHash,
  tokenCount: traces.tokenCount,
  estimatedUsd: traces.estimatedUsd,
  scrubVersion: traces.scrubVersion,
  identityRevision: traces.identityRevision,
  redactions: traces.redactions,
  details: traces.details,
}

/** The details of a trace; none when they are damaged. */
const validDetails = sql`case when ${traces.details} is json then ${traces.details}::json end`

/** Returns the condition that a trace says this of itself. */
export const matchesDetails = ({ agent, outcome }: Pick<DatasetFilter, 'agent' | 'outcome'>): SQL | undefined =>
  and(
    agent === undefined ? undefined : sql`${validDetails} #>> '{agent,name}' = ${agent}`,
    outcome === undefined ? undefined : sql`${validDetails} #>> '{outcome,status}' = ${outcome}`,
  )

/** The columns of a trace's title, of `traces` with `users` joined on the left. */
export const titleFields = {
  id: traces.id,
  title: traces.title,
  scrubVersion: traces.scrubVersion,
  identityRevision: traces.identityRevision,
  ownerRevision: sql<number>`coalesce(${users.identityRevision}, 0)`,
} satisfies Record<keyof TitleOfTrace, unknown>

/** The columns of a trace's sale state. */
export const stateFields = { id: traces.id, sellExcluded: traces.sellExcluded, saleCount: traces.saleCount }

/** Returns the sale state of a trace alone. */
export const toSaleState = ({ id, sellExcluded, saleCount }: SaleState): SaleState => ({ id, sellExcluded, saleCount })

/** The columns of `StoredTrace`, of `traces` with `users` and `contents` joined on the left. */
export const storedFields = {
  ...traceFields,
  messages: contents.messages,
  tools: contents.tools,
  ownerId: users.id,
  ownerRevision: titleFields.ownerRevision,
  withheld: traces.withheld,
  replacements: traces.replacements,
} satisfies Record<keyof StoredTrace, unknown>

/** Returns the query of traces with their messages, to which the caller adds a condition. */
export const selectStored = (query: Postgres) =>
  query
    .select({ ...storedFields, ...stateFields, num: traces.num, storedAt: traces.storedAt })
    .from(traces)
    .leftJoin(users, eq(users.num, traces.owner))
    .leftJoin(contents, eq(contents.trace, traces.num))
    .$dynamic()

/** Bytes of messages that are read at once, or a single trace that is larger. */
const groupBytes = 1024 * 1024

/**
 * Yields what `read` returns for the traces at these places, a few at a time: what the reader does not ask for is not
 * read, and what changes meanwhile is seen.
 */
export async function* readInGroups<Row>(
  db: Database,
  places: readonly number[],
  read: (query: Postgres, group: number[]) => Promise<Row[]>,
): AsyncGenerator<Row> {
  if (places.length === 0) return
  const sizes = await db.run((query) =>
    query
      .select({
        num: contents.trace,
        bytes: sql`octet_length(${contents.messages}) + coalesce(octet_length(${contents.tools}), 0)`.mapWith(Number),
      })
      .from(contents)
      .where(inArray(contents.trace, [...places]))
      .orderBy(asc(contents.trace)),
  )
  const sizeOf = new Map(sizes.map(({ num, bytes }) => [num, bytes]))
  for (let start = 0; start < places.length;) {
    const group: number[] = []
    for (let bytes = 0; start < places.length && (group.length === 0 || bytes < groupBytes); start++) {
      group.push(places[start]!)
      bytes += sizeOf.get(places[start]!) ?? 0
    }
    yield* await db.run((query) => read(query, group))
  }
}
