import { sellToBuyer, withdraw } from '../conformance/buyers.ts'
import { check, type Check } from '../conformance/check.ts'
import { send } from '../conformance/forms.ts'
import { makeBuyer } from '../conformance/people.ts'

const needs = ['operator', 'contributor'] as const

interface Removal {
  readonly id: string
  readonly saleId: string
  readonly acknowledgedAt: string | null
}

/** Attacks by one buyer on the purchases and removals of another buyer. */
export const buyerAttacks: readonly Check[] = [
  check('API1', "a buyer's token and session give no access to the data of another buyer", needs, async (context) => {
    const { ask, stage } = context
    const { buyer, traceIds, saleId } = await sellToBuyer(context, 2)
    await withdraw(context, traceIds[0]!).is(200)
    const feed = async (as: typeof buyer.bearer): Promise<Removal[]> =>
      (await ask('GET', '/api/buyer/removals?limit=200', { as }).is(200)).json.items
    const findRemoval = async () => (await feed(buyer.bearer)).find((one) => one.saleId === saleId)
    const removal = (await findRemoval())!
    const attacker = await makeBuyer(stage, 'attacker')
    const signedIn = await send(context, '/buyer/sign-in', { token: attacker.token }).is(303)
    const session = { cookie: signedIn.header('set-cookie')!.split(';')[0]! }
    for (const path of ['', '/dataset', '/dataset?format=messages', '/dataset?limit=1', `/dataset?cursor=${saleId}`])
      await ask('GET', `/api/buyer/sales/${saleId}${path}`, { as: attacker.bearer }).is(404)
    for (const path of ['', '/download', '/download?format=sts'])
      await ask('GET', `/buyer/sales/${saleId}${path}`, { as: session }).is(404)
    await ask('POST', `/api/buyer/removals/${removal.id}/ack`, { as: attacker.bearer }).is(404)
    await send(context, '/buyer/acknowledge', { ids: removal.id }, session).is(303)
    const page = await ask('GET', '/buyer', { as: session }).is(200)
    for (const secret of [saleId, removal.id, buyer.name])
      page.must(!page.text.includes(secret), "nothing of the other buyer's", `${secret} is in it`)
    page.must((await feed(attacker.bearer)).length === 0, 'an empty feed')
    // This request comes from another site, with the buyer's own session.
    const own = await send(context, '/buyer/sign-in', { token: buyer.token }).is(303)
    const form = { body: `ids=${removal.id}`, type: 'application/x-www-form-urlencoded' }
    const headers = { 'sec-fetch-site': 'cross-site' }
    const cookie = own.header('set-cookie')!.split(';')[0]!
    const forged = await ask('POST', '/buyer/acknowledge', { as: { cookie }, headers, ...form })
    forged.must(forged.status === 403, 'a refusal of a form of another site')
    forged.must((await findRemoval())?.acknowledgedAt === null, 'a removal that nobody acknowledged')
  }),
  check(
    'API4',
    'the feed of removals refuses invalid cursors and limits, and its pages contain each removal once',
    needs,
    async (context) => {
      const { ask } = context
      const { buyer, traceIds, saleId } = await sellToBuyer(context, 4)
      const as = buyer.bearer
      for (const query of [
        'cursor=-1',
        'cursor=1.5',
        'cursor=1%20or%201=1',
        'cursor=9999999999999999',
        'limit=0',
        'limit=201',
      ])
        await ask('GET', `/api/buyer/removals?${query}`, { as }).is(400)
      for (const since of ['yesterday', '2026-13-01', '1'])
        await ask('GET', `/api/buyer/removals?since=${since}`, { as }).is(400)
      for (const id of traceIds.slice(0, 2)) await withdraw(context, id).is(200)
      const found: string[] = []
      let cursor: string | null = null
      do {
        const reply: { readonly items: Removal[]; readonly nextCursor: string | null } = (
          await ask('GET', `/api/buyer/removals?limit=1${cursor === null ? '' : `&cursor=${cursor}`}`, { as }).is(200)
        ).json
        found.push(...reply.items.filter((one) => one.saleId === saleId).map(({ id }) => id))
        cursor = reply.nextCursor
        // One more removal is recorded while the pages are read.
        if (found.length === 1) await withdraw(context, traceIds[2]!).is(200)
      } while (cursor !== null)
      const whole = await ask('GET', '/api/buyer/removals?limit=200', { as }).is(200)
      const expected = (whole.json.items as Removal[]).filter((one) => one.saleId === saleId).map(({ id }) => id)
      whole.must(expected.length === 3, 'three removals of this sale', `there are ${expected.length}`)
      whole.must(found.join() === expected.join(), 'the pages to be the whole', `they are ${found.join()}`)
    },
  ),
]
