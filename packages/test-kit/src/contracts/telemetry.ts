import type { NewFeedback, NewTelemetry, OutboxEntry, OutboxStore, TelemetryStore } from '@tributary/core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeId } from '../fixtures/seed.ts'
import { atRealTimes } from './real-times.ts'

interface Host {
  readonly telemetry: TelemetryStore
  readonly outbox: OutboxStore
}

/** The stores of two hosts over the same empty database; `person` creates a user. */
export interface TelemetryPlace {
  readonly stores: readonly [Host, Host]
  person(id: string): Promise<void>
  close?(): Promise<void>
}

let made = 0

/** Makes a telemetry report that differs from every other. */
export function makeTelemetryReport(changes: Partial<NewTelemetry> = {}): NewTelemetry {
  return {
    id: makeId('c', ++made),
    deviceId: `device-${made}`,
    cliVersion: '1.2.3',
    platform: 'linux',
    arch: 'x64',
    command: 'sync',
    sentAt: '2026-11-20',
    diagnostics: [{ adapter: 'claude', totalEntries: made, emptyParse: false, unhandledTypes: ['a', 'å'] }],
    events: [{ name: 'start', properties: { nested: { n: 1.5 }, quote: '"' } }],
    receivedAt: 100 + made,
    ...changes,
  }
}

function makeFeedback(changes: Partial<NewFeedback> = {}): NewFeedback {
  return {
    id: makeId('d', ++made),
    message: `message ${made}\n"Åse" 😀`,
    email: null,
    cliVersion: null,
    platform: 'darwin',
    arch: null,
    deviceId: null,
    command: null,
    receivedAt: 100 + made,
    ...changes,
  }
}

const makeEntry = (id: string, channel: 'mail' | 'telemetry'): OutboxEntry => ({
  id,
  channel,
  recipient: channel === 'mail' ? 'desk@example.com' : '',
  subject: 's',
  payload: 'p',
  createdAt: 100,
})

/** Runs the contract tests of `TelemetryStore`; another user's records stay untouched by each test. */
export function runTelemetryStoreContract(name: string, open: () => Promise<TelemetryPlace>): void {
  describe(`TelemetryStore in ${name}`, () => {
    let place: TelemetryPlace
    let store: TelemetryStore
    let other: TelemetryStore
    let outbox: OutboxStore
    const strangers = { report: makeTelemetryReport(), feedback: makeFeedback({ email: 'bo@example.com' }) }
    beforeEach(async () => {
      place = atRealTimes(await open())
      store = place.stores[0].telemetry
      other = place.stores[1].telemetry
      outbox = place.stores[1].outbox
      for (const id of ['ann', 'bob']) await place.person(id)
      await store.recordReport({
        ownerId: 'bob',
        report: strangers.report,
        forward: makeEntry(strangers.report.id, 'telemetry'),
      })
      await store.recordFeedback({
        ownerId: 'bob',
        feedback: strangers.feedback,
        mail: makeEntry(strangers.feedback.id, 'mail'),
      })
    })
    afterEach(async () => {
      expect(await other.export({ ownerId: 'bob' })).toEqual({
        reports: [strangers.report],
        feedback: [strangers.feedback],
      })
      expect(await listQueued()).toEqual(expect.arrayContaining([strangers.report.id, strangers.feedback.id]))
      await place.close?.()
    })
    const listQueued = async (): Promise<string[]> =>
      (await outbox.list({ status: null, cursor: null, limit: 200 })).map(({ id }) => id)

    test('recordReport stores a report with its outbox entry', async () => {
      const [full, empty] = [
        makeTelemetryReport(),
        makeTelemetryReport({
          cliVersion: null,
          platform: null,
          arch: null,
          command: null,
          sentAt: null,
          diagnostics: [],
          events: [],
        }),
      ]
      expect(await store.recordReport({ ownerId: 'ann', report: full, forward: makeEntry(full.id, 'telemetry') })).toBe(
        true,
      )
      expect(await store.recordReport({ ownerId: 'ann', report: empty, forward: null })).toBe(true)
      expect(await other.export({ ownerId: 'ann' })).toEqual({ reports: [full, empty], feedback: [] })
      expect(await listQueued()).toContain(full.id)
      expect(await listQueued()).not.toContain(empty.id)
    })

    test('findReports returns the existing reports ordered by id', async () => {
      const [first, second] = [makeTelemetryReport(), makeTelemetryReport()]
      await store.recordReport({ ownerId: 'ann', report: second, forward: null })
      await store.recordReport({ ownerId: 'ann', report: first, forward: null })
      expect(await other.findReports({ ids: [second.id, makeId('c', 999_999), first.id] })).toEqual([first, second])
      expect(await other.findReports({ ids: [] })).toEqual([])
    })

    test('deleteReports deletes reports received before a time, not newer ones or feedback', async () => {
      const [old, fresh] = [makeTelemetryReport({ receivedAt: 10 }), makeTelemetryReport({ receivedAt: 20 })]
      const feedback = makeFeedback({ receivedAt: 1 })
      await store.recordReport({ ownerId: 'ann', report: old, forward: null })
      await store.recordReport({ ownerId: 'ann', report: fresh, forward: null })
      await store.recordFeedback({ ownerId: 'ann', feedback: feedback, mail: null })
      expect(await store.deleteReports({ before: 20 })).toBe(false)
      expect(await other.export({ ownerId: 'ann' })).toEqual({ reports: [fresh], feedback: [feedback] })
    })

    test('deleteFeedback deletes feedback received before a time, not newer feedback or reports', async () => {
      const [old, fresh] = [makeFeedback({ receivedAt: 10 }), makeFeedback({ receivedAt: 20 })]
      const report = makeTelemetryReport({ receivedAt: 1 })
      for (const one of [old, fresh]) await store.recordFeedback({ ownerId: 'ann', feedback: one, mail: null })
      await store.recordReport({ ownerId: 'ann', report: report, forward: null })
      expect(await store.deleteFeedback({ before: 20 })).toBe(false)
      expect(await other.export({ ownerId: 'ann' })).toEqual({ reports: [report], feedback: [fresh] })
    })

    test('recordFeedback stores feedback with its mail, and listFeedback returns it newest first in pages', async () => {
      const all = [
        makeFeedback({ deviceId: 'd', command: 'x', email: 'ann@example.com' }),
        makeFeedback(),
        makeFeedback(),
      ]
      for (const one of all)
        expect(
          await store.recordFeedback({
            ownerId: 'ann',
            feedback: one,
            mail: one === all[0] ? makeEntry(one.id, 'mail') : null,
          }),
        ).toBe(true)
      expect(await listQueued()).toContain(all[0]!.id)
      const page = await other.listFeedback({ cursor: null, limit: 2 })
      expect(page.items).toEqual([
        { ...all[2], userId: 'ann' },
        { ...all[1], userId: 'ann' },
      ])
      const rest = await other.listFeedback({ cursor: page.next, limit: 2 })
      expect(rest).toEqual({
        items: [
          { ...all[0], userId: 'ann' },
          { ...strangers.feedback, userId: 'bob' },
        ],
        next: null,
      })
    })

    test('recordFeedback stores and mails nothing for an id that exists', async () => {
      const feedback = makeFeedback()
      for (const one of [store, other])
        expect(
          await one.recordFeedback({ ownerId: 'ann', feedback: feedback, mail: makeEntry(feedback.id, 'mail') }),
        ).toBe(true)
      expect((await store.export({ ownerId: 'ann' })).feedback).toEqual([feedback])
      expect((await listQueued()).filter((id) => id === feedback.id)).toHaveLength(1)
    })

    test('recordReport and recordFeedback return false for an unknown user and write nothing', async () => {
      const [report, feedback] = [makeTelemetryReport(), makeFeedback()]
      const before = await listQueued()
      expect(
        await store.recordReport({ ownerId: 'nobody', report: report, forward: makeEntry(report.id, 'telemetry') }),
      ).toBe(false)
      expect(
        await store.recordFeedback({ ownerId: 'nobody', feedback: feedback, mail: makeEntry(feedback.id, 'mail') }),
      ).toBe(false)
      expect(await listQueued()).toEqual(before)
      expect(await store.findReports({ ids: [report.id] })).toEqual([])
    })

    test('erase deletes all data and outbox entries of a user and can be repeated', async () => {
      const [report, feedback] = [makeTelemetryReport(), makeFeedback()]
      await store.recordReport({ ownerId: 'ann', report: report, forward: makeEntry(report.id, 'telemetry') })
      await store.recordFeedback({ ownerId: 'ann', feedback: feedback, mail: makeEntry(feedback.id, 'mail') })
      await store.erase({ ownerId: 'ann' })
      await other.erase({ ownerId: 'ann' })
      expect(await store.export({ ownerId: 'ann' })).toEqual({ reports: [], feedback: [] })
      expect((await store.listFeedback({ cursor: null, limit: 10 })).items.map(({ userId }) => userId)).toEqual(['bob'])
      expect((await listQueued()).toSorted()).toEqual([strangers.report.id, strangers.feedback.id].toSorted())
    })
  })
}
