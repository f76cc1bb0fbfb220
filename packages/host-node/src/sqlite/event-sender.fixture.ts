// A service that records reports and delivers their events. It prints which reports it acknowledged and which events it
// delivered.
import { createService } from '@tributary/core'
import { libsqlStores } from '@tributary/core/libsql'
import { isPostgres, openPostgres } from '../postgres.ts'
import { openLocal } from './local.ts'

const [database = ''] = process.argv.slice(2)
const print = (line: string): void => void process.stdout.write(`${line}\n`)
const service = createService({
  baseUrl: 'http://127.0.0.1:8787',
  stores: isPostgres(database) ? (await openPostgres(database)).stores : libsqlStores(openLocal(database)),
  rates: 'off',
  onEvent: ({ type, data }) => void (type === 'report.received' && print(`delivered ${data.feedbackId}`)),
})
void service.work({ wait: () => new Promise((resolve) => setTimeout(resolve, 5)) })
for (let n = 0; ; n++) {
  const body = JSON.stringify({
    reporter: { agent_vendor: 'example', agent_product: 'agent' },
    subject: { surface: `POST /api/number/${n}` },
    content: { title: `The request of number ${n} is refused` },
  })
  const headers = { 'content-type': 'application/json' }
  const response = await service.fetch(
    new Request('http://127.0.0.1:8787/api/v1/feedback', { method: 'POST', headers, body }),
  )
  const { receipt } = (await response!.json()) as { receipt: { feedback_id: string } }
  print(`acknowledged ${receipt.feedback_id}`)
}
