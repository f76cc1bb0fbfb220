import { defineFlow } from '../flow.ts'
import { expectPerson, type ExpectedPerson, type Ledger } from '../ledger.ts'
import { operator, Unfinished, type World } from '../world.ts'

type ExpectedCampaign = Ledger['campaigns'][number]

const device = 'device-of-the-flow'
const makeCampaignBody = (name: string): Record<string, unknown> => ({
  name,
  brandName: 'Brand',
  title: 'Title',
  text: "A sponsor's line",
  url: 'https://sponsor.example/',
  topics: [],
  cpmUsd: 10,
  budgetUsd: 100,
})

/** Starts a campaign without faults. */
export async function createCampaign(world: World, name: string): Promise<ExpectedCampaign> {
  await world.askOk('POST', '/api/admin/campaigns', { headers: operator, json: makeCampaignBody(name) })
  const campaign = { name, counted: 0, clicked: 0 }
  world.ledger.campaigns.push(campaign)
  return campaign
}

/** Claims a device, and counts an impression and a click on it, without faults. */
export async function countImpression(world: World, person: ExpectedPerson, campaign: ExpectedCampaign): Promise<void> {
  const { bearer: headers } = person.signed
  await world.askOk('POST', '/api/program/claim', { headers, json: { deviceId: device } })
  person.devices.push(device)
  const {
    json: { ad },
  } = await world.askOk('GET', `/api/ad?d=${device}`, { headers })
  world.clock.advance(2000)
  await world.askOk('POST', new URL(ad.impUrl as string).pathname)
  await world.askOk('GET', new URL(ad.clickUrl as string).pathname)
  person.counted++
  person.clicked++
  campaign.counted++
  campaign.clicked++
}

/** Requests an ad, records its impression and follows its click URL. */
async function requestAd(world: World, person: ExpectedPerson): Promise<{ token: string }> {
  const serve = () => world.retry('GET', `/api/ad?d=${device}`, [200], { headers: person.signed.bearer })
  let { json } = await serve()
  // If the network fails, the reply contains no ad, so the client asks again after a minute.
  if (json.ad === null) {
    world.clock.advance(60_000)
    json = (await serve()).json
  }
  if (json.ad === null) throw new Unfinished('GET /api/ad had no ad twice')
  const { ad, feedback } = json as { ad: { impUrl: string; clickUrl: string }; feedback: { token: string } }
  world.clock.advance(2000)
  // The reply is always 204, so this client sends the impression twice. The second impression does not count.
  for (let time = 0; time < 2; time++) await world.retry('POST', new URL(ad.impUrl).pathname, [204])
  person.counted++
  await world.retry('GET', new URL(ad.clickUrl).pathname, [302])
  person.clicked++
  return feedback
}

export const adsFlows = [
  defineFlow({
    name: 'impression',
    async prepare(world) {
      const person = expectPerson(world.ledger, await world.setup.signIn())
      const campaign = await createCampaign(world, 'campaign')
      await world.askOk('POST', '/api/program/claim', { headers: person.signed.bearer, json: { deviceId: device } })
      person.devices.push(device)
      return { person, campaign }
    },
    async act(world, { person, campaign }) {
      const { token } = await requestAd(world, person)
      campaign.counted++
      campaign.clicked++
      const vote = { deviceId: device, token, vote: 'up', reason: 'helpful' }
      await world.retry('POST', '/api/ad/feedback', [200], { headers: person.signed.bearer, json: vote })
      await world.work()
    },
  }),

  defineFlow({
    name: 'network',
    async prepare(world) {
      const person = expectPerson(world.ledger, await world.setup.signIn())
      await world.askOk('POST', '/api/program/claim', { headers: person.signed.bearer, json: { deviceId: device } })
      person.devices.push(device)
      return person
    },
    async act(world, person) {
      await requestAd(world, person)
      world.ledger.networkImpressions++
      await world.work()
    },
  }),

  defineFlow({
    name: 'campaign',
    prepare: async () => 'campaign of the operator',
    async act(world, name) {
      // This request has no key, so the operator looks at the list before repeating it.
      const isListed = async (): Promise<boolean> => {
        const { json } = await world.retry('GET', '/api/admin/campaigns', [200], { headers: operator })
        return (json.items as { name: string }[]).some((one) => one.name === name)
      }
      await world.retryUnless(isListed, 'POST', '/api/admin/campaigns', [201], {
        headers: operator,
        json: makeCampaignBody(name),
      })
      world.ledger.campaigns.push({ name, counted: 0, clicked: 0 })
    },
  }),

  defineFlow({
    name: 'campaign with a key',
    prepare: async () => 'campaign with a key',
    async act(world, name) {
      await world.retry('POST', '/api/admin/campaigns', [201], {
        headers: { ...operator, 'idempotency-key': 'campaign 1' },
        json: makeCampaignBody(name),
      })
      world.ledger.campaigns.push({ name, counted: 0, clicked: 0 })
    },
  }),
]
