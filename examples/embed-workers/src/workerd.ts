import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient } from '@libsql/client/web'
import { migrate } from '@tributary/core/libsql'
import { startHrana } from '@tributary/test-kit'
import { build } from 'esbuild'
import { Miniflare } from 'miniflare'

/** Runs a Worker in workerd on `port`, with an emulated remote database. `worker` is the URL of the Worker's source. */
export async function start(port: number, worker: URL): Promise<{ stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-workers-'))
  const database = await startHrana({ path: join(folder, 'remote.db'), token: 'token-of-the-database' })
  const client = createClient({ url: database.url, authToken: 'token-of-the-database' })
  await migrate(client)
  client.close()
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(worker)],
    bundle: true,
    write: false,
    format: 'esm',
    conditions: ['workerd', 'worker'],
    external: ['node:*'],
  })
  const workerd = new Miniflare({
    modules: [{ type: 'ESModule', path: 'worker.js', contents: outputFiles[0]!.text }],
    compatibilityDate: '2025-10-01',
    compatibilityFlags: ['nodejs_compat'],
    bindings: {
      APP_URL: `http://127.0.0.1:${port}`,
      DATABASE_URL: database.url,
      DATABASE_TOKEN: 'token-of-the-database',
    },
    host: '127.0.0.1',
    port,
  })
  await workerd.ready
  return {
    async stop() {
      await workerd.dispose()
      await database.close()
      await rm(folder, { recursive: true })
    },
  }
}
