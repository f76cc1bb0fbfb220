import type { Stores } from '@tributary/core'
import type { Buyer, NewTrace } from '@tributary/core/stores'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeHash, makeId, makeRemovalNotice, makeSaleShares, makeTrace } from '../fixtures/seed.ts'
import { makeAuditContext } from './audit.ts'
import { expectExactList, newerRows } from './lists.ts'
import { useRealTimes } from './real-times.ts'
import { collectAll } from './dataset.ts'

/** The stores of two hosts over the same empty database. */
export interface BuyersPlace {
  readonly stores: readonly [Stores, Stores]
  /** Stores traces in order, without an ingest job. Creates the person if necessary. */
  put(ownerId: string, traces: Iterable<NewTrace>): Promise<void>
  close?(): Promise<void>
}

const start = 1_000
/** Runs the contract tests of the store of buyers and removals; `open` returns empty stores. */
export function runBuyerStoreContract(name: string, open: () => Promise<BuyersPlace>): void {
  describe(`BuyerStore in ${name}`, () => {
    let place: BuyersPlace
    let stores: Stores
    let other: Stores
    let store: Stores['buyers']
    let made = 0
    beforeEach(async () => {
      made = 0
      place = useRealTimes(await open())
      ;[stores, other] = place.stores
      store = stores.buyers
    })
    afterEach(async () => place.close?.())

    const audit = makeAuditContext
    const create = async (name: string, email: string | null = null): Promise<Buyer> => {
      const buyer = { id: makeId('b', ++made), name, email, tokenHash: makeHash('token', made) }
      return (await store.createBuyer({ buyer, audit: audit(start) })) as Buyer
    }
    const tokenOf = (n: number): string => makeHash('token', n)
    const buyerIdOf = (sale: number, n: number): string => makeId(`c${sale}`, n)
    /** Sells traces of ann by their numbers. `buyerIdOf` returns the id by which the buyer knows a trace. */
    async function sell(sale: number, buyer: string, ...numbers: number[]): Promise<string> {
      const id = makeId('a', sale)
      await stores.dataset.recordSale({
        sale: { id, buyer, usd: 1, soldAt: start },
        items: numbers.map((n) => ({ id: makeId('ann', n), buyerId: buyerIdOf(sale, n) })),
        shares: makeSaleShares(),
        audit: audit(start),
      })
      return id
    }
    const reasonOf = (n: number): string => `A wrong redaction in ${n}`
    const withdraw = (n: number, notice = makeRemovalNotice(start)) =>
      store.withdrawTrace({ id: makeId('ann', n), reason: reasonOf(n), notice, audit: audit(notice.at) })
    const list = async (buyer: string, changes: Partial<Parameters<typeof store.listRemovals>[0]> = {}) =>
      other.buyers.listRemovals({ buyer, since: 0, cursor: null, limit: 10, ...changes })
    const readSold = async (saleId: string): Promise<string[]> => {
      const page = (await other.dataset.readSoldTraces({ saleId, cursor: null, limit: 100 }))!
      return (await collectAll(page.documents)).map(({ id }) => id)
    }
    const readSoldIds = async (saleId: string): Promise<readonly string[]> =>
      (await other.dataset.readSoldTraces({ saleId, cursor: null, limit: 100 }))!.ids
    const listOutbox = async () =>
      (await other.outbox.list({ cursor: null, limit: 100 })).items.map(({ channel, recipient, subject }) => [
        channel,
        recipient,
        subject,
      ])
    const listActions = async (): Promise<string[]> =>
      (await other.audit.listEntries({ cursor: null, limit: 100, actor: null, action: null })).items.map(
        ({ action }) => action,
      )
    const putTraces = (count = 4) =>
      place.put(
        'ann',
        Array.from({ length: count }, (_, n) => makeTrace('ann', n)),
      )

    describe('createBuyer, findBuyer, findBuyerByName and listBuyers', () => {
      test('store a buyer that is found by the hash of its token, list buyers newest first, and write an audit entry', async () => {
        const [lab, org] = [await create('Lab', 'data@lab.example'), await create('Org')]
        expect(lab).toEqual({
          id: makeId('b', 1),
          name: 'Lab',
          email: 'data@lab.example',
          createdAt: start,
          isActive: true,
          tokenAt: start,
        })
        expect(await other.buyers.findBuyer({ tokenHash: tokenOf(1) })).toEqual(lab)
        expect(await other.buyers.findBuyer({ tokenHash: tokenOf(9) })).toBeNull()
        const page = await other.buyers.listBuyers({ cursor: null, limit: 1 })
        expect([page.items, (await store.listBuyers({ cursor: page.next, limit: 1 })).items]).toEqual([[org], [lab]])
        expect(await listActions()).toEqual(['buyer.create', 'buyer.create'])
      })

      test('refuse a name that another buyer has in any spelling, also in concurrent calls of two hosts', async () => {
        await create('Lab Ä')
        expect(await create('  lab a\u0308 ')).toBe('exists')
        expect(await other.buyers.findBuyerByName({ name: '  LAB a\u0308' })).toMatchObject({ name: 'Lab Ä' })
        expect(await other.buyers.findBuyerByName({ name: 'Lab' })).toBeNull()
        const results = await Promise.all(
          Array.from({ length: 6 }, (_, n) =>
            (n % 2 ? store : other.buyers).createBuyer({
              buyer: { id: makeId('e', n), name: 'Same', email: null, tokenHash: makeHash('same', n) },
              audit: audit(start),
            }),
          ),
        )
        expect(results.filter((result) => result !== 'exists')).toHaveLength(1)
      })
    })

    describe('listBuyers', () => {
      test('finds and sorts a buyer among 300 newer ones', async () => {
        const first = await create('Zeta Lab', 'data@zeta.example')
        const newer: Buyer[] = []
        for (let n = 0; n < newerRows; n++) newer.push(await create(`${n % 2 ? 'org' : 'Org'} ${n}`))
        await expectExactList({
          list: (params) => other.buyers.listBuyers(params),
          idOf: ({ id }) => id,
          ids: [first, ...newer].map(({ id }) => id),
          sorts: { createdAt: null, name: ({ name }) => name.toLowerCase() },
          found: [
            [first.id, [first.id]],
            ['DATA@zeta.example', [first.id]],
            ['LAB zeta', [first.id]],
            ['lab org', []],
          ],
        })
      })
    })

    describe('setEmail', () => {
      test('sets or removes the address of one buyer, with an audit entry for each change', async () => {
        const [{ id }, another] = [await create('Lab'), await create('Other')]
        for (const email of ['new@lab.example', 'new@lab.example', null])
          expect(await store.setEmail({ id, email, audit: audit(start + 5) })).toMatchObject({ id, email })
        const { items } = await other.buyers.listBuyers({ cursor: null, limit: 9 })
        expect(items.map(({ email }) => email)).toEqual([another.email, null])
        expect(await store.setEmail({ id: makeId('b', 9), email: null, audit: audit() })).toBeNull()
        expect((await listActions()).filter((action) => action === 'buyer.set_email')).toHaveLength(2)
      })
    })

    describe('setToken', () => {
      test('replaces or revokes the token, and ends the sessions', async () => {
        const { id } = await create('Lab')
        const session = { hash: makeHash('session', 1), now: start, expiresAt: start + 1000 }
        expect(await store.startSession({ tokenHash: tokenOf(1), ...session })).toBe(true)
        expect(await store.setToken({ id, tokenHash: makeHash('new', 1), audit: audit(start + 5) })).toBe(true)
        expect(await other.buyers.findBuyer({ tokenHash: tokenOf(1) })).toBeNull()
        expect(await other.buyers.findBuyer({ tokenHash: makeHash('new', 1) })).toMatchObject({
          id,
          tokenAt: start + 5,
        })
        expect(await other.buyers.findSession({ hash: session.hash, now: start })).toBeNull()
        for (const _ of [1, 2])
          expect(await store.setToken({ id, tokenHash: null, audit: audit(start + 6) })).toBe(true)
        expect(await other.buyers.findBuyer({ tokenHash: makeHash('new', 1) })).toBeNull()
        expect((await other.buyers.listBuyers({ cursor: null, limit: 9 })).items).toMatchObject([{ isActive: false }])
        expect(await store.setToken({ id: makeId('b', 9), tokenHash: null, audit: audit() })).toBe(false)
        expect(await listActions()).toEqual(['buyer.revoke_token', 'buyer.rotate_token', 'buyer.create'])
      })
    })

    describe('startSession, findSession and endSession', () => {
      test('keep a session until it expires or ends, and start a session only with the token of a buyer', async () => {
        const buyer = await create('Lab')
        const [first, second] = [makeHash('session', 1), makeHash('session', 2)]
        const times = { now: start, expiresAt: start + 1000 }
        expect(await store.startSession({ tokenHash: tokenOf(9), hash: first, ...times })).toBe(false)
        await store.startSession({ tokenHash: tokenOf(1), hash: first, ...times })
        await store.startSession({ tokenHash: tokenOf(1), hash: second, ...times })
        expect(await other.buyers.findSession({ hash: first, now: start + 999 })).toEqual(buyer)
        expect(await other.buyers.findSession({ hash: first, now: start + 1000 })).toBeNull()
        await store.endSession({ hash: first })
        expect(await other.buyers.findSession({ hash: first, now: start })).toBeNull()
        expect(await other.buyers.findSession({ hash: second, now: start })).toEqual(buyer)
      })
    })

    describe('withdrawTrace', () => {
      test('removes the trace from sales and deliveries, and sends one notice to each buyer of the trace', async () => {
        await putTraces()
        await create('Lab', 'data@lab.example')
        await create('Org')
        const event = { id: makeId('f', 1), type: 'trace.removal_requested', createdAt: start, isHeard: true } as const
        const sales = [await sell(1, ' LAB ', 0, 1), await sell(2, 'Org', 0), await sell(3, 'Nobody', 0)]
        for (const _ of [1, 2]) expect(await withdraw(0, makeRemovalNotice(start + 7, { event }))).toBe(3)
        expect(await withdraw(1)).toBe(1)
        expect(await withdraw(2)).toBe(0)
        expect(await withdraw(9)).toBeNull()
        const find = (n: number) => other.buyers.findWithdrawal({ id: makeId('ann', n) })
        expect(await find(0)).toEqual({ title: 'ann 0', sales: 3, isWithdrawn: true })
        expect(await find(3)).toEqual({ title: 'ann 3', sales: 0, isWithdrawn: false })
        expect(await find(9)).toBeNull()
        expect(await other.overview.countWaiting({ failedSince: start })).toMatchObject({ removals: 4 })
        const { items } = await list('lab')
        const removal = { saleId: sales[0], reason: 'withdrawn', acknowledgedAt: null } as const
        expect(items).toEqual([
          { ...removal, id: items[0]!.id, buyerTraceId: buyerIdOf(1, 0), at: start + 7 },
          { ...removal, id: items[1]!.id, buyerTraceId: buyerIdOf(1, 1), at: start },
        ])
        expect((await list('org')).items.map(({ buyerTraceId }) => buyerTraceId)).toEqual([buyerIdOf(2, 0)])
        // There is one event for each removal, and one mail for each notice to a buyer with an address.
        expect((await listOutbox()).toSorted()).toEqual([
          ...Array.from({ length: 3 }, () => ['event', '', 'trace.removal_requested']),
          ...Array.from({ length: 2 }, () => ['mail', 'data@lab.example', 'Delete traces']),
        ])
        expect(await Promise.all(sales.map(readSold))).toEqual([[], [], []])
        expect(await Promise.all(sales.map(readSoldIds))).toEqual([[], [], []])
        expect((await listActions()).filter((action) => action === 'trace.withdraw')).toHaveLength(3)
        const { documents, ids } = await other.dataset.readSellableTraces({ cursor: null, limit: 9 })
        const selling = await collectAll(documents)
        expect([selling.map(({ id }) => id), ids]).toEqual([[makeId('ann', 3)], [makeId('ann', 3)]])
        expect(await other.dataset.listSkipReasons({ ids: [makeId('ann', 2)] })).toEqual([
          { id: makeId('ann', 2), reason: 'excluded' },
        ])
      })

      test('keeps the reason with the trace until its contributor is erased, and not in the audit', async () => {
        await putTraces(3)
        await sell(1, 'Lab', 1, 2)
        for (const n of [0, 2]) await withdraw(n)
        const ids = [0, 1, 2, 9].map((n) => makeId('ann', n))
        const listReasons = async () =>
          new Map((await other.buyers.listWithdrawalReasons({ ids })).map(({ traceId, reason }) => [traceId, reason]))
        expect(await listReasons()).toEqual(new Map([0, 2].map((n) => [makeId('ann', n), reasonOf(n)])))
        while (await stores.traces.eraseTraces({ ownerId: 'ann', notice: makeRemovalNotice(start) }));
        expect(await listReasons()).toEqual(new Map())
        // Nothing would delete a reason that is stored after the erasure.
        await withdraw(1)
        expect(await listReasons()).toEqual(new Map())
        const { items } = await stores.audit.listEntries({ action: 'trace.withdraw', cursor: null, limit: 9 })
        expect(items.map(({ after }) => Object.keys(after!))).toEqual([['removals'], ['removals'], ['removals']])
      })

      test('makes an unsold trace excluded, even after its contributor includes it again', async () => {
        await putTraces(3)
        await sell(1, 'Lab', 1)
        for (const n of [0, 1]) await withdraw(n)
        const ids = [0, 1, 2].map((n) => makeId('ann', n))
        expect(await other.traces.setSellExcluded({ ownerId: 'ann', ids, sellExcluded: false })).toEqual([
          { id: ids[0], sellExcluded: true, saleCount: 0 },
          { id: ids[2], sellExcluded: false, saleCount: 0 },
        ])
        const listState = async (state: 'for_sale' | 'excluded' | 'sold') =>
          (await stores.traces.listTraces({ ownerId: 'ann', cursor: null, limit: 9, filter: { state } })).items
        const states = await Promise.all((['excluded', 'sold', 'for_sale'] as const).map(listState))
        expect(states.map((traces) => traces.map(({ id }) => id))).toEqual(ids.map((id) => [id]))
        expect(await stores.traces.getTraceStats({ ownerId: 'ann' })).toMatchObject({
          forSale: 1,
          excluded: 1,
          sold: 1,
        })
      })

      test('leaves out traces that are withdrawn while the documents of a sale are read', async () => {
        const large = JSON.stringify([{ content: 'x'.repeat(1_100_000) }])
        await place.put(
          'ann',
          [0, 1, 2].map((n) => makeTrace('ann', n, { messages: large })),
        )
        const saleId = await sell(1, 'Lab', 0, 1, 2)
        const page = (await other.dataset.readSoldTraces({ saleId, cursor: null, limit: 100 }))!
        const seen: string[] = []
        for await (const { id } of page.documents) {
          seen.push(id)
          if (id === buyerIdOf(1, 0)) await withdraw(2)
        }
        expect(seen).toEqual([buyerIdOf(1, 0), buyerIdOf(1, 1)])
      })

      test('either prevents a concurrent sale of the trace, or notifies the buyer of that sale', async () => {
        await putTraces(20)
        await Promise.all(
          Array.from({ length: 20 }, (_, n) => [
            () => sell(n + 1, 'Lab', n),
            () =>
              other.buyers.withdrawTrace({
                id: makeId('ann', n),
                reason: 'Now',
                notice: makeRemovalNotice(start),
                audit: audit(start),
              }),
          ]).flatMap(([first, second], n) => (n % 2 ? [first!(), second!()] : [second!(), first!()])),
        )
        const told = (await list('Lab', { limit: 100 })).items.map(({ saleId }) => saleId)
        const counts = await Promise.all(
          Array.from(
            { length: 20 },
            async (_, n) => (await stores.dataset.findSale({ saleId: makeId('a', n + 1) }))!.traces,
          ),
        )
        expect(told.toSorted()).toEqual(
          counts.flatMap((count, n) => (count === 1 ? [makeId('a', n + 1)] : [])).toSorted(),
        )
      })
    })

    describe('eraseTraces', () => {
      // promise: traces-sold-sold-delivered
      test('notifies each buyer about its traces of the person, and deletes the content of these traces', async () => {
        await putTraces()
        await place.put('bob', [makeTrace('bob', 0)])
        await create('Lab', 'data@lab.example')
        const [first, second] = [await sell(1, 'Lab', 0, 1), await sell(2, 'Org', 1)]
        await withdraw(1)
        expect(await store.countSold({ ownerId: 'ann' })).toEqual({ buyers: 2, traces: 2 })
        expect(await store.countSold({ ownerId: 'bob' })).toEqual({ buyers: 0, traces: 0 })
        const notice = makeRemovalNotice(start + 9)
        expect(await readSoldIds(first)).toEqual([buyerIdOf(1, 0)])
        while (await stores.traces.eraseTraces({ ownerId: 'ann', notice }));
        expect(await readSoldIds(first)).toEqual([])
        expect((await list('Lab')).items.map(({ buyerTraceId, reason }) => [buyerTraceId, reason])).toEqual([
          [buyerIdOf(1, 1), 'withdrawn'],
          [buyerIdOf(1, 0), 'erased'],
        ])
        expect([await readSold(first), await readSold(second)]).toEqual([[], []])
        expect(await other.copies.readMessages({ id: makeId('ann', 0) })).toBeNull()
        expect((await other.dataset.findSale({ saleId: first }))!.traces).toBe(2)
        // The trace that was withdrawn before also counts as notified.
        expect(await other.buyers.findErasure({ id: notice.id })).toEqual({
          buyers: [
            { traces: 2, acknowledged: 0, acknowledgedAt: null },
            { traces: 1, acknowledged: 0, acknowledgedAt: null },
          ],
        })
        const ids = (await list('Lab')).items.map(({ id }) => id)
        await store.acknowledgeRemovals({ buyer: 'Lab', ids, now: start + 20 })
        expect(await other.buyers.findErasure({ id: notice.id })).toEqual({
          buyers: [
            { traces: 2, acknowledged: 2, acknowledgedAt: start + 20 },
            { traces: 1, acknowledged: 0, acknowledgedAt: null },
          ],
        })
        expect(await other.buyers.findErasure({ id: makeId('notice', 0) })).toEqual({ buyers: [] })
        expect((await listOutbox()).filter(([channel]) => channel === 'mail')).toHaveLength(2)
      })
    })

    describe('listAllRemovals', () => {
      test('finds and sorts the removals of a status among 300 newer ones', async () => {
        await putTraces(newerRows + 2)
        await create('Lab', 'data@lab.example')
        const saleId = await sell(1, 'LAB', 0, 1)
        await sell(2, 'Org', ...Array.from({ length: newerRows }, (_, n) => n + 2))
        for (let n = 0; n < newerRows + 2; n++) await withdraw(n, makeRemovalNotice(start + n))
        const [{ items: ofLab }, { items: ofOrg }] = [await list('Lab'), await list('Org', { limit: newerRows })]
        const [done, first] = ofLab.map(({ id }) => id) as [string, string]
        await store.acknowledgeRemovals({ buyer: 'Lab', ids: [done], now: start + 900 })
        const newer = ofOrg.map(({ id }) => id)
        await expectExactList({
          list: (params) => other.buyers.listAllRemovals({ ...params, status: 'open' }),
          idOf: ({ id }) => id,
          ids: [first, ...newer],
          sorts: { at: null },
          found: [
            [first, [first]],
            [saleId, [first]],
            [buyerIdOf(2, 9), newer.slice(7, 8)],
            ['DATA@lab.example', [first]],
            ['lab withdrawn', [first]],
            ['org', newer.toReversed()],
            [done, []],
            ['lab org', []],
          ],
        })
        const acknowledged = { cursor: null, limit: 9, status: 'acknowledged' } as const
        expect((await other.buyers.listAllRemovals(acknowledged)).items).toEqual([
          { ...ofLab[0], acknowledgedAt: start + 900, buyer: 'LAB', email: 'data@lab.example' },
        ])
        const ofTime = { ...acknowledged, status: 'open', from: start + 1, to: start + 2 } as const
        expect((await store.listAllRemovals(ofTime)).items.map(({ id }) => id)).toEqual([newer[0], first])
      })
    })

    describe('listRemovals, acknowledgeRemovals, listAllRemovals and countRemovals', () => {
      test('return each removal of the buyer once, page by page, and optionally only the removals since a time', async () => {
        await create('Lab', 'data@lab.example')
        await putTraces()
        const saleId = await sell(1, 'LAB', 0, 1, 2, 3)
        await sell(2, 'Org', 0)
        const count = (id: string) => other.buyers.countRemovals({ saleId: id })
        expect(await count(saleId)).toEqual({ all: 0, open: 0 })
        for (const n of [0, 1, 2, 3]) await withdraw(n, makeRemovalNotice(start + n))
        const first = await list('Lab', { limit: 3 })
        const rest = await list('Lab', { limit: 3, cursor: first.next })
        expect([...first.items, ...rest.items].map(({ buyerTraceId }) => buyerTraceId)).toEqual(
          [0, 1, 2, 3].map((n) => buyerIdOf(1, n)),
        )
        expect([rest.next, (await list('Lab', { limit: 4 })).next]).toEqual([null, null])
        expect((await list('Lab', { since: start + 2 })).items.map(({ at }) => at)).toEqual([start + 2, start + 3])

        const [one, two, three] = first.items as [(typeof first.items)[0], ...typeof first.items]
        const strange = (await list('Org')).items[0]!
        const ids = [one.id, two!.id, strange.id, makeId('e', 1)]
        const acknowledged = await store.acknowledgeRemovals({ buyer: 'lab', ids, now: start + 50 })
        expect(acknowledged).toEqual([
          { ...one, acknowledgedAt: start + 50 },
          { ...two, acknowledgedAt: start + 50 },
        ])
        expect([await count(saleId), await count(makeId('a', 2)), await count(makeId('a', 9))]).toEqual([
          { all: 4, open: 2 },
          { all: 1, open: 1 },
          { all: 0, open: 0 },
        ])
        const again = await other.buyers.acknowledgeRemovals({ buyer: 'Lab', ids: [one.id], now: start + 60 })
        expect(again).toEqual([{ ...one, acknowledgedAt: start + 50 }])
        expect((await list('Lab', { isOpen: true })).items.map(({ id }) => id)).toEqual([three!.id, rest.items[0]!.id])
        const oldestFirst = { status: 'open', order: 'asc' } as const
        const open = await other.buyers.listAllRemovals({ ...oldestFirst, cursor: null, limit: 1 })
        expect(open.items).toEqual([{ ...strange, buyer: 'Org', email: null }])
        expect((await store.listAllRemovals({ ...oldestFirst, cursor: open.next, limit: 9 })).items).toMatchObject([
          { id: three!.id, saleId, buyer: 'LAB', email: 'data@lab.example' },
          { id: rest.items[0]!.id },
        ])
        const confirmed = { status: 'acknowledged', cursor: null, limit: 9 } as const
        await store.acknowledgeRemovals({ buyer: 'Org', ids: [strange.id], now: start + 70 })
        const listConfirmed = async (buyer: string) =>
          (await other.buyers.listAllRemovals({ ...confirmed, buyer })).items.map(({ id }) => id)
        expect([await listConfirmed(' lab'), await listConfirmed('Org'), await listConfirmed('La')]).toEqual([
          [two!.id, one.id],
          [strange.id],
          [],
        ])
      })
    })

    test('listSales with a buyer returns the sales of its name in every spelling, newest first', async () => {
      await putTraces()
      const [first, , third] = [await sell(1, 'Lab', 0), await sell(2, 'Laboratory', 1), await sell(3, ' LAB', 2)]
      const page = await other.dataset.listSales({ cursor: null, limit: 1, buyer: 'lab' })
      const rest = await other.dataset.listSales({ cursor: page.next, limit: 9, buyer: 'lab' })
      expect([...page.items, ...rest.items].map(({ id }) => id)).toEqual([third, first])
      expect(rest.next).toBeNull()
    })
  })
}
