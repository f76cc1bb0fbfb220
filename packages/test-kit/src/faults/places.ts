import type { Blobs, Clock, Stores } from '@tributary/core'
import { libsqlBlobs, libsqlStores, openDatabase } from '@tributary/core/libsql'
import { temporaryDatabase } from '../fixtures/database.ts'

/** A store implementation on which faults are tried. */
export interface FaultPlace {
  /** Returns empty stores. It is called once for each fault point; the previous stores are not used afterwards. */
  empty(clock: Clock): Promise<{ readonly stores: Stores; readonly blobs: Blobs }>
  close(): Promise<void>
}

/** Functions that open a place, by the name of its store. */
export type FaultPlaces = Readonly<Record<string, () => Promise<FaultPlace>>>

/** The stores that need no server: libSQL on a real file. */
export const faultPlaces: FaultPlaces = {
  async libsql() {
    const { client, close } = await temporaryDatabase({ connections: 1 })
    // Power losses are not tested here, and a sync for each write would take most of the time.
    await client.execute('pragma synchronous = off')
    // This trigger would refuse the work of `empty`.
    await client.execute('drop trigger ledger_kept')
    const { rows } =
      await client.execute(`select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'
      and name <> 'tributary_migrations'`)
    const tables = rows.map(({ name }) => `delete from "${String(name)}"`)
    return {
      // All points use one file, because a closed client keeps its descriptors until garbage collection.
      async empty(clock) {
        await client.batch(tables, 'write')
        return { stores: libsqlStores(client), blobs: libsqlBlobs(openDatabase(client), clock) }
      },
      close,
    }
  },
}
