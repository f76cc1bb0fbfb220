import { drizzle } from 'drizzle-orm/node-postgres'
import { Pool } from 'pg'
import { start } from './app.ts'

const port = Number(process.env['PORT'] ?? 3000)
const pool = new Pool({ connectionString: process.env['DATABASE_URL'] ?? 'postgres://localhost/app' })
pool.on('error', (error) => console.warn(error.message))
const server = await start(port, drizzle(pool))
console.log(
  `Sign in as Jane: http://127.0.0.1:${port}/login?name=jane, then open http://127.0.0.1:${port}/tributary/traces`,
)
const stop = (): void => void server.close(() => void pool.end())
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)
