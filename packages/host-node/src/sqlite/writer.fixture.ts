// A process that writes rows, sometimes reads, and prints each acknowledged write.
import { createClient } from '@libsql/client'
import { openLocal } from './local.ts'

const [path = '', name = '', kind = 'local', count = '100000'] = process.argv.slice(2)
// `naive` is @libsql/client, with which the test must fail.
const client = kind === 'naive' ? createClient({ url: `file:${path}` }) : openLocal(path, { busyMs: 10_000 })

for (let index = 0; index < Number(count); index++) {
  const id = `${name}-${index}`
  try {
    const insert = { sql: 'insert into acks (id) values (?)', args: [id] }
    await (index % 4 === 0 ? client.batch([insert], 'write') : client.execute(insert))
    process.stdout.write(`${id}\n`)
    // A server also reads, on a separate connection.
    if (index % 16 === 0) await client.execute({ sql: 'select count(*) from acks', args: [] })
  } catch (error) {
    if (!String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY')) throw error
    process.stdout.write(`busy\n`)
  }
  // The process waits, so that the other process can write between two writes.
  await new Promise((resolve) => (index % 8 === 0 ? setTimeout(resolve, 1) : setImmediate(resolve)))
}
