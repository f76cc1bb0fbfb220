import { makeApplication, runAdStoreContract, runProgramStoreContract } from '@tributary/test-kit'
import { libsqlAds } from './ads.ts'
import { libsqlContributors } from './contributors.ts'
import { raw } from './database.ts'
import { libsqlProgram } from './program.ts'
import { databaseKinds, openTwoClients, type DatabaseKind, type TwoClients } from './two-clients.fixture.ts'

async function openWithUsers(kind: DatabaseKind): Promise<TwoClients> {
  const opened = await openTwoClients(kind)
  for (const id of ['ann', 'bob', 'cat']) await opened.addUser(id)
  return opened
}

for (const kind of databaseKinds) {
  runAdStoreContract(kind, async () => {
    const {
      databases: [one, two],
      close,
    } = await openWithUsers(kind)
    return {
      stores: [libsqlAds(one), libsqlAds(two)],
      close,
      claim: (ownerId, deviceId) => libsqlProgram(one).claimDevice({ ownerId, deviceId, now: 0, maxDevices: null }),
      approve: (ownerId) =>
        libsqlContributors(one).submitApplication({
          ownerId,
          application: makeApplication({ status: 'approved' }),
          now: 0,
        }),
      async queued() {
        const rows = await one.read<{ id: string; payload: string }>(
          raw("select id, payload from outbox where channel = 'impression' order by id"),
        )
        return rows.map(({ id, payload }) => [id, payload] as const)
      },
    }
  })
  runProgramStoreContract(kind, async () => {
    const { databases, close } = await openWithUsers(kind)
    return { stores: [libsqlProgram(databases[0]), libsqlProgram(databases[1])], close }
  })
}
