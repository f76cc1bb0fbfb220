import { makeCampaign, toLocalPath, recordImpression, topic } from './campaign.ts'
import { check, type Check } from './check.ts'
import { matchLink, madeId, text, makeMatcher, time, wholeNumber } from './matchers.ts'

const vote = '/api/ad/feedback'
const nothing = { ad: null, nonce: null, serveId: madeId, ttlMs: 60_000, matchType: null, feedback: null }
const recorded = { ok: true, status: 'recorded' }
const badQuery = { error: 'invalid_query' }
const fill = makeMatcher('an ad, or none', (value) => value === null || typeof value === 'object')

/**
 * The checks of `GET /api/ad`, `GET /api/ad/config` and `POST /api/ad/feedback`. The last check votes the run's
 * campaign down, so that this campaign is no longer served to the person.
 */
export const ads: readonly Check[] = [
  check('E16', 'a device gets an ad, or null instead of an ad', ['person'], async ({ ask, person, stage }) => {
    const reply = await ask('GET', `/api/ad?d=${stage.run}`, { as: (await person()).bearer })
    reply
      .is(
        200,
        reply.json.ad === null
          ? nothing
          : {
              ad: fill,
              nonce: makeMatcher('a nonce or null', (value) => value === null || typeof value === 'string'),
              serveId: madeId,
              ttlMs: wholeNumber,
              matchType: makeMatcher('contextual, general or promotional', (value) =>
                ['contextual', 'general', 'promotional'].includes(value as string),
              ),
              feedback: fill,
            },
      )
      .has('cache-control', /no-store/)
  }),
  check('E16', 'a device id has 1 to 512 characters; other ids return 400', ['person'], async ({ ask, person }) => {
    const { bearer } = await person()
    await ask('GET', `/api/ad?d=${'d'.repeat(512)}`, { as: bearer }).is(200)
    for (const query of ['', '?d=', `?d=${'d'.repeat(513)}`, '?device=d'])
      await ask('GET', `/api/ad${query}`, { as: bearer }).is(400, badQuery)
  }),
  check(
    'E16',
    'a topic outside the vocabulary or a malformed fingerprint returns 400',
    ['person'],
    async ({ ask, person, stage }) => {
      const { bearer } = await person()
      const requestAd = (more: string) => ask('GET', `/api/ad?d=${stage.run}&${more}`, { as: bearer })
      for (const one of [
        'ai',
        'apis',
        'backend',
        'cloud',
        'data',
        'databases',
        'devops',
        'editors',
        'frontend',
        'hosting',
        'mobile',
        'observability',
        'productivity',
        'security',
        'terminal',
        'testing',
      ])
        await requestAd(`topic=${one}`).is(200)
      await requestAd(`prev=${'a'.repeat(64)}`).is(200)
      for (const more of [
        'topic=cars',
        'topic=',
        'topic=AI',
        `prev=${'a'.repeat(63)}`,
        `prev=${'A'.repeat(64)}`,
        `prev=${'g'.repeat(64)}`,
      ])
        await requestAd(more).is(400, badQuery)
    },
  ),
  check('E16', 'a context header that is malformed is ignored', ['person'], async ({ ask, person, stage }) => {
    const { bearer } = await person()
    for (const header of [
      'no json',
      '[]',
      '{"v":2}',
      '{"v":1,"os":7,"columns":-1}',
      `{"v":1,"os":"${'x'.repeat(3000)}"}`,
      '{"v":1,"sessionId":"s","startedAt":"no"}',
    ]) {
      await ask('GET', `/api/ad?d=${stage.run}`, {
        as: bearer,
        headers: { 'x-ad-device-context': header, 'x-ad-attribution-context': header },
      }).is(200)
    }
  }),
  check('E16', 'a device of another user and its settings return 403', ['mailbox'], async ({ ask, own, stage }) => {
    await ask('POST', '/api/program/claim', {
      as: (await own('stranger')).bearer,
      json: { deviceId: `theirs-${stage.run}` },
    }).is(200)
    for (const path of [`/api/ad?d=theirs-${stage.run}`, `/api/ad/config?d=theirs-${stage.run}`])
      await ask('GET', path, { as: (await own('main')).bearer }).is(403, { error: 'device_not_owned' })
  }),
  check('E17', 'an unclaimed device returns an error', ['person'], async ({ ask, person, stage }) => {
    await ask('GET', `/api/ad/config?d=unclaimed-${stage.run}`, { as: (await person()).bearer }).is(403, {
      error: 'device_not_owned',
    })
    for (const query of ['', '?d=', `?d=${'d'.repeat(513)}`])
      await ask('GET', `/api/ad/config${query}`, { as: (await person()).bearer }).is(400, badQuery)
  }),
  check(
    'E17',
    'tracking matches the consent, unless the request declines tracking',
    ['mailbox'],
    async ({ ask, own, stage }) => {
      const { bearer } = await own('consenting')
      const device = `consent-${stage.run}`
      await ask('POST', '/api/program/claim', { as: bearer, json: { deviceId: device } }).is(200)
      const requestConfig = (headers = {}) => ask('GET', `/api/ad/config?d=${device}`, { as: bearer, headers })
      const id = makeMatcher("the pixel's id", (value) => typeof value === 'string')
      const is = (attribution: boolean, enabled: boolean) => ({ attribution, pixel: { enabled, id } })
      await requestConfig().is(200, is(false, false))
      for (const [attribution, pixel] of [
        [true, false],
        [false, true],
        [true, true],
      ] as const) {
        await ask('PUT', '/api/account/consent', { as: bearer, json: { attribution, pixel } }).is(200)
        await requestConfig().is(200, is(attribution, pixel))
        for (const headers of [{ 'sec-gpc': '1' }, { dnt: '1' }]) await requestConfig(headers).is(200, is(false, false))
      }
    },
  ),
  check(
    'E18',
    'an incomplete vote, or a reason that does not match the vote, returns 400',
    ['person'],
    async ({ ask, person }) => {
      const { bearer } = await person()
      const good = { deviceId: 'd', token: 't', vote: 'up' }
      for (const change of [
        { vote: 'maybe' },
        { vote: undefined },
        { deviceId: '' },
        { deviceId: 'd'.repeat(513) },
        { token: '' },
        { token: undefined },
        { reason: 'offensive' },
        { vote: 'down', reason: 'helpful' },
        { reason: 'nice' },
      ]) {
        await ask('POST', vote, { as: bearer, json: { ...good, ...change } }).is(400, { error: 'invalid_body' })
      }
    },
  ),
  check(
    'E18',
    'an unknown token returns 404, and a device of another user returns 403',
    ['mailbox'],
    async ({ ask, own, stage }) => {
      const [main, other] = [await own('main'), await own('stranger')]
      await ask('POST', '/api/program/claim', { as: other.bearer, json: { deviceId: `voted-${stage.run}` } }).is(200)
      const send = (deviceId: string) =>
        ask('POST', vote, { as: main.bearer, json: { deviceId, token: 'x'.repeat(44), vote: 'up', reason: 'helpful' } })
      await send(`mine-${stage.run}`).is(404, { error: 'feedback_not_found' })
      await send(`voted-${stage.run}`).is(403, { error: 'device_not_owned' })
    },
  ),
  check('ads', 'an impression with an unknown nonce returns 204', [], async ({ ask }) => {
    for (const method of ['GET', 'POST', 'HEAD'])
      for (const nonce of ['x', 'x'.repeat(44), '%00']) await ask(method, `/api/ad/imp/${nonce}`).is(204)
  }),
  check('ads', 'a click with an unknown code returns 404', [], async ({ ask }) => {
    for (const code of ['x', 'A'.repeat(22), '..%2f..'])
      await ask('GET', `/go/${code}`).is(404, { ok: false, error: 'not_found' })
  }),
  check(
    'E16',
    'a campaign that matches the topic is served with every field of an ad',
    ['operator', 'mailbox'],
    async (context) => {
      const { ask, own, stage } = context
      const { first } = await recordImpression(context)
      const mine = makeCampaign(stage.run)
      const reply = await ask('GET', `/api/ad?d=ad-0-${stage.run}&topic=${topic}`, { as: (await own('main')).bearer })
      for (const one of [first, reply]) {
        one.is(200, {
          ad: {
            text: mine.text,
            clickUrl: makeMatcher('an address of /go/', (value) =>
              /^https?:\/\/.+\/go\/[\w-]{22}$/.test(String(value)),
            ),
            shortUrl: one.json.ad?.clickUrl,
            impUrl: matchLink(`/api/ad/imp/${one.json.nonce}`),
            brandName: mine.brandName,
            title: mine.title,
            url: mine.url,
            favicon: '',
          },
          nonce: text,
          serveId: madeId,
          ttlMs: wholeNumber,
          matchType: 'contextual',
          feedback: { token: text, expiresAt: time },
        })
        const hours = (Date.parse(one.json.feedback.expiresAt) - Date.now()) / 3_600_000
        one.must(hours > 23.5 && hours < 24.5, 'a token of 24 hours', `it is of ${hours.toFixed(1)}`)
      }
      reply.must(
        reply.json.nonce !== first.json.nonce && reply.json.serveId !== first.json.serveId,
        'another nonce for each serve',
      )
    },
  ),
  check('E16', 'a campaign for a topic is not served for another topic', ['operator', 'mailbox'], async (context) => {
    const { ask, own, stage } = context
    await recordImpression(context)
    for (const query of ['', '&topic=hosting']) {
      const reply = await ask('GET', `/api/ad?d=ad-0-${stage.run}${query}`, { as: (await own('main')).bearer }).is(200)
      reply.must(reply.json.ad?.text !== makeCampaign(stage.run).text, 'any ad but that one')
    }
  }),
  check('E18', 'a vote on an ad without an impression is refused', ['operator', 'mailbox'], async (context) => {
    const { early } = await recordImpression(context)
    await context
      .ask('POST', vote, {
        as: (await context.own('main')).bearer,
        json: { deviceId: early.device, token: early.feedback.token, vote: 'up' },
      })
      .is(404, { error: 'feedback_not_found' })
  }),
  check('E18', 'a vote is recorded, can be repeated and changed', ['operator', 'mailbox'], async (context) => {
    const {
      counted: [served],
    } = await recordImpression(context)
    const send = async (more: object) =>
      context.ask('POST', vote, {
        as: (await context.own('main')).bearer,
        json: { deviceId: served!.device, token: served!.feedback.token, ...more },
      })
    for (const more of [{ vote: 'up' }, { vote: 'up', reason: 'helpful' }, { vote: 'up', reason: 'helpful' }])
      (await send(more)).is(200, recorded)
  }),
  check(
    'E18',
    'a token of another device returns 404, and a device of another user returns 403',
    ['operator', 'mailbox'],
    async (context) => {
      const { counted } = await recordImpression(context)
      const json = { deviceId: counted[1]!.device, token: counted[0]!.feedback.token, vote: 'up' }
      await context
        .ask('POST', vote, { as: (await context.own('main')).bearer, json })
        .is(404, { error: 'feedback_not_found' })
      await context
        .ask('POST', vote, {
          as: (await context.own('stranger')).bearer,
          json: { ...json, deviceId: counted[0]!.device },
        })
        .is(403, { error: 'device_not_owned' })
    },
  ),
  check('E18', 'an ad supersedes the earlier ad on the same device', ['operator', 'mailbox'], async (context) => {
    const {
      pair: [one, two],
      pairDevice: deviceId,
    } = await recordImpression(context)
    const send = async (token: string) =>
      context.ask('POST', vote, { as: (await context.own('main')).bearer, json: { deviceId, token, vote: 'up' } })
    ;(await send(one.feedback.token)).is(409, { error: 'feedback_superseded' })
    ;(await send(two.feedback.token)).is(200, recorded)
  }),
  check(
    'ads',
    'an impression counts once, even if it is repeated, and does not count if it is too early',
    ['operator', 'mailbox'],
    async (context) => {
      const { counted } = await recordImpression(context)
      const { ad, device } = counted[2]!
      await Promise.all(
        Array.from({ length: 5 }, (_, i) => context.ask(i % 2 ? 'GET' : 'POST', toLocalPath(ad.impUrl)).is(204)),
      )
      const reply = await context.ask('GET', '/api/account/export', { as: (await context.own('main')).bearer }).is(200)
      const days = reply.json.account.ads.days.filter((day: { device: string }) => day.device === device) as {
        outcome: string
        count: number
      }[]
      const count = (outcome: string): number =>
        days.filter((day) => day.outcome === outcome).reduce((sum, day) => sum + day.count, 0)
      reply.must(
        count('counted') === 1 && count('too_soon') === 1 && count('replayed') === 5,
        'counted 1, too_soon 1, replayed 5',
        JSON.stringify(days),
      )
    },
  ),
  check(
    'ads',
    'an impression on an unclaimed device is recorded as unclaimed and does not count',
    ['operator', 'mailbox'],
    async (context) => {
      const {
        unclaimed: { device },
      } = await recordImpression(context)
      const reply = await context.ask('GET', '/api/account/export', { as: (await context.own('main')).bearer }).is(200)
      const days = reply.json.account.ads.days.filter((day: { device: string }) => day.device === device) as {
        outcome: string
        count: number
      }[]
      reply.must(
        days.length === 1 && days[0]!.outcome === 'unclaimed' && days[0]!.count === 1,
        'unclaimed 1',
        JSON.stringify(days),
      )
    },
  ),
  check('ads', "a click redirects to the sponsor's URL", ['operator', 'mailbox'], async (context) => {
    const {
      counted: [served],
    } = await recordImpression(context)
    for (const method of ['GET', 'HEAD'])
      (await context.ask(method, toLocalPath(served!.ad.clickUrl)).is(302)).has(
        'location',
        makeCampaign(context.stage.run).url,
      )
  }),
  check('ads', 'a click counts once, and only after its impression', ['operator', 'mailbox'], async (context) => {
    const { ask, own } = context
    const { early, counted } = await recordImpression(context)
    const clicked = counted[3]!
    for (const served of [early, clicked, clicked]) await ask('GET', toLocalPath(served.ad.clickUrl)).is(302)
    const reply = await ask('GET', '/api/account/export', { as: (await own('main')).bearer }).is(200)
    const count = (device: string, outcome: string): number =>
      reply.json.account.ads.days
        .filter((day: { device: string; outcome: string }) => day.device === device && day.outcome === outcome)
        .reduce((sum: number, day: { count: number }) => sum + day.count, 0)
    const got = [
      count(early.device, 'click_early'),
      count(early.device, 'clicked'),
      count(clicked.device, 'clicked'),
      count(clicked.device, 'click_replayed'),
    ]
    reply.must(
      got.join() === '1,0,1,1',
      'click_early 1 and clicked 0; clicked 1 and click_replayed 1',
      `they are ${got.join(', ')}`,
    )
  }),
  check('ads', 'a creative that the user voted down is not served again', ['operator', 'mailbox'], async (context) => {
    const { counted } = await recordImpression(context)
    const { bearer } = await context.own('main')
    await context
      .ask('POST', vote, {
        as: bearer,
        json: { deviceId: counted[3]!.device, token: counted[3]!.feedback.token, vote: 'down', reason: 'irrelevant' },
      })
      .is(200, recorded)
    const reply = await context.ask('GET', `/api/ad?d=${counted[3]!.device}&topic=${topic}`, { as: bearer }).is(200)
    reply.must(reply.json.ad?.text !== makeCampaign(context.stage.run).text, 'any ad but that one')
  }),
]
