/**
 * Overwrites what deletions leave in the unallocated regions of b-tree pages. `secure_delete` zeroes a deleted cell and a freed
 * page, but when SQLite splits or balances pages it moves cells to other pages and leaves their old bytes between the cell pointer
 * array and the cell content area. Such a copy outlives the deletion of its row. https://www.sqlite.org/fileformat.html#b_tree_pages
 */
import type { SqlStatement } from '@tributary/core/libsql'
import type { Connection } from './connection.ts'

/** One transaction of the connection that writes. */
export type Clear = (writer: Connection) => void

/** Stands for every table: what was deleted before this process started may have left copies anywhere. */
export const everyTable = '*'

/** Pages of one tree to overwrite, and the interior pages that lead to them, the root first. */
interface Found {
  readonly root: number
  readonly path: readonly number[]
  readonly pages: readonly number[]
}

interface Page {
  readonly number: number
  readonly bytes: Buffer
  /** Where the unallocated region starts and ends. */
  readonly start: number
  readonly end: number
  /** Page numbers; empty for a leaf. */
  readonly children: readonly number[]
}

/** Pages read by one statement, and overwritten in one transaction. */
const [readPages, clearPages] = [64, 200]
/** How long the walk may hold the event loop. */
const sliceMs = 4

const zeros = Buffer.alloc(65_536)
const leafHeader = 8
const interiorHeader = 12

const statements = {
  // The first page is the schema's, which holds nobody's data.
  trees: `select tbl_name as name, rootpage as root from sqlite_schema
    where rootpage > 1 and (? or lower(tbl_name) in (select value from json_each(?))) order by rootpage`,
  isRoot: 'select 1 from sqlite_schema where rootpage = ?',
  read: 'select p.pgno as number, p.data as data from json_each(?) j cross join sqlite_dbpage p on p.pgno = j.value',
  write: 'update sqlite_dbpage set data = ? where pgno = ?',
}

/**
 * Returns the tables that a statement deletes from or updates, in lower case. An upsert is none of them: what it replaces is
 * overwritten with the next deletion from its table.
 */
export function tablesDeletedFrom(sql: string): string[] {
  const names = /\b(?:delete\s+from|replace\s+into|(?<!\bdo\s+)update(?:\s+or\s+\w+)?)\s+["`[]?(?!sqlite_)(\w+)/gi
  return Array.from(sql.matchAll(names), ([, name]) => name!.toLowerCase())
}

/**
 * Walks the trees of the tables and yields a transaction for each few pages to overwrite, and null whenever others should
 * run. Returns the tables of which a page moved meanwhile and has to be found again.
 *
 * Each tree is walked in one read transaction, so that no page is missed: whatever was deleted before it began has all of its
 * copies on pages that the walk sees. Which pages belong to a tree is known only from its root downward, and each transaction
 * verifies it again, since a page may have been freed and reused as something else.
 */
export function* clearUnallocated(
  walker: Connection,
  tables: ReadonlySet<string>,
): Generator<Clear | null, Set<string>> {
  const moved = new Set<string>()
  const every = tables.has(everyTable)
  const { rows } = walker.run({ sql: statements.trees, args: [every ? 1 : 0, JSON.stringify([...tables])] })
  for (const { name, root } of rows as unknown as { name: string; root: number }[]) {
    walker.exec('begin')
    let found: Found[]
    try {
      found = yield* findUncleared(walker, root)
    } finally {
      walker.exec('commit')
    }
    for (const batch of batches(found)) {
      yield (writer) =>
        void writer.transaction(() => overwrites(writer, batch, () => moved.add(name.toLowerCase())), 'begin immediate')
    }
  }
  return moved
}

function* findUncleared(walker: Connection, root: number): Generator<null, Found[]> {
  const found: Found[] = []
  const visited = new Set<number>()
  let since = performance.now()

  function* visit(path: readonly number[], numbers: readonly number[]): Generator<null, void> {
    for (let at = 0; at < numbers.length; at += readPages) {
      const pages = read(walker, numbers.slice(at, at + readPages))
      const uncleared = pages.filter(isUncleared).map(({ number }) => number)
      if (uncleared.length > 0) found.push({ root, path, pages: uncleared })
      if (performance.now() - since > sliceMs) {
        yield null
        since = performance.now()
      }
      for (const { number, children } of pages) {
        // A damaged tree may lead back to itself.
        if (children.length === 0 || visited.has(number)) continue
        visited.add(number)
        yield* visit([...path, number], children)
      }
    }
  }

  if (isRoot(walker, root)) yield* visit([], [root])
  return found
}

function* batches(found: readonly Found[]): Generator<Found[]> {
  let [batch, pages]: [Found[], number] = [[], 0]
  for (const one of found) {
    batch.push(one)
    pages += one.pages.length
    if (pages < clearPages) continue
    yield batch
    ;[batch, pages] = [[], 0]
  }
  if (batch.length > 0) yield batch
}

/** Inside a write transaction: the statements that overwrite the pages which are still where they were found. */
function overwrites(writer: Connection, batch: readonly Found[], onMoved: () => void): SqlStatement[] {
  const children = new Map<number, ReadonlySet<number>>()
  const leadsTo = (parent: number, child: number): boolean => {
    const known = children.get(parent) ?? new Set(read(writer, [parent])[0]?.children)
    children.set(parent, known)
    return known.has(child)
  }
  return batch.flatMap(({ root, path, pages }) => {
    const isThere = isRoot(writer, root) && path.every((page, at) => at === 0 || leadsTo(path[at - 1]!, page))
    const parent = path.at(-1)
    const own = isThere ? pages.filter((page) => parent === undefined || leadsTo(parent, page)) : []
    if (own.length < pages.length) onMoved()
    return read(writer, own)
      .filter(isUncleared)
      .map(({ number, bytes, start, end }) => {
        bytes.fill(0, start, end)
        return { sql: statements.write, args: [bytes, number] }
      })
  })
}

const isRoot = (connection: Connection, page: number): boolean =>
  connection.run({ sql: statements.isRoot, args: [page] }).rows.length > 0

const isUncleared = ({ bytes, start, end }: Page): boolean => bytes.compare(zeros, 0, end - start, start, end) !== 0

/** The pages that look like b-tree pages. */
function read(connection: Connection, numbers: readonly number[]): Page[] {
  const { rows } = connection.run({ sql: statements.read, args: [JSON.stringify(numbers)] })
  return rows.flatMap((row) => parse(row['number'] as number, Buffer.from(row['data'] as ArrayBuffer)))
}

function parse(number: number, bytes: Buffer): Page[] {
  const isInterior = bytes[0] === 2 || bytes[0] === 5
  if (!isInterior && bytes[0] !== 10 && bytes[0] !== 13) return []
  const cells = bytes.readUInt16BE(3)
  const header = isInterior ? interiorHeader : leafHeader
  const start = header + 2 * cells
  // Zero stands for 65,536.
  const end = bytes.readUInt16BE(5) || 65_536
  if (start > end || end > bytes.length) return []
  if (!isInterior) return [{ number, bytes, start, end, children: [] }]
  const offsets = Array.from({ length: cells }, (_, at) => bytes.readUInt16BE(header + 2 * at))
  if (offsets.some((offset) => offset + 4 > bytes.length)) return []
  return [
    {
      number,
      bytes,
      start,
      end,
      children: [...offsets.map((offset) => bytes.readUInt32BE(offset)), bytes.readUInt32BE(leafHeader)],
    },
  ]
}
