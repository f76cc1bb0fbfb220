import { wasRequested, type Person } from './model.ts'
import { checkDelivered } from './operators.ts'
import { adTopics, clientOf, stranger, type Action } from './simulation.ts'

/** A reply with an ad. */
interface Served {
  readonly ad: { readonly impUrl: string; readonly clickUrl: string }
  readonly feedback?: { readonly token: string } | null
}

/** The actions of a person's devices that show sponsor lines. */
export const deviceActions: readonly Action<Person>[] = [
  {
    name: 'claim a device',
    weight: 2,
    async act(sim, person) {
      const { random, model } = sim
      const deviceId = `device-${random.between(0, 3)}`
      const owner = model.people.find(({ devices }) => devices.has(deviceId))
      const request = { method: 'POST', path: '/api/program/claim', json: { deviceId } }
      const reply = await sim.insist(clientOf(person), request, [200, 409])
      if (reply?.status !== 200) return
      sim.check(
        owner === undefined || owner === person || wasRequested(owner, 'erase'),
        () => `${person.name} claimed ${deviceId}, which is ${owner?.name}'s`,
      )
      person.devices.add(deviceId)
    },
  },
  {
    name: 'set consent',
    weight: 2,
    async act(sim, person) {
      const attribution = sim.random.chance(0.5)
      const request = { method: 'PUT', path: '/api/account/consent', json: { attribution, pixel: false } }
      await sim.operate(
        attribution ? 'allowAttribution' : 'denyAttribution',
        [person],
        () => sim.insist(clientOf(person), request, [200]),
        ({ status }) => status === 200,
      )
    },
  },
  {
    name: 'show an ad',
    weight: 5,
    async act(sim, person) {
      const { random } = sim
      const client = clientOf(person)
      const [device = 'device-of-nobody'] = random.sample([...person.devices], 0.7)
      const topic = adTopics[sim.model.people.indexOf(person)]!
      const path = `/api/ad?d=${encodeURIComponent(device)}&topic=${topic}`
      const served: Served[] = []
      // Several windows request an ad before one of them shows its line.
      for (let windows = random.pick([1, 1, 2, 3]); windows > 0; windows--) {
        const isAlone = person.adsSince === null
        person.adsSince ??= sim.time
        const reply = await sim.ask(client, { method: 'GET', path }, [200, 403])
        if (reply && isAlone) person.adsSince = null
        if (reply?.json.ad && reply.json.nonce) served.push(reply.json)
      }
      if (served.length === 0) return
      await sim.world.scheduler.sleep(random.chance(0.8) ? random.between(1_000, 20_000) : random.between(0, 400_000))
      for (const { ad, feedback } of served) {
        const impression = new URL(ad.impUrl).pathname
        person.impressions.add(impression)
        // The reply is always 204, so a client may send an impression several times. It counts once.
        for (let times = random.between(1, 3); times > 0; times--)
          await sim.ask(stranger, { method: 'POST', path: impression }, [204])
        if (random.chance(0.5)) {
          person.clicks++
          for (let times = random.between(1, 2); times > 0; times--)
            await sim.ask(stranger, { method: 'GET', path: new URL(ad.clickUrl).pathname }, [302, 404])
        }
        if (!feedback || random.chance(0.5)) continue
        const json = { deviceId: device, token: feedback.token, vote: random.pick(['up', 'up', 'down']) }
        await sim.insist(client, { method: 'POST', path: '/api/ad/feedback', json }, [200, 403, 404, 409, 410])
      }
    },
  },
]

interface Receipt {
  readonly id: string
  readonly feedback_id: string
}

/** The actions of an agent, which repeats each report with its key until it gets a receipt. */
export const agentActions: readonly Action<null>[] = [
  {
    name: 'report',
    weight: 1,
    async act(sim) {
      const { random, model } = sim
      const title = `Report ${model.makeTitle()}`
      const key = Buffer.from(random.bytes(16))
        .toString('hex')
        .replace(/(.{8})(.{4}).(.{3}).(.{3})(.{12})/, '$1-$2-4$3-8$4-$5')
      const request = {
        method: 'POST',
        path: '/api/v1/feedback',
        headers: { 'idempotency-key': key },
        json: {
          reporter: { agent_vendor: 'vendor', agent_product: 'product' },
          subject: { surface: `the page of ${title}` },
          content: { title },
        },
      }
      const [one, two] = [await sim.insist(stranger, request, [200, 201]), await sim.ask(stranger, request, [200, 201])]
      const receipts = [one, two].flatMap((reply) => (reply ? [reply.json.receipt as Receipt] : []))
      sim.check(new Set(receipts.map(({ id }) => id)).size <= 1, () => `the report ${title} has two receipts`)
      const [receipt] = receipts
      model.reports.push({
        title,
        receiptId: receipt?.id ?? null,
        feedbackId: receipt?.feedback_id ?? null,
        evidence: [],
      })
    },
  },
  {
    name: 'attach evidence',
    weight: 1,
    async act(sim) {
      const { random, model } = sim
      const report = random.pick([...model.reports, null])
      if (!report?.feedbackId || report.evidence.length >= 5) return
      const marker = `Log ${model.makeTitle()}`
      const path = `/api/v1/feedback/${report.feedbackId}/attachments`
      const json = { evidence: [{ type: 'log_excerpt', content: marker }] }
      const reply = await sim.ask(stranger, { method: 'POST', path, json }, [201])
      if (reply) report.evidence.push(marker)
    },
  },
]

/** The actions of a buyer. */
export const buyerActions: readonly Action<string>[] = [
  {
    name: 'read a sale',
    weight: 2,
    async act(sim, buyer) {
      const { random, model } = sim
      const token = model.buyers.get(buyer)
      const sales = model.sales.filter((sale) => sale.buyer === buyer)
      if (token === undefined || sales.length === 0) return
      const sale = random.pick(sales)
      const client = { name: buyer, headers: { authorization: `Bearer ${token}` }, person: null }
      const start = sim.time
      const path = `/api/buyer/sales/${sale.id}/dataset?limit=200`
      const reply = await sim.ask(client, { method: 'GET', path }, [200])
      if (!reply) return
      const delivered = checkDelivered(sim, reply.text, start, ['withdraw'])
      if (sale.soldIds === null) return
      for (const trace of delivered)
        sim.check(sale.soldIds.includes(trace.id!), () => `${trace.sourceId} was delivered and not sold`)
      for (const id of sale.soldIds) {
        const trace = model.findTrace(id)
        if (!trace || wasRequested(trace, 'withdraw') || wasRequested(trace.owner, 'erase')) continue
        sim.check(delivered.has(trace), () => `${trace.sourceId} was sold and is not delivered`)
      }
    },
  },
  {
    name: 'acknowledge removals',
    weight: 1,
    async act(sim, buyer) {
      const token = sim.model.buyers.get(buyer)
      if (token === undefined) return
      const client = { name: buyer, headers: { authorization: `Bearer ${token}` }, person: null }
      const reply = await sim.ask(client, { method: 'GET', path: '/api/buyer/removals' }, [200])
      for (const { id } of (reply?.json.items ?? []) as { id: string }[])
        await sim.ask(client, { method: 'POST', path: `/api/buyer/removals/${id}/ack` }, [200])
    },
  },
]
