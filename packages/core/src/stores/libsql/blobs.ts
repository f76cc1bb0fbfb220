import type { Blobs, Clock } from '../../ports.ts'
import { systemClock } from '../../system.ts'
import { Unavailable } from '../../unavailable.ts'
import { raw, type Database, type Raw } from './database.ts'
import { createWriteBatcher } from './batching.ts'

/** No statement carries more: a megabyte holds the event loop and the write lock for a few milliseconds. */
const pieceBytes = 1024 * 1024

/** Statements of one transaction: those of five pieces, which is as long as a transaction should hold the lock. */
const together = 20

const statements = {
  // What was there under the key until now; one that is still being written (ready = 0) ends by itself.
  dropPieces:
    'delete from "main"."blob_pieces" where blob in (select num from "main"."blobs" where key = ? and ready = 1)',
  drop: 'delete from "main"."blobs" where key = ? and ready = 1',
  dropAllPieces: 'delete from "main"."blob_pieces" where blob in (select num from "main"."blobs" where key = ?)',
  dropAll: 'delete from "main"."blobs" where key = ?',
  begin: 'insert into "main"."blobs" (key, size, ready, written_at) values (?, ?, ?, ?) returning num',
  onlyPiece:
    'insert into "main"."blob_pieces" (blob, piece, bytes) select num, 0, ? from "main"."blobs" where key = ? and ready = 1',
  // Nothing is written for a blob that was deleted meanwhile; a piece that is written again after a lost reply is there
  // once.
  piece: `insert into "main"."blob_pieces" (blob, piece, bytes) select num, ?, ? from "main"."blobs" where num = ? and key = ? and ready = 0
    on conflict (blob, piece) do nothing`,
  ready: 'update "main"."blobs" set ready = 1 where num = ? and key = ? returning num',
  first:
    'select b.num, b.size, p.bytes from "main"."blobs" b left join "main"."blob_pieces" p on p.blob = ' +
    'b.num and p.piece = 0 where b.key = ? and b.ready = 1',
  read: 'select p.bytes from "main"."blobs" b join "main"."blob_pieces" p on p.blob = b.num and p.piece = ? where b.num = ? and b.key = ?',
  stale: 'select distinct key from "main"."blobs" where key > ? and written_at < ? order by key limit ?',
}

/**
 * Stores raw uploads in the database itself: the default, as it needs nothing else and every host sees them. `clock`
 * dates them.
 */
export function libsqlBlobs(db: Database, clock: Clock = systemClock): Blobs {
  const gather = createWriteBatcher(db, together)
  const replace = (key: string): Raw[] => [raw(statements.dropPieces, [key]), raw(statements.drop, [key])]

  return {
    async put(key, bytes) {
      if (bytes.length <= pieceBytes) {
        // Several at a time are one transaction, so one sync.
        await gather(
          ...replace(key),
          raw(statements.begin, [key, bytes.length, 1, clock()]),
          raw(statements.onlyPiece, [bytes, key]),
        )
        return
      }
      const [begun] = await db.write<{ num: number }>([raw(statements.begin, [key, bytes.length, 0, clock()])])
      const { num } = begun!.rows[0]!
      for (let piece = 0; piece * pieceBytes < bytes.length; piece++) {
        // A copy, since a driver may bind the whole buffer under a view.
        await db.write([
          raw(statements.piece, [piece, bytes.slice(piece * pieceBytes, (piece + 1) * pieceBytes), num, key]),
        ])
      }
      const finished = await db.write([...replace(key), raw(statements.ready, [num, key])])
      if (finished[2]!.changed === 0)
        throw new Unavailable(new Error('the blob was deleted while it was being written'))
    },

    async get(key) {
      const [found] = await db.read<{ num: number; size: number; bytes: ArrayBuffer | Uint8Array | null }>(
        raw(statements.first, [key]),
      )
      if (!found) return null
      const first = view(found.bytes)
      if (first.length === found.size) return first
      const whole = new Uint8Array(found.size)
      whole.set(first)
      for (let at = first.length, piece = 1; at < found.size; piece++) {
        const [next] = await db.read<{ bytes: ArrayBuffer | Uint8Array }>(raw(statements.read, [piece, found.num, key]))
        // Deleted or replaced while it was read.
        if (!next) return null
        const bytes = view(next.bytes)
        whole.set(bytes, at)
        at += bytes.length
      }
      return whole
    },

    async delete(key) {
      // The pieces go first: a blob without them is none.
      await gather(raw(statements.dropAllPieces, [key]), raw(statements.dropAll, [key]))
    },

    async stale(before, limit, after) {
      return (await db.read<{ key: string }>(raw(statements.stale, [after, before, limit]))).map(({ key }) => key)
    },
  }
}

function view(bytes: ArrayBuffer | Uint8Array | null): Uint8Array {
  if (bytes === null) return new Uint8Array(0)
  return bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes)
}
