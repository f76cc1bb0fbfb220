import { PGlite } from '@electric-sql/pglite'
import { drizzle } from 'drizzle-orm/pglite'
import { migrate } from 'drizzle-orm/pglite/migrator'
import { afterAll, beforeAll } from 'vitest'
import { runPostgresContracts, truncateTables } from './contracts.fixture.ts'
import { migrationsFolder } from './migrate.ts'

let client: PGlite
beforeAll(async () => {
  client = await PGlite.create()
  await migrate(drizzle(client), { migrationsFolder })
})
afterAll(() => client.close())

// PGlite is one connection in this process, so that transactions never overlap: `server.slow.test.ts` has real ones.
runPostgresContracts('PGlite', async () => {
  const db = drizzle(client)
  await truncateTables(db)
  return { databases: [db, db], close: async () => {} }
})
