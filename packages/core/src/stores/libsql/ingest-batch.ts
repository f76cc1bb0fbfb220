import { sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import { firstOf, itemAt } from '../../lists.ts'
import { alias } from 'drizzle-orm/sqlite-core'
import type { PreparedTrace, WriteBatchParams } from '../../ingest/store.ts'
import type { ConversationName, NewTrace, TraceRecord } from '../../traces/store.ts'
import { jsonArgument, type Database, type Query } from './database.ts'
import { utcDay } from '../../ids.ts'
import {
  deleteFingerprintsOf,
  deleteOverlapsOf,
  deleteOverlapsWith,
  fingerprintVersion,
  isCopy,
  onKnownOverlap,
  selectFingerprintVersion,
} from './copies.ts'
import { onJobs, type JobLease } from './jobs.ts'
import { prepareEvent } from './events.ts'
import { countName, prepareDailyCounts } from './overview.ts'
import { build, insertSelect, jsonTable, prepare, setInserted } from './statement.ts'
import { standings } from './tables/contributors.ts'
import { jobs, outcomes } from './tables/ingest.ts'
import { users } from './tables/sessions.ts'
import {
  contents,
  conversations,
  deletedNames,
  deletedSegments,
  fingerprints,
  fingerprintState,
  overlaps,
  seen,
  traces,
} from './tables/traces.ts'

/**
 * A prepared trace in the JSON list that a SQL statement reads, without its messages and tools. A trace without content
 * has only the first fields.
 */
type Item = Pick<PreparedTrace, 'kind' | 'index' | 'sourceId' | 'contentHash'> & {
  readonly isRepeated: number
} & Partial<ScrubbedFields>
interface ScrubbedFields extends Omit<TraceRecord, 'sourceId' | 'contentHash'>, Pick<NewTrace, 'replacements'> {
  readonly redactionCount: number
  readonly conversationHash: string
  readonly parentHash: string | null
  readonly formerNameHashes: readonly string[]
}

const itemFields = Object.keys({
  kind: true,
  index: true,
  sourceId: true,
  contentHash: true,
  isRepeated: true,
  redactionCount: true,
  conversationHash: true,
  parentHash: true,
  formerNameHashes: true,
  id: true,
  source: true,
  segmentIndex: true,
  title: true,
  model: true,
  createdAt: true,
  parentTraceId: true,
  tokenCount: true,
  estimatedUsd: true,
  scrubVersion: true,
  identityRevision: true,
  redactions: true,
  details: true,
  replacements: true,
} satisfies Record<keyof Item, true>) as (keyof Item)[]

// The object is written field by field, because spreading the trace would take a tenth of the time of the whole batch.
function toItem(prepared: PreparedTrace): Item {
  const { kind, index, sourceId, contentHash } = prepared
  const isRepeated = Number(prepared.isRepeated)
  if (prepared.kind !== 'scrubbed') return { kind, index, sourceId, contentHash, isRepeated }
  const { trace } = prepared
  return {
    kind,
    index,
    sourceId,
    contentHash,
    isRepeated,
    redactionCount: prepared.redactions,
    conversationHash: firstOf(prepared.conversation.hashes),
    parentHash: prepared.parent?.hashes[0] ?? null,
    formerNameHashes: prepared.formerNameHashes,
    id: trace.id,
    source: trace.source,
    segmentIndex: trace.segmentIndex,
    title: trace.title,
    model: trace.model,
    createdAt: trace.createdAt,
    parentTraceId: trace.parentTraceId,
    tokenCount: trace.tokenCount,
    estimatedUsd: trace.estimatedUsd,
    scrubVersion: trace.scrubVersion,
    identityRevision: trace.identityRevision,
    redactions: trace.redactions,
    details: trace.details,
    replacements: trace.replacements,
  } satisfies Required<Item>
}

/** The traces of a batch by their first and last index. */
interface BatchRange extends JobLease {
  readonly first: number
  readonly last: number
}

/** The name of a conversation in the JSON list that a SQL statement reads. */
interface NameItem {
  readonly hash: string
  readonly olderHashes: readonly string[]
  readonly source: string
  readonly formerNames: readonly string[]
}

type Scrubbed = Extract<PreparedTrace, { kind: 'scrubbed' }>

/** Returns the conversations to which the traces belong and their parent conversations, without repetitions. */
function listNames(scrubbed: readonly Scrubbed[]): NameItem[] {
  const names = new Map<string, NameItem>()
  const add = ({ hashes, formerNames }: ConversationName, source: string): void => {
    const hash = firstOf(hashes)
    names.set(hash, { hash, olderHashes: hashes.slice(1), source, formerNames })
  }
  for (const { trace, conversation, parent } of scrubbed) {
    add(conversation, trace.source)
    if (parent) add(parent, trace.source)
  }
  return [...names.values()]
}

const nameFields = ['hash', 'olderHashes', 'source', 'formerNames'] as const satisfies (keyof NameItem)[]
interface NamesArgs extends JobLease {
  readonly names: string
}

const isOfName = (table: { owner: SQLWrapper; hash: SQLWrapper }, hash: SQL): SQL =>
  sql`${table.owner} = ${jobs.owner} and ${table.hash} = unhex(${hash})`

/**
 * If a conversation was found by a hash from an older secret, replaces this hash by the hash from the newest secret.
 */
const renewHashes = prepare<NamesArgs>()(({ jobId, lease, names }) => {
  const { rows, fields: name } = jsonTable('name', names, nameFields)
  const newest = alias(conversations, 'newest')
  return sql`with ${rows}, found as materialized (select min(${conversations.num}) as num, ${name.hash} as hash
      from ${jobs} cross join name cross join json_each(${name.olderHashes}) older
      cross join ${conversations} on ${isOfName(conversations, sql`older.value`)}
      where ${jobs.id} = ${jobId} and ${jobs.lease} = ${lease}
        and not exists (select 1 from ${conversations} ${newest} where ${isOfName(newest, name.hash)})
      group by ${name.hash})
    update ${conversations} set hash = (select unhex(min(found.hash)) from found where found.num = ${conversations.num})
    where ${conversations.num} in (select num from found)`
})
const insertConversations = prepare<NamesArgs>()(({ jobId, lease, names }) => {
  const { rows, fields: name } = jsonTable('name', names, nameFields)
  return sql`with ${rows} ${insertSelect(
    conversations,
    { owner: jobs.owner, hash: sql`unhex(${name.hash})` },
    sql`from ${jobs} cross join name where ${jobs.id} = ${jobId} and ${jobs.lease} = ${lease}
      and not exists (select 1 from ${conversations} where ${isOfName(conversations, name.hash)})`,
  )}`
})
const former = alias(traces, 'former')
/** Returns the traces without a conversation, or without a parent, that are recognized by a former name. */
const formerTraces = (
  { jobId, lease }: { jobId: unknown; lease: unknown },
  condition: SQL,
  name: { hash: SQL; formerNames: SQL },
): SQL =>
  sql`select ${former.num} as num, ${conversations.num} as conversation from ${jobs} cross join name
    cross join json_each(${name.formerNames}) former_name cross join ${traces} ${former} on ${condition}
    cross join ${conversations} on ${isOfName(conversations, name.hash)}
    where ${jobs.id} = ${jobId} and ${jobs.lease} = ${lease}`
/**
 * Sets the conversation of traces that are found by a former name. When two such traces are the same piece of the
 * conversation, only the first trace gets the conversation.
 */
const adoptPieces = prepare<NamesArgs>()(({ jobId, lease, names }) => {
  const { rows, fields: name } = jsonTable('name', names, nameFields)
  const found = formerTraces(
    { jobId, lease },
    sql`${former.owner} = ${jobs.owner} and ${former.source} = ${name.source}
    and ${former.sourceId} = former_name.value and ${former.conversation} is null`,
    name,
  )
  const selectPiece = (trace: { segmentIndex: SQLWrapper }): SQL => sql`coalesce(${trace.segmentIndex}, 0)`
  return sql`with ${rows}, found as materialized (${found}), adopted as materialized (
      select min(found.num) as num, found.conversation as conversation from found
        cross join ${traces} ${former} on ${former.num} = found.num
      where not exists (select 1 from ${traces} ${samePiece} where ${samePiece.conversation} = found.conversation
        and ${selectPiece(samePiece)} = ${selectPiece(former)})
      group by found.conversation, ${selectPiece(former)})
    update ${traces} set conversation = (select min(adopted.conversation) from adopted where adopted.num = ${traces.num})
    where ${traces.num} in (select num from adopted)`
})
const adoptChildren = prepare<NamesArgs>()(({ jobId, lease, names }) => {
  const { rows, fields: name } = jsonTable('name', names, nameFields)
  const found = formerTraces(
    { jobId, lease },
    sql`${former.owner} = ${jobs.owner} and ${former.source} = ${name.source}
    and ${former.parentTraceId} = former_name.value and ${former.parent} is null`,
    name,
  )
  return sql`with ${rows}, found as materialized (${found}) update ${traces}
    set parent = (select found.conversation from found where found.num = ${traces.num} limit 1)
    where ${traces.num} in (select num from found)`
})

const extendLease = prepare<JobLease & { leaseUntil: number }>()(
  ({ jobId, lease, leaseUntil }) =>
    sql`update ${jobs} set ${sql.identifier(jobs.leaseUntil.name)} = ${leaseUntil}, ${sql.identifier(jobs.status.name)} = 'ingesting',
      ${sql.identifier(jobs.losses.name)} = min(${jobs.losses}, 1)
      where ${jobs.id} = ${jobId} and ${jobs.lease} = ${lease} returning ${jobs.num}`,
)

/** The owner's known hash that equals the hash of an item. */
const known = alias(seen, 'known')
const knownTrace = alias(traces, 'known_trace')
/** The owner's trace that is the same piece of a conversation as an item. */
const samePiece = alias(traces, 'same_piece')
const laterOutcome = alias(outcomes, 'later_outcome')

/**
 * Implements the decisions of `decideOutcome` and `hasReplacedDuplicate` in SQL; a test compares the statement with
 * `decideOutcome` in every state. Inserts all outcomes or none.
 */
const insertOutcomes = prepare<JobLease & { items: string; copyVersion: number | null }>()((params) => {
  const { jobId, lease, items, copyVersion } = params
  const { rows, fields: item } = jsonTable('item', items, itemFields)
  const segment = sql`coalesce(cast(${item.segmentIndex} as integer), 0)`
  const isDeleted = sql`exists (select 1 from ${deletedSegments} where ${deletedSegments.conversation} = ${conversations.num}
      and ${deletedSegments.segment} = ${segment})
    or exists (select 1 from json_each(${item.formerNameHashes}) name_hash
      cross join ${deletedNames} on ${deletedNames.owner} = ${jobs.owner} and ${deletedNames.hash} = unhex(name_hash.value))`
  const isSuperseded = sql`exists (select 1 from ${outcomes} ${laterOutcome} where ${laterOutcome.traceId} = ${samePiece.id}
    and ${laterOutcome.job} > ${jobs.num} and ${laterOutcome.outcome} in ('stored', 'updated'))`
  const outcome = sql`case
    when ${known.owner} is not null and ${known.trace} is null then 'deleted_before'
    when ${known.owner} is not null then iif(cast(${item.isRepeated} as integer) = 1, 'duplicate_in_batch', 'duplicate')
    when ${item.kind} = 'known' then null
    when ${item.kind} = 'refused' then 'rejected'
    when ${isDeleted} then 'deleted_before'
    when ${samePiece.num} is null then 'stored'
    when ${samePiece.saleCount} > 0 then 'already_sold'
    when ${isSuperseded} then 'duplicate'
    else 'updated' end`
  // Left joins and cross joins run in the written order, so that each is a search by key. A plain join may be
  // reordered.
  const decided = sql`decided as materialized (select ${jobs.num} as job,
      cast(${item.index} as integer) as idx, ${item.sourceId} as source_id,
      ${item.id} as new_id, ${samePiece.id} as named_id, ${knownTrace.id} as known_id,
      cast(${item.redactionCount} as integer) as redactions,
      cast(${item.tokenCount} as integer) as tokens, ${outcome} as outcome
    from ${jobs} cross join item
      left join ${seen} ${known} on ${known.owner} = ${jobs.owner} and ${known.hash} = unhex(${item.contentHash})
      left join ${traces} ${knownTrace} on ${knownTrace.num} = ${known.trace}
      left join ${conversations} on ${isOfName(conversations, item.conversationHash)}
      left join ${traces} ${samePiece} on ${samePiece.conversation} = ${conversations.num}
        and coalesce(${samePiece.segmentIndex}, 0) = ${segment}
    where ${jobs.id} = ${jobId} and ${jobs.lease} = ${lease})`
  const hasTrace = sql`outcome in ('stored', 'updated')`
  return sql`with ${rows}, ${decided} ${insertSelect(
    outcomes,
    {
      job: sql`job`,
      idx: sql`idx`,
      sourceId: sql`source_id`,
      outcome: sql`outcome`,
      traceId: sql`case when outcome = 'stored' then new_id when outcome in ('updated', 'already_sold') then named_id
        when outcome like 'duplicate%' then coalesce(known_id, named_id) end`,
      redactions: sql`iif(${hasTrace}, redactions, 0)`,
      tokens: sql`iif(${hasTrace}, tokens, 0)`,
    },
    sql`from decided where (${copyVersion} is null or ${copyVersion} = ${fingerprintVersion})
      and not exists (select 1 from decided where outcome is null) and not exists (select 1 from decided
      where outcome like 'duplicate%' and known_id in (select named_id from decided where outcome = 'updated'))`,
  )}`
})

/** Joins a row of the batch to the outcome of the job with this index, if the trace was stored or updated. */
const joinKept = ({ jobId, lease }: { jobId: unknown; lease: unknown }, index: SQL): SQL =>
  sql`cross join ${jobs} on ${jobs.id} = ${jobId} and ${jobs.lease} = ${lease}
    cross join ${outcomes} on ${outcomes.job} = ${jobs.num} and ${outcomes.outcome} in ('stored', 'updated') and ${outcomes.idx} = ${index}`

/** Returns the traces of the batch that `insertOutcomes` stored or updated. */
const keptTraces = ({ jobId, lease, first, last }: Record<keyof BatchRange, unknown>, joined = sql``): SQL =>
  sql`${jobs} cross join ${outcomes} on ${outcomes.job} = ${jobs.num} and ${outcomes.idx} between ${first} and ${last}
    cross join ${traces} on ${traces.id} = ${outcomes.traceId} ${joined} where ${jobs.id} = ${jobId} and ${jobs.lease} = ${lease}`

const deleteOldHashes = prepare<BatchRange>()(
  (range) =>
    sql`delete from ${seen} where (owner, hash) in
      (select ${traces.owner}, ${traces.hash} from ${keptTraces(range)} and ${outcomes.outcome} = 'updated')`,
)

const insertHashes = prepare<BatchRange>()((range) =>
  insertSelect(
    seen,
    { owner: traces.owner, hash: traces.hash, trace: traces.num },
    sql`from ${keptTraces(range)} and ${outcomes.outcome} in ('stored', 'updated') order by ${traces.hash}`,
  ),
)

const parent = alias(conversations, 'parent')
/** The columns that a trace keeps when it is uploaded again. */
const keptColumns = ['id', 'withdrawnAt', 'withdrawalReason', 'sellExcluded', 'saleCount', 'copiedTokens'] as const
const upsertTraces = prepare<JobLease & { items: string; now: number }>()(({ jobId, lease, items, now }) => {
  const { rows, fields: item } = jsonTable('item', items, itemFields)
  const insert = insertSelect(
    traces,
    {
      id: outcomes.traceId,
      owner: jobs.owner,
      source: item.source,
      sourceId: item.sourceId,
      segmentIndex: sql`cast(${item.segmentIndex} as integer)`,
      title: item.title,
      model: item.model,
      createdAt: item.createdAt,
      parentTraceId: item.parentTraceId,
      hash: sql`unhex(${item.contentHash})`,
      tokenCount: sql`cast(${item.tokenCount} as integer)`,
      estimatedUsd: sql`cast(${item.estimatedUsd} as real)`,
      scrubVersion: item.scrubVersion,
      redactions: item.redactions,
      details: item.details,
      replacements: item.replacements,
      identityRevision: sql`cast(${item.identityRevision} as integer)`,
      withheld: sql`null`,
      withdrawnAt: sql`null`,
      withdrawalReason: sql`null`,
      sellExcluded: sql`0`,
      saleCount: sql`0`,
      storedAt: now,
      termsVersion: jobs.termsVersion,
      country: jobs.country,
      conversation: conversations.num,
      parent: parent.num,
      copiedTokens: sql`0`,
    },
    sql`from item ${joinKept({ jobId, lease }, sql`cast(${item.index} as integer)`)}
      cross join ${conversations} on ${isOfName(conversations, item.conversationHash)}
      left join ${conversations} ${parent} on ${isOfName(parent, item.parentHash)} where true
      on conflict (id) do update set ${setInserted(traces, ...keptColumns)}`,
  )
  return sql`with ${rows} ${insert}`
})

const isKept = sql`${outcomes.outcome} in ('stored', 'updated')`
const countOutcomes = prepareDailyCounts<BatchRange & { day: number }>(({ day, jobId, lease, first, last }) => {
  const fromOutcomes = sql`from ${jobs} cross join ${outcomes}
    on ${outcomes.job} = ${jobs.num} and ${outcomes.idx} between ${first} and ${last}
    where ${jobs.id} = ${jobId} and ${jobs.lease} = ${lease}`
  return sql`select ${day}, ${countName('tracesStored')}, count(*) ${fromOutcomes} and ${isKept}
    union all select ${day}, ${countName('tracesRejected')}, count(*) ${fromOutcomes} and not (${isKept})
    union all select ${day}, ${countName('tokens')}, sum(${outcomes.tokens}) ${fromOutcomes}`
})
const countRedactions = prepareDailyCounts<BatchRange & { day: number }>(({ day, jobId, lease, first, last }) => {
  const kept = keptTraces({ jobId, lease, first, last }, sql`cross join json_each(${traces.redactions}, '$') category`)
  return sql`select ${day}, 'redactions.' || category.key, sum(cast(category.value as integer))
    from ${kept} and ${isKept} group by category.key`
})

const contentsByRows = new Map<number, (holder: JobLease) => Query>()

/** A row that matches no trace. Such rows fill up the list of a statement. */
const noContents = [-1, '', ''] as const

/**
 * Compiles one statement for each number of rows that is a power of two, and fills the statement up with rows that
 * match no trace, so that few statements are kept. Messages and tools are separate parameters, because they would be
 * escaped twice within the JSON list.
 */
function upsertContents(holder: JobLease, scrubbed: readonly Scrubbed[]): Query {
  const count = 2 ** Math.ceil(Math.log2(scrubbed.length))
  let upsert = contentsByRows.get(count)
  if (!upsert) {
    const rows = sql.raw(Array.from({ length: count }, () => '(?, ?, ?)').join(', '))
    upsert = prepare<JobLease>()(({ jobId, lease }) => {
      const insert = insertSelect(
        contents,
        { trace: traces.num, messages: sql`item.messages`, tools: sql`nullif(item.tools, '')` },
        sql`from item ${joinKept({ jobId, lease }, sql`item.idx`)} cross join ${traces} on ${traces.id} = ${outcomes.traceId}
          where true on conflict (trace) do update set ${setInserted(contents, 'trace')}`,
      )
      return sql`with item (idx, messages, tools) as (values ${rows}) ${insert}`
    })
    contentsByRows.set(count, upsert)
  }
  const { text, args } = upsert(holder)
  const rows = scrubbed.flatMap(({ index, trace }) => [index, trace.messages, trace.tools ?? ''])
  const filled = Array.from({ length: count - scrubbed.length }, () => noContents).flat()
  // The parameters of the rows come before all others.
  return { text, args: [...rows, ...filled, ...args] }
}

const updatedPlaces = (range: Record<keyof BatchRange, unknown>): SQL =>
  sql`(select ${traces.num} from ${keptTraces(range)} and ${outcomes.outcome} = 'updated')`
const deleteOldFingerprints = prepare<BatchRange>()((range) => deleteFingerprintsOf(updatedPlaces(range)))
const insertNewFingerprints = prepare<JobLease & { prints: string }>()(({ jobId, lease, prints }) =>
  insertSelect(
    fingerprints,
    { trace: traces.num, hashes: sql`item.value->>'hashes'` },
    sql`from json_each(${prints}) item ${joinKept({ jobId, lease }, sql`cast(item.value->>'index' as integer)`)}
      cross join ${traces} on ${traces.id} = ${outcomes.traceId}`,
  ),
)
/**
 * Increments the version of the fingerprints when the batch stored or updated a trace. A stale batch must not increment
 * the version: otherwise several workers would make each other's batches stale forever.
 */
const countVersion = prepare<BatchRange>()((range) =>
  build
    .update(fingerprintState)
    .set({ version: sql`${fingerprintState.version} + 1` })
    .where(sql`exists (select 1 from ${keptTraces(range)} and ${outcomes.outcome} in ('stored', 'updated'))`),
)
const otherTrace = alias(traces, 'other_trace')
const keptOutcome = alias(outcomes, 'kept_outcome')
const keptTrace = alias(traces, 'kept_trace')
/**
 * `pairs` is a JSON list of the overlaps of traces in the batch with other traces. With `isEarlier` 0 the row is
 * written for the other trace.
 */
const upsertOverlaps = (isEarlier: 0 | 1) =>
  prepare<JobLease & { pairs: string; now: number }>()(({ jobId, lease, pairs, now }) => {
    const [trace, other, ranges] =
      isEarlier === 1
        ? [traces.num, otherTrace.num, sql`pair.value->>'ranges'`]
        : [otherTrace.num, traces.num, sql`pair.value->>'otherRanges'`]
    return insertSelect(
      overlaps,
      { trace, other, isEarlier: sql.raw(String(isEarlier)), ranges, comparedAt: now },
      sql`from json_each(${pairs}) pair ${joinKept({ jobId, lease }, sql`cast(pair.value->>'index' as integer)`)}
        cross join ${traces} on ${traces.id} = ${outcomes.traceId}
        cross join ${traces} ${otherTrace} on ${otherTrace.num} = coalesce(cast(pair.value->>'num' as integer), (select ${keptTrace.num}
          from ${outcomes} ${keptOutcome} cross join ${traces} ${keptTrace} on ${keptTrace.id} = ${keptOutcome.traceId}
          where ${keptOutcome.job} = ${jobs.num} and ${keptOutcome.idx} = cast(pair.value->>'otherIndex' as integer)
            and ${keptOutcome.outcome} in ('stored', 'updated')))
        where ${otherTrace.num} <> ${traces.num} ${onKnownOverlap}`,
    )
  })
const upsertOwnOverlaps = upsertOverlaps(1)
const upsertOtherOverlaps = upsertOverlaps(0)
const deleteStaleOverlaps = prepare<BatchRange & { now: number }>()(
  (params) => sql`${deleteOverlapsOf(updatedPlaces(params))} and ${overlaps.comparedAt} <> ${params.now}`,
)
const deleteStaleOthers = prepare<BatchRange & { now: number }>()(
  (params) => sql`${deleteOverlapsWith(updatedPlaces(params))} and ${overlaps.comparedAt} <> ${params.now}`,
)

/** Precedes `markCopiesDay`, so that it enqueues the event once a day. */
const enqueueCopiesFound = prepareEvent<BatchRange & { day: number }>((params) => ({
  owner: jobs.owner,
  subject: users.id,
  data: sql`json_object('userId', ${users.id}, 'traceCount', count(*))`,
  from: sql`from ${keptTraces(params, sql`cross join ${users} on ${users.num} = ${jobs.owner}`)} and ${isKept} and ${isCopy}
    and not exists (select 1 from ${standings} where ${standings.owner} = ${jobs.owner} and ${standings.copiesDay} >= ${params.day})
    group by ${jobs.owner}, ${users.id}`,
}))
const markCopiesDay = prepare<BatchRange & { day: number }>()(({ day, jobId, lease, first, last }) =>
  insertSelect(
    standings,
    {
      owner: jobs.owner,
      termsVersion: sql`null`,
      termsAt: sql`null`,
      residency: sql`0`,
      paused: sql`0`,
      operatorPaused: sql`0`,
      copiesDay: day,
    },
    sql`from ${jobs} where ${jobs.id} = ${jobId} and ${jobs.lease} = ${lease}
      and exists (select 1 from ${keptTraces({ jobId, lease, first, last })} and ${isKept} and ${isCopy})
      on conflict (owner) do update set copies_day = excluded.copies_day
        where ${standings.copiesDay} is null or ${standings.copiesDay} < excluded.copies_day`,
  ),
)

/** Returns the statements that store the fingerprints of the traces of the batch, by which copies are recognized. */
function storeCopies(
  range: BatchRange,
  scrubbed: readonly Scrubbed[],
  { now, copiesFound }: Pick<WriteBatchParams, 'now' | 'copiesFound'>,
): Query[] {
  const compared = scrubbed.flatMap(({ index, copies }) => (copies ? [{ index, ...copies }] : []))
  if (compared.length === 0) return []
  const holder = { jobId: range.jobId, lease: range.lease }
  const prints = jsonArgument(compared.map(({ index, fingerprints: hashes }) => ({ index, hashes })))
  const found = compared.flatMap(({ index, overlaps: pairs }) =>
    pairs.map(({ other, ranges, otherRanges }) => ({
      index,
      ...('num' in other ? { num: other.num } : { otherIndex: other.index }),
      ranges,
      otherRanges,
    })),
  )
  const own = { ...holder, pairs: jsonArgument(found), now }
  return [
    deleteOldFingerprints(range),
    insertNewFingerprints({ ...holder, prints }),
    ...(found.length > 0 ? [upsertOwnOverlaps(own), upsertOtherOverlaps(own)] : []),
    deleteStaleOverlaps({ ...range, now }),
    deleteStaleOthers({ ...range, now }),
    countVersion(range),
    enqueueCopiesFound({ ...range, day: utcDay(now), event: copiesFound }),
    markCopiesDay({ ...range, day: utcDay(now) }),
  ]
}

/** Implements `IngestStore.writeBatch` as one transaction. */
export async function writeIngestBatch(
  db: Database,
  { claim, traces: prepared, copyVersion, now, leaseUntil, copiesFound }: Readonly<WriteBatchParams>,
): Promise<'written' | 'lost' | 'unknown' | 'stale'> {
  const holder = { jobId: claim.jobId, lease: claim.lease }
  const items = jsonArgument(prepared.map(toItem))
  const scrubbed = prepared.filter((one) => one.kind === 'scrubbed')
  const range = { ...holder, first: prepared[0]?.index ?? 0, last: prepared.at(-1)?.index ?? -1 }
  const counted = { ...range, day: utcDay(now) }
  const names = listNames(scrubbed)
  const named = { ...holder, names: jsonArgument(names) }
  const preparing: Query[] = [
    extendLease({ ...holder, leaseUntil }),
    selectFingerprintVersion({}),
    ...(names.some(({ olderHashes }) => olderHashes.length > 0) ? [renewHashes(named)] : []),
    ...(names.length > 0 ? [insertConversations(named)] : []),
    ...(names.some(({ formerNames }) => formerNames.length > 0) ? [adoptPieces(named), adoptChildren(named)] : []),
  ]
  const queries: Query[] = [
    ...preparing,
    insertOutcomes({ ...holder, items, copyVersion: copyVersion ?? null }),
    countOutcomes(counted),
  ]
  if (scrubbed.length > 0) {
    queries.push(
      deleteOldHashes(range),
      upsertTraces({ ...holder, items, now }),
      insertHashes(range),
      upsertContents(holder, scrubbed),
      countRedactions(counted),
      ...storeCopies(range, scrubbed, { now, copiesFound }),
    )
  }
  const results = await db.write(queries, onJobs)
  if (firstOf(results).changed === 0) return 'lost'
  if (itemAt(results, preparing.length).changed > 0) return 'written'
  const { version } = firstOf(itemAt(results, 1).rows) as { version: number }
  return copyVersion !== undefined && version !== copyVersion ? 'stale' : 'unknown'
}
