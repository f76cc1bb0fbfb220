import { defineFlow } from '../flow.ts'
import { expectPerson } from '../ledger.ts'
import { operator } from '../world.ts'
import { countImpression, createCampaign } from './ads.ts'

const day = 24 * 60 * 60 * 1000

export const ledgerFlows = [
  defineFlow({
    name: 'payout',
    async prepare(world) {
      const person = expectPerson(world.ledger, await world.contributor())
      const json = { userId: person.signed.userId, usd: 10, reason: 'bonus' }
      await world.askOk('POST', '/api/admin/corrections', { headers: operator, json })
      person.entries.push('correction 10000000')
      return person
    },
    async act(world, person) {
      const { userId } = person.signed
      // The reference makes the request safe to repeat without a key.
      const payout = { userId, usd: 4.5, reference: 'transfer-1' }
      await world.retry('POST', '/api/admin/payouts', [200], { headers: operator, json: payout })
      person.entries.push('payout -4500000')
      person.mails.push('Your payout of $4.50 was sent')
      await world.retry('POST', '/api/admin/payouts', [200], {
        headers: { ...operator, 'idempotency-key': 'payout 2' },
        json: { userId, usd: 1, reference: 'transfer-2' },
      })
      person.entries.push('payout -1000000')
      person.mails.push('Your payout of $1.00 was sent')
      await world.retry('POST', '/api/admin/payouts', [409], {
        headers: operator,
        json: { userId, usd: 4.500001, reference: 'transfer-3' },
      })
      await world.work()
    },
  }),

  defineFlow({
    name: 'correction',
    prepare: async (world) => expectPerson(world.ledger, await world.setup.signIn()),
    async act(world, person) {
      const json = { userId: person.signed.userId, usd: -2.5, reason: 'refund' }
      await world.retry('POST', '/api/admin/corrections', [200], {
        headers: { ...operator, 'idempotency-key': 'correction 1' },
        json,
      })
      person.entries.push('correction -2500000')
    },
  }),

  defineFlow({
    name: 'impressions of a day',
    async prepare(world) {
      const person = expectPerson(world.ledger, await world.setup.signIn())
      await countImpression(world, person, await createCampaign(world, 'campaign of yesterday'))
      world.clock.advance(2 * day)
      return person
    },
    async act(world, person) {
      person.entries.push('impressions 5000')
      await world.work()
      await world.retry('GET', '/api/account/earnings', [200], { headers: person.signed.bearer })
    },
  }),

  defineFlow({
    name: 'a month of a sponsor and a correction after it',
    async prepare(world) {
      const person = expectPerson(world.ledger, await world.setup.signIn())
      const campaign = await createCampaign(world, 'campaign of a sponsor')
      await countImpression(world, person, campaign)
      const listed = await world.askOk('GET', '/api/admin/campaigns', { headers: operator })
      const { id } = listed.json.items[0] as { id: string }
      const link = await world.askOk('POST', `/api/admin/campaigns/${id}/sponsor-link`, { headers: operator })
      campaign.sponsorPath = new URL(link.json.url as string).pathname
      // The clock moves from 20 November to 3 December, on which November is closed.
      world.clock.advance(13 * day)
      person.entries.push('impressions 5000')
      return { campaign, id }
    },
    async act(world, { campaign, id }) {
      await world.work()
      const { text } = await world.retry('GET', `${campaign.sponsorPath}/months.csv`, [200])
      campaign.closedMonths = text.split('\r\n').filter((line) => line.includes(',closed,'))
      await world.retry('POST', `/api/admin/campaigns/${id}/corrections`, [200], {
        headers: { ...operator, 'idempotency-key': 'campaign correction 1' },
        json: { usd: -0.004, reason: 'Invalid traffic' },
      })
      campaign.corrected = -4000
      await world.work()
    },
  }),
]
