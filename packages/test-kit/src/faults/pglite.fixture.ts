import { libsqlBlobs } from '@tributary/core/libsql'
import { openDatabase, postgresStores } from '@tributary/core/postgres'
import { borrowPglite, type BorrowedDatabase } from '../../../core/src/stores/postgres/borrowed.fixture.ts'
import type { FaultPlace } from './places.ts'

/** Opens PGlite, which is emptied for each fault point. */
export async function openPglite(): Promise<FaultPlace> {
  let borrowed: BorrowedDatabase | undefined
  return {
    async empty(clock) {
      await borrowed?.release()
      borrowed = await borrowPglite()
      const [db] = borrowed.pools
      return { stores: postgresStores(db), blobs: libsqlBlobs(openDatabase(db), clock) }
    },
    close: async () => borrowed?.release(),
  }
}
