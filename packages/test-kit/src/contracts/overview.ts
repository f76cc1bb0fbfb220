import type { Stores } from '@tributary/core'
import type { DailyCount, NewTrace, PreparedTrace } from '@tributary/core/stores'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeHash, makeId, makeTrace, makeSaleItems, makeSaleShares } from '../fixtures/seed.ts'
import { makeAuditContext, type AuditPlace } from './audit.ts'
import { makeCampaign, toCandidate, count, day, computeDay, serveAd, start } from './impressions.ts'
import { prepareTrace } from './ingest-fixture.ts'
import { makeAgentReport } from './reports-fixture.ts'
import { useRealTimes } from './real-times.ts'

const today = computeDay(start)

/** Registers the contract tests of the overview and of the store methods that add to its counts. */
export function runOverviewStoreContract(name: string, open: () => Promise<AuditPlace>): void {
  describe(`OverviewStore in ${name}`, () => {
    let place: AuditPlace
    let store: Stores
    let other: Stores
    beforeEach(async () => {
      place = useRealTimes(await open())
      ;[store, other] = place.stores
      for (const id of ['ann', 'bob']) await place.person(id)
    })
    afterEach(async () => place.close?.())

    /** Returns the counts of `fromDay` and of later days, as `{ name: count }` by day. */
    async function readCounts(fromDay = today): Promise<Record<number, Record<string, number>>> {
      const listed: readonly DailyCount[] = await other.overview.listDailyCounts({ fromDay })
      const days: Record<number, Record<string, number>> = {}
      for (const { day: number, name: counted, count: n } of listed) (days[number] ??= {})[counted] = n
      return days
    }
    const enqueue = (ownerId: string, n: number, enqueuedAt = start, total = 3) =>
      store.ingest.enqueueJob({
        ownerId,
        id: makeId(ownerId, n),
        source: 'mixed',
        total,
        parts: 1,
        bytes: 1,
        enqueuedAt,
      })
    const claim = async (now: number) => (await store.ingest.claimJob({ lease: 'one', now, leaseUntil: now + 1000 }))!
    const write = async (traces: PreparedTrace[], now: number) =>
      store.ingest.writeBatch({ claim: await claim(now), traces, now, leaseUntil: now + 1000 })
    const makeRedactedTrace = (
      n: number,
      redactions: Record<string, number>,
      changes: Partial<NewTrace> = {},
    ): NewTrace => makeTrace('overview', n, { redactions: JSON.stringify(redactions), tokenCount: 10 * n, ...changes })

    test('listDailyCounts returns nothing at first', async () => {
      expect(await store.overview.listDailyCounts({ fromDay: 0 })).toEqual([])
    })

    test('enqueueJob counts an upload on its UTC day, and withdrawJob subtracts it', async () => {
      await enqueue('ann', 1)
      await enqueue('bob', 2)
      await enqueue('bob', 3, start + day)
      expect(await readCounts()).toEqual({ [today]: { uploads: 2 }, [today + 1]: { uploads: 1 } })
      expect(await readCounts(today + 1)).toEqual({ [today + 1]: { uploads: 1 } })
      await other.ingest.withdrawJob({ ownerId: 'bob', jobId: makeId('bob', 3) })
      await other.ingest.withdrawJob({ ownerId: 'bob', jobId: makeId('bob', 3) })
      await other.ingest.withdrawJob({ ownerId: 'ann', jobId: makeId('bob', 2) })
      expect((await readCounts())[today + 1]?.['uploads'] ?? 0).toBe(0)
      expect((await readCounts())[today]).toEqual({ uploads: 2 })
      await store.ingest.claimJob({ lease: 'one', now: start, leaseUntil: start + 30_000, jobId: makeId('ann', 1) })
      await other.ingest.withdrawJob({ ownerId: 'ann', jobId: makeId('ann', 1) })
      expect((await readCounts())[today]).toEqual({ uploads: 2 })
    })

    test('enqueueJob counts no upload above the quota', async () => {
      await store.ingest.enqueueJob({
        ownerId: 'ann',
        id: makeId('ann', 1),
        source: 'mixed',
        total: 1,
        parts: 1,
        bytes: 10,
        enqueuedAt: start,
        maxWaitingBytes: 5,
      })
      expect(await readCounts()).toEqual({})
    })

    test('reportReplacement counts a report by rule on its UTC day, and each placeholder once', async () => {
      await enqueue('ann', 1)
      const reason = { category: 'person', rule: 'done-by', score: 1 }
      const trace = makeTrace('overview', 1, { replacements: JSON.stringify({ PERSON_1: reason, PERSON_2: reason }) })
      await write([prepareTrace(0, trace)], start)
      const report = (placeholder: string, now: number) =>
        other.traces.reportReplacement({ ownerId: 'ann', id: trace.id, placeholder, now })
      for (const placeholder of ['PERSON_1', 'PERSON_1', 'PERSON_2', 'PERSON_3']) await report(placeholder, start + day)
      expect((await readCounts())[today + 1]).toEqual({ 'wrongReplacements.done-by': 2 })
    })

    test('writeBatch counts stored and rejected traces, and the tokens and redactions of the stored traces', async () => {
      await enqueue('ann', 1)
      const refused: PreparedTrace = {
        kind: 'refused',
        index: 2,
        sourceId: 'x',
        contentHash: makeHash('x', 1),
        isRepeated: false,
      }
      const batch = [
        prepareTrace(0, makeRedactedTrace(1, { secret: 2, email: 1 })),
        prepareTrace(1, makeRedactedTrace(2, { secret: 1 })),
        refused,
      ]
      expect(await write(batch, start + 5)).toBe('written')
      expect((await readCounts())[today]).toEqual({
        'uploads': 1,
        'tracesStored': 2,
        'tracesRejected': 1,
        'tokens': 30,
        'redactions.secret': 3,
        'redactions.email': 1,
      })
      await enqueue('ann', 2, start + day, 1)
      await store.ingest.completeJob({ claim: await claim(start + 6), usdPerMillionTokens: 1, now: start + 6 })
      // The same content sent again is rejected, so its tokens and redactions are counted once.
      await write([prepareTrace(0, makeRedactedTrace(1, { secret: 2, email: 1 }))], start + day)
      expect((await readCounts())[today + 1]).toEqual({ uploads: 1, tracesRejected: 1 })
    })

    test('writeBatch counts nothing after it lost the lease', async () => {
      await enqueue('ann', 1, start, 1)
      const lost = await claim(start)
      await other.ingest.claimJob({ lease: 'two', now: start + day, leaseUntil: start + day + 1000 })
      const params = {
        claim: lost,
        traces: [prepareTrace(0, makeRedactedTrace(1, { secret: 1 }))],
        now: start,
        leaseUntil: start,
      }
      expect(await store.ingest.writeBatch(params)).toBe('lost')
      expect(await readCounts()).toEqual({ [today]: { uploads: 1 } })
    })

    test('recordSale counts the amount of a sale once, even if the call is repeated, and no amount if it sells nothing', async () => {
      await enqueue('ann', 1)
      const traces = [1, 2].map((n) => makeTrace('overview', n))
      await write(
        traces.map((trace, at) => prepareTrace(at, trace)),
        start,
      )
      const record = (one: Stores, n: number, usd: number, ids: readonly string[]) =>
        one.dataset.recordSale({
          sale: { id: makeId('sale', n), buyer: `Lab ${n}`, usd, soldAt: start },
          items: makeSaleItems(ids),
          shares: makeSaleShares(),
          audit: makeAuditContext(),
        })
      const [first, second] = traces.map(({ id }) => id) as [string, string]
      await Promise.all([store, other, store].map((one) => record(one, 1, 12.345678, [first])))
      await record(store, 2, 1, [first, second])
      await record(store, 3, 1000, [])
      await record(store, 3, 1000, [second])
      expect((await readCounts())[today]).toMatchObject({ salesMicros: 13_345_678 })
    })

    test('recordImpression counts an impression and its price once, and does not count other outcomes', async () => {
      await store.program.claimDevice({ ownerId: 'ann', deviceId: 'device-1', now: 0, maxDevices: null })
      await store.ads.createCampaign({ campaign: makeCampaign(1), audit: makeAuditContext() })
      const [paid] = await store.ads.listActiveCampaigns({ day: today })
      const id = await serveAd(store.ads, 1, start, toCandidate(paid!))
      await serveAd(store.ads, 2, start, toCandidate(paid!), 'device-2')
      expect((await count(store.ads, id, start + 1)).outcome).toBe('too_soon')
      await Promise.all(Array.from({ length: 5 }, (_, n) => count(n % 2 ? store.ads : other.ads, id, start + 2000)))
      expect((await count(other.ads, await serveAd(store.ads, 3), start + 2000)).outcome).toBe('counted')
      expect(await readCounts()).toEqual({ [today]: { impressions: 2, spendMicros: 20_000 } })
    })

    test('createReport counts reports and duplicates on the day they arrived', async () => {
      const report = makeAgentReport({ createdAt: start, similarityHash: 'same' })
      const again = makeAgentReport({ createdAt: start + day, similarityHash: 'same' })
      for (const one of [report, again]) await store.reports.createReport({ report: one, keyLease: null, mail: null })
      expect(await readCounts()).toEqual({ [today]: { reports: 1 }, [today + 1]: { reports: 1 } })
    })

    test('listDailyCounts keeps its counts after the counted data is erased', async () => {
      await enqueue('ann', 1)
      await store.ingest.eraseJobs({ ownerId: 'ann' })
      expect(await readCounts()).toEqual({ [today]: { uploads: 1 } })
    })

    test('countWaiting counts pending applications, failed jobs, open reports and feedback, and undelivered mails', async () => {
      const countWaiting = () => other.overview.countWaiting({ failedSince: start })
      expect(await countWaiting()).toEqual({
        applications: 0,
        failedJobs: 0,
        reports: 0,
        outbox: 0,
        payoutRequests: 0,
        removals: 0,
        feedback: 0,
      })
      const application = {
        id: makeId('application', 1),
        status: 'pending',
        companyName: 'Acme',
        incubatorBatch: null,
        website: 'https://a.example',
        directoryUrl: null,
        email: 'a@a.example',
        role: 'dev',
      } as const
      await store.contributors.submitApplication({ ownerId: 'ann', application, now: start })
      for (const [n, at] of [start - day, start].entries()) {
        await enqueue('ann', n, at)
        await store.ingest.failJob({ claim: await claim(at), message: 'broken', usdPerMillionTokens: 1, now: at })
      }
      const report = makeAgentReport({ createdAt: start, similarityHash: 'same' })
      const again = makeAgentReport({ createdAt: start, similarityHash: 'same' })
      for (const one of [report, again]) await store.reports.createReport({ report: one, keyLease: null, mail: null })
      const message = { email: null, cliVersion: null, platform: null, arch: null, deviceId: null, command: null }
      const feedback = { ...message, id: makeId('feedback', 1), message: 'Hello', receivedAt: start }
      await store.telemetry.recordFeedback({ ownerId: 'ann', feedback, mail: null })
      const mail = { channel: 'mail', recipient: 'a@a.example', subject: '', payload: '', createdAt: start } as const
      await store.outbox.enqueue({ ...mail, id: makeId('mail', 1) })
      const limits = { digestAfterMs: 1000, perHour: 10, maxDigestEntries: 10 }
      await store.outbox.claimMail({ lease: 'one', now: start, until: start + 1000, limits })
      await store.outbox.fail({ ids: [makeId('mail', 1)], lease: 'one', status: 'dead', error: 'refused', now: start })
      expect(await countWaiting()).toMatchObject({ applications: 1, failedJobs: 1, reports: 1, outbox: 1, feedback: 1 })
      await store.reports.setReportStatus({ id: report.id, status: 'resolved', audit: makeAuditContext() })
      await store.contributors.reviewApplication({
        id: application.id,
        status: 'approved',
        reason: null,
        mail: { subject: 's', text: 't' },
        audit: makeAuditContext(),
      })
      await store.telemetry.handleFeedback({ id: feedback.id, handled: true, audit: makeAuditContext() })
      expect(await countWaiting()).toMatchObject({ applications: 0, reports: 0, feedback: 0 })
    })

    test('listQueues returns the unfinished jobs and outbox entries of each queue with the time of the oldest', async () => {
      const listQueues = async () =>
        (await other.overview.listQueues()).toSorted((a, b) => (a.queue < b.queue ? -1 : 1))
      expect(await listQueues()).toEqual([])
      await enqueue('ann', 1, start + 2)
      await enqueue('bob', 2, start + 1, 1)
      const entry = { recipient: '', subject: '', payload: '{}' }
      await store.outbox.enqueue({ ...entry, channel: 'telemetry', id: makeId('entry', 1), createdAt: start + 4 })
      await store.outbox.enqueue({ ...entry, channel: 'telemetry', id: makeId('entry', 2), createdAt: start + 3 })
      await store.outbox.enqueue({ ...entry, channel: 'event', id: makeId('entry', 3), createdAt: start })
      const [claimed] = await store.outbox.claim({
        channel: 'telemetry',
        lease: 'one',
        now: start + 3,
        until: start + 1000,
        limit: 1,
      })
      const ingest = await claim(start + 5)
      expect(await listQueues()).toEqual([
        { queue: 'event', depth: 1, oldestAt: start },
        { queue: 'ingest', depth: 2, oldestAt: start + 1 },
        { queue: 'telemetry', depth: 2, oldestAt: start + 3 },
      ])
      await store.outbox.acknowledge({ lease: 'one', ids: [claimed!.id], now: start + 5 })
      await store.ingest.failJob({ claim: ingest, message: 'broken', usdPerMillionTokens: 1, now: start + 5 })
      expect((await listQueues()).map(({ queue, depth }) => [queue, depth])).toEqual([
        ['event', 1],
        ['ingest', 1],
        ['telemetry', 1],
      ])
    })
  })
}
