import { defineFlow } from '../flow.ts'
import { operator } from '../world.ts'
import { expectSale, sellToBuyer, storeTraces } from './ingest.ts'

export const datasetFlows = [
  defineFlow({
    name: 'sale',
    async prepare(world) {
      const person = await storeTraces(world, await world.contributor(), 3)
      const { signed, traces } = person
      await world.askOk('PATCH', `/api/traces/${traces[0]!.id}`, {
        headers: signed.bearer,
        json: { sellExcluded: true },
      })
      const { cookies } = await world.askOk('POST', '/admin/sign-in', {
        form: { token: operator.authorization.slice('Bearer '.length) },
      })
      const [[name, value]] = Object.entries(cookies) as [[string, string]]
      return { person, cookie: `${name}=${value}` }
    },
    async act(world, { person, cookie }) {
      const { traces } = person
      const buyer = 'buyer of two'
      // This request has no key, so the operator looks at the existing sales before repeating it.
      const isMade = async (): Promise<boolean> =>
        (await world.retry('GET', '/admin/sales', [200], { headers: { cookie } })).text.includes(buyer)
      const json = { buyer, usd: 12.5, traceIds: traces.map(({ id }) => id) }
      await world.retryUnless(isMade, 'POST', '/api/admin/sales', [200], { headers: operator, json })
      const [, ...sold] = traces
      expectSale(world, { person, traces: sold, buyer, usd: json.usd })
    },
  }),

  defineFlow({
    name: 'sale with a key',
    prepare: async (world) => storeTraces(world, await world.contributor(), 2),
    async act(world, person) {
      const { traces } = person
      const buyer = 'buyer with a key'
      const json = { buyer, usd: 12.5, traceIds: traces.map(({ id }) => id) }
      await world.retry('POST', '/api/admin/sales', [200], {
        headers: { ...operator, 'idempotency-key': 'sale 1' },
        json,
      })
      expectSale(world, { person, traces, buyer, usd: json.usd })
      await world.work()
    },
  }),

  defineFlow({
    name: 'withdrawal',
    async prepare(world) {
      const person = await storeTraces(world, await world.contributor(), 2)
      return { person, buyer: await sellToBuyer(world, person, person.traces) }
    },
    async act(world, { person, buyer }) {
      const [trace] = person.traces
      const json = { reason: 'the contributor asked for it' }
      // The request is repeated until it is answered. A repetition has no further effect.
      await world.retry('POST', `/api/admin/traces/${trace!.id}/withdraw`, [200], { headers: operator, json })
      world.ledger.removals.push({ buyer, traces: 1 })
      await world.workOnMessages()
    },
  }),

  defineFlow({
    name: 'exclusion',
    prepare: async (world) => storeTraces(world, await world.contributor(), 2),
    async act(world, { signed: { bearer: headers }, traces }) {
      const [one, two] = traces
      await world.retry('PATCH', `/api/traces/${one!.id}`, [200], { headers, json: { sellExcluded: true } })
      await world.retry('POST', '/api/traces/bulk', [200], { headers, json: { ids: [two!.id], action: 'exclude' } })
      await world.retry('POST', '/api/traces/bulk', [200], { headers, json: { ids: [one!.id], action: 'include' } })
      const { text } = await world.retry('GET', '/api/admin/dataset', [200], { headers: operator })
      world.ledger.reads.push({ got: text, path: '/api/admin/dataset', headers: operator })
    },
  }),
]
