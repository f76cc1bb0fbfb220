import { temporaryDatabase } from '@tributary/test-kit'
import { onTestFinished } from 'vitest'
import { libsqlStores } from '../stores/libsql/index.ts'
import { memoryStores } from '../stores/memory/index.ts'
import type { Stores } from '../stores.ts'

/**
 * Both kinds of stores, fresh for each test that opens them: the same requests must give the same replies on either.
 */
export const storeKinds: [name: string, open: () => Promise<Stores>][] = [
  ['memory', async () => memoryStores()],
  [
    'libsql',
    async () => {
      const { client, close } = await temporaryDatabase()
      onTestFinished(close)
      return libsqlStores(client)
    },
  ],
]
