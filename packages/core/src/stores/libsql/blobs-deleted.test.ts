import { fixedClock } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { Unavailable } from '../../unavailable.ts'
import { libsqlBlobs } from './blobs.ts'
import type { Database, Query } from './database.ts'
import { openLocalFile } from './two-clients.fixture.ts'

const large = new Uint8Array(3 * 1024 * 1024).fill(7)

test('get returns null for a blob of several pieces that is deleted or replaced while it is read', async () => {
  const {
    databases: [db, other],
    close,
  } = await openLocalFile()
  const writer = libsqlBlobs(other, fixedClock())
  for (const change of [() => writer.delete('k'), () => writer.put('k', large.subarray(1))]) {
    await writer.put('k', large)
    let reads = 0
    const changing: Database = {
      ...db,
      async read(query) {
        if (++reads === 2) await change()
        return db.read(query)
      },
    }
    expect(await libsqlBlobs(changing, fixedClock()).get('k')).toBeNull()
  }
  await close()
})

test('put rejects and leaves no piece when the blob is deleted before its last piece', async () => {
  const {
    databases: [db, other],
    close,
  } = await openLocalFile()
  let writes = 0
  const deleting: Database = {
    ...db,
    async write(queries: readonly Query[]): Promise<never> {
      if (++writes === 4) await libsqlBlobs(other, fixedClock()).delete('k')
      return (await db.write(queries)) as never
    },
  }
  await expect(libsqlBlobs(deleting, fixedClock()).put('k', large)).rejects.toSatisfy(Unavailable.is)
  expect(await libsqlBlobs(other, fixedClock()).get('k')).toBeNull()
  await close()
})
