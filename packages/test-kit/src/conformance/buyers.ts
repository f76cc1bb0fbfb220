import { check, type Check } from './check.ts'
import type { Context } from './context.ts'
import { send } from './forms.ts'
import { listOf, madeId, makeMatcher, matchItems, matchOrNull, text, time, wholeNumber } from './matchers.ts'
import { invalidBody, notFound, unknownId } from './operator-replies.ts'
import { makeBuyer, signInOperator } from './people.ts'

const needs = ['operator', 'contributor'] as const

/** Sells traces to the buyer of the run. Returns the sale and the traces. */
export async function sellToBuyer(context: Context, count: number) {
  const { ask, operator, stage, stored } = context
  const buyer = await makeBuyer(stage)
  const traceIds = (await stored(count)).map(({ id }) => id)
  const json = { buyer: ` ${buyer.name.toUpperCase()}`, traceIds, usd: 1 }
  const { saleId } = (await ask('POST', '/api/admin/sales', { as: operator(), json }).is(200)).json
  return { buyer, traceIds, saleId: String(saleId) }
}
/** Withdraws a trace as the operator. */
export const withdraw = ({ ask, operator }: Context, id: string) =>
  ask('POST', `/api/admin/traces/${id}/withdraw`, { as: operator(), json: { reason: 'Conformance' } })

const cursor = matchOrNull(text)
const removal = {
  id: madeId,
  saleId: madeId,
  buyerTraceId: text,
  reason: text,
  at: time,
  acknowledgedAt: matchOrNull(time),
}
const token = makeMatcher('a buyer token', (value) => typeof value === 'string' && /^trbb_[0-9A-Za-z]{36}$/.test(value))

/** Buyers, their purchases and the traces that they must delete. */
export const buyers: readonly Check[] = [
  check('buyers', 'the keys that sign packages are public', [], async ({ ask }) => {
    const key = { kid: text, publicKey: text, from: matchOrNull(text), until: matchOrNull(text) }
    await ask('GET', '/.well-known/tributary-keys.json').is(200, { keys: listOf(key) })
  }),
  check('buyers', "a buyer's token is shown once; operators rotate and revoke it", ['operator'], async (context) => {
    const { ask, operator, stage } = context
    const as = operator()
    const name = `Conformance token ${stage.run}`
    stage.leftovers.add('buyers named "Conformance", without a token')
    const email = `buyer-${stage.run}@conformance.example`
    const made = (
      await ask('POST', '/api/admin/buyers', { as, json: { name, email } }).is(200, { ok: true, id: madeId, token })
    ).json
    await ask('POST', '/api/admin/buyers', { as, json: { name: ` ${name.toUpperCase()} ` } }).is(409, {
      ok: false,
      error: 'buyer_exists',
    })
    await ask('POST', '/api/admin/buyers', { as, json: { name: '' } }).is(400)
    const { items } = (
      await ask('GET', '/api/admin/buyers?limit=200', { as }).is(200, {
        ok: true,
        items: listOf({
          id: madeId,
          name: text,
          email: matchOrNull(text),
          createdAt: time,
          isActive: makeMatcher('a boolean', (value) => typeof value === 'boolean'),
          tokenAt: time,
        }),
        nextCursor: cursor,
      })
    ).json
    const listed = (items as { id: string }[]).find(({ id }) => id === made.id)
    const authorization = (value: string) => ({ authorization: `Bearer ${value}` })
    for (const address of [`new-${email}`, null]) {
      const changed = await ask('PATCH', `/api/admin/buyers/${made.id}`, { as, json: { email: address } }).is(200)
      changed.must(changed.json.buyer.email === address, 'the buyer with its new address')
    }
    await ask('PATCH', `/api/admin/buyers/${made.id}`, { as, json: { email: 'nobody' } }).is(400, invalidBody)
    await ask('PATCH', `/api/admin/buyers/${unknownId}`, { as, json: { email } }).is(404, notFound)
    const rotated = (
      await ask('POST', `/api/admin/buyers/${made.id}/rotate`, { as }).is(200, { ok: true, id: made.id, token })
    ).json
    ;(await ask('GET', '/api/buyer/sales', { as: authorization(made.token) }).is(401)).must(
      listed !== undefined,
      'the buyer in the list',
    )
    await ask('GET', '/api/buyer/sales', { as: authorization(rotated.token) }).is(200, {
      ok: true,
      items: [],
      nextCursor: null,
    })
    await ask('POST', `/api/admin/buyers/${made.id}/revoke`, { as }).is(200, { ok: true })
    await ask('GET', '/api/buyer/sales', { as: authorization(rotated.token) }).is(401)
    for (const action of ['rotate', 'revoke'])
      await ask('POST', `/api/admin/buyers/${unknownId}/${action}`, { as }).is(404, notFound)
  }),
  check('buyers', 'a buyer reads and downloads only its own sales', needs, async (context) => {
    const { ask, operator, stored } = context
    const { buyer, saleId } = await sellToBuyer(context, 2)
    const as = buyer.bearer
    const sale = { id: saleId, usd: 1, soldAt: time, traces: 2 }
    const { items } = (await ask('GET', '/api/buyer/sales?limit=200', { as }).is(200)).json
    await ask('GET', `/api/buyer/sales/${saleId}`, { as }).is(200, {
      ok: true,
      sale: { ...sale, tokens: wholeNumber, filter: null, copies: { traces: 0, tokens: 0 } },
    })
    const all = await ask('GET', `/api/buyer/sales/${saleId}/dataset`, { as }).is(200)
    all.has('content-type', 'application/jsonl')
    all.must(
      (items as { id: string }[]).some(({ id }) => id === saleId),
      'the sale in the list of purchases',
    )
    const lines = all.text.trim().split('\n')
    all.must(lines.length === 2, 'two lines', `there are ${lines.length}`)
    const page = await ask('GET', `/api/buyer/sales/${saleId}/dataset?limit=1`, { as }).is(200)
    const rest = await ask('GET', `/api/buyer/sales/${saleId}/dataset?cursor=${page.header('x-next-cursor')}`, {
      as,
    }).is(200)
    rest.must(page.text + rest.text === all.text, 'the pages to be the whole')
    const ids = await ask('GET', `/api/buyer/sales/${saleId}/dataset?format=ids`, { as }).is(200)
    const listed = lines.map((line) => `${JSON.stringify({ id: (JSON.parse(line) as { id: string }).id })}\n`)
    ids.must(ids.text === listed.join(''), 'the ids of the traces')
    const [other] = (await stored(1)).map(({ id }) => id) as [string]
    const json = { buyer: `conformance stranger ${context.stage.run}`, traceIds: [other], usd: 0 }
    const strange = (await ask('POST', '/api/admin/sales', { as: operator(), json }).is(200)).json.saleId
    for (const path of [strange, `${strange}/dataset`, unknownId, `${unknownId}/dataset`])
      await ask('GET', `/api/buyer/sales/${path}`, { as }).is(404, notFound)
  }),
  check('buyers', 'a withdrawn trace is not delivered, and its buyer is notified once', needs, async (context) => {
    const { ask, operator, stage } = context
    const { buyer, traceIds, saleId } = await sellToBuyer(context, 2)
    const as = buyer.bearer
    for (const _ of [1, 2]) await withdraw(context, traceIds[0]!).is(200, { ok: true, removals: 1 })
    await withdraw(context, unknownId).is(404, notFound)
    await ask('POST', `/api/admin/traces/${traceIds[1]}/withdraw`, { as: operator(), json: {} }).is(400, invalidBody)
    const form = { id: traceIds[1]!, reason: 'Conformance' }
    await send(context, '/admin/buyers/withdraw', form, await signInOperator(context)).is(200)
    const rest = await ask('GET', `/api/buyer/sales/${saleId}/dataset`, { as }).is(200)
    rest.must(rest.text.trim().split('\n').length === 1, 'one line')
    const feed = await ask('GET', '/api/buyer/removals?limit=200', { as }).is(200, {
      ok: true,
      items: listOf(removal),
      nextCursor: cursor,
    })
    const own = (feed.json.items as { id: string; saleId: string; at: string }[]).filter((one) => one.saleId === saleId)
    feed.must(own.length === 1, 'one removal of this sale', `there are ${own.length}`)
    const since = encodeURIComponent(own[0]!.at)
    await ask('GET', `/api/buyer/removals?since=${since}&limit=1`, { as }).is(200)
    const open = { ...removal, buyer: text, email: matchOrNull(text) }
    await ask('GET', '/api/admin/removals?limit=200', { as: operator() }).is(200, {
      ok: true,
      items: listOf(open),
      nextCursor: cursor,
    })
    const acknowledged = await ask('POST', `/api/buyer/removals/${own[0]!.id}/ack`, { as }).is(200, {
      ok: true,
      removal: { ...own[0], acknowledgedAt: time },
    })
    const confirmed = { ...acknowledged.json.removal, buyer: text, email: matchOrNull(text) }
    await ask('GET', `/api/admin/removals?status=acknowledged&q=${saleId}`, { as: operator() }).is(200, {
      ok: true,
      items: matchItems([confirmed]),
      nextCursor: null,
    })
    await ask('POST', `/api/buyer/removals/${own[0]!.id}/ack`, { as }).is(200, acknowledged.json)
    await ask('POST', `/api/buyer/removals/${unknownId}/ack`, { as }).is(404, notFound)
    const stranger = await makeBuyer(stage, 'other')
    await ask('POST', `/api/buyer/removals/${own[0]!.id}/ack`, { as: stranger.bearer }).is(404, notFound)
    await ask('GET', '/api/buyer/removals', { as: stranger.bearer }).is(200, {
      ok: true,
      items: matchItems([]),
      nextCursor: null,
    })
  }),
  check('buyers', 'the pages of a buyer work without scripts', needs, async (context) => {
    const { ask } = context
    const { buyer, saleId, traceIds } = await sellToBuyer(context, 2)
    await withdraw(context, traceIds[0]!).is(200)
    const asked = await ask('GET', '/buyer').is(401)
    asked.must(asked.text.includes('name="token"'), 'a form that asks for the token')
    await ask('GET', `/buyer/sales/${saleId}`).is(401)
    await ask('GET', `/buyer/sales/${saleId}/download`).is(401)
    await send(context, '/buyer/sign-in', { token: 'trbb_wrong' }).is(401)
    const signedIn = await send(context, '/buyer/sign-in', { token: buyer.token }).is(303)
    const as = { cookie: signedIn.header('set-cookie')!.split(';')[0]! }
    const page = await ask('GET', '/buyer', { as }).is(200)
    page.must(page.text.includes(saleId), 'the purchase on the page')
    const ids = /name="ids" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    await ask('GET', `/buyer/sales/${saleId}`, { as }).is(200)
    await ask('GET', `/buyer/sales/${unknownId}`, { as }).is(404)
    ;(await ask('GET', `/buyer/sales/${saleId}/download?format=messages`, { as }).is(200)).has(
      'content-disposition',
      /attachment/,
    )
    await ask('GET', `/buyer/sales/${unknownId}/download`, { as }).is(404)
    for (const path of ['no-id', 'no-id/download', `${saleId}/download?format=none`])
      await ask('GET', `/buyer/sales/${path}`, { as }).is(400)
    await send(context, '/buyer/acknowledge', { ids }).is(401)
    await send(context, '/buyer/acknowledge', { ids }, as).is(303)
    await send(context, '/buyer/sign-out', {}, as).is(303)
    await ask('GET', '/buyer', { as }).is(401)
  }),
  check('buyers', 'the page of an erasure lists the notified buyers, without a credential', [], async ({ ask }) => {
    ;(await ask('GET', `/account/erasures/${unknownId}`).is(200)).has('content-type', /^text\/html/)
    await ask('GET', '/account/erasures/no-id').is(400)
  }),
  check('buyers', "the operator's forms show a token only once", ['operator'], async (context) => {
    const { stage, ask } = context
    const as = await signInOperator(context)
    const name = `Conformance form ${stage.run}`
    stage.leftovers.add('buyers named "Conformance", without a token')
    const made = await send(context, '/admin/buyers/create', { name }, as).is(200)
    // The name is already in use.
    await send(context, '/admin/buyers/create', { name }, as).is(303)
    made.must(/trbb_[0-9A-Za-z]{36}/.test(made.text), 'the token on the page')
    const listed = await ask('GET', '/admin/buyers', { as }).is(200)
    listed.must(!/trbb_[0-9A-Za-z]{36}/.test(listed.text), 'no token on the page')
    const id = new RegExp(`name="id" value="([^"]+)" ?/?><input type="hidden" name="name" value="${name}"`).exec(
      listed.text,
    )?.[1]
    const rotated = await send(context, '/admin/buyers/rotate', { id: id ?? '', name, confirmed: 'yes' }, as).is(200)
    rotated.must(/trbb_[0-9A-Za-z]{36}/.test(rotated.text), 'the new token on the page')
    await send(context, '/admin/buyers/address', { id: id ?? '', email: 'nobody' }, as).is(400)
    await send(context, '/admin/buyers/address', { id: id ?? '', email: `${stage.run}@conformance.example` }, as).is(
      303,
    )
    await send(context, '/admin/buyers/revoke', { id: id ?? '', name, confirmed: 'yes' }, as).is(303)
  }),
]
