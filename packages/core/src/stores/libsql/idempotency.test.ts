import { runIdempotencyStoreContract } from '@tributary/test-kit'
import { libsqlIdempotency } from './idempotency.ts'
import { sampledKinds, openTwoClients } from './two-clients.fixture.ts'

for (const kind of sampledKinds) {
  runIdempotencyStoreContract(kind, async () => {
    const { databases, addUser, close } = await openTwoClients(kind)
    return { stores: [libsqlIdempotency(databases[0]), libsqlIdempotency(databases[1])], person: addUser, close }
  })
}
