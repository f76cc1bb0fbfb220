import { PGlite } from '@electric-sql/pglite'
import type { Postgres } from '@tributary/core/postgres'
import { runEmbedContract } from '@tributary/test-kit'
import { drizzle } from 'drizzle-orm/pglite'
import { start } from './app.ts'

// The migrations consist of about 200 statements.
const startMs = 240_000
runEmbedContract(
  'Express over PostgreSQL',
  (port) => start(port, drizzle(new PGlite({ relaxedDurability: true })) as unknown as Postgres),
  { startMs },
)
