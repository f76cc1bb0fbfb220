import type { Server } from '../../../core/src/stores/postgres/server.fixture.ts'
import type { AcknowledgedState, Outside } from './outside.ts'

/** Returns which acknowledged rows a PostgreSQL server does not have. */
export async function findMissing(server: Server, before: AcknowledgedState): Promise<string[]> {
  const pool = server.openPool()
  pool.on('error', () => undefined)
  try {
    const missing: string[] = []
    for (const [table, ids] of Object.entries(before)) {
      const query = `select id from unnest($1::text[]) as sent(id) where id not in (select id from ${table})`
      const { rows } = await pool.query<{ id: string }>(query, [ids])
      missing.push(...rows.map(({ id }) => `${id} of ${table} was acknowledged and is lost`))
    }
    return missing
  } finally {
    await pool.end()
  }
}

/**
 * Returns `Outside` for a PostgreSQL server. Instead of killing the locker it crashes the server, and instead of a
 * backup it reads the server.
 */
export function watchServer(server: Server): Outside {
  return {
    // The server may be down now.
    backUp: (before) => findMissing(server, before).catch(() => []),
    async replaceLocker() {
      await server.crash()
      await server.restart()
    },
    stop: async () => [],
  }
}
