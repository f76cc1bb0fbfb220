import type { Stores } from '@tributary/core'
import type { AuditContext, AuditEntry, ListAuditParams, ReadAction } from '@tributary/core/stores'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectExactList, newerRows } from './lists.ts'
import { makeSaleShares } from '../fixtures/seed.ts'
import { useRealTimes } from './real-times.ts'

let made = 0

/**
 * Returns the context of an operator's action in a contract test. The operator is `jane`, and the id is new each time.
 */
export function makeAuditContext(at = 0, changes: Partial<AuditContext> = {}): AuditContext {
  const id = `019a0000-0000-7000-8000-${String(++made).padStart(12, '0')}`
  return { id, actor: 'jane', requestId: `request-${made}`, address: '192.0.2.7', at, ...changes }
}

/** The stores of two hosts over the same empty database, with one audit log. */
export interface AuditPlace {
  readonly stores: readonly [Stores, Stores]
  person(id: string): Promise<void>
  /** Calls that try to change and delete entries without the port. Absent if the store allows no such access. */
  tamper?: readonly ((id: string) => Promise<unknown>)[]
  close?(): Promise<void>
}

/** Registers the contract tests of the audit log and of the store methods that write to it. */
export function runAuditStoreContract(name: string, open: () => Promise<AuditPlace>): void {
  describe(`audit: ${name}`, () => {
    let place: AuditPlace
    let store: Stores
    let other: Stores
    beforeAll(async () => {
      place = useRealTimes(await open())
      ;[store, other] = place.stores
      for (const id of ['ann', 'bob']) await place.person(id)
    })
    afterAll(async () => place.close?.())

    const list = async (asked: Partial<ListAuditParams> = {}): Promise<readonly AuditEntry[]> =>
      (await other.audit.listEntries({ cursor: null, limit: 100, actor: null, action: null, ...asked })).items
    /** Returns the entries that an action added, newest first. */
    async function listAdded(act: () => Promise<unknown>): Promise<AuditEntry[]> {
      const before = new Set((await list()).map(({ id }) => id))
      await act()
      return (await list()).filter(({ id }) => !before.has(id))
    }

    test('setOperatorPause writes one entry for each change, with the actor, the action and the states before and after', async () => {
      const audit = makeAuditContext(5)
      const pause = (by = makeAuditContext()) =>
        store.contributors.setOperatorPause({ userId: 'ann', paused: true, audit: by })
      expect(await listAdded(() => pause(audit))).toEqual([
        { ...audit, action: 'contributor.pause', target: 'ann', before: { paused: false }, after: { paused: true } },
      ])
      expect(await listAdded(() => pause())).toEqual([])
      expect(
        await listAdded(() =>
          store.contributors.setOperatorPause({ userId: 'nobody', paused: true, audit: makeAuditContext() }),
        ),
      ).toEqual([])
      expect(
        await listAdded(() =>
          other.contributors.setOperatorPause({ userId: 'ann', paused: false, audit: makeAuditContext(6) }),
        ),
      ).toMatchObject([{ at: 6, before: { paused: true }, after: { paused: false } }])
    })

    test('setOperatorPause writes one entry for twenty concurrent pauses on two hosts', async () => {
      const all = await listAdded(() =>
        Promise.all(
          Array.from({ length: 20 }, (_, i) =>
            (i % 2 ? store : other).contributors.setOperatorPause({
              userId: 'bob',
              paused: true,
              audit: makeAuditContext(i),
            }),
          ),
        ),
      )
      expect(all).toHaveLength(1)
    })

    test('reviewApplication writes the decision once, without the reason', async () => {
      const id = '019a0000-0000-7000-8000-aaaaaaaaaaaa'
      await store.contributors.submitApplication({
        ownerId: 'ann',
        application: {
          id,
          status: 'pending',
          companyName: 'Acme',
          incubatorBatch: null,
          website: 'https://a.example',
          directoryUrl: null,
          email: 'a@a.example',
          role: 'dev',
        },
        now: 1,
      })
      const review = () =>
        store.contributors.reviewApplication({
          id,
          status: 'rejected',
          reason: 'Ann wrote nonsense',
          mail: { subject: 's', text: 't' },
          audit: makeAuditContext(),
        })
      expect(await listAdded(review)).toMatchObject([
        { action: 'application.review', target: id, before: { status: 'pending' }, after: { status: 'rejected' } },
      ])
      expect(await listAdded(review)).toEqual([])
      expect(JSON.stringify(await list())).not.toContain('nonsense')
    })

    test('recordSale and addCampaign write one entry for an id, even when the call is repeated', async () => {
      const sale = { id: '019a0000-0000-7000-8000-bbbbbbbbbbbb', buyer: 'Lab', usd: 12.5, soldAt: 1 }
      const sell = () =>
        Promise.all([
          store.dataset.recordSale({ sale, items: [], shares: makeSaleShares(), audit: makeAuditContext() }),
          other.dataset.recordSale({ sale, items: [], shares: makeSaleShares(), audit: makeAuditContext() }),
        ])
      expect(await listAdded(sell)).toMatchObject([
        { action: 'sale.record', target: sale.id, before: null, after: { buyer: 'Lab', usd: 0, traces: 0 } },
      ])
      expect(await listAdded(sell)).toEqual([])
      const campaign = {
        id: '019a0000-0000-7000-8000-cccccccccccc',
        name: 'Autumn',
        brandName: 'Acme',
        title: 'T',
        text: 'x',
        url: 'https://acme.example/',
        favicon: null,
        fingerprint: 'f',
        topics: [],
        cpmUsd: 5,
        price: 5000,
        budget: 1_500_000,
        dailyCap: null,
        startsAt: null,
        endsAt: null,
        createdAt: 1,
      }
      const add = () => store.ads.createCampaign({ campaign, audit: makeAuditContext() })
      expect(await listAdded(add)).toMatchObject([
        {
          action: 'campaign.create',
          target: campaign.id,
          before: null,
          after: { name: 'Autumn', brandName: 'Acme', url: 'https://acme.example/', cpmUsd: 5, budgetUsd: 1.5 },
        },
      ])
      expect(await listAdded(add)).toEqual([])
      const pause = () => store.ads.setCampaignStatus({ id: campaign.id, status: 'paused', audit: makeAuditContext() })
      expect(await listAdded(pause)).toMatchObject([
        { action: 'campaign.update', before: { status: 'active' }, after: { status: 'paused' } },
      ])
      expect(await listAdded(pause)).toEqual([])
      const setLink = (tokenHash: string | null) =>
        store.ads.setSponsorLink({ id: campaign.id, tokenHash, audit: makeAuditContext() })
      for (const [tokenHash, action] of [
        ['a', 'campaign.rotate_sponsor_link'],
        [null, 'campaign.revoke_sponsor_link'],
      ] as const)
        expect(await listAdded(() => setLink(tokenHash))).toMatchObject([
          { action, target: campaign.id, before: null, after: null },
        ])
      expect(await listAdded(() => setLink(null))).toEqual([])
      const { id: _, createdAt: __, ...details } = campaign
      const edit = () =>
        store.ads.replaceCampaign({
          id: campaign.id,
          details: { ...details, text: 'y', topics: ['ai'], budget: 2_500_000, startsAt: 1_700_000_000_123 },
          audit: makeAuditContext(),
        })
      expect(await listAdded(edit)).toMatchObject([
        {
          action: 'campaign.update',
          target: campaign.id,
          before: { text: 'x', topics: '[]', budgetUsd: 1.5, startsAt: null },
          after: { text: 'y', topics: '["ai"]', budgetUsd: 2.5, startsAt: '2023-11-14T22:13:20.123Z' },
        },
      ])
      expect(await listAdded(edit)).toEqual([])
    })

    test('setStatus of a report writes the change, and nothing when the status is the same', async () => {
      const id = '019a0000-0000-7000-8000-dddddddddddd'
      const report = { id, receiptId: id, similarityHash: 'm', body: '{}', evidence: [], maxEvidence: 1, createdAt: 1 }
      await store.reports.createReport({ report, keyLease: null, mail: null })
      const set = () => store.reports.setReportStatus({ id, status: 'spam', audit: makeAuditContext(3) })
      expect(await listAdded(set)).toMatchObject([
        { action: 'report.update', target: id, before: { status: 'open' }, after: { status: 'spam' } },
      ])
      expect(await listAdded(set)).toEqual([])
      expect(await set()).toMatchObject({ status: 'spam', changedAt: 3 })
    })

    test('mergeReports and separateReport write one entry each, and no entry if nothing changes', async () => {
      const ids = ['019a0000-0000-7000-8000-eeeeeeeeeee1', '019a0000-0000-7000-8000-eeeeeeeeeee2'] as const
      for (const id of ids) {
        const report = { id, receiptId: id, similarityHash: id, body: '{}', evidence: [], maxEvidence: 1, createdAt: 1 }
        await store.reports.createReport({ report, keyLease: null, mail: null })
      }
      const [id, into] = ids
      const merge = () => store.reports.mergeReports({ id, into, audit: makeAuditContext(3) })
      expect(await listAdded(merge)).toMatchObject([
        { action: 'report.merge', target: id, before: { duplicateOf: null }, after: { duplicateOf: into } },
      ])
      expect(await listAdded(merge)).toEqual([])
      const separateReport = () => store.reports.separateReport({ id, audit: makeAuditContext(4) })
      expect(await listAdded(separateReport)).toMatchObject([
        { action: 'report.separate', target: id, before: { duplicateOf: into }, after: { duplicateOf: null } },
      ])
      expect(await listAdded(separateReport)).toEqual([])
    })

    test('recordRead writes an entry for each read, which listEntries finds by its target and action', async () => {
      const target = '019a0000-0000-7000-8000-ffffffffffff'
      const read = (action: ReadAction) => () => store.audit.recordRead({ action, target, audit: makeAuditContext() })
      const entryOf = (action: ReadAction) => ({ action, target, before: null, after: null })
      expect(await listAdded(read('sample.read'))).toMatchObject([entryOf('sample.read')])
      expect(await listAdded(read('sample.read'))).toMatchObject([entryOf('sample.read')])
      await read('dataset.download')()
      const targets = [target]
      expect(await list({ targets })).toHaveLength(3)
      expect(await list({ targets, action: 'dataset.download' })).toMatchObject([entryOf('dataset.download')])
      expect(await list({ targets, actor: 'nobody' })).toEqual([])
    })

    test('recordRead with unlessSince does not write a second entry for data that the operator has read since then', async () => {
      const target = '019a0000-0000-7000-8000-fffffffffffe'
      const read = (at: number, unlessSince?: number, more: object = {}) =>
        store.audit.recordRead({
          action: 'dataset.download',
          target,
          audit: { ...makeAuditContext(at), ...more },
          ...(unlessSince === undefined ? {} : { unlessSince }),
        })
      const countEntries = async () => (await list({ targets: [target] })).length
      await read(100, 0)
      expect(await countEntries()).toBe(1)
      await read(150, 100)
      expect(await countEntries()).toBe(1)
      await read(201, 101)
      await read(202)
      await read(203, 0, { actor: 'another' })
      expect(await countEntries()).toBe(4)
    })

    test('notifyWaitlist writes the number of notified people', async () => {
      for (const id of ['ann', 'bob'])
        await store.policy.joinWaitlist({ ownerId: id, email: `${id}@example.com`, country: 'US', now: 1 })
      const mails = ['ann', 'bob', 'nobody'].map((userId, n) => ({
        userId,
        id: `019a0000-0000-7000-8000-eeeeeeeeeee${n}`,
      }))
      const notifyWaitlist = () =>
        store.policy.notifyWaitlist({ country: 'US', mails, subject: 's', text: 't', audit: makeAuditContext() })
      expect(await listAdded(notifyWaitlist)).toMatchObject([
        { action: 'waitlist.notify', target: 'US', before: null, after: { notified: 2 } },
      ])
      expect(await listAdded(notifyWaitlist)).toEqual([])
    })

    test('removeFromWaitlist writes one entry with the country, even if it is repeated', async () => {
      await store.policy.joinWaitlist({ ownerId: 'ann', email: 'ann@example.com', country: 'FR', now: 1 })
      const remove = () => store.policy.removeFromWaitlist({ ownerId: 'ann', audit: makeAuditContext() })
      expect(await listAdded(remove)).toMatchObject([
        { action: 'waitlist.remove', target: 'ann', before: { country: 'FR' }, after: null },
      ])
      expect(await listAdded(remove)).toEqual([])
    })

    test('retryJob writes one entry when it queues a failed job again', async () => {
      const id = '019a0000-0000-7000-8000-ffffffffffff'
      await store.ingest.enqueueJob({ ownerId: 'ann', id, source: 's', total: 1, parts: 1, bytes: 1, enqueuedAt: 1 })
      const claim = await store.ingest.claimJob({ lease: 'lease', now: 2, leaseUntil: 100, jobId: id })
      await store.ingest.failJob({ claim: claim!, message: 'broken', usdPerMillionTokens: 1, now: 3 })
      const retry = () => store.ingest.retryJob({ jobId: id, failedSince: 0, audit: makeAuditContext(4) })
      expect(await listAdded(retry)).toMatchObject([
        { action: 'job.retry', target: id, before: { status: 'failed' }, after: { status: 'queued' } },
      ])
      expect(await listAdded(retry)).toEqual([])
    })

    test('startOperatorSession and endOperatorSession write the sign-in and the sign-out', async () => {
      const hash = 'c0ffee'.padEnd(64, '0')
      expect(
        await listAdded(() => store.auth.startOperatorSession({ hash, expiresAt: 100, audit: makeAuditContext(1) })),
      ).toMatchObject([{ action: 'operator.sign_in', actor: 'jane', target: 'jane', before: null, after: null }])
      const endSession = () => other.auth.endOperatorSession({ hash, audit: makeAuditContext(2) })
      expect(await listAdded(endSession)).toMatchObject([
        { action: 'operator.sign_out', actor: 'jane', target: 'jane' },
      ])
      expect(await listAdded(endSession)).toEqual([])
    })

    test('addPasskey, usePasskey and removePasskey write their changes', async () => {
      const [sessionHash, nextSessionHash] = ['facade'.padEnd(64, '0'), 'decade'.padEnd(64, '0')]
      await store.auth.startOperatorSession({ hash: sessionHash, expiresAt: 100, audit: makeAuditContext(1) })
      const id = '019a0000-0000-7000-8000-eeeeeeeeeeee'
      const passkey = {
        id,
        operator: 'jane',
        credentialId: 'audited',
        publicKey: 'pQEC',
        counter: 0,
        transports: [],
        rpId: 'example.com',
        label: 'Key',
      }
      const add = () => store.auth.addPasskey({ passkey, sessionHash, limit: 1, audit: makeAuditContext(2) })
      const use = () =>
        other.auth.usePasskey({ id, counter: 1, sessionHash, nextSessionHash, audit: makeAuditContext(3) })
      const remove = () =>
        other.auth.removePasskey({ id, operator: null, sessionHash: nextSessionHash, audit: makeAuditContext(4) })
      const state = { id, label: 'Key' }
      for (const [run, action, before, after] of [
        [add, 'operator.add_passkey', null, state],
        [use, 'operator.use_passkey', null, state],
        [remove, 'operator.remove_passkey', state, null],
      ] as const) {
        expect(await listAdded(run)).toMatchObject([{ action, actor: 'jane', target: 'jane', before, after }])
        expect(await listAdded(run)).toEqual([])
      }
    })

    test('listEntries returns entries newest first, page by page, by actor and by action', async () => {
      for (const [n, actor] of ['kim', 'lee', 'kim'].entries()) {
        await store.contributors.setOperatorPause({
          userId: 'ann',
          paused: n % 2 === 0,
          audit: makeAuditContext(n, { actor, address: null }),
        })
      }
      expect((await list({ actor: 'kim' })).map(({ at, address }) => [at, address])).toEqual([
        [2, null],
        [0, null],
      ])
      expect(await list({ actor: 'kim', action: 'contributor.pause' })).toHaveLength(2)
      expect(await list({ actor: 'kim', action: 'sale.record' })).toEqual([])
      expect(await list({ action: 'sale.record' })).toHaveLength(1)
      const [newest] = await list()
      expect(await list({ targets: [newest!.target, 'nothing'] })).toContainEqual(newest)
      expect(await list({ targets: [] })).toEqual([])
      const all = await list()
      const first = await store.audit.listEntries({ cursor: null, limit: 2, actor: null, action: null })
      const second = await store.audit.listEntries({ cursor: first.next, limit: 100, actor: null, action: null })
      expect([...first.items, ...second.items]).toEqual(all)
      expect(second.next).toBeNull()
      const whole = await store.audit.listEntries({ cursor: null, limit: all.length, actor: null, action: null })
      expect(whole.next).toBeNull()
    })

    test('listEntries and findStatusChange find an entry among 300 newer ones', async () => {
      const pause = (userId: string, n: number, paused: boolean, changes: object = {}) =>
        store.contributors.setOperatorPause({ userId, paused, audit: makeAuditContext(n, changes) })
      await place.person('zed')
      await pause('zed', 1, true, { actor: 'zoe', requestId: 'request-zoe', address: '192.0.2.77' })
      for (let n = 0; n < newerRows; n++) await pause('ann', n + 2, n % 2 === 0)
      const [first] = await list({ targets: ['zed'] })
      const all = (await other.audit.listEntries({ cursor: null, limit: 999, order: 'asc' })).items
      expect(all.length).toBeGreaterThanOrEqual(newerRows)
      await expectExactList({
        list: (params) => other.audit.listEntries(params),
        idOf: ({ id }) => id,
        ids: all.map(({ id }) => id),
        sorts: { at: null, actor: ({ actor }) => actor, action: ({ action }) => action },
        found: [
          [first!.id, [first!.id]],
          ['request-zoe', [first!.id]],
          ['ZOE 192.0.2.77', [first!.id]],
          ['zoe elsewhere', []],
        ],
      })
      const change = { action: 'contributor.pause', target: 'zed', status: 'disabled' } as const
      expect(await other.audit.findStatusChange(change)).toBeNull()
    })

    test('completeErasure replaces only the id of the erased person, and deletes the counters of their calls', async () => {
      await place.person('cat')
      for (const userId of ['ann', 'cat'])
        await store.contributors.setOperatorPause({ userId, paused: true, audit: makeAuditContext() })
      const consume = (id: string, host = store) =>
        host.limiter.consume({ key: `person:${id}`, rate: { limit: 1, windowMs: 60_000 }, now: 5 })
      for (const id of ['ann', 'cat']) await consume(id)
      const [ofAnn, [ofCat]] = [await list({ targets: ['ann'] }), await list({ targets: ['cat'] })]
      await store.account.startErasure({ ownerId: 'cat', id: 'job', now: 5 })
      const job = await store.account.claimJob({ lease: 'lease', now: 5, until: 10 })
      await store.account.completeErasure({ job: job! })
      expect(await list({ targets: ['cat'] })).toEqual([])
      expect(await list({ targets: ['erased-job'] })).toEqual([{ ...ofCat, target: 'erased-job' }])
      expect(await list({ targets: ['ann'] })).toEqual(ofAnn)
      expect([(await consume('cat', other)).allowed, (await consume('ann', other)).allowed]).toEqual([true, false])
    })

    test('entries cannot be changed, and only the oldest can be deleted', async () => {
      const before = await list()
      for (const attempt of place.tamper ?? [])
        await expect(attempt(before[0]!.id)).rejects.toThrow(/entry of the audit can/)
      expect(await list()).toEqual(before)
    })

    test('deleteEntries deletes the oldest entries up to the first that is recent enough', async () => {
      // Entries that were written later in this file have smaller times. They follow an entry that is kept, so they are
      // also kept.
      const all = [...(await list())].reverse()
      const stays = all.findIndex(({ at }) => at >= 5)
      expect(await store.audit.deleteEntries({ before: 5 })).toBe(false)
      expect([...(await list())].reverse()).toEqual(all.slice(stays))
      await store.audit.deleteEntries({ before: 1_000_000 })
      expect(await list()).toEqual([])
    })
  })
}
