import { runOverviewStoreContract, temporaryDatabase } from '@tributary/test-kit'
import { libsqlStores } from './stores.ts'

runOverviewStoreContract('libSQL', async () => {
  const { client, close } = await temporaryDatabase()
  const [store, other] = [libsqlStores(client), libsqlStores(client)]
  return { stores: [store, other], close, person: (id) => store.auth.upsertUser({ id, email: null, now: 0 }) }
})
