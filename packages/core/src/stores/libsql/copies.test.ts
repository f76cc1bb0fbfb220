import { runCopyStoreContract } from '@tributary/test-kit'
import { libsqlCopies } from './copies.ts'
import { libsqlDataset } from './dataset.ts'
import { libsqlIngest } from './ingest.ts'
import { libsqlTraces } from './traces.ts'
import { databaseKinds, openTwoClients } from './two-clients.fixture.ts'

for (const kind of databaseKinds) {
  runCopyStoreContract(kind, async () => {
    const {
      databases: [here, there],
      addUser,
      close,
    } = await openTwoClients(kind)
    return {
      stores: [libsqlIngest(here), libsqlIngest(there)],
      copies: [libsqlCopies(here), libsqlCopies(there)],
      traces: { ...libsqlTraces(here), ...libsqlDataset(here) },
      person: (id) => addUser(id, `${id}@example.com`),
      close,
    }
  })
}
