import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { drizzle } from 'drizzle-orm/pglite'
import type { Postgres } from './transaction.ts'
import { migrate } from './migrate.ts'
import { migrations } from './migrations/generated.ts'

const version = createHash('sha256').update(JSON.stringify(migrations)).digest('hex').slice(0, 16)
// The cache is outside the temporary folder, because each run deletes that folder.
const cache = join(import.meta.dirname, '../../../node_modules/.cache')
const template = join(cache, `pglite-${version}.tar`)

const overPglite = (client: PGlite): Postgres => drizzle(client) as unknown as Postgres

/**
 * Opens a new database with every migration applied. It is loaded from a template, because applying the migrations
 * takes ten times as long.
 */
export async function openMigratedPglite(): Promise<{ readonly client: PGlite; readonly db: Postgres }> {
  if (!existsSync(template)) {
    const client = new PGlite({ relaxedDurability: true })
    await migrate(overPglite(client))
    await mkdir(cache, { recursive: true })
    const part = `${template}.${randomUUID()}`
    await writeFile(part, Buffer.from(await (await client.dumpDataDir('none')).arrayBuffer()))
    await client.close()
    // Another process may create the template at the same time. The last process wins; all templates have the same
    // content.
    await rename(part, template)
  }
  const client = new PGlite({ relaxedDurability: true, loadDataDir: new Blob([await readFile(template)]) })
  return { client, db: overPglite(client) }
}
