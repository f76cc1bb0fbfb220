// A process that runs the jobs of a database. A trace with a certain text kills the process.
import { createService } from '@tributary/core'
import { libsqlStores } from '@tributary/core/libsql'
import { openLocal } from '../sqlite/local.ts'

const [path = ''] = process.argv.slice(2)
const client = openLocal(path)
const service = createService({
  baseUrl: 'http://127.0.0.1:8787',
  stores: libsqlStores(client),
  logger: { info() {}, warn() {}, error() {} },
  scrubber: {
    version: '1',
    scrub(texts) {
      if (texts.some((text) => text.includes('poison'))) process.kill(process.pid, 'SIGKILL')
      return { ok: true, texts: texts.map((text) => text), counts: {}, total: 0 }
    },
  },
})
process.stdout.write(JSON.stringify(await service.work()))
client.close()
