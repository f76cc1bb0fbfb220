import { and, asc, eq, gt, inArray, lt, type Placeholder, sql } from 'drizzle-orm'
import { firstOf } from '../../lists.ts'
import type { Blobs, Clock } from '../../ports.ts'
import { systemClock } from '../../system.ts'
import { Unavailable } from '../../unavailable.ts'
import { writeNamed, createWriteBatcher, type Database } from './database.ts'
import { build, insertSelect, prepare } from './statement.ts'
import { blobPieces, blobs } from './tables/ingest.ts'

/**
 * The maximum number of bytes that one statement writes. Writing a megabyte blocks the event loop and holds the write
 * lock for a few milliseconds.
 */
const pieceBytes = 1024 * 1024

/**
 * The maximum number of statements in one transaction: those of five blobs with one piece each. A longer transaction
 * would hold the lock too long.
 */
const together = 20

// The current blob of the key. A blob that is still being written (ready = 0) is removed separately.
const isReady = (key: Placeholder) => and(eq(blobs.key, key), eq(blobs.ready, 1))
const deleteReadyPieces = prepare<{ key: string }>()(({ key }) =>
  build
    .delete(blobPieces)
    .where(inArray(blobPieces.blob, build.select({ num: blobs.num }).from(blobs).where(isReady(key)))),
)
const deleteReady = prepare<{ key: string }>()(({ key }) => build.delete(blobs).where(isReady(key)))
const deletePieces = prepare<{ key: string }>()(({ key }) =>
  build
    .delete(blobPieces)
    .where(inArray(blobPieces.blob, build.select({ num: blobs.num }).from(blobs).where(eq(blobs.key, key)))),
)
const deleteAll = prepare<{ key: string }>()(({ key }) => build.delete(blobs).where(eq(blobs.key, key)))
const insertBlob = prepare<{ key: string; size: number; ready: 0 | 1; writtenAt: number }>()(
  ({ key, size, ready, writtenAt }) =>
    sql<{ num: number }>`${insertSelect(blobs, { key, size, ready, writtenAt }, sql``)} returning num`,
)
const insertOnlyPiece = prepare<{ key: string; bytes: Uint8Array }>()(({ key, bytes }) =>
  insertSelect(blobPieces, { blob: blobs.num, piece: sql`0`, bytes }, sql`from ${blobs} where ${isReady(key)}`),
)
// Nothing is written for a blob that was deleted meanwhile. If a piece is written again after a lost reply, it is
// stored once.
const insertPiece = prepare<{ num: number; key: string; piece: number; bytes: Uint8Array }>()(
  ({ num, key, piece, bytes }) =>
    insertSelect(
      blobPieces,
      { blob: blobs.num, piece, bytes },
      sql`from ${blobs} where ${blobs.num} = ${num} and ${blobs.key} = ${key} and ${blobs.ready} = 0
        on conflict (blob, piece) do nothing`,
    ),
)
const setReady = prepare<{ num: number; key: string }>()(({ num, key }) =>
  build
    .update(blobs)
    .set({ ready: 1 })
    .where(and(eq(blobs.num, num), eq(blobs.key, key)))
    .returning({ num: blobs.num }),
)
/** The bytes as the driver returns them. Drizzle would decode them with Node's Buffer. */
const bytes = sql<ArrayBuffer | Uint8Array | null>`${blobPieces.bytes}`
const selectFirst = prepare<{ key: string }>()(({ key }) =>
  build
    .select({ num: blobs.num, size: blobs.size, bytes })
    .from(blobs)
    .leftJoin(blobPieces, and(eq(blobPieces.blob, blobs.num), eq(blobPieces.piece, 0)))
    .where(isReady(key)),
)
const selectPiece = prepare<{ num: number; key: string; piece: number }>()(({ num, key, piece }) =>
  build
    .select({ bytes })
    .from(blobs)
    .innerJoin(blobPieces, and(eq(blobPieces.blob, blobs.num), eq(blobPieces.piece, piece)))
    .where(and(eq(blobs.num, num), eq(blobs.key, key))),
)
const selectStale = prepare<{ after: string; before: number; limit: number }>()(({ after, before, limit }) =>
  build
    .selectDistinct({ key: blobs.key })
    .from(blobs)
    .where(and(gt(blobs.key, after), lt(blobs.writtenAt, before)))
    .orderBy(asc(blobs.key))
    .limit(limit),
)

/**
 * Stores raw uploads in the database itself. This is the default, because it needs no other storage, and every host can
 * read the uploads. `clock` returns the time at which a blob is written.
 */
export function libsqlBlobs(db: Database, clock: Clock = systemClock): Blobs {
  const onBlobs = { locks: ['blobs'] }
  const gather = createWriteBatcher(db, { maxStatements: together, ...onBlobs })

  return {
    async put(key, bytes) {
      if (bytes.length <= pieceBytes) {
        // These statements run in one transaction with one sync to the disk.
        await gather(
          deleteReadyPieces({ key }),
          deleteReady({ key }),
          insertBlob({ key, size: bytes.length, ready: 1, writtenAt: clock() }),
          insertOnlyPiece({ key, bytes }),
        )
        return
      }
      const [begun] = await db.write([insertBlob({ key, size: bytes.length, ready: 0, writtenAt: clock() })], onBlobs)
      const { num } = firstOf(begun.rows)
      for (let piece = 0; piece * pieceBytes < bytes.length; piece++) {
        // The bytes are copied, because a driver may write the whole buffer of a view.
        const part = bytes.slice(piece * pieceBytes, (piece + 1) * pieceBytes)
        await db.write([insertPiece({ num, key, piece, bytes: part })], onBlobs)
      }
      const { finished } = await writeNamed(
        db,
        {
          pieces: deleteReadyPieces({ key }),
          replaced: deleteReady({ key }),
          finished: setReady({ num, key }),
        },
        onBlobs,
      )
      if (finished.changed === 0) throw new Unavailable(new Error('the blob was deleted while it was being written'))
    },

    async get(key) {
      const [found] = await db.read(selectFirst({ key }))
      if (!found) return null
      const first = view(found.bytes)
      if (first.length === found.size) return first
      const whole = new Uint8Array(found.size)
      whole.set(first)
      for (let at = first.length, piece = 1; at < found.size; piece++) {
        const [next] = await db.read(selectPiece({ num: found.num, key, piece }))
        // The blob was deleted or replaced while it was read.
        if (!next) return null
        const bytes = view(next.bytes)
        whole.set(bytes, at)
        at += bytes.length
      }
      return whole
    },

    async delete(key) {
      // The pieces are deleted first: a blob without pieces counts as missing.
      await gather(deletePieces({ key }), deleteAll({ key }))
    },

    async stale(before, limit, after) {
      return (await db.read(selectStale({ after, before, limit }))).map(({ key }) => key)
    },
  }
}

function view(bytes: ArrayBuffer | Uint8Array | null): Uint8Array {
  if (bytes === null) return new Uint8Array(0)
  return bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes)
}
