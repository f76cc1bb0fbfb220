import {
  runBlobsContract,
  readDatabaseBytes,
  fixedClock,
  runIngestStoreContract,
  makeId,
  seedTraces,
} from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { Unavailable } from '../../unavailable.ts'
import { libsqlBlobs } from './blobs.ts'
import { raw, type Database, type Query } from './database.ts'
import { libsqlIngest } from './ingest.ts'
import { libsqlDataset } from './dataset.ts'
import { libsqlTraces } from './traces.ts'
import { databaseKinds, openLocalFile, openTwoClients } from './two-clients.fixture.ts'

for (const kind of databaseKinds) {
  runIngestStoreContract(kind, async () => {
    const {
      clients: [client],
      databases: [here, there],
      addUser,
      close,
    } = await openTwoClients(kind)
    return {
      stores: [libsqlIngest(here), libsqlIngest(there)],
      traces: { ...libsqlTraces(here), ...libsqlDataset(here) },
      person: addUser,
      storeFormerTraces: (ownerId, traces) => seedTraces(client, ownerId, traces),
      close,
    }
  })

  runBlobsContract(kind, async () => {
    const {
      databases: [here, there],
      close,
    } = await openTwoClients(kind)
    const clock = fixedClock()
    return { blobs: [libsqlBlobs(here, clock), libsqlBlobs(there, clock)], clock, close }
  })
}

test('enqueueJob stores nothing for a user who does not exist', async () => {
  const {
    databases: [db],
    close,
  } = await openLocalFile()
  const store = libsqlIngest(db)
  expect(
    await store.enqueueJob({
      ownerId: 'nobody',
      id: makeId('a', 1),
      source: 'unknown',
      total: 1,
      parts: 1,
      bytes: 1,
      enqueuedAt: 0,
    }),
  ).toBe('unknown_owner')
  expect(
    await store.createUpload({
      ownerId: 'nobody',
      id: makeId('a', 1),
      secretHash: 'ab',
      bytes: 1,
      now: 0,
      expiresAt: 1,
    }),
  ).toBe('unknown_owner')
  await close()
})

test('get returns null for a blob whose put was interrupted, and the sweep deletes it', async () => {
  const {
    databases: [db],
    close,
  } = await openLocalFile()
  let writes = 0
  const dying: Database = {
    ...db,
    write(queries: readonly Query[]): Promise<never> {
      if (++writes > 2) throw new Error('killed')
      return db.write(queries) as Promise<never>
    },
  }
  const clock = fixedClock()
  await expect(libsqlBlobs(dying, clock).put('upload/a/0', new Uint8Array(3 * 1024 * 1024))).rejects.toThrow('killed')
  const blobs = libsqlBlobs(db, clock)
  expect(await blobs.get('upload/a/0')).toBeNull()
  expect(await blobs.stale(clock() + 1, 10, '')).toEqual(['upload/a/0'])
  await blobs.delete('upload/a/0')
  expect(await db.read(raw('select count(*) as n from blob_pieces'))).toMatchObject([{ n: 0 }])
  await close()
})

test('concurrent puts and deletes never leave a blob incomplete and never lose a replaced blob', async () => {
  const {
    databases: [db],
    close,
  } = await openLocalFile()
  let [commits, torn] = [0, 0]
  const fewest = new Set<number>()
  const watched: Database = {
    ...db,
    async write(queries: readonly Query[]): Promise<never> {
      const done = await db.write(queries)
      commits++
      torn += (
        await db.read(
          raw(`select 1 from blobs b where ready = 1 and not exists (select 1 from blob_pieces p where p.blob = b.num)
        union all select 1 from blob_pieces p where not exists (select 1 from blobs b where b.num = p.blob)`),
        )
      ).length
      fewest.add(
        (
          await db.read<{ n: number }>(
            raw("select count(distinct key) as n from blobs where ready = 1 and key like 'k/%'"),
          )
        )[0]!.n,
      )
      return done as never
    },
  }
  const blobs = libsqlBlobs(watched, fixedClock())
  await Promise.all(Array.from({ length: 7 }, (_, n) => blobs.put(`k/${n}`, new Uint8Array(1))))
  fewest.clear()
  await Promise.all(
    Array.from({ length: 60 }, (_, n) =>
      n % 5 === 0 ? blobs.delete(`other/${n}`) : blobs.put(`k/${n % 7}`, new Uint8Array(10 + n)),
    ),
  )
  expect([torn, [...fewest], commits > 5]).toEqual([0, [7], true])
  await close()
})

test('put does not append a late chunk of a deleted blob to a newer blob', async () => {
  const {
    databases: [db, other],
    close,
  } = await openLocalFile()
  const blobs = libsqlBlobs(other, fixedClock())
  let writes = 0
  const slow: Database = {
    ...db,
    async write(queries: readonly Query[]): Promise<never> {
      const done = await db.write(queries)
      // The first write created the blob, and the second stored its first piece.
      if (++writes === 2) {
        await blobs.delete('a')
        await blobs.put('b', new Uint8Array(5))
      }
      return done as never
    },
  }
  await expect(libsqlBlobs(slow, fixedClock()).put('a', new Uint8Array(3 * 1024 * 1024))).rejects.toSatisfy(
    Unavailable.is,
  )
  expect([await blobs.get('a'), await blobs.get('b')]).toEqual([null, new Uint8Array(5)])
  expect(await db.read(raw('select count(*) as n from blob_pieces'))).toMatchObject([{ n: 1 }])
  await close()
})

test('delete leaves no byte of a blob in the file after a checkpoint', { tags: 'long' }, async () => {
  const {
    clients: [client],
    databases: [db],
    path,
    close,
  } = await openLocalFile()
  const blobs = libsqlBlobs(db)
  const secret = 'kumquat-'.repeat(4)
  await blobs.put('k', new TextEncoder().encode(secret.repeat(50_000)))
  await client.checkpoint()
  expect((await readDatabaseBytes(path)).includes(secret)).toBe(true)
  await blobs.delete('k')
  await client.checkpoint()
  expect((await readDatabaseBytes(path)).includes(secret)).toBe(false)
  await close()
})
