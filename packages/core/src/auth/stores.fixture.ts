import { createTestStores } from '@tributary/test-kit'
import type { Stores } from '../stores.ts'

/** The stores on which requests must have the same replies. They are empty for each test that opens them. */
export const storeKinds: [name: string, open: () => Promise<Stores>][] = [['libSQL', async () => createTestStores()]]
