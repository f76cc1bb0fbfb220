import type { Server } from 'node:http'
import { createService } from '@tributary/core'
import { migrate, postgresStores, type Postgres } from '@tributary/core/postgres'
import { embeddedOptions } from '@tributary/example-embed/options'
import { formatSessionCookie } from '@tributary/example-embed/signin'
import { toNodeListener } from '@tributary/host-node'
import { desc, sql } from 'drizzle-orm'
import { bigint, pgTable, text } from 'drizzle-orm/pg-core'
import express from 'express'

/** The app's own tables, in the default schema of the connection. */
export const visits = pgTable('visits', {
  num: bigint('num', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  name: text('name').notNull(),
})
/** The tables of the service are in a separate schema of the same database. */
const place = { schema: 'tributary' }

/**
 * Starts an Express app. The app's own tables and the tables of the service share one connection pool. Listens on
 * `port`.
 */
export async function start(port: number, db: Postgres): Promise<Server> {
  await db.execute(
    sql`create table if not exists visits (num bigint primary key generated always as identity, name text not null)`,
  )
  await migrate(db, place)
  const service = createService(embeddedOptions(`http://127.0.0.1:${port}`, postgresStores(db, place)))
  const worker = service.startWorker()
  const app = express()
  // The service is mounted before the body parser, which would refuse batches above the parser's own limit.
  app.use('/tributary', toNodeListener(service))
  app.use(express.json())
  app.get('/login', (req, res, next) => {
    const name = String(req.query['name'])
    const signIn = (): void => void res.set('set-cookie', formatSessionCookie(name)).send('Signed in to the app.\n')
    db.insert(visits).values({ name }).then(signIn, next)
  })
  app.get('/visits', (_req, res, next) => {
    const latest = db.select().from(visits).orderBy(desc(visits.num)).limit(10)
    latest.then((rows) => void res.json(rows), next)
  })
  app.get('/', (_req, res) => void res.send("The app's own page.\n"))
  return app.listen(port, '127.0.0.1').once('close', () => void worker.stop())
}
