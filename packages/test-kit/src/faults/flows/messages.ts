import { defineFlow } from '../flow.ts'
import { expectPerson } from '../ledger.ts'
import type { World } from '../world.ts'

async function signInPerson(world: World) {
  const signed = await world.setup.signIn()
  expectPerson(world.ledger, signed)
  return signed
}

const makeReport = (title: string) => ({
  reporter: { agent_vendor: 'example', agent_product: 'agent' },
  subject: { surface: 'POST /api/ingest' },
  content: { title },
  evidence: [{ type: 'log_excerpt', content: 'refused' }],
})

export const messageFlows = [
  defineFlow({
    name: 'report',
    prepare: async () => ({ title: 'The example is refused', key: '6f1c2d9e-4b7a-4c58-9d3e-2a1b0c9d8e7f' }),
    async act(world, { title, key }) {
      const answer = await world.retry('POST', '/api/v1/feedback', [201, 200], {
        headers: { 'idempotency-key': key },
        json: makeReport(title),
      })
      world.ledger.reports.push({ title, receiptId: answer.json.receipt.id as string })
      await world.work()
    },
  }),

  defineFlow({
    name: 'report by a tool',
    prepare: async () => ({ title: 'The example is refused', key: '6f1c2d9e-4b7a-4c58-9d3e-2a1b0c9d8e7f' }),
    async act(world, { title, key }) {
      const params = { name: 'submit_feedback', arguments: { ...makeReport(title), idempotency_key: key } }
      const json = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
      const answer = await world.retry('POST', '/mcp', [200], { json })
      world.ledger.reports.push({ title, receiptId: answer.json.result.structuredContent.receipt.id as string })
      await world.work()
    },
  }),

  defineFlow({
    name: 'mail',
    async prepare(world) {
      const { bearer: headers } = await signInPerson(world)
      for (const message of ['first words', 'second words'])
        await world.askOk('POST', '/api/cli/feedback', { headers, json: { message } })
      Object.assign(world.ledger.feedback, { acknowledged: 2, sent: 2 })
    },
    act: (world) => world.work(),
  }),

  defineFlow({
    name: 'feedback',
    prepare: signInPerson,
    async act(world, { bearer: headers }) {
      await world.retry('POST', '/api/cli/feedback', [200], { headers, json: { message: 'words' } })
      world.ledger.feedback.acknowledged++
      world.ledger.feedback.sent += world.replies.length
      await world.work()
    },
  }),

  defineFlow({
    name: 'feedback with a key',
    prepare: signInPerson,
    async act(world, { bearer }) {
      await world.retry('POST', '/api/cli/feedback', [200], {
        headers: { ...bearer, 'idempotency-key': 'feedback 1' },
        json: { message: 'words' },
      })
      Object.assign(world.ledger.feedback, { acknowledged: 1, sent: 1 })
      await world.work()
    },
  }),

  defineFlow({
    name: 'telemetry',
    prepare: signInPerson,
    async act(world, { bearer: headers }) {
      await world.retry('POST', '/api/cli/telemetry', [200], {
        headers,
        json: { schema: 1, deviceId: 'device', command: 'sync' },
      })
      world.ledger.telemetry.acknowledged++
      world.ledger.telemetry.sent += world.replies.length
      await world.work()
    },
  }),
]
