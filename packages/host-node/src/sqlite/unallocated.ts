/**
 * Overwrites the bytes that deletions leave in the unallocated regions of b-tree pages. `secure_delete` overwrites a
 * deleted cell and a freed page with zeroes. But when SQLite splits or balances pages, it moves cells and leaves their
 * old bytes between the cell pointer array and the cell content area. Such a copy outlives the deletion of its row.
 * https://www.sqlite.org/fileformat.html#b_tree_pages
 */
import type { SqlStatement } from '@tributary/core/libsql'
import type { Connection } from './connection.ts'

/** Overwrites pages in one transaction of the writing connection. */
export type ClearPages = (writer: Connection) => void

/**
 * The name that means every table. Rows that were deleted before this process started may have left copies in any
 * table.
 */
export const everyTable = '*'

/** The pages of one tree to overwrite, and the interior pages that lead to these pages, the root first. */
interface UnclearedPages {
  readonly root: number
  readonly path: readonly number[]
  readonly pages: readonly number[]
}

interface Page {
  readonly number: number
  readonly bytes: Buffer
  /** The start and end of the unallocated region. */
  readonly start: number
  readonly end: number
  /** The page numbers of the children. A leaf has no children. */
  readonly children: readonly number[]
}

/** The number of pages that one statement reads, and that one transaction overwrites. */
const readPages = 64
const clearPages = 200
/** The longest time for which the walk may block the event loop. */
const sliceMs = 4

const zeros = Buffer.alloc(65_536)
const leafHeader = 8
const interiorHeader = 12

const statements = {
  // The first page is the schema, which contains no user data.
  trees: `select tbl_name as name, rootpage as root from sqlite_schema
    where rootpage > 1 and (? or lower(tbl_name) in (select value from json_each(?))) order by rootpage`,
  isRoot: 'select 1 from sqlite_schema where rootpage = ?',
  read: 'select p.pgno as number, p.data as data from json_each(?) j cross join sqlite_dbpage p on p.pgno = j.value',
  write: 'update sqlite_dbpage set data = ? where pgno = ?',
}

/**
 * Walks the trees of the tables. Yields a transaction for each batch of pages to overwrite, and null to yield to the
 * event loop. Returns the tables with a page that moved meanwhile and must be found again.
 *
 * Each tree is walked in one read transaction, so that no page is missed: all copies of rows that were deleted before
 * it began are on pages that the walk sees. Only a walk from the root downward shows whether a page belongs to a tree.
 * Each transaction checks this again, because a page may have been freed and reused.
 */
export function* clearUnallocated(
  walker: Connection,
  tables: ReadonlySet<string>,
): Generator<ClearPages | null, Set<string>> {
  const moved = new Set<string>()
  const isEvery = tables.has(everyTable)
  const { rows } = walker.run({ sql: statements.trees, args: [isEvery ? 1 : 0, JSON.stringify([...tables])] })
  for (const { name, root } of rows as unknown as { name: string; root: number }[]) {
    walker.exec('begin')
    let found: UnclearedPages[]
    try {
      found = yield* findUncleared(walker, root)
    } finally {
      walker.exec('commit')
    }
    for (const batch of toBatches(found)) {
      yield (writer) =>
        void writer.transaction(
          () => createOverwrites(writer, batch, () => moved.add(name.toLowerCase())),
          'begin immediate',
        )
    }
  }
  return moved
}

function* findUncleared(walker: Connection, root: number): Generator<null, UnclearedPages[]> {
  const found: UnclearedPages[] = []
  const visited = new Set<number>()
  let startedAt = performance.now()

  function* visit(path: readonly number[], numbers: readonly number[]): Generator<null, void> {
    for (let index = 0; index < numbers.length; index += readPages) {
      const pages = readTreePages(walker, numbers.slice(index, index + readPages))
      const uncleared = pages.filter(isUncleared).map(({ number }) => number)
      if (uncleared.length > 0) found.push({ root, path, pages: uncleared })
      if (performance.now() - startedAt > sliceMs) {
        yield null
        startedAt = performance.now()
      }
      for (const { number, children } of pages) {
        // A damaged tree may contain a cycle.
        if (children.length === 0 || visited.has(number)) continue
        visited.add(number)
        yield* visit([...path, number], children)
      }
    }
  }

  if (isRoot(walker, root)) yield* visit([], [root])
  return found
}

function* toBatches(found: readonly UnclearedPages[]): Generator<UnclearedPages[]> {
  let [batch, pages]: [UnclearedPages[], number] = [[], 0]
  for (const uncleared of found) {
    batch.push(uncleared)
    pages += uncleared.pages.length
    if (pages < clearPages) continue
    yield batch
    ;[batch, pages] = [[], 0]
  }
  if (batch.length > 0) yield batch
}

/**
 * Returns the statements that overwrite the pages, except pages that have moved. Call it inside a write transaction.
 */
function createOverwrites(writer: Connection, batch: readonly UnclearedPages[], onMoved: () => void): SqlStatement[] {
  const children = new Map<number, ReadonlySet<number>>()
  const isParent = (parent: number, child: number): boolean => {
    const known = children.get(parent) ?? new Set(readTreePages(writer, [parent])[0]?.children)
    children.set(parent, known)
    return known.has(child)
  }
  return batch.flatMap(({ root, path, pages }) => {
    const isUnmoved =
      isRoot(writer, root) && path.every((page, index) => index === 0 || isParent(path[index - 1]!, page))
    const parent = path.at(-1)
    const remaining = isUnmoved ? pages.filter((page) => parent === undefined || isParent(parent, page)) : []
    if (remaining.length < pages.length) onMoved()
    return readTreePages(writer, remaining)
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

/** Returns the pages that are b-tree pages. */
function readTreePages(connection: Connection, numbers: readonly number[]): Page[] {
  const { rows } = connection.run({ sql: statements.read, args: [JSON.stringify(numbers)] })
  return rows.flatMap((row) => parsePage(row['number'] as number, Buffer.from(row['data'] as ArrayBuffer)))
}

function parsePage(number: number, bytes: Buffer): Page[] {
  const isInterior = bytes[0] === 2 || bytes[0] === 5
  if (!isInterior && bytes[0] !== 10 && bytes[0] !== 13) return []
  const cells = bytes.readUInt16BE(3)
  const header = isInterior ? interiorHeader : leafHeader
  const start = header + 2 * cells
  // In SQLite's file format, 0 means 65,536 here.
  const end = bytes.readUInt16BE(5) || 65_536
  if (start > end || end > bytes.length) return []
  if (!isInterior) return [{ number, bytes, start, end, children: [] }]
  const offsets = Array.from({ length: cells }, (_, cell) => bytes.readUInt16BE(header + 2 * cell))
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
