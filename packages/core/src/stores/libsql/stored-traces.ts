import { sql, type SQL } from 'drizzle-orm'
import type { SaleState, TitleOfTrace, TraceRecord, TraceStore } from '../../traces/store.ts'
import { firstOf, itemAt } from '../../lists.ts'
import { referenceStart } from '../../traces/contents/store.ts'
import { jsonArgument, type Database, type Query } from './database.ts'
import { selectRevision } from './blocked-terms.ts'
import { ownerNum, parenthesize, prepare, type Param } from './statement.ts'
import { users } from './tables/sessions.ts'
import { contents, seen, traces } from './tables/traces.ts'

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
  contentHash: sql<string>`lower(hex(${traces.hash}))`,
  tokenCount: traces.tokenCount,
  estimatedUsd: traces.estimatedUsd,
  scrubVersion: traces.scrubVersion,
  identityRevision: traces.identityRevision,
  redactions: traces.redactions,
  details: traces.details,
} satisfies Record<keyof TraceRecord, unknown>

/** The details of a trace, or nothing when they are damaged. */
const validDetails = sql`iif(json_valid(${traces.details}), ${traces.details}, '{}')`

/** Returns the condition that a trace has these details. */
export const matchesDetails = ({ agent, outcome }: { readonly agent: Param; readonly outcome: Param }): SQL =>
  sql`(${agent} is null or ${validDetails} ->> '$.agent.name' = ${agent})
    and (${outcome} is null or ${validDetails} ->> '$.outcome.status' = ${outcome})`

/**
 * Whether a trace is excluded from sale. A withdrawn trace that was never sold is always excluded, because it is not
 * sold even if its contributor includes it.
 */
export const isExcluded = sql<number>`iif(${traces.withdrawnAt} is not null and ${traces.saleCount} = 0,
  1, ${traces.sellExcluded})`

/** The columns of a trace's sale state. */
export const stateFields = { id: traces.id, sellExcluded: isExcluded, saleCount: traces.saleCount }

/** Returns the sale state of a row of `stateFields`. */
export const toSaleState = (row: { id: string; sellExcluded: number; saleCount: number }): SaleState => ({
  id: row.id,
  sellExcluded: row.sellExcluded !== 0,
  saleCount: row.saleCount,
})

/** The columns of a trace's title. */
export const titleFields = {
  id: traces.id,
  title: traces.title,
  scrubVersion: traces.scrubVersion,
  identityRevision: traces.identityRevision,
  ownerRevision: parenthesize<number>(selectRevision(sql`${traces.owner}`)),
} satisfies Record<keyof TitleOfTrace, unknown>

/** The columns of a trace, including the columns that decide whether a read scrubs it again. */
export const storedFields = {
  ...traceFields,
  ownerId: parenthesize<string | null>(sql`select ${users.id} from ${users} where ${users.num} = ${traces.owner}`),
  ownerRevision: titleFields.ownerRevision,
  withheld: traces.withheld,
  withdrawnAt: traces.withdrawnAt,
  replacements: traces.replacements,
  termsVersion: traces.termsVersion,
  country: traces.country,
}

/**
 * The approximate size of a group of documents that is read at a time, because a local file answers without yielding to
 * the event loop. Reading a group takes about 2 ms.
 */
const groupBytes = 64 * 1024
const groupRows = 16

/** The columns as they are stored. A value that is not text is damaged. */
const messages = sql<unknown>`${contents.messages}`
/** The columns with the content of a trace. */
export const contentFields = { messages, tools: contents.tools }
/**
 * The number of bytes that are read for the content of a trace. A reference counts as a whole group, so that its blob
 * is read right after its row.
 */
export const messageBytes = sql<
  number | null
>`iif(substr(${contents.messages}, 1, ${sql.raw(String(referenceStart.length))})
  = ${sql.raw(`'${referenceStart}'`)}, ${sql.raw(String(groupBytes))}, octet_length(${contents.messages}))
  + coalesce(octet_length(${contents.tools}), 0)`

const selectMessageBytes = prepare<{ id: string }>()(
  ({ id }) =>
    sql<{ bytes: ArrayBuffer }>`select cast(${contents.messages} as blob) as bytes from ${contents}
      where ${contents.trace} = (select ${traces.num} from ${traces} where ${traces.id} = ${id})`,
)

/** The number of a trace, and the length of its messages. */
export interface PieceRow {
  readonly num: number
  readonly bytes: number | null
}

/** The text that replaces damaged messages. It is deliberately not valid JSON. */
const damaged = ''

/**
 * Returns the content of a trace as text. Any value in the column that is not text is damaged. A client returns U+FFFD
 * for bytes that are not valid UTF-8, so a text that contains U+FFFD is read again as bytes.
 */
export async function readContent<Row extends { id: string; messages: unknown }>(
  db: Database,
  row: Row,
): Promise<Row & { messages: string | null }> {
  let messages = typeof row.messages === 'string' ? row.messages : row.messages === null ? null : damaged
  if (messages?.includes('\uFFFD')) {
    const [stored] = await db.read(selectMessageBytes({ id: row.id }))
    messages = stored ? decodeStrictly(stored.bytes) : null
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

function divideIntoGroups(pieces: readonly PieceRow[]): number[][] {
  const all: number[][] = []
  let [group, room]: [number[], number] = [[], 0]
  for (const { num, bytes } of pieces) {
    if (room <= 0 || group.length >= groupRows) {
      all.push((group = []))
      room = groupBytes
    }
    group.push(num)
    room -= bytes ?? 0
  }
  return all
}

/** Reads the traces in `pieces` with `query`, a few at a time. */
export async function* readDocuments<Row extends { id: string; messages: unknown }>(
  db: Database,
  pieces: readonly PieceRow[],
  query: (nums: string) => Query<Row>,
): AsyncGenerator<Row & { messages: string | null }> {
  for (const nums of divideIntoGroups(pieces)) {
    for (const row of await db.read(query(jsonArgument(nums)))) yield readContent(db, row)
  }
}

/** Returns the rows in the order of the requested ids. */
export function sortByIds<Row extends { id: string }>(ids: readonly string[], rows: readonly Row[]): Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]))
  return [...new Set(ids)].flatMap((id) => byId.get(id) ?? [])
}

/**
 * Sorts hashes by their first five characters, so that the database reads its index of hashes in one direction; a
 * complete order is not needed. Numbers sort in half the time of texts. For fewer than 8,192 hashes, the five
 * characters and the position fit into one number.
 */
function sortHashes(hashes: readonly string[]): string[] {
  if (hashes.length >= 8192) return [...hashes].sort()
  const keys = new Float64Array(hashes.length)
  for (const [at, hash] of hashes.entries()) {
    let start = 0
    for (let i = 0; i < 5; i++) start = start * 128 + (hash.charCodeAt(i) & 127)
    keys[at] = start * 8192 + at
  }
  return Array.from(keys.sort(), (key) => itemAt(hashes, key % 8192))
}

const selectKnown = prepare<{ ownerId: string; hashes: string }>()(
  ({ ownerId, hashes }) =>
    sql<{ positions: string }>`select json_group_array(asked.key) as positions from json_each(${hashes}) asked
      cross join ${seen} on ${seen.owner} = ${ownerNum(ownerId)} and ${seen.hash} = unhex(asked.value)`,
)
const capital = /[A-F]/

/** Returns the method of the trace store that finds the hashes of an owner's stored and deleted traces. */
export const libsqlKnownHashes = (db: Database): Pick<TraceStore, 'findKnownHashes'> => ({
  async findKnownHashes({ ownerId, hashes }) {
    const sorted = sortHashes(hashes.filter(({ length }) => length === 64))
    if (sorted.length === 0) return []
    // The result contains only positions, not the hashes again.
    const { positions } = firstOf(await db.read(selectKnown({ ownerId, hashes: jsonArgument(sorted) })))
    const found = new Set<string>()
    // `unhex` also accepts capital letters, which stored hashes never have.
    for (const position of JSON.parse(positions) as number[]) {
      const hash = itemAt(sorted, position)
      if (!capital.test(hash)) found.add(hash)
    }
    // Returns each hash once, in the order of the parameter.
    return hashes.filter((hash) => found.delete(hash))
  },
})

/** Returns the condition that the row number of a trace is above `after` and at most `until`. */
export const isPlaceWithin = ({ after, until }: { readonly after: Param; readonly until: Param }): SQL =>
  sql`${traces.num} > ${after} and ${traces.num} <= ${until}`

/** The number of row numbers that one statement covers. The statement takes about 5 ms with any filter. */
export const placesPerRead = 5_000

export const selectLastPlace = prepare()(
  () => sql<{ num: number }>`select coalesce(max(${traces.num}), 0) as num from ${traces}`,
)

/** Returns the row number of the trace that was stored last, or 0 if there is none. */
export async function findLastPlace(db: Database): Promise<number> {
  return firstOf(await db.read(selectLastPlace({}))).num
}
