import type { Answer } from './answer.ts'
import type { Context } from './context.ts'

/** The topic of the run's campaign. */
export const topic = 'testing'

/** Returns a campaign as the run sends it: a budget of cents, and a topic that other sponsors probably do not buy. */
export const makeCampaign = (run: string, name = 'campaign') => ({
  name: `Conformance ${run} ${name}`,
  brandName: 'Conformance',
  title: 'A conformance run',
  text: `Conformance ${run} ${name}`,
  url: `https://conformance.example/${run}`,
  topics: [topic],
  cpmUsd: 1,
  budgetUsd: 0.2,
})

/** An ad as `GET /api/ad` returns it. */
export interface ServedAd {
  readonly ad: { readonly text: string; readonly impUrl: string; readonly clickUrl: string }
  readonly feedback: { readonly token: string }
  readonly serveId: string
}

/** The run's data about its campaign. */
export interface RecordedImpression {
  /** The reply that served the ad, unchanged. */
  readonly first: Answer
  /** An ad that was served on a device of the person and not counted, because its only impression was too early. */
  readonly early: ServedAd & { readonly device: string }
  /** Counted serves, each on a different device. */
  readonly counted: (ServedAd & { readonly device: string })[]
  /** Two impressions of one device, one counted after the other. */
  readonly pair: readonly [ServedAd, ServedAd]
  readonly pairDevice: string
  /** An ad that was served on an unclaimed device, so that it is not counted. */
  readonly unclaimed: ServedAd & { readonly device: string }
}

/** Returns the path of one of the service's own URLs without the mount path: `/api/ad/imp/…`. */
export const toLocalPath = (url: string): string => url.slice(url.search(/\/(?:api\/ad\/imp|go)\//))

/** The earliest time after a serve at which its impression counts, with a margin for clock differences. */
const soonestMs = 1_100

/**
 * Starts a campaign, serves it on devices of the main person, and records its impressions. This happens once in each
 * run, with one wait for all impressions. The campaign is paused at the end. Skips the check if another sponsor pays
 * more for the topic.
 */
export function recordImpression({ stage, operator, own, wait, skip }: Context): Promise<RecordedImpression> {
  return stage.makeOnce('shown', async () => {
    const { json } = await stage
      .ask('POST', '/api/admin/campaigns', { as: operator(), json: makeCampaign(stage.run) })
      .is(201)
    stage.leftovers.add('paused campaigns named "Conformance", and what was counted of one')
    stage.addCleanup(() =>
      stage
        .ask('PATCH', `/api/admin/campaigns/${json.campaign.id}`, { as: operator(), json: { status: 'paused' } })
        .is(200),
    )
    const { bearer } = await own('main')
    const requestAd = async (device: string): Promise<Answer> => {
      // Another host sees a campaign within five seconds.
      for (const end = Date.now() + stage.eventuallyMs; ;) {
        const answer = await stage.ask('GET', `/api/ad?d=${device}&topic=${topic}`, { as: bearer }).is(200)
        if (answer.json.ad?.text === makeCampaign(stage.run).text) return answer
        if (Date.now() >= end) skip('another sponsor is served for the topic')
        await wait(300)
      }
    }
    const names = Array.from({ length: 6 }, (_, i) => `ad-${i}-${stage.run}`)
    for (const deviceId of names)
      await stage.ask('POST', '/api/program/claim', { as: bearer, json: { deviceId } }).is(200)
    const unclaimedDevice = `ad-unclaimed-${stage.run}`
    names.push(unclaimedDevice)
    const answers: Answer[] = []
    for (const device of names) {
      const answer = await requestAd(device)
      answers.push(answer)
      // This impression is too early, so it is recorded but does not use up the nonce. It is sent immediately, because
      // a slow host takes long for a few requests.
      if (device !== unclaimedDevice) await stage.ask('GET', toLocalPath(answer.json.ad.impUrl)).is(204)
    }
    const [first] = answers as [Answer, ...Answer[]]
    const all = answers.map((answer, i) => ({ ...(answer.json as ServedAd), device: names[i]! }))
    const unclaimed = all.pop()!
    const [early, one, ...counted] = all as [
      RecordedImpression['early'],
      RecordedImpression['early'],
      ...RecordedImpression['counted'],
    ]
    const two = (await requestAd(one.device)).json as ServedAd
    await wait(soonestMs)
    for (const served of [one, two, unclaimed, ...counted])
      await stage.ask('POST', toLocalPath(served.ad.impUrl)).is(204)
    return { first, early, counted, pair: [one, two], pairDevice: one.device, unclaimed }
  })
}
