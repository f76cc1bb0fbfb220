import type {
  ListedTrace,
  PageRequest,
  RecordedSale,
  SaleOfTrace,
  SaleState,
  StoredTrace,
  TraceStore,
} from '../../traces/store.ts'
import { notAudited, recordAudit } from './audit.ts'
import { jsonArgument, raw, type Database, type Raw } from './database.ts'
import { yieldToEventLoop } from './batching.ts'
import { inKeyOrder, inOrder } from './order.ts'
import type { SqlValue } from './client.ts'
import { writeOnce, maxRowsPerWrite } from './bounded-writes.ts'

/** The short key of a person; no row, no owner: nothing equals null. */
const owner = '(select num from users where id = ?)'
// The plus keeps SQLite from walking all of an owner's traces: the ids lead (performance.md, trap 6).
const mine = `id in (select value from json_each(?)) and +owner = ${owner}`
// ?1 JSON list of ids, ?2 owner's id.
const unsold = `id in (select value from json_each(?1)) and +owner = (select num from users where id = ?2) and sale_count = 0`
const named = `traces t cross join outcomes o on o.trace_id = t.id
  where t.num in (select num from traces where ${unsold}) and o.source_id <> ''`
// A trace goes in the transaction that takes its last name out of the outcomes.
const deletable = `${unsold} and not exists (select 1 from ${named})`
// Of an erased person nothing is sold any more, from the start of the erasure.
const forSale = 'sell_excluded = 0 and exists (select 1 from users u where u.num = owner and u.erased_at is null)'
const ofSale = 'select trace from sale_items where sale = (select num from sales where id = ?1)'
/** The least buyer id of the pieces of the conversation that has this source id, as far as they went with the same sale. */
const soldName = (sourceId: string): string => `select min(si.buyer_id) from traces st
  cross join sale_items si on si.sale = i.sale and si.trace = st.num
  where st.owner = t.owner and st.source = t.source and st.source_id = ${sourceId}`
const columns =
  't.id, t.source, t.source_id as sourceId, t.segment_index as segmentIndex, t.model, t.created_at as createdAt, ' +
  't.parent_trace_id as parentTraceId, lower(hex(t.hash)) as contentHash, t.token_count as tokenCount, ' +
  't.estimated_usd as estimatedUsd, t.scrub_version as scrubVersion, t.redactions'

const statements = {
  find: `select id, sell_excluded, sale_count from traces where id = ? and +owner = ${owner}`,
  exclude: `update traces set sell_excluded = ? where ${mine} and sale_count = 0 returning id, sell_excluded, sale_count`,
  locked: `select id from traces where ${mine} and sale_count > 0`,
  // An outcome's name came from the trace, or from another that had the same content.
  unname: `update outcomes set source_id = '' where (job, idx) in (select o.job, o.idx from ${named} limit ${maxRowsPerWrite})`,
  keepHashes: `insert into seen (owner, hash, trace) select owner, hash, null from traces where ${deletable}
    on conflict (owner, hash) do update set trace = null`,
  // ?3 JSON object, keyed hashes by id.
  keepNames: `insert into deleted_names (owner, hash) select owner, unhex(json_extract(?3, '$."' || id || '"')) from traces
    where ${deletable} and json_extract(?3, '$."' || id || '"') is not null on conflict (owner, hash) do nothing`,
  unsoldNames: `select id, source, source_id as sourceId, segment_index as segmentIndex from traces where ${unsold}`,
  deleteContents: `delete from contents where trace in (select num from traces where ${deletable})`,
  delete: `delete from traces where ${deletable} returning id`,
  list: `select t.num, ${columns}, t.sell_excluded, t.sale_count from traces t
    where t.owner = ${owner} and t.num < ? order by t.num desc limit ?`,
  document: `select ${columns}, c.messages from traces t left join contents c on c.trace = t.num where t.id = ? and +t.owner = ${owner}`,
  known: `select json_group_array(j.key) as keys from json_each(?) j
    cross join seen s on s.owner = ${owner} and s.hash = unhex(j.value)`,
  // A sale that is asked for again is the one that was made: its traces are neither counted nor added again. ?1 id, ?2 JSON list of traces.
  sale: 'insert into sales (id, buyer, usd, sold_at) values (?, ?, ?, ?) on conflict (id) do nothing',
  countSale: `update traces set sale_count = sale_count + 1 where id in (select value->>'$.id' from json_each(?2)) and ${forSale}
    and not exists (${ofSale})`,
  // Of a trace that is listed twice the first buyer id counts.
  saleItems: `insert into sale_items (sale, trace, buyer_id) select (select num from sales where id = ?1), t.num, j.value->>'$.buyerId'
    from json_each(?2) j cross join traces t on t.id = j.value->>'$.id' where ${forSale} and not exists (${ofSale})
    order by j.key on conflict (sale, trace) do nothing`,
  auditSale: `select id, null, json_object('buyer', buyer, 'usd', usd, 'traces', (select count(*) from sale_items where sale = sales.num))
    from sales where id = ? and ${notAudited('sale.record', 'sales.id')}`,
  sold: `select t.id from (${ofSale}) i cross join traces t on t.num = i.trace`,
  sales: `select s.num, s.id, s.buyer, s.usd, s.sold_at as soldAt, (select count(*) from sale_items where sale = s.num) as traceCount
    from sales s where s.num < ? order by s.num desc limit ?`,
  sellable: `select t.num, octet_length(c.messages) as bytes from traces t left join contents c on c.trace = t.num
    where t.num > ? and ${forSale} order by t.num limit ?`,
  offered: `select ${columns}, c.messages from traces t left join contents c on c.trace = t.num
    where t.num in (select value from json_each(?)) and ${forSale} order by t.num`,
  soldPage: `select i.trace as num, i.buyer_id as buyerId, octet_length(c.messages) as bytes
    from sale_items i left join contents c on c.trace = i.trace
    where i.sale = (select num from sales where id = ?) and i.buyer_id > ? order by i.buyer_id limit ?`,
  // ?1 JSON list of the traces' numbers, ?2 sale.
  soldDocuments: `select ${columns}, c.messages, i.buyer_id as buyerId, (${soldName('t.source_id')}) as buyerSourceId,
      (${soldName('t.parent_trace_id')}) as buyerParentId
    from sale_items i cross join traces t on t.num = i.trace left join contents c on c.trace = t.num
    where i.sale = (select num from sales where id = ?2) and i.trace in (select value from json_each(?1)) order by i.buyer_id`,
  owned: `select t.num, octet_length(c.messages) as bytes from traces t left join contents c on c.trace = t.num
    where t.owner = ${owner} and t.num > ? order by t.num limit ?`,
  ownDocuments: `select ${columns}, c.messages, t.sell_excluded, t.sale_count, t.stored_at as storedAt,
    iif(t.sale_count = 0, '[]', (select json_group_array(json_object('saleId', s.id, 'buyer', s.buyer, 'buyerTraceId', i.buyer_id, 'soldAt', s.sold_at))
      from (select sale, buyer_id from sale_items where trace = t.num order by sale) i cross join sales s on s.num = i.sale)) as sales
    from traces t left join contents c on c.trace = t.num
    where t.num in (select value from json_each(?)) and +t.owner = ${owner} order by t.num`,
  deletedHashes: `select lower(hex(hash)) as hash from seen where owner = ${owner} and trace is null and hash > unhex(?) order by hash limit ?`,
  bytes: 'select cast(messages as blob) as bytes from contents where trace = (select num from traces where id = ?)',
  eraseContents: `delete from contents where trace in
    (select num from traces where owner = ${owner} and sale_count = 0 order by num limit ?)`,
  erase: `delete from traces where num in
    (select num from traces where owner = ${owner} and sale_count = 0 order by num limit ?) returning 1`,
  eraseHashes: `delete from seen where (owner, hash) in (select owner, hash from seen where owner = ${owner} limit ?)`,
  deletedNames: `select lower(hex(hash)) as hash from deleted_names where owner = ${owner} and hash > unhex(?) order by hash limit ?`,
  eraseNames: `delete from deleted_names where (owner, hash) in (select owner, hash from deleted_names where owner = ${owner} limit ?)`,
  // The unique name starts with the owner, and nulls are distinct to it.
  disown: `update traces set owner = null, source_id = id, parent_trace_id = null where num in
    (select num from traces where owner = ${owner} and sale_count > 0 limit ?)`,
}

interface StateRow {
  id: string
  sell_excluded: number
  sale_count: number
}
interface OwnRow extends StoredTrace {
  sell_excluded: number
  sale_count: number
  storedAt: number
  sales: string
}
/** A trace with its names in a sale; that of the source is null once its owner was erased. */
interface SoldRow extends StoredTrace {
  buyerId: string
  buyerSourceId: string | null
  buyerParentId: string | null
}
interface PieceRow {
  num: number
  bytes: number | null
}

const stateOf = ({ id, sell_excluded, sale_count }: StateRow): SaleState => ({
  id,
  sellExcluded: sell_excluded !== 0,
  saleCount: sale_count,
})

/** What stands for damaged messages: a text that is no JSON. */
const damaged = ''

/**
 * Content is text; anything else in the column is damage. A client reads U+FFFD for bytes that are not valid UTF-8, so a text
 * that has one is looked at once more by its bytes.
 */
async function readable<Row extends { id: string; messages: unknown }>(
  db: Database,
  row: Row,
): Promise<Row & { messages: string | null }> {
  let messages = typeof row.messages === 'string' ? row.messages : row.messages === null ? null : damaged
  if (messages?.includes('\uFFFD')) {
    const [kept] = await db.read<{ bytes: ArrayBuffer }>(raw(statements.bytes, [row.id]))
    messages = kept ? decodeStrictly(kept.bytes) : null
  }
  return { ...row, messages }
}

function decodeStrictly(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return damaged
  }
}

/** A literal in a loop is made anew each time round. */
const capital = /[A-F]/

/** Documents are read in groups of about this size: a local file answers without yielding to the event loop, in some 2 ms. */
const groupBytes = 64 * 1024
const groupRows = 16
/** Rows that an export reads at once: a local store answers within a millisecond, without yielding to the event loop. */
const exportPage = 100
/** Of scattered traces each touches six pages of its own: more at once would hold the loop, and the write lock, for longer than 30 ms. */
const deleteSlice = 250
/** It holds the write lock, and the event loop where no thread does it, for some 5 ms. */
const eraseSlice = 200

function groups(pieces: readonly PieceRow[]): number[][] {
  const all: number[][] = []
  let room = 0
  for (const { num, bytes } of pieces) {
    if (room <= 0 || all.at(-1)!.length >= groupRows) {
      all.push([])
      room = groupBytes
    }
    all.at(-1)!.push(num)
    room -= bytes ?? 0
  }
  return all
}

async function* forBuyer(rows: AsyncIterable<SoldRow>): AsyncGenerator<StoredTrace> {
  for await (const { buyerId, buyerSourceId, buyerParentId, ...trace } of rows) {
    yield { ...trace, id: buyerId, sourceId: buyerSourceId ?? buyerId, parentTraceId: buyerParentId }
  }
}

/** The traces in SQLite. The owner's number is looked up inside each statement, so there is no second round trip. */
export function libsqlTraces(db: Database): TraceStore {
  async function* documents<Row extends { id: string; messages: unknown }>(
    pieces: readonly PieceRow[],
    query: (nums: string) => Raw,
  ): AsyncGenerator<Row & { messages: string | null }> {
    for (const nums of groups(pieces)) {
      for (const row of await db.read<Row>(query(jsonArgument(nums)))) yield readable(db, row)
    }
  }

  async function* exportHashes(statement: string, ownerId: string): AsyncGenerator<string> {
    for (let after = ''; ;) {
      const rows = await db.read<{ hash: string }>(raw(statement, [ownerId, after, exportPage]))
      for (const { hash } of rows) yield hash
      if (rows.length < exportPage) return
      after = rows.at(-1)!.hash
    }
  }

  return {
    async findTrace(ownerId, id) {
      const [row] = await db.read<StateRow>(raw(statements.find, [id, ownerId]))
      return row ? stateOf(row) : null
    },

    async setSellExcluded(ownerId, ids, excluded) {
      const [done] = await db.write<StateRow>([raw(statements.exclude, [excluded ? 1 : 0, jsonArgument(ids), ownerId])])
      return inOrder(ids, done!.rows).map(stateOf)
    },

    async deleteUnsoldTraces(ownerId, ids, nameHashes = {}) {
      const each = [...new Set(ids)]
      const [deleted, sold]: [string[], string[]] = [[], []]
      for (let from = 0; from < each.length; from += deleteSlice) {
        if (from > 0) await yieldToEventLoop()
        const some = each.slice(from, from + deleteSlice)
        const hashes = Object.fromEntries(some.map((id) => [id, nameHashes[id] ?? null]))
        const steps = [
          ...[statements.locked, statements.unname, statements.keepHashes].map((step) =>
            raw(step, [jsonArgument(some), ownerId]),
          ),
          raw(statements.keepNames, [jsonArgument(some), ownerId, jsonArgument(hashes)]),
          ...[statements.deleteContents, statements.delete].map((step) => raw(step, [jsonArgument(some), ownerId])),
        ]
        for (let more = true; more;) {
          const [kept, unnamed, , , , gone] = await db.write<{ id: string }>(steps)
          for (const { id } of inOrder(some, gone!.rows)) deleted.push(id)
          more = unnamed!.changed === maxRowsPerWrite
          if (more) await yieldToEventLoop()
          else for (const { id } of inOrder(some, kept!.rows)) sold.push(id)
        }
      }
      return { deleted, sold }
    },

    listUnsoldNames: (ownerId, ids) => db.read(raw(statements.unsoldNames, [jsonArgument(ids), ownerId])),

    async findKnownHashes(ownerId, hashes) {
      const sorted = inKeyOrder(hashes.filter(({ length }) => length === 64))
      if (sorted.length === 0) return []
      // Only places come back, not the hashes again.
      const [row] = await db.read<{ keys: string }>(raw(statements.known, [jsonArgument(sorted), ownerId]))
      const found = new Set<string>()
      // `unhex` takes capitals too, and nothing else that is no hash as it is kept.
      for (const at of JSON.parse(row!.keys) as number[]) if (!capital.test(sorted[at]!)) found.add(sorted[at]!)
      // Once each, in the order asked for: what was said is taken out.
      return hashes.filter((hash) => found.delete(hash))
    },

    async listTraces(ownerId, { cursor, limit }: PageRequest) {
      const rows = await db.read<Omit<ListedTrace, keyof SaleState> & StateRow & { num: number }>(
        raw(statements.list, [ownerId, cursor ?? Number.MAX_SAFE_INTEGER, limit + 1]),
      )
      const page = rows.slice(0, limit)
      const items = page.map((row) => ({ ...row, ...stateOf(row) }))
      return { items, next: rows.length > limit ? page.at(-1)!.num : null }
    },

    async readTrace(ownerId, id) {
      const [row] = await db.read<StoredTrace>(raw(statements.document, [id, ownerId]))
      return row ? readable(db, row) : null
    },

    async *exportTraces(ownerId) {
      for (let after = 0; ;) {
        const pieces = await db.read<PieceRow>(raw(statements.owned, [ownerId, after, exportPage]))
        const rows = documents<OwnRow>(pieces, (nums) => raw(statements.ownDocuments, [nums, ownerId]))
        for await (const { sell_excluded, sale_count, sales, ...trace } of rows) {
          yield {
            ...trace,
            ...stateOf({ id: trace.id, sell_excluded, sale_count }),
            sales: JSON.parse(sales) as SaleOfTrace[],
          }
        }
        if (pieces.length < exportPage) return
        after = pieces.at(-1)!.num
      }
    },

    exportDeletedHashes: (ownerId) => exportHashes(statements.deletedHashes, ownerId),
    exportDeletedNames: (ownerId) => exportHashes(statements.deletedNames, ownerId),

    async listSales({ cursor, limit }) {
      const rows = await db.read<RecordedSale & { num: number }>(
        raw(statements.sales, [cursor ?? Number.MAX_SAFE_INTEGER, limit + 1]),
      )
      const items = rows
        .slice(0, limit)
        .map(({ id, buyer, usd, soldAt, traceCount }) => ({ id, buyer, usd, soldAt, traceCount }))
      return { items, next: rows.length > limit ? rows[limit - 1]!.num : null }
    },

    async recordSale({ id, buyer, usd, soldAt }, items, audit) {
      const args = [id, jsonArgument(items)]
      const [, , , , sold] = await db.write<{ id: string }>([
        raw(statements.sale, [id, buyer, usd, soldAt]),
        raw(statements.countSale, args),
        raw(statements.saleItems, args),
        recordAudit(audit, 'sale.record', statements.auditSale, [id]),
        raw(statements.sold, [id]),
      ])
      return inOrder(
        items.map((item) => item.id),
        sold!.rows,
      ).map((row) => row.id)
    },

    async readSoldTraces({ saleId, cursor, limit }) {
      const [sale, pieces] = (await db.readAll([
        raw('select num from sales where id = ?', [saleId]),
        raw(statements.soldPage, [saleId, cursor ?? '', limit + 1]),
      ])) as unknown as [unknown[], (PieceRow & { buyerId: string })[]]
      if (sale.length === 0) return null
      const page = pieces.slice(0, limit)
      return {
        documents: forBuyer(documents<SoldRow>(page, (nums) => raw(statements.soldDocuments, [nums, saleId]))),
        next: pieces.length > limit ? page.at(-1)!.buyerId : null,
      }
    },

    async readSellableTraces({ cursor, limit }) {
      const pieces = await db.read<PieceRow>(raw(statements.sellable, [cursor ?? 0, limit + 1]))
      const page = pieces.slice(0, limit)
      return {
        documents: documents<StoredTrace>(page, (nums) => raw(statements.offered, [nums])),
        next: pieces.length > limit ? page.at(-1)!.num : null,
      }
    },

    async eraseTraces(ownerId) {
      const args: SqlValue[] = [ownerId, eraseSlice]
      const steps = [
        statements.eraseContents,
        statements.erase,
        statements.disown,
        statements.eraseHashes,
        statements.eraseNames,
      ]
      // Once more until nothing is left: what came in meanwhile goes with the rest.
      return writeOnce(
        db,
        steps.map((text) => raw(text, args)),
        1,
      )
    },
  }
}
