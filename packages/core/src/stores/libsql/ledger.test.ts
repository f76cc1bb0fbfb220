import { runLedgerStoreContract, seedTraces } from '@tributary/test-kit'
import { storesOf } from './stores.ts'
import { databaseKinds, openTwoClients } from './two-clients.fixture.ts'

for (const kind of databaseKinds) {
  runLedgerStoreContract(kind, async () => {
    const { clients, databases, close } = await openTwoClients(kind)
    const stores = [storesOf(databases[0]), storesOf(databases[1])] as const
    const run = (sql: string) => () => clients[0].execute({ sql, args: [] })
    return {
      stores,
      person: (id) => stores[0].auth.upsertUser({ id, email: `${id}@example.com`, now: 0 }),
      put: (ownerId, traces) => seedTraces(clients[0], ownerId, traces),
      tamper: [
        run('update ledger set micros = micros + 1'),
        run('update ledger set owner = null, micros = 0'),
        run("update ledger set owner = null, kind = 'sale'"),
        run('update ledger set owner = 2'),
        run('delete from ledger'),
      ],
      close,
    }
  })
}
