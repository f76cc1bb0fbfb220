import type { Claim, PreparedTrace } from '../../ingest/store.ts'
import type { SqlValue } from './client.ts'
import { jsonArgument, raw, type Database, type Raw } from './database.ts'

/**
 * The one transaction that decides and stores a slice of a job. Every statement joins the job by its lease, so that under
 * another's lease it does nothing; and every one but the first two works on the outcomes that the second wrote, between
 * the slice's first and last index.
 */
/** What stands where in the list that a trace is to SQL: SQLite finds a place in a list in two thirds of the time of a key in an object. */
const places = ['i', 'n', 'h', 'a', 'k', 'id', 's', 'g', 'm', 'c', 'p', 't', 'u', 'v', 'x', 'r', 'd'] as const
const item = (key: (typeof places)[number]): string => `j.value->>${places.indexOf(key)}`
/** The list, one row a trace. Materialized: `json_each` writes a row's text anew for every look at it, which took half of the time. */
const list = 'with j(value) as materialized (select value from json_each(?))'

const hold = "update jobs set lease_until = ?, status = 'ingesting' where id = ? and lease = ? returning num"

// Left joins and cross joins run in the order written, so that each is a search by key; a plain join may be turned round.
const known = `left join seen s on s.owner = w.owner and s.hash = unhex(${item('h')})`

const decideWhere = (
  condition: string,
): string => `${list} insert into outcomes (job, idx, source_id, outcome, trace_id, redactions, tokens)
  select job, i, n, outcome,
    case when outcome = 'stored' then id when outcome in ('updated', 'already_sold') then named when outcome like 'duplicate%' then known end,
    iif(outcome in ('stored', 'updated'), r, 0), iif(outcome in ('stored', 'updated'), t, 0)
  from (
    select w.num as job, ${item('i')} as i, ${item('n')} as n, ${item('id')} as id, ${item('r')} as r, ${item('t')} as t,
      t.id as named, k.id as known,
      case when s.owner is not null and s.trace is null then 'deleted_before'
        when s.owner is not null then iif(${item('a')}, 'duplicate_in_batch', 'duplicate')
        when exists (select 1 from json_each(${item('d')}) d cross join deleted_names b on b.owner = w.owner and b.hash = unhex(d.value))
          then 'deleted_before'
        when ${item('k')} = 'refused' then 'rejected'
        when t.num is null then 'stored'
        when t.sale_count > 0 then 'already_sold'
        else 'updated' end as outcome
    from jobs w cross join j ${known}
      left join traces k on k.num = s.trace
      left join traces t on t.owner = w.owner and t.source = ${item('s')} and t.source_id = ${item('n')}
        and coalesce(t.segment_index, 0) = coalesce(${item('g')}, 0)
    where w.id = ? and w.lease = ? ${condition})`

const decide = decideWhere('')
/** Decides nothing when a trace that came unscrubbed, as known, is known no more. */
const decideKnown = decideWhere(
  `and not exists (select 1 from j ${known} where ${item('k')} = 'known' and s.owner is null)`,
)

/** The traces that the slice stored, by the outcomes just written. */
const stored = `jobs w cross join outcomes o on o.job = w.num and o.idx between ? and ? cross join traces t on t.id = o.trace_id
  where w.id = ? and w.lease = ? and o.outcome`

const forget = `delete from seen where (owner, hash) in (select t.owner, t.hash from ${stored} = 'updated')`

const remember = `insert into seen (owner, hash, trace) select t.owner, t.hash, t.num from ${stored} in ('stored', 'updated') order by t.hash`

const mine =
  "cross join jobs w on w.id = ? and w.lease = ? cross join outcomes o on o.job = w.num and o.outcome in ('stored', 'updated')"

const traces = `${list} insert into traces (id, owner, source, source_id, segment_index, model, created_at, parent_trace_id, hash, token_count,
    estimated_usd, scrub_version, redactions, stored_at)
  select ${item('id')}, w.owner, ${item('s')}, ${item('n')}, ${item('g')}, ${item('m')}, ${item('c')}, ${item('p')}, unhex(${item('h')}),
    ${item('t')}, ${item('u')}, ${item('v')}, ${item('x')}, ?
  from j ${mine} and o.idx = ${item('i')} where true
  on conflict (owner, source, source_id, coalesce(segment_index, 0)) do update set segment_index = excluded.segment_index,
    model = excluded.model, created_at = excluded.created_at, parent_trace_id = excluded.parent_trace_id, hash = excluded.hash,
    token_count = excluded.token_count, estimated_usd = excluded.estimated_usd, scrub_version = excluded.scrub_version,
    redactions = excluded.redactions, stored_at = excluded.stored_at`

/** The messages come as parameters: as JSON in JSON they would be escaped twice. */
const contents = (
  rows: number,
): string => `with v(i, messages) as (values ${Array.from({ length: rows }, () => '(?, ?)').join(', ')})
  insert into contents (trace, messages)
  select t.num, v.messages from v ${mine} and o.idx = v.i cross join traces t on t.id = o.trace_id where true
  on conflict (trace) do update set messages = excluded.messages`

/** See `IngestStore.write`. */
export async function writeIngestBatch(
  db: Database,
  claim: Claim,
  slice: readonly PreparedTrace[],
  now: number,
  until: number,
): Promise<'written' | 'lost' | 'unknown'> {
  const holder: SqlValue[] = [claim.jobId, claim.lease]
  const items = jsonArgument(slice.map(row))
  const range = [slice[0]!.index, slice.at(-1)!.index]
  const messages = slice.flatMap((one): SqlValue[] => (one.kind === 'scrubbed' ? [one.index, one.trace.messages] : []))
  const decided = slice.some(({ kind }) => kind === 'known')
    ? raw(decideKnown, [items, ...holder])
    : raw(decide, [items, ...holder])
  const batch: Raw[] = [raw(hold, [until, ...holder]), decided]
  if (messages.length > 0) {
    batch.push(
      raw(forget, [...range, ...holder]),
      raw(traces, [items, now, ...holder]),
      raw(remember, [...range, ...holder]),
      raw(contents(messages.length / 2), [...messages, ...holder]),
    )
  }
  const [holding, outcomes] = await db.write(batch)
  if (holding!.changed === 0) return 'lost'
  return outcomes!.changed === 0 ? 'unknown' : 'written'
}

/** In the order of `places`. */
function row(one: PreparedTrace): unknown[] {
  const { index, sourceId, contentHash, isRepeated: again, kind } = one
  const head = [index, sourceId, contentHash, again ? 1 : 0, kind]
  if (one.kind !== 'scrubbed') return head
  const {
    id,
    source,
    segmentIndex,
    model,
    createdAt,
    parentTraceId,
    tokenCount,
    estimatedUsd,
    scrubVersion,
    redactions,
  } = one.trace
  return [
    ...head,
    id,
    source,
    segmentIndex,
    model,
    createdAt,
    parentTraceId,
    tokenCount,
    estimatedUsd,
    scrubVersion,
    redactions,
    one.redactions,
    one.nameHashes ?? [],
  ]
}
