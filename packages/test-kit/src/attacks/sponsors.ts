import { makeCampaign, toLocalPath, topic, type ServedAd } from '../conformance/campaign.ts'
import { check, type Check } from '../conformance/check.ts'
import type { Context } from '../conformance/context.ts'
import type { Headers } from '../conformance/run-state.ts'

const deviceCount = 3
/** A delay that is longer than the minimum delay between a serve and its impression, in milliseconds. */
const shownMs = 1_100

/**
 * Serves a campaign on three devices of a new account, and records one impression for each of the headers. Returns the
 * number of impressions with each outcome, and the amount that the sponsor pays.
 */
async function recordImpressions(context: Context, headers: readonly Headers[]) {
  const { ask, own, operator, stage, wait, eventually } = context
  const { bearer: as, userId } = await own('farmer')
  const json = makeCampaign(stage.run, 'farmed')
  const { campaign } = (await ask('POST', '/api/admin/campaigns', { as: operator(), json }).is(201)).json
  stage.addCleanup(() =>
    stage.ask('PATCH', `/api/admin/campaigns/${campaign.id}`, { as: operator(), json: { status: 'paused' } }).is(200),
  )
  const devices = Array.from({ length: deviceCount }, (_, n) => `farm-${n}-${stage.run}`)
  for (const deviceId of devices) await ask('POST', '/api/program/claim', { as, json: { deviceId } }).is(200)
  const serve = async (n: number): Promise<ServedAd> => {
    const reply = await ask('GET', `/api/ad?d=${devices[n % deviceCount]}&topic=${topic}`, { as }).is(200)
    reply.must(reply.json.ad?.text === json.text, 'an ad of the campaign')
    return reply.json
  }
  await eventually(() => serve(0))
  const served: ServedAd[] = []
  for (const n of headers.keys()) served.push(await serve(n))
  await wait(shownMs)
  for (const [n, { ad }] of served.entries())
    await ask('POST', toLocalPath(ad.impUrl), { headers: headers[n]! }).is(204)
  const { account } = (await ask('GET', '/api/account/export', { as }).is(200)).json
  const outcomes: Record<string, number> = {}
  for (const { outcome, count } of account.ads.days as { outcome: string; count: number }[])
    outcomes[outcome] = (outcomes[outcome] ?? 0) + count
  const listed = await ask('GET', '/api/admin/campaigns?limit=200', { as: operator() }).is(200)
  const { spentUsd } = listed.json.items.find(({ id }: { id: string }) => id === campaign.id)
  const counts = Object.entries(outcomes).map(([outcome, count]) => `${count} ${outcome}`)
  return { found: [...counts.toSorted(), `${spentUsd} dollars`].join(', '), listed, userId }
}

/** Attacks on the money of sponsors. */
export const sponsors: readonly Check[] = [
  check(
    'API6',
    'an account without approval is paid for 20 impressions a day over all its devices, and gets no payout',
    ['rates', 'mailbox', 'operator'],
    async (context) => {
      const { ask, operator, stage } = context
      const { found, listed, userId } = await recordImpressions(
        context,
        Array.from({ length: 27 }, () => ({})),
      )
      const wanted = '20 counted, 7 capped_new, 0.02 dollars'
      listed.must(found === wanted, wanted, found)
      const json = { userId, usd: 0.01, reference: `farm-${stage.run}` }
      await ask('POST', '/api/admin/payouts', { as: operator(), json }).is(409, {
        ok: false,
        error: 'contributor_not_approved',
      })
    },
  ),
  check(
    'API6',
    'impressions from a data center are not paid, regardless of the address in their headers',
    ['datacenter', 'mailbox', 'operator'],
    async (context) => {
      const names = ['x-forwarded-for', 'x-real-ip', 'cf-connecting-ip', 'true-client-ip', 'x-client-ip']
      const forged = [...names.map((name) => ({ [name]: '203.0.113.9' })), { forwarded: 'for=203.0.113.9' }, {}]
      const { found, listed } = await recordImpressions(context, forged)
      const wanted = `${forged.length} datacenter, 0 dollars`
      listed.must(found === wanted, wanted, found)
    },
  ),
]
