import { isCertain, isCopy, wasRequested, type ModelTrace, type Person } from './model.ts'
import { findMarkers, operatorClient, type Simulation, type Action } from './simulation.ts'
import type { operators, Reply } from './world.ts'

export type OperatorName = keyof typeof operators

/** The names of the buyers. */
export const buyerNames = ['Acme', 'Bolt'] as const

/** Checks the traces of a sale, as far as their state is certain. */
export function checkSold(
  sim: Simulation,
  soldIds: readonly string[],
  { buyer, start }: { buyer: string; start: number },
): void {
  const { model } = sim
  sim.check(new Set(soldIds).size === soldIds.length, () => 'a sale has a trace twice')
  const before = model.sales.filter((sale) => sale.buyer === buyer && sale.end < start)
  for (const id of soldIds) {
    const trace = model.findTrace(id)
    sim.check(!before.some((sale) => sale.soldIds?.includes(id)), () => `${buyer} bought the trace ${id} twice`)
    if (!trace) continue
    for (const kind of ['exclude', 'delete', 'withdraw'] as const)
      sim.check(!isCertain(trace, kind, start, sim.time), () => `${trace.sourceId} was sold after ${kind}`)
    sim.check(!isCertain(trace.owner, 'erase', start, sim.time), () => `${trace.sourceId} was sold after its erasure`)
    sim.check(!isCopy(model, trace), () => `${trace.sourceId} is a copy and was sold`)
  }
}

/** Records and checks an acknowledged sale. */
async function learnSale(
  sim: Simulation,
  client: OperatorName,
  sale: {
    readonly id: string
    readonly buyer: string
    readonly usd: number
    readonly start: number
    soldIds: string[] | null
  },
): Promise<void> {
  const { id, buyer, usd, start, soldIds } = sale
  sim.model.sales.push({ id, buyer, micros: Math.round(usd * 1_000_000), start, end: sim.time, soldIds })
  if (soldIds) checkSold(sim, soldIds, { buyer, start })
  const reply = await sim.ask(operatorClient(client), { method: 'GET', path: `/api/admin/sales/${id}` }, [200])
  if (!reply) return
  const { traces } = reply.json.sale as { traces: number }
  sim.check(
    soldIds === null || traces === soldIds.length,
    () => `the sale ${id} of ${soldIds?.length} has ${traces} traces`,
  )
}

const keyOf = (sim: Simulation, name: OperatorName): Record<string, string> => ({
  'idempotency-key': `${name} ${sim.nextNumber()}`,
})

/** Sells some of the known traces. */
export async function sellSome(sim: Simulation, name: OperatorName): Promise<void> {
  const { random, model } = sim
  const traceIds = random
    .sample(
      model.knownTraces().map(({ id }) => id!),
      0.4,
    )
    .slice(0, 20)
  if (traceIds.length === 0) return
  const [start, buyer, usd] = [sim.time, random.pick(buyerNames), random.between(1, 2000) / 100]
  const request = {
    method: 'POST',
    path: '/api/admin/sales',
    json: { buyer, usd, traceIds },
    headers: keyOf(sim, name),
  }
  const reply = await sim.insist(operatorClient(name), request, [200])
  if (!reply) return
  const { saleId: id, soldIds } = reply.json as { saleId: string; soldIds: string[] }
  await learnSale(sim, name, { id, buyer, usd, start, soldIds })
}

/** Reads a sale as an operator delivers it. */
async function readSale(sim: Simulation, name: OperatorName, saleId: string): Promise<void> {
  const start = sim.time
  const path = `/api/admin/dataset?limit=200&saleId=${saleId}`
  const reply = await sim.ask(operatorClient(name), { method: 'GET', path }, [200])
  if (reply) checkDelivered(sim, reply.text, start, ['withdraw'])
}

/** Returns the fields of a new campaign. */
export const describeCampaign = (name: string) => ({
  name,
  brandName: 'Brand',
  title: 'Title',
  text: `A line of ${name}`,
  url: 'https://sponsor.example/',
  topics: [],
})

interface PendingApplication {
  readonly id: string
  readonly person: Person
}

async function findPending(sim: Simulation, name: OperatorName): Promise<PendingApplication | null> {
  const request = { method: 'GET', path: '/api/admin/applications?status=pending' }
  const list = await sim.ask(operatorClient(name), request, [200])
  const [found] = (list?.json.items ?? []) as { id: string; userId: string }[]
  const person = sim.model.people.find(({ signed }) => signed.userId === found?.userId)
  return found && person ? { id: found.id, person } : null
}

async function review(
  sim: Simulation,
  name: OperatorName,
  { id }: PendingApplication,
  json: Readonly<Record<string, string>>,
): Promise<Reply | null> {
  const request = { method: 'POST', path: `/api/admin/applications/${id}`, json }
  const reply = await sim.insist(operatorClient(name), request, [200, 404, 409])
  if (reply?.status === 200) sim.model.changes.push({ action: 'application.review', target: id })
  return reply
}

const approve = (sim: Simulation, name: OperatorName, application: PendingApplication): Promise<Reply | null> =>
  sim.operate(
    'approve',
    [application.person],
    () => review(sim, name, application, { decision: 'approve' }),
    ({ status }) => status === 200,
  )

/** The actions of an operator who has opened a page twice. */
export const duplicateTabActions: readonly Action<OperatorName>[] = [
  {
    name: 'approve an application twice at once',
    weight: 1,
    async act(sim, name) {
      if (sim.model.people.every((person) => wasRequested(person, 'approve'))) return
      const application = await findPending(sim, name)
      if (application) await Promise.all([approve(sim, name, application), approve(sim, name, application)])
    },
  },
]

/** The actions of an operator. */
export const operatorActions: readonly Action<OperatorName>[] = [
  { name: 'sell by ids', weight: 4, act: sellSome },
  {
    name: 'sell by filter',
    weight: 2,
    async act(sim, name) {
      const [start, buyer, usd] = [sim.time, sim.random.pick(buyerNames), sim.random.between(1, 2000) / 100]
      const json = { buyer, usd, filter: {}, ...(sim.random.chance(0.2) ? { dryRun: true } : {}) }
      const request = { method: 'POST', path: '/api/admin/sales', json, headers: keyOf(sim, name) }
      const reply = await sim.insist(operatorClient(name), request, [200])
      if (reply && !json.dryRun) await learnSale(sim, name, { id: reply.json.saleId, buyer, usd, start, soldIds: null })
    },
  },
  {
    name: 'read the dataset',
    weight: 2,
    async act(sim, name) {
      const start = sim.time
      const reply = await sim.ask(operatorClient(name), { method: 'GET', path: '/api/admin/dataset?limit=200' }, [200])
      if (reply) checkDelivered(sim, reply.text, start, ['exclude', 'delete', 'withdraw'])
    },
  },
  {
    name: 'read a sale',
    weight: 2,
    async act(sim, name) {
      const { random, model } = sim
      if (model.sales.length > 0) await readSale(sim, name, random.pick(model.sales).id)
    },
  },
  {
    name: 'withdraw a trace',
    weight: 1,
    async act(sim, name) {
      const { random, model } = sim
      const sold = model.sales.flatMap(({ id: saleId, soldIds }) => (soldIds ?? []).map((id) => ({ saleId, id })))
      if (sold.length === 0) return
      const { saleId, id } = random.pick(sold)
      const trace = model.findTrace(id)!
      const reply = await sim.operate(
        'withdraw',
        [trace],
        () =>
          sim.insist(
            operatorClient(name),
            { method: 'POST', path: `/api/admin/traces/${trace.id}/withdraw`, json: { reason: 'asked by the owner' } },
            [200, 404],
          ),
        ({ status }) => status === 200,
      )
      if (reply?.status !== 200) return
      model.changes.push({ action: 'trace.withdraw', target: id })
      await readSale(sim, name, saleId)
    },
  },
  {
    name: 'pay out or correct',
    weight: 3,
    async act(sim, name) {
      const { random, model } = sim
      const person = random.pick(model.people)
      const kind = random.chance(0.7) ? 'payout' : 'correction'
      const usd = random.between(1, 300) / 100
      const reference = `${kind}-${sim.nextNumber()}`
      const json = { userId: person.signed.userId, usd, reference, ...(kind === 'payout' ? {} : { reason: reference }) }
      const request = {
        method: 'POST',
        path: `/api/admin/${kind}s`,
        json,
        headers: random.chance(0.5) ? keyOf(sim, name) : {},
      }
      const { timeouts } = sim.world
      // Without an idempotency key the reference makes the entry unique, so a repetition is refused.
      const reply = await sim.insist(operatorClient(name), request, [200, 404, 409])
      const error = reply?.json.error as string | undefined
      const isDone = reply?.status === 200 || error === 'reference_used'
      // The client may have stopped waiting for an attempt, which may take effect after the next attempt was refused.
      if (reply === null || isDone || sim.world.timeouts > timeouts)
        model.entries.push({ person, kind, micros: Math.round(usd * 1e6), reference, isDone })
      if (reply?.status === 404)
        sim.check(wasRequested(person, 'erase'), () => `a ${kind} to ${person.name} answered ${reply.text}`)
    },
  },
  {
    name: 'pause or resume a contributor',
    weight: 1,
    async act(sim, name) {
      const person = sim.random.pick(sim.model.people)
      const paused = sim.random.chance(0.4)
      const path = `/api/admin/contributors/${encodeURIComponent(person.signed.userId)}`
      await sim.operate(
        paused ? 'pause' : 'resume',
        [person],
        () => sim.insist(operatorClient(name), { method: 'POST', path, json: { paused } }, [200, 404]),
        ({ status }) => status === 200,
      )
    },
  },
  {
    name: 'review an application',
    weight: 2,
    async act(sim, name) {
      const application = await findPending(sim, name)
      if (!application) return
      // A rejected person may apply again.
      if (sim.random.chance(0.2))
        await review(sim, name, application, { decision: 'reject', reason: 'the website does not answer' })
      else await approve(sim, name, application)
    },
  },
  {
    name: 'start a campaign',
    weight: 2,
    async act(sim, name) {
      const { random, model } = sim
      if (model.campaigns.length >= 3) return
      const campaign = `campaign ${sim.nextNumber()}`
      const json = {
        ...describeCampaign(campaign),
        cpmUsd: random.pick([1, 20]),
        budgetUsd: random.pick([0.02, 0.04, 5]),
      }
      const request = { method: 'POST', path: '/api/admin/campaigns', json, headers: keyOf(sim, name) }
      const reply = await sim.insist(operatorClient(name), request, [201])
      if (reply) model.campaigns.push({ id: reply.json.campaign.id, name: campaign })
    },
  },
  {
    name: 'pause or start a campaign',
    weight: 1,
    async act(sim, name) {
      const { random, model } = sim
      if (model.campaigns.length === 0) return
      const path = `/api/admin/campaigns/${random.pick(model.campaigns).id}`
      const json = { status: random.pick(['active', 'active', 'paused']) }
      await sim.insist(operatorClient(name), { method: 'PATCH', path, json }, [200])
    },
  },
  {
    name: 'create a buyer',
    weight: 2,
    async act(sim, name) {
      const { random, model } = sim
      const buyer = random.pick(buyerNames)
      if (model.buyers.has(buyer)) return
      const json = { name: buyer, email: `${buyer.toLowerCase()}@example.org` }
      const reply = await sim.ask(operatorClient(name), { method: 'POST', path: '/api/admin/buyers', json }, [200, 409])
      if (reply?.status !== 200) return
      model.buyers.set(buyer, reply.json.token)
      model.changes.push({ action: 'buyer.create', target: reply.json.id })
    },
  },
  {
    name: 'create a webhook',
    weight: 1,
    async act(sim, name) {
      const { random, model } = sim
      const url = `https://hooks.example.org/${random.between(1, 2)}`
      if (model.webhooks.has(url)) return
      const reply = await sim.ask(
        operatorClient(name),
        { method: 'POST', path: '/api/admin/webhooks', json: { url } },
        [201, 409],
      )
      if (reply?.status !== 201) return
      const { webhook, secret } = reply.json as { webhook: { id: string }; secret: string }
      model.webhooks.set(url, { id: webhook.id, since: sim.time, secrets: [secret], previousUntil: 0 })
      model.changes.push({ action: 'webhook.create', target: webhook.id })
    },
  },
  {
    name: 'rotate the secret of a webhook',
    weight: 1,
    async act(sim, name) {
      const webhook = sim.random.pick([...sim.model.webhooks.values(), null])
      if (!webhook) return
      const { secrets } = webhook
      // The secrets are unknown until the reply arrives.
      webhook.secrets = null
      const path = `/api/admin/webhooks/${webhook.id}/rotate-secret`
      const reply = await sim.ask(operatorClient(name), { method: 'POST', path }, [200])
      if (reply) sim.model.changes.push({ action: 'webhook.rotate_secret', target: webhook.id })
      if (!reply || !secrets) return
      const { secret, previousSecretUntil } = reply.json as { secret: string; previousSecretUntil: string }
      webhook.secrets = [...secrets, secret]
      webhook.previousUntil = Date.parse(previousSecretUntil)
    },
  },
  {
    name: 'redeliver a message of a webhook',
    weight: 0.5,
    async act(sim, name) {
      const webhook = sim.random.pick([...sim.model.webhooks.values(), null])
      if (!webhook) return
      const client = operatorClient(name)
      const path = `/api/admin/webhooks/${webhook.id}/deliveries`
      const list = await sim.ask(client, { method: 'GET', path }, [200])
      const items = (list?.json.items ?? []) as { id: string }[]
      if (items.length === 0) return
      const { id } = sim.random.pick(items)
      await sim.ask(client, { method: 'POST', path: `${path}/${id}/redeliver` }, [200, 202, 404, 409])
    },
  },
  {
    name: 'tell the waitlist, retry and send again',
    weight: 1,
    async act(sim, name) {
      const client = operatorClient(name)
      const notice = { method: 'POST', path: '/api/admin/waitlist/notify', json: { country: 'US' } }
      await sim.insist(client, notice, [200])
      const list = await sim.ask(client, { method: 'GET', path: '/api/admin/jobs?status=failed' }, [200])
      const [job] = (list?.json.items ?? []) as { id: string }[]
      if (job) {
        const retry = { method: 'POST', path: `/api/admin/jobs/${job.id}/retry` }
        const retried = await sim.ask(client, retry, [200, 404, 409, 410])
        if (retried?.status === 200) sim.model.changes.push({ action: 'job.retry', target: job.id })
      }
      const resend = { method: 'POST', path: '/api/admin/outbox/resend', json: { status: 'dead' } }
      await sim.ask(client, resend, [200])
    },
  },
  {
    name: 'look at a list',
    weight: 2,
    async act(sim, name) {
      const { random, model } = sim
      const { userId } = random.pick(model.people).signed
      const path = random.pick([
        '/api/admin/jobs',
        '/api/admin/audit',
        '/api/admin/balances',
        '/api/admin/outbox',
        '/api/admin/overview',
        '/api/admin/reports',
        '/api/admin/campaigns',
        '/api/admin/removals',
        '/api/admin/contributors',
        '/api/admin/payout-requests',
        `/api/admin/contributors/${encodeURIComponent(userId)}`,
      ])
      await sim.ask(operatorClient(name), { method: 'GET', path }, [200, 404])
    },
  },
  {
    name: 'decide on a payout request',
    weight: 1,
    async act(sim, name) {
      const client = operatorClient(name)
      const list = await sim.ask(client, { method: 'GET', path: '/api/admin/payout-requests?status=open' }, [200])
      const items = (list?.json.items ?? []) as { id: string }[]
      if (items.length === 0) return
      const path = `/api/admin/payout-requests/${sim.random.pick(items).id}`
      const json = { decision: 'reject', reason: 'the account is not verified' }
      await sim.insist(client, { method: 'POST', path, json }, [200, 404, 409])
    },
  },
]

/** Checks that the delivered traces were not excluded, deleted or withdrawn before the request. */
export function checkDelivered(
  sim: Simulation,
  text: string,
  start: number,
  kinds: readonly ('exclude' | 'delete' | 'withdraw')[],
): Set<ModelTrace> {
  const delivered = new Set(findMarkers(text).flatMap((marker) => sim.model.markers.get(marker) ?? []))
  for (const trace of delivered) {
    for (const kind of kinds)
      sim.check(!isCertain(trace, kind, start, sim.time), () => `${trace.sourceId} was delivered after ${kind}`)
    sim.check(
      !isCertain(trace.owner, 'erase', start, sim.time),
      () => `${trace.sourceId} was delivered after the erasure of its owner`,
    )
  }
  return delivered
}
