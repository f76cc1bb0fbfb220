// A process that writes one row after the other, reads now and then, and reports each acknowledged write on its standard output.
import { createClient } from '@libsql/client'
import { openLocal } from './local.ts'

const [path = '', name = '', kind = 'local', most = '100000'] = process.argv.slice(2)
// `naive` is the plain client, to see once that the test does fail with it.
const client = kind === 'naive' ? createClient({ url: `file:${path}` }) : openLocal(path, { busyMs: 10_000 })

for (let at = 0; at < Number(most); at++) {
  const id = `${name}-${at}`
  try {
    const insert = { sql: 'insert into acks (id) values (?)', args: [id] }
    await (at % 4 === 0 ? client.batch([insert], 'write') : client.execute(insert))
    process.stdout.write(`${id}\n`)
    // A server reads too, on a connection of its own.
    if (at % 16 === 0) await client.execute({ sql: 'select count(*) from acks', args: [] })
  } catch (error) {
    if (!String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY')) throw error
    process.stdout.write(`busy\n`)
  }
  // Both are to meet: the other one gets its chances, and this one is off the loop now and then.
  await new Promise((resolve) => (at % 8 === 0 ? setTimeout(resolve, 1) : setImmediate(resolve)))
}
