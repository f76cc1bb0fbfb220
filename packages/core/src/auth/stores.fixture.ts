import { createTestStores } from '@tributary/test-kit'
import type { Stores } from '../stores.ts'

/** The stores that requests must give the same replies on, empty for each test that opens them. */
export const storeKinds: [name: string, open: () => Promise<Stores>][] = [['libSQL', async () => createTestStores()]]
