import type { Stores } from '@tributary/core'
import { divideByTokens, type LedgerEntry, type NewTrace } from '@tributary/core/stores'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { expectExactList, newerRows } from './lists.ts'
import { makeId, makeTrace, makeRemovalNotice, makeSaleItems, makeSaleShares } from '../fixtures/seed.ts'
import { makeAuditContext } from './audit.ts'
import { makeApplication } from './contributors.ts'
import { makeCampaign, toCandidate, count, day, computeDay, serveAd, start } from './impressions.ts'
import { makeSale } from './dataset.ts'
import { useRealTimes } from './real-times.ts'

/** The stores of two hosts over the same empty database. */
export interface LedgerPlace {
  readonly stores: readonly [Stores, Stores]
  /** Creates a user with an e-mail address. */
  person(id: string): Promise<unknown>
  /** Stores traces, without an ingest job. */
  put(ownerId: string, traces: Iterable<NewTrace>): Promise<unknown>
  /** Calls that try to change and delete entries without the port. Absent if the store allows no such access. */
  tamper?: readonly (() => Promise<unknown>)[]
  close?(): Promise<void>
}

const today = computeDay(start)
const mail = { subject: 'payout', text: 'payout' }

/** Registers the contract tests of the ledger and of the entries that other stores add to it. */
export function runLedgerStoreContract(name: string, open: () => Promise<LedgerPlace>): void {
  describe(`LedgerStore in ${name}`, () => {
    let place: LedgerPlace
    let store: Stores
    let other: Stores
    let made: number
    beforeEach(async () => {
      place = useRealTimes(await open())
      ;[store, other] = place.stores
      made = 0
      for (const id of ['ann', 'bob']) {
        await place.person(id)
        await approve(id)
      }
    })
    const approve = (ownerId: string) =>
      store.contributors.submitApplication({ ownerId, application: makeApplication({ status: 'approved' }), now: 0 })
    afterEach(async () => place.close?.())

    const makeEntryId = (): string => makeId('entry', ++made)
    const listEntries = async (ownerId: string): Promise<LedgerEntry[]> => store.ledger.export({ ownerId })
    const readBalance = async (ownerId: string, now = start) =>
      (await other.ledger.listEntries({ ownerId, now, cursor: null, limit: 1 })).balance
    const recordCorrection = (
      userId: string,
      micros: number,
      id = makeEntryId(),
      reference: string | null = null,
      on = store,
    ) => on.ledger.recordCorrection({ id, userId, micros, reason: 'test', reference, audit: makeAuditContext(start) })
    const recordPayout = (userId: string, micros: number, reference = `payout-${made}`, on = store) =>
      on.ledger.recordPayout({ id: makeEntryId(), userId, micros, reference, mail, audit: makeAuditContext(start) })
    const listAudited = async (action: 'payout.record' | 'correction.record') =>
      (await store.audit.listEntries({ cursor: null, limit: 100, actor: null, action })).items
    const listMails = async (): Promise<string[]> =>
      (await store.outbox.list({ cursor: null, limit: 100 })).items.map(
        ({ subject, recipient }) => `${subject} to ${recipient}`,
      )
    const erase = (ownerId: string) => store.account.startErasure({ ownerId, id: makeEntryId(), now: start })

    const makeTraceOfTokens = (label: string, n: number, tokenCount: number) => makeTrace(label, n, { tokenCount })
    const sell = (n: number, ids: readonly string[], micros: number, availableAt = start, on = store) =>
      on.dataset.recordSale({
        sale: { ...makeSale(n), soldAt: start },
        items: makeSaleItems(ids),
        shares: makeSaleShares({ micros, availableAt }),
        audit: makeAuditContext(),
      })
    const [ann0, ann1, bob0] = [makeId('ann', 0), makeId('ann', 1), makeId('bob', 0)]

    describe('recordSale', () => {
      test('adds one entry for each contributor in proportion to tokens; the largest entry gets the remainder', async () => {
        await place.put('ann', [makeTraceOfTokens('ann', 0, 1), makeTraceOfTokens('ann', 1, 1)])
        await place.put('bob', [makeTraceOfTokens('bob', 0, 1)])
        await sell(1, [ann0, ann1, bob0], 100, start + day)
        expect(await listEntries('ann')).toEqual([
          {
            id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
            kind: 'sale',
            micros: 67,
            at: start,
            availableAt: start + day,
            saleId: makeSale(1).id,
            traces: 2,
            tokens: 2,
            newTokens: 2,
            device: null,
            day: null,
            reference: null,
            reason: null,
          },
        ])
        expect(await listEntries('bob')).toMatchObject([{ micros: 33, traces: 1 }])
        const findShare = (n: number) => other.ledger.findSaleShare({ saleId: makeSale(n).id })
        const share = { micros: 100, people: 2, availableAt: start + day }
        expect([await findShare(1), await findShare(2)]).toEqual([share, null])
        await erase('bob')
        expect(await findShare(1)).toEqual(share)
      })

      test('divides every amount as divideByTokens does', async () => {
        const people = ['ann', 'bob', 'cat', 'dan']
        for (const id of people.slice(2)) await place.person(id)
        const cases = [
          { micros: 1_000_000_000_000_001, tokens: [999_999_937, 3, 1_000_000_007, 0] },
          { micros: 7, tokens: [5, 5, 5, 5] },
          { micros: 10, tokens: [0, 0, 0, 0] },
          { micros: 0, tokens: [1, 2, 3, 4] },
          { micros: 123_456_789, tokens: [31, 4159, 26_535, 8979] },
        ]
        for (const [n, { micros, tokens }] of cases.entries()) {
          for (const [at, id] of people.entries())
            await place.put(id, [makeTraceOfTokens(`${id}-${n}`, 0, tokens[at]!)])
          await sell(
            n,
            people.map((id) => makeId(`${id}-${n}`, 0)),
            micros,
          )
          const found = await Promise.all(people.map(async (id) => (await listEntries(id))[n]!.micros))
          expect([n, found]).toEqual([
            n,
            divideByTokens(
              micros,
              tokens.map((one) => ({ tokens: one, traces: 1 })),
            ),
          ])
          expect(found.reduce((sum, share) => sum + share, 0)).toBe(micros)
        }
      })

      test('adds nothing for a sale that is recorded again, at the same time or later', async () => {
        await place.put('ann', [makeTraceOfTokens('ann', 0, 1)])
        await Promise.all(Array.from({ length: 10 }, (_, n) => sell(1, [ann0], 100, start, n % 2 ? store : other)))
        await sell(1, [ann0], 500)
        expect((await listEntries('ann')).map(({ micros }) => micros)).toEqual([100])
        await sell(2, [ann0], 50)
        expect(await readBalance('ann')).toEqual({ balance: 150, pending: 0, lifetime: 150 })
      })

      test('adds an entry for a sale whose id sorts before the ids of other sales', async () => {
        await place.put('ann', [makeTraceOfTokens('ann', 0, 1)])
        for (const [n, micros] of [
          [2, 50],
          [1, 100],
          [3, 25],
        ] as const)
          await sell(n, [ann0], micros)
        expect((await listEntries('ann')).map(({ micros }) => micros)).toEqual([50, 100, 25])
      })

      test('adds nothing for a user who is being erased, and divides the amount among the other users', async () => {
        await place.put('ann', [makeTraceOfTokens('ann', 0, 9)])
        await place.put('bob', [makeTraceOfTokens('bob', 0, 1)])
        await erase('ann')
        expect(await sell(1, [ann0, bob0], 100)).toEqual([bob0])
        expect((await listEntries('bob')).map(({ micros }) => micros)).toEqual([100])
        expect((await store.ledger.listBalances({ now: start, cursor: null, limit: 9 })).items).toMatchObject([
          { userId: 'bob' },
        ])
      })

      test('gives no share of a contributor who was erased during a sale by filter to other contributors', async () => {
        await place.put('ann', [makeTraceOfTokens('ann', 0, 3)])
        await place.put('bob', [makeTraceOfTokens('bob', 0, 1)])
        const [sale, audit] = [{ ...makeSale(1), soldAt: start }, makeAuditContext()]
        await store.dataset.startSale({ sale, filter: {}, audit })
        const step = (await store.dataset.readPendingSale({ saleId: sale.id }))!
        const uniqueBuyerIds = Array.from({ length: step.next - step.after }, (_, n) => makeId('unique', n))
        await store.dataset.addSaleItems({
          step,
          items: makeSaleItems(step.candidates.map(({ id }) => id)),
          uniqueBuyerIds,
        })
        await erase('ann')
        while (await other.traces.eraseTraces({ ownerId: 'ann', notice: makeRemovalNotice() }));
        for (const on of [store, other])
          await on.dataset.finishSale({ sale, shares: makeSaleShares({ micros: 103, entryId: makeEntryId() }), audit })
        expect((await listEntries('bob')).map(({ micros }) => micros)).toEqual([25])
        expect(await store.ledger.findSaleShare({ saleId: sale.id })).toMatchObject({ micros: 103, people: 2 })
        expect(await store.dataset.findSale({ saleId: sale.id })).toMatchObject({ traces: 2, tokens: 4 })
      })

      test('adds an amount that is pending at first, and cannot be paid out until it is available', async () => {
        await place.put('ann', [makeTraceOfTokens('ann', 0, 1)])
        await sell(1, [ann0], 100, start + 1)
        expect(await readBalance('ann', start)).toEqual({ balance: 0, pending: 100, lifetime: 100 })
        expect(await recordPayout('ann', 1)).toEqual({ outcome: 'insufficient_balance' })
        expect(await readBalance('ann', start + 1)).toEqual({ balance: 100, pending: 0, lifetime: 100 })
      })

      test('sends a contributor one mail, which is about the first sale', async () => {
        await place.put('ann', [makeTraceOfTokens('ann', 0, 1)])
        await place.put('bob', [makeTraceOfTokens('bob', 0, 1)])
        await recordCorrection('ann', 1)
        await sell(1, [ann0], 100)
        await sell(1, [ann0], 100)
        expect(await listMails()).toEqual(['first sale to ann@example.com'])
        await sell(2, [ann0, bob0], 100)
        expect((await listMails()).sort()).toEqual(['first sale to ann@example.com', 'first sale to bob@example.com'])
      })
    })

    describe('recordPayout', () => {
      test('subtracts an amount from the balance, with an audit entry and a mail', async () => {
        await recordCorrection('ann', 500)
        const id = makeEntryId()
        const audit = makeAuditContext(start + 5)
        const result = await store.ledger.recordPayout({ id, userId: 'ann', micros: 300, reference: 'r', mail, audit })
        const entry = {
          id,
          kind: 'payout',
          micros: -300,
          at: start + 5,
          availableAt: start + 5,
          saleId: null,
          traces: null,
          tokens: null,
          newTokens: null,
          device: null,
          day: null,
          reference: 'r',
          reason: null,
        }
        expect(result).toEqual({ outcome: 'recorded', entry, balance: { balance: 200, pending: 0, lifetime: 500 } })
        expect((await listEntries('ann')).at(-1)).toEqual(entry)
        expect(await listAudited('payout.record')).toEqual([
          {
            ...audit,
            action: 'payout.record',
            target: 'ann',
            before: null,
            after: { id, usd: 0.0003, reference: 'r' },
          },
        ])
        expect(await listMails()).toEqual(['payout to ann@example.com'])
      })

      test('refuses more than the balance, and an unknown or erased user, and changes nothing', async () => {
        await recordCorrection('ann', 500)
        await recordCorrection('bob', 500)
        await erase('bob')
        expect(await recordPayout('ann', 501)).toEqual({ outcome: 'insufficient_balance' })
        expect(await recordPayout('nobody', 1)).toEqual({ outcome: 'unknown' })
        expect(await recordPayout('bob', 1)).toEqual({ outcome: 'unknown' })
        expect([await listAudited('payout.record'), await listMails()]).toEqual([[], []])
        expect(await readBalance('ann')).toEqual({ balance: 500, pending: 0, lifetime: 500 })
        expect(await recordPayout('ann', 500)).toMatchObject({ outcome: 'recorded', balance: { balance: 0 } })
      })

      test('records one of many payouts with the same reference, and refuses the reference for another amount or user', async () => {
        await recordCorrection('ann', 500)
        await recordCorrection('bob', 500)
        const all = await Promise.all(
          Array.from({ length: 20 }, (_, n) => recordPayout('ann', 100, 'same', n % 2 ? store : other)),
        )
        const ids = new Set(all.map((one) => (one.outcome === 'recorded' ? one.entry.id : one.outcome)))
        expect([ids.size, (await readBalance('ann')).balance]).toEqual([1, 400])
        expect([(await listAudited('payout.record')).length, (await listMails()).length]).toEqual([1, 1])
        expect(await recordPayout('ann', 101, 'same')).toEqual({ outcome: 'reference_used' })
        expect(await recordPayout('bob', 100, 'same')).toEqual({ outcome: 'reference_used' })
        expect((await readBalance('bob')).balance).toBe(500)
      })

      test('never makes the balance negative, with forty concurrent calls on two hosts', async () => {
        await recordCorrection('ann', 1000)
        const all = await Promise.all(
          Array.from({ length: 40 }, (_, n) => recordPayout('ann', 90, `at-once-${n}`, n % 2 ? store : other)),
        )
        expect(all.filter(({ outcome }) => outcome === 'recorded')).toHaveLength(11)
        expect(all.filter(({ outcome }) => outcome === 'insufficient_balance')).toHaveLength(29)
        expect(await readBalance('ann')).toEqual({ balance: 10, pending: 0, lifetime: 1000 })
        expect((await listAudited('payout.record')).length).toBe(11)
      })
    })

    describe('recordPayout and recordCorrection to a person who is being erased', () => {
      test('record nothing, whatever the balance', async () => {
        await recordCorrection('ann', 500)
        const id = makeEntryId()
        await store.account.startErasure({ ownerId: 'ann', id, now: start })
        for (const userId of ['ann', `erased-${id}`]) {
          expect(await recordPayout(userId, 100, `to ${userId}`)).toEqual({ outcome: 'unknown' })
          expect(await recordCorrection(userId, 1)).toEqual({ outcome: 'unknown' })
        }
        expect([(await listAudited('payout.record')).length, (await listAudited('correction.record')).length]).toEqual([
          0, 1,
        ])
      })
    })

    describe('recordPayout to a person who is not an approved contributor', () => {
      test('records nothing until the application is approved', async () => {
        await place.person('cat')
        await recordCorrection('cat', 500)
        const refused = { outcome: 'contributor_not_approved' }
        expect(await recordPayout('cat', 100, 'early')).toEqual(refused)
        const application = makeApplication({ status: 'pending' })
        await store.contributors.submitApplication({ ownerId: 'cat', application, now: 1 })
        expect(await recordPayout('cat', 100, 'early')).toEqual(refused)
        const review = { id: application.id, reason: null, mail, audit: makeAuditContext(start) } as const
        await store.contributors.reviewApplication({ ...review, status: 'rejected' })
        expect(await recordPayout('cat', 100, 'early')).toEqual(refused)
        await approve('cat')
        expect(await recordPayout('cat', 100, 'early')).toMatchObject({ outcome: 'recorded' })
      })
    })

    describe('requestPayout', () => {
      const request = (ownerId: string, { minMicros = 100, now = start, on = store } = {}) =>
        on.ledger.requestPayout({ id: makeEntryId(), ownerId, minMicros, mail: { subject: 'asked', text: 't' }, now })
      const listRequests = async (status?: 'open' | 'paid' | 'rejected') =>
        (await other.ledger.listPayoutRequests({ status, cursor: null, limit: 9 })).items
      const reject = (id: string) =>
        store.ledger.rejectPayoutRequest({
          id,
          reason: 'no bank',
          mail: { subject: 'rejected', text: 't' },
          audit: makeAuditContext(start + 5),
        })

      test('stores one of twenty concurrent requests with the balance, and mails the person once', async () => {
        await recordCorrection('ann', 500)
        const results = await Promise.all(
          Array.from({ length: 20 }, (_, i) => request('ann', { on: i % 2 ? store : other })),
        )
        const made = results.filter(({ outcome }) => outcome === 'requested')
        expect(made).toMatchObject([{ request: { micros: 500, status: 'open', decidedAt: null, reason: null } }])
        expect(results.filter(({ outcome }) => outcome === 'payout_request_open')).toHaveLength(19)
        expect(await listRequests()).toMatchObject([{ userId: 'ann', email: 'ann@example.com', micros: 500 }])
        expect(await listMails()).toEqual(['asked to ann@example.com'])
      })

      test('can be found and sorted among 300 newer requests', async () => {
        await recordCorrection('ann', 500)
        await recordCorrection('bob', 500)
        await request('ann')
        for (let n = 0; n < newerRows; n++) {
          const asked = await request('bob')
          if (asked.outcome === 'requested') await reject(asked.request.id)
        }
        const list = (params: Parameters<typeof other.ledger.listPayoutRequests>[0]) =>
          other.ledger.listPayoutRequests(params)
        const ids = (await list({ order: 'asc', cursor: null, limit: newerRows + 1 })).items.map(({ id }) => id)
        const [first = '', ...newer] = ids
        expect(newer).toHaveLength(newerRows)
        await expectExactList({
          list,
          idOf: ({ id }) => id,
          ids,
          sorts: { requestedAt: null },
          found: [
            [first, [first]],
            ['ann@example.com', [first]],
            ['no BANK', newer.toReversed()],
            ['nobody', []],
          ],
        })
        expect((await list({ status: 'open', cursor: null, limit: 9 })).items).toMatchObject([{ id: first }])
      })

      test('refuses a balance below the minimum, a pending balance, and a person who is unknown or not approved', async () => {
        expect(await request('ann', { minMicros: 0 })).toEqual({ outcome: 'insufficient_balance' })
        await recordCorrection('ann', 99)
        expect(await request('ann')).toEqual({ outcome: 'insufficient_balance' })
        await place.person('cat')
        await recordCorrection('cat', 500)
        expect(await request('cat')).toEqual({ outcome: 'contributor_not_approved' })
        expect(await request('nobody')).toEqual({ outcome: 'unknown' })
        expect([await listRequests(), await listMails()]).toEqual([[], []])
      })

      test('creates a request that a recorded payout of that person closes, and then allows another request', async () => {
        await recordCorrection('ann', 500)
        await recordCorrection('bob', 500)
        await recordPayout('ann', 50, 'first')
        await request('ann')
        await request('bob')
        await recordPayout('ann', 50, 'first')
        expect(await listRequests('open')).toHaveLength(2)
        const waiting = () => other.overview.countWaiting({ failedSince: start })
        expect(await waiting()).toMatchObject({ payoutRequests: 2 })
        await recordPayout('ann', 400, 'second')
        expect(await waiting()).toMatchObject({ payoutRequests: 1 })
        expect(await listRequests('open')).toMatchObject([{ userId: 'bob' }])
        expect(await listRequests('paid')).toMatchObject([{ userId: 'ann', decidedAt: start, micros: 450 }])
        expect(await request('ann', { minMicros: 1 })).toMatchObject({ outcome: 'requested', request: { micros: 50 } })
        expect(await store.ledger.findPayoutRequest({ ownerId: 'ann' })).toMatchObject({ status: 'open', micros: 50 })
        expect(await store.ledger.exportPayoutRequests({ ownerId: 'ann' })).toMatchObject([
          { status: 'paid' },
          { status: 'open' },
        ])
      })

      test('creates a request that can be rejected once, with an audit entry and a mail, and that erase deletes', async () => {
        await recordCorrection('ann', 500)
        await request('ann')
        const [{ id } = { id: '' }] = await listRequests()
        const results = await Promise.all([reject(id), reject(id)])
        expect(results.map(({ outcome }) => outcome).toSorted()).toEqual(['already_decided', 'rejected'])
        expect(await reject(makeEntryId())).toEqual({ outcome: 'unknown' })
        expect(await listRequests()).toMatchObject([{ status: 'rejected', reason: 'no bank', decidedAt: start + 5 }])
        const { items } = await store.audit.listEntries({
          cursor: null,
          limit: 9,
          actor: null,
          action: 'payout_request.reject',
        })
        expect(items).toMatchObject([{ target: 'ann', after: { status: 'rejected', id, usd: 0.0005 } }])
        expect((await listMails()).toSorted()).toEqual(['asked to ann@example.com', 'rejected to ann@example.com'])
        expect(await request('ann')).toMatchObject({ outcome: 'requested' })
        while (await store.ledger.erase({ ownerId: 'ann' }));
        expect([await listRequests(), await store.ledger.exportPayoutRequests({ ownerId: 'ann' })]).toEqual([[], []])
      })
    })

    describe('recordCorrection', () => {
      test('changes the balance once for an id, even to an amount below zero', async () => {
        const id = makeEntryId()
        const results = await Promise.all([recordCorrection('ann', -300, id), recordCorrection('ann', -300, id)])
        for (const result of results)
          expect(result).toMatchObject({
            entry: { id, kind: 'correction', micros: -300, reason: 'test' },
            balance: { balance: -300, pending: 0, lifetime: -300 },
          })
        expect(await recordCorrection('ann', 1000)).toMatchObject({ balance: { balance: 700 } })
        expect(await recordCorrection('nobody', 1)).toEqual({ outcome: 'unknown' })
        expect((await listAudited('correction.record')).map(({ target, after }) => [target, after?.['usd']])).toEqual([
          ['ann', 0.001],
          ['ann', -0.0003],
        ])
      })

      test('records one of ten concurrent corrections with one reference, and refuses the reference for other corrections', async () => {
        const results = await Promise.all(
          Array.from({ length: 10 }, (_, i) =>
            recordCorrection('ann', 500, makeEntryId(), 'ticket-7', i % 2 ? store : other),
          ),
        )
        const ids = results.map((result) => result.outcome === 'recorded' && result.entry.id)
        expect([new Set(ids).size, await readBalance('ann')]).toEqual([1, { balance: 500, pending: 0, lifetime: 500 }])
        const used = { outcome: 'reference_used' }
        expect(await recordCorrection('ann', 501, makeEntryId(), 'ticket-7')).toEqual(used)
        expect(await recordCorrection('bob', 500, makeEntryId(), 'ticket-7')).toEqual(used)
        await erase('ann')
        expect(await recordCorrection('bob', 500, makeEntryId(), 'ticket-7')).toEqual(used)
        expect((await readBalance('bob')).balance).toBe(0)
        expect(await listAudited('correction.record')).toHaveLength(1)
      })
    })

    describe('postImpressions', () => {
      let seen = 0
      /** Records and counts an impression of a campaign whose price is 20,000 micro-dollars. */
      async function recordImpression(at: number, device = 'device-1', owner = 'ann'): Promise<void> {
        const id = await serveAd(store.ads, ++seen, at - 1000, toCandidate(shown), device, owner)
        expect(await count(store.ads, id, at)).toMatchObject({ outcome: 'counted' })
      }
      let shown: Parameters<typeof toCandidate>[0]
      beforeEach(async () => {
        shown = await store.ads.createCampaign({ campaign: makeCampaign(1), audit: makeAuditContext() })
        await store.program.claimDevice({ ownerId: 'ann', deviceId: 'device-1', now: 0, maxDevices: null })
        await store.program.claimDevice({ ownerId: 'bob', deviceId: 'device-2', now: 0, maxDevices: null })
      })
      const post = (onDay: number, on = store) =>
        on.ledger.postImpressions({
          today: onDay,
          now: onDay * day + 5,
          share: 0.5,
          entryId: `${makeEntryId().slice(0, -5)}00000`,
        })
      const listPosted = async (ownerId: string) =>
        (await listEntries(ownerId)).map(({ micros, day: on }) => [on, micros])

      test('adds one entry for each device and finished day, even if the day is posted repeatedly', async () => {
        for (const at of [start, start + 1000, start + day]) await recordImpression(at)
        await recordImpression(start, 'device-2', 'bob')
        await post(today)
        expect(await listPosted('ann')).toEqual([])
        await post(today + 1)
        expect(await listEntries('ann')).toEqual([
          {
            id: expect.any(String),
            kind: 'impressions',
            micros: 20_000,
            at: (today + 1) * day + 5,
            availableAt: (today + 1) * day + 5,
            saleId: null,
            traces: null,
            tokens: null,
            newTokens: null,
            device: 'device-1',
            day: today,
            reference: null,
            reason: null,
          },
        ])
        await Promise.all([post(today + 1), post(today + 1, other), post(today + 1)])
        expect([await listPosted('ann'), await listPosted('bob')]).toEqual([[[today, 20_000]], [[today, 10_000]]])
      })

      test('adds every day after days without a worker, even if the serves of those days were deleted', async () => {
        for (const n of [0, 1, 9]) await recordImpression(start + n * day)
        await post(today + 30)
        expect(await listPosted('ann')).toEqual([
          [today, 10_000],
          [today + 1, 10_000],
          [today + 9, 10_000],
        ])
      })

      test('adds impressions of an already posted day (the clock was set back) to the day of the posting', async () => {
        await recordImpression(start)
        await post(today + 1)
        await recordImpression(start + 2000)
        await post(today + 1)
        expect(await listPosted('ann')).toEqual([[today, 10_000]])
        await post(today + 2)
        expect(await listPosted('ann')).toEqual([
          [today, 10_000],
          [today + 1, 10_000],
        ])
      })

      test('adds impressions of two already posted days of a device as one sum, and the days of other users', async () => {
        for (const n of [0, 1]) await recordImpression(start + n * day)
        await post(today + 2)
        for (const at of [start + 2000, start + 4000, start + day + 2000]) await recordImpression(at)
        await recordImpression(start + day, 'device-2', 'bob')
        await Promise.all([post(today + 2), post(today + 2, other)])
        expect(await listPosted('bob')).toEqual([[today + 1, 10_000]])
        const posted = [
          [today, 10_000],
          [today + 1, 10_000],
        ]
        expect(await listPosted('ann')).toEqual(posted)
        await post(today + 3)
        expect(await listPosted('ann')).toEqual([...posted, [today + 2, 30_000]])
        await post(today + 4)
        expect([await listPosted('ann'), await listPosted('bob')]).toEqual([
          [...posted, [today + 2, 30_000]],
          [[today + 1, 10_000]],
        ])
      })

      test('adds nothing for a user who is being erased, and adds impressions of later days to the next owner of the device', async () => {
        await recordImpression(start)
        await erase('ann')
        for (const part of [store.ads, store.program]) await part.erase({ ownerId: await makeFormerOwner() })
        await store.program.claimDevice({ ownerId: 'bob', deviceId: 'device-1', now: 1, maxDevices: null })
        await recordImpression(start + 3000, 'device-1', 'bob')
        await post(today + 1)
        expect(await listPosted('bob')).toEqual([[today, 10_000]])
        expect((await store.ledger.listBalances({ now: start, cursor: null, limit: 9 })).items).toHaveLength(1)
      })
      /** Returns the id under which the stores know the person after the erasure started. */
      async function makeFormerOwner(): Promise<string> {
        const job = await store.account.claimJob({ lease: 'lease', now: start, until: start + 30_000 })
        return job!.ownerId
      }
    })

    describe('listEntries', () => {
      test('returns the entries of one user, newest first, page by page, with the whole balance', async () => {
        for (const micros of [1, 2, 3]) await recordCorrection('ann', micros)
        await recordCorrection('bob', 100)
        const first = await store.ledger.listEntries({ ownerId: 'ann', now: start, cursor: null, limit: 2 })
        const rest = await store.ledger.listEntries({ ownerId: 'ann', now: start, cursor: first.next, limit: 2 })
        expect([first, rest].map(({ items }) => items.map(({ micros }) => micros))).toEqual([[3, 2], [1]])
        expect([first.balance.balance, rest.balance.balance, rest.next]).toEqual([6, 6, null])
        expect([first.newer, rest.newer]).toEqual([0, 5])
        const whole = await store.ledger.listEntries({ ownerId: 'ann', now: start, cursor: null, limit: 3 })
        expect(whole.next).toBeNull()
        expect(await store.ledger.listEntries({ ownerId: 'nobody', now: 0, cursor: null, limit: 2 })).toEqual({
          balance: { balance: 0, pending: 0, lifetime: 0 },
          items: [],
          newer: 0,
          next: null,
        })
      })
    })

    describe('listDayEarnings', () => {
      test('returns sums of sales and impressions by day, without payouts and corrections', async () => {
        await place.put('ann', [makeTrace('ann', 0)])
        for (const n of [1, 2, 3])
          await store.dataset.recordSale({
            sale: { ...makeSale(n), soldAt: start + (n === 3 ? 2 : 1) * day },
            items: makeSaleItems([makeId('ann', 0)]),
            shares: makeSaleShares({ micros: 30 }),
            audit: makeAuditContext(),
          })
        await recordCorrection('ann', 100)
        expect(await store.ledger.listDayEarnings({ ownerId: 'ann', fromDay: today })).toEqual([
          { day: today + 2, micros: 30 },
          { day: today + 1, micros: 60 },
        ])
        expect(await store.ledger.listDayEarnings({ ownerId: 'ann', fromDay: today + 3 })).toEqual([])
        expect(await store.ledger.listDayEarnings({ ownerId: 'bob', fromDay: 0 })).toEqual([])
      })
    })

    describe('listPayouts', () => {
      test('lists the payouts of all users, newest first, page by page, and keeps a payout to an erased person', async () => {
        for (const owner of ['ann', 'bob']) {
          await recordCorrection(owner, 100)
          await recordPayout(owner, owner === 'ann' ? 30 : 40)
        }
        const list = (limit: number, cursor: string | null = null) => store.ledger.listPayouts({ cursor, limit })
        const { items: payouts, next: end } = await list(2)
        expect(end).toBe(null)
        expect(payouts.map(({ userId, email, micros }) => [userId, email, micros])).toEqual([
          ['bob', 'bob@example.com', 40],
          ['ann', 'ann@example.com', 30],
        ])
        const { items } = await store.ledger.listEntries({ ownerId: 'bob', now: start, cursor: null, limit: 1 })
        expect(payouts[0]).toMatchObject({ id: items[0]!.id, at: items[0]!.at, reference: items[0]!.reference })
        const first = await list(1)
        expect(first.items).toEqual([payouts[0]])
        expect(await list(1, first.next)).toEqual({ items: [payouts[1]], next: null })
        await erase('bob')
        expect((await list(1)).items).toEqual([{ ...payouts[0], userId: null, email: null }])
      })

      test('findLastPayout and listPayouts find and sort payouts among 300 newer payouts and entries', async () => {
        await recordCorrection('ann', 1000)
        await recordCorrection('bob', 5000)
        await recordPayout('ann', 30, 'Wire 7')
        for (let n = 0; n < newerRows; n++) {
          await recordCorrection('ann', 1)
          await recordPayout('bob', 1 + (n % 5), `bob-${n}`)
        }
        expect(await store.ledger.findLastPayout({ ownerId: 'ann' })).toMatchObject({ micros: 30, reference: 'Wire 7' })
        expect(await store.ledger.findLastPayout({ ownerId: 'cat' })).toBeNull()
        const all = (await store.ledger.listPayouts({ cursor: null, limit: 999, order: 'asc' })).items
        const ofAnn = all[0]!.id
        await expectExactList({
          list: (params) => store.ledger.listPayouts(params),
          idOf: ({ id }) => id,
          ids: all.map(({ id }) => id),
          sorts: { at: null, usd: ({ micros }) => micros },
          found: [
            [ofAnn, [ofAnn]],
            ['ann@example.com', [ofAnn]],
            ['WIRE 7', [ofAnn]],
            ['wire elsewhere', []],
          ],
        })
      })
    })

    describe('listBalances', () => {
      test('returns users with entries, the latest sign-up first, page by page', async () => {
        await place.person('cat')
        await recordCorrection('bob', 7)
        await recordCorrection('ann', 5)
        const first = await store.ledger.listBalances({ now: start, cursor: null, limit: 1 })
        expect(first.items).toEqual([{ userId: 'bob', email: 'bob@example.com', balance: 7, pending: 0, lifetime: 7 }])
        const rest = await store.ledger.listBalances({ now: start, cursor: first.next, limit: 1 })
        expect([rest.items.map(({ userId }) => userId), rest.next]).toEqual([['ann'], null])
      })

      test('returns the balance that listEntries returns, after sales, impressions, payouts and corrections', async () => {
        await place.put('ann', [makeTraceOfTokens('ann', 0, 1)])
        await place.put('bob', [makeTraceOfTokens('bob', 0, 1)])
        const read = async () => {
          const { items } = await store.ledger.listBalances({ now: start, cursor: null, limit: 9, order: 'asc' })
          return items.map(({ userId, balance, pending, lifetime }) => [userId, { balance, pending, lifetime }])
        }
        const expected = async (...ids: string[]) =>
          Promise.all(ids.map(async (id) => [id, await readBalance(id, start)]))
        await sell(1, [ann0, bob0], 1000)
        await sell(2, [ann0], 50, start + 1)
        await recordPayout('ann', 200)
        await recordCorrection('ann', -7)
        expect(await read()).toEqual(await expected('ann', 'bob'))
        await erase('bob')
        expect(await read()).toEqual(await expected('ann'))
      })

      test('finds a person among 300 people who signed up later', async () => {
        const people = Array.from({ length: newerRows }, (_, n) => `person${n}`)
        for (const id of people) await place.person(id)
        // Equal, negative and large amounts, and a payout, which lowers only the unpaid amount.
        for (const [n, id] of ['ann', ...people].entries()) await recordCorrection(id, (n % 7) * 1e9 - 2e9)
        await recordPayout('person4', 3e9)
        await expectExactList({
          list: (params) => store.ledger.listBalances({ ...params, now: start }),
          idOf: ({ userId }) => userId,
          ids: ['ann', ...people],
          sorts: {
            signedUpAt: null,
            unpaidUsd: ({ balance, pending }) => balance + pending,
            lifetimeUsd: ({ lifetime }) => lifetime,
          },
          found: [
            ['ann@example.com', ['ann']],
            ['ann@example', ['ann']],
            ['person7@example.com', ['person7']],
            ['nobody', []],
          ],
        })
      })
    })

    describe('erase', () => {
      test('removes the user from their entries, and keeps the references of payouts and corrections', async () => {
        await recordCorrection('ann', 500)
        await recordPayout('ann', 200, 'kept')
        await recordCorrection('ann', 1, makeEntryId(), 'kept')
        await recordCorrection('bob', 1)
        expect(await store.ledger.erase({ ownerId: 'ann' })).toBe(false)
        expect(await listEntries('ann')).toEqual([])
        expect(await readBalance('ann')).toEqual({ balance: 0, pending: 0, lifetime: 0 })
        expect((await readBalance('bob')).balance).toBe(1)
        // The reference of the payout is still in use.
        expect(await recordPayout('bob', 1, 'kept')).toEqual({ outcome: 'reference_used' })
        expect(await recordCorrection('bob', 1, makeEntryId(), 'kept')).toEqual({ outcome: 'reference_used' })
      })
    })

    test('entries cannot be changed or deleted by SQL', async () => {
      await recordCorrection('ann', 500)
      await recordPayout('ann', 200)
      const before = await listEntries('ann')
      for (const attempt of place.tamper ?? []) await expect(attempt()).rejects.toThrow('ledger')
      expect(await listEntries('ann')).toEqual(before)
    })
  })
}
