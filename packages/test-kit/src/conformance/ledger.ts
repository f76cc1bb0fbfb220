import { check, type Check } from './check.ts'
import type { Context } from './context.ts'
import { send } from './forms.ts'
import { approveContributor } from './people.ts'
import { amount, makeMatcher, madeId, matchOrNull, text, time } from './matchers.ts'

const earnings = '/api/account/earnings'
const strange = '018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71'
const invalid = { ok: false, error: 'invalid_body' }
const list = makeMatcher('a list', Array.isArray)

const hasBalance = (usd: number) =>
  makeMatcher(`a balance of ${usd}`, (value) => (value as { balanceUsd: number }).balanceUsd === usd)

/** Records a correction for a person. */
const recordCorrection = ({ ask, operator, stage }: Context, userId: string, usd: number) => {
  stage.leftovers.add('entries of the ledger, without the person')
  return ask('POST', '/api/admin/corrections', { as: operator(), json: { userId, usd, reason: 'conformance' } })
}
const recordPayout = ({ ask, operator }: Context, userId: string, usd: number, reference: string) =>
  ask('POST', '/api/admin/payouts', { as: operator(), json: { userId, usd, reference } })

/** Checks of earnings, payouts and corrections. */
export const ledger: readonly Check[] = [
  check('money', 'a user without earnings has a balance of 0 and no entries', ['mailbox'], async (context) => {
    const { bearer } = await context.own('unpaid')
    await context.ask('GET', earnings, { as: bearer }).is(200, {
      ok: true,
      balanceUsd: 0,
      pendingUsd: 0,
      lifetimeUsd: 0,
      items: [],
      nextCursor: null,
    })
  }),
  check('money', 'a sale adds an entry for its contributor', ['operator', 'contributor'], async (context) => {
    const { ask, contributor, operator, stage, stored } = context
    const traceIds = (await stored(2)).map(({ id }) => id)
    stage.leftovers.add('sales to the buyer "conformance", and their traces in the dataset, without the person')
    const { json } = await ask('POST', '/api/admin/sales', {
      as: operator(),
      json: { buyer: 'conformance', traceIds, usd: 0.01 },
    }).is(200)
    const { bearer } = await contributor()
    const reply = await ask('GET', `${earnings}?limit=200`, { as: bearer }).is(200, {
      ok: true,
      balanceUsd: makeMatcher('a number', (value) => typeof value === 'number'),
      pendingUsd: amount,
      lifetimeUsd: amount,
      items: list,
      nextCursor: matchOrNull(text),
    })
    const entry = reply.json.items.find(({ saleId }: { saleId?: string }) => saleId === json.saleId)
    reply.must(
      entry?.kind === 'sale' && entry.traces === 2 && entry.usd >= 0 && entry.usd <= 0.01,
      'one entry of the sale, with its traces and at most its price',
      JSON.stringify(entry),
    )
    reply.must(Date.parse(entry.availableAt) >= Date.parse(entry.at), 'an entry that is available at its time or later')
  }),
  check(
    'money',
    'forms of payouts and corrections show the person, and record nothing before a confirmation',
    ['operator', 'mailbox'],
    async (context) => {
      const { ask, own, operator, stage } = context
      const person = await own('payee')
      const { bearer, email, userId } = person
      await approveContributor(stage, person)
      await recordCorrection(context, userId, 2).is(200)
      const signed = await send(context, '/admin/sign-in', { token: operator()['authorization']!.slice(7) }).is(303)
      const as = { cookie: signed.header('set-cookie')!.split(';')[0]! }
      const reference = `conformance form ${stage.run}`
      for (const [action, fields] of [
        ['record', { usd: '1', reference }],
        ['correct', { usd: '1', reason: 'conformance' }],
      ] as const) {
        const asked = await send(context, `/admin/payouts/${action}`, { userId: email, ...fields }, as).is(200)
        for (const part of [userId, email, '$2.00']) asked.must(asked.text.includes(part), `a page that shows ${part}`)
        await ask('GET', earnings, { as: bearer }).is(200, hasBalance(2))
      }
      const confirmed = { userId, usd: '1', reference, confirmed: userId }
      const recorded = await send(context, '/admin/payouts/record', confirmed, as).is(303)
      const list = await ask('GET', '/admin/payouts', { as: { cookie: `${as.cookie}; ${recorded.cookie('flash')}` } })
      list.must(list.text.includes('data-result="recorded"'), 'a page that confirms the payout')
      await ask('GET', earnings, { as: bearer }).is(200, hasBalance(1))
    },
  ),
  check(
    'money',
    'an approved contributor can request a payout from 25 dollars on, once until it is paid or rejected',
    ['operator', 'mailbox'],
    async (context) => {
      const { ask, own, operator, stage } = context
      const person = await own('requester')
      const { bearer, cookie, email, userId } = person
      const [mine, all] = ['/api/account/payout-requests', '/api/admin/payout-requests']
      const request = (as = bearer) => ask('POST', mine, { as, json: {} })
      const refused = (error: string) => ({ ok: false, error })
      await recordCorrection(context, userId, 1).is(200)
      await request().is(409, refused('contributor_not_approved'))
      await recordPayout(context, userId, 1, `conformance ${stage.run} early`).is(
        409,
        refused('contributor_not_approved'),
      )
      await approveContributor(stage, person)
      await request().is(409, refused('insufficient_balance'))
      await recordCorrection(context, userId, 1_000_000).is(200)
      const made = { id: madeId, usd: 1_000_001, status: 'open' }
      const { json } = await request(cookie).is(200, { ok: true, request: made })
      await request().is(409, refused('payout_request_open'))
      const list = async (status: string) =>
        (await ask('GET', `${all}?limit=200&status=${status}`, { as: operator() }).is(200)).json.items
      const [found] = (await list('open')).filter((one: { id: string }) => one.id === json.request.id)
      if (found?.email !== email) throw new Error('the request is not listed with the verified address')
      const decision = { decision: 'reject', reason: 'conformance' }
      const reject = (id: string) => ask('POST', `${all}/${id}`, { as: operator(), json: decision })
      const rejected = { id: json.request.id, usd: 1_000_001, status: 'rejected', reason: 'conformance' }
      await reject(json.request.id).is(200, { ok: true, request: rejected })
      await reject(json.request.id).is(409, refused('already_decided'))
      await reject(strange).is(404, refused('not_found'))
      ;(await send(context, '/earnings', {}, cookie).is(303)).has('location', /\/earnings$/)
      await recordPayout(context, userId, 1_000_001, `conformance ${stage.run} requested`).is(200)
      await request().is(409, refused('insufficient_balance'))
    },
  ),
  check(
    'money',
    'a correction with a reference is recorded once, and the reference cannot be used for another correction',
    ['operator', 'mailbox'],
    async (context) => {
      const { ask, own, operator, stage } = context
      const { userId } = await own('corrected-once')
      const json = { userId, usd: 1, reason: 'conformance', reference: `conformance correction ${stage.run}` }
      const correct = (change: object) =>
        ask('POST', '/api/admin/corrections', { as: operator(), json: { ...json, ...change } })
      const first = await correct({}).is(200)
      await correct({}).is(200, first.json)
      for (const change of [{ usd: 2 }, { userId: (await own('unpaid')).userId }])
        await correct(change).is(409, { ok: false, error: 'reference_used' })
    },
  ),
  check(
    'money',
    'corrections and payouts are listed newest first, and the balance is the sum of all entries',
    ['operator', 'mailbox'],
    async (context) => {
      const { ask, own, stage } = context
      const person = await own('earner')
      const { bearer, userId } = person
      await approveContributor(stage, person)
      const times = { at: time, availableAt: time }
      const correction = { id: madeId, kind: 'correction', ...times, reference: 'conformance' }
      await recordCorrection(context, userId, 10).is(200, {
        ok: true,
        entry: { ...correction, usd: 10 },
        balanceUsd: 10,
      })
      await recordCorrection(context, userId, -0.000001).is(200, {
        ok: true,
        entry: { ...correction, usd: -0.000001 },
        balanceUsd: 9.999999,
      })
      const reference = `conformance ${stage.run}`
      const payout = { id: madeId, kind: 'payout', usd: -4.5, ...times, reference }
      await recordPayout(context, userId, 4.5, reference).is(200, { ok: true, entry: payout, balanceUsd: 5.499999 })
      const sums = { balanceUsd: 5.499999, pendingUsd: 0, lifetimeUsd: 9.999999 }
      const first = await ask('GET', `${earnings}?limit=2`, { as: bearer }).is(200, {
        ok: true,
        ...sums,
        items: [payout, { ...correction, usd: -0.000001 }],
        nextCursor: text,
      })
      await ask('GET', `${earnings}?limit=2&cursor=${first.json.nextCursor}`, { as: bearer }).is(200, {
        ok: true,
        ...sums,
        items: [{ ...correction, usd: 10 }],
        nextCursor: null,
      })
    },
  ),
  check(
    'money',
    'a payout above the balance returns 409, also for one of two concurrent payouts',
    ['operator', 'mailbox'],
    async (context) => {
      const { own, stage } = context
      const person = await own('overdrawer')
      const { userId } = person
      await approveContributor(stage, person)
      await recordCorrection(context, userId, 10).is(200)
      const refused = { ok: false, error: 'insufficient_balance' }
      await recordPayout(context, userId, 10.000001, `conformance ${stage.run} above`).is(409, refused)
      const replies = await Promise.all(
        [1, 2].map((n) => recordPayout(context, userId, 6, `conformance ${stage.run} ${n}`)),
      )
      const statuses = replies.map(({ status }) => status).sort()
      replies[0]!.must(statuses.join() === '200,409', 'one 200 and one 409', `they are ${statuses.join(' and ')}`)
    },
  ),
  check(
    'money',
    'a payout with the same reference is recorded once, and returns 409 for another amount',
    ['operator', 'mailbox'],
    async (context) => {
      const { own, stage } = context
      const person = await own('repaid')
      const { userId } = person
      await approveContributor(stage, person)
      const reference = `conformance ${stage.run} twice`
      await recordCorrection(context, userId, 10).is(200)
      const first = await recordPayout(context, userId, 4, reference).is(200)
      await recordPayout(context, userId, 4, reference).is(200, first.json)
      await recordPayout(context, userId, 5, reference).is(409, { ok: false, error: 'reference_used' })
    },
  ),
  check('money', 'an unknown user returns 404, and an invalid body 400', ['operator'], async (context) => {
    const { ask, operator } = context
    await recordPayout(context, strange, 1, 'conformance').is(404, { ok: false, error: 'not_found' })
    await recordCorrection(context, strange, 1).is(404, { ok: false, error: 'not_found' })
    const payout = { userId: strange, usd: 1, reference: 'conformance' }
    for (const change of [
      { usd: 0 },
      { usd: -1 },
      { usd: 0.0000001 },
      { usd: '1' },
      { usd: 1e10 },
      { reference: '' },
      { reference: 'x'.repeat(129) },
      { userId: 7 },
    ])
      await ask('POST', '/api/admin/payouts', { as: operator(), json: { ...payout, ...change } }).is(400, invalid)
    const correction = { userId: strange, usd: 1, reason: 'conformance' }
    for (const change of [{ usd: 0 }, { usd: 1.0000001 }, { usd: null }, { reason: '' }, { reason: 7 }])
      await ask('POST', '/api/admin/corrections', { as: operator(), json: { ...correction, ...change } }).is(
        400,
        invalid,
      )
  }),
  check('money', 'balances are listed for the operator', ['operator', 'mailbox'], async (context) => {
    const { ask, own, operator } = context
    const { userId } = await own('listed')
    await recordCorrection(context, userId, 3).is(200)
    for (let cursor = '', page = 0; page < 20; page++) {
      const reply = await ask('GET', `/api/admin/balances?limit=200${cursor}`, { as: operator() }).is(200)
      const found = reply.json.items.find((one: { userId: string }) => one.userId === userId)
      if (found) return void reply.must(found.balanceUsd === 3, 'a balance of 3', JSON.stringify(found))
      reply.must(reply.json.nextCursor !== null, 'an entry for every person with earnings')
      cursor = `&cursor=${reply.json.nextCursor}`
    }
    return context.skip('there are more balances than this check reads')
  }),
]
