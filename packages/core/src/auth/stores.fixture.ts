import { createTestStores } from '@tributary/test-kit'
import type { Stores } from '../stores.ts'

/** The stores for which requests must have the same replies. Each test that opens a store gets an empty store. */
export const storeKinds: [name: string, open: () => Promise<Stores>][] = [['libSQL', async () => createTestStores()]]
