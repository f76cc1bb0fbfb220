import type { NewFeedback, NewTelemetry, OutboxEntry, OutboxStore, TelemetryStore } from '@tributary/core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { madeId } from '../fixtures/seed.ts'

interface Host {
  readonly telemetry: TelemetryStore
  readonly outbox: OutboxStore
}

/** Two hosts on one fresh place, and how a person comes to be. */
export interface TelemetryPlace {
  readonly stores: readonly [Host, Host]
  person(id: string): Promise<void>
  close?(): Promise<void>
}

let made = 0

/** A telemetry report of which no two are the same. */
export function makeTelemetryReport(changes: Partial<NewTelemetry> = {}): NewTelemetry {
  return {
    id: madeId('c', ++made),
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

function madeFeedback(changes: Partial<NewFeedback> = {}): NewFeedback {
  return {
    id: madeId('d', ++made),
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

const entryFor = (id: string, channel: 'mail' | 'telemetry'): OutboxEntry => ({
  id,
  channel,
  recipient: channel === 'mail' ? 'desk@example.com' : '',
  subject: 's',
  payload: 'p',
  createdAt: 100,
})

/** The laws of the telemetry store: call it in a test file with what opens a fresh place. Beside each record stands a stranger's. */
export function runTelemetryStoreContract(name: string, open: () => Promise<TelemetryPlace>): void {
  describe(`telemetry in ${name}`, () => {
    let place: TelemetryPlace
    let store: TelemetryStore
    let other: TelemetryStore
    let outbox: OutboxStore
    const strangers = { report: makeTelemetryReport(), feedback: madeFeedback({ email: 'bo@example.com' }) }
    beforeEach(async () => {
      place = await open()
      store = place.stores[0].telemetry
      other = place.stores[1].telemetry
      outbox = place.stores[1].outbox
      for (const id of ['ann', 'bob']) await place.person(id)
      await store.recordReport({
        ownerId: 'bob',
        report: strangers.report,
        forward: entryFor(strangers.report.id, 'telemetry'),
      })
      await store.recordFeedback({
        ownerId: 'bob',
        feedback: strangers.feedback,
        mail: entryFor(strangers.feedback.id, 'mail'),
      })
    })
    afterEach(async () => {
      expect(await other.export('bob')).toEqual({ reports: [strangers.report], feedback: [strangers.feedback] })
      expect(await queued()).toEqual(expect.arrayContaining([strangers.report.id, strangers.feedback.id]))
      await place.close?.()
    })
    const queued = async (): Promise<string[]> =>
      (await outbox.list({ status: null, cursor: null, limit: 200 })).map(({ id }) => id)

    test('a report is kept as written, with what tells the sink of it', async () => {
      const [told, quiet] = [
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
      expect(await store.recordReport({ ownerId: 'ann', report: told, forward: entryFor(told.id, 'telemetry') })).toBe(
        true,
      )
      expect(await store.recordReport({ ownerId: 'ann', report: quiet, forward: null })).toBe(true)
      expect(await other.export('ann')).toEqual({ reports: [told, quiet], feedback: [] })
      expect(await queued()).toContain(told.id)
      expect(await queued()).not.toContain(quiet.id)
    })

    test('reports are read by id, in the order of their ids, those that are there', async () => {
      const [first, second] = [makeTelemetryReport(), makeTelemetryReport()]
      await store.recordReport({ ownerId: 'ann', report: second, forward: null })
      await store.recordReport({ ownerId: 'ann', report: first, forward: null })
      expect(await other.findReports({ ids: [second.id, madeId('c', 999_999), first.id] })).toEqual([first, second])
      expect(await other.findReports({ ids: [] })).toEqual([])
    })

    test('old reports are forgotten, newer ones and feedback stay', async () => {
      const [old, fresh] = [makeTelemetryReport({ receivedAt: 10 }), makeTelemetryReport({ receivedAt: 20 })]
      const feedback = madeFeedback({ receivedAt: 1 })
      await store.recordReport({ ownerId: 'ann', report: old, forward: null })
      await store.recordReport({ ownerId: 'ann', report: fresh, forward: null })
      await store.recordFeedback({ ownerId: 'ann', feedback: feedback, mail: null })
      expect(await store.deleteReports({ before: 20 })).toBe(false)
      expect(await other.export('ann')).toEqual({ reports: [fresh], feedback: [feedback] })
    })

    test('deleteFeedback deletes what was received before a time; newer feedback and reports stay', async () => {
      const [old, fresh] = [madeFeedback({ receivedAt: 10 }), madeFeedback({ receivedAt: 20 })]
      const report = makeTelemetryReport({ receivedAt: 1 })
      for (const one of [old, fresh]) await store.recordFeedback({ ownerId: 'ann', feedback: one, mail: null })
      await store.recordReport({ ownerId: 'ann', report: report, forward: null })
      expect(await store.deleteFeedback({ before: 20 })).toBe(false)
      expect(await other.export('ann')).toEqual({ reports: [report], feedback: [fresh] })
    })

    test('feedback is kept with its mail, and listed newest first, page by page', async () => {
      const all = [
        madeFeedback({ deviceId: 'd', command: 'x', email: 'ann@example.com' }),
        madeFeedback(),
        madeFeedback(),
      ]
      for (const one of all)
        expect(
          await store.recordFeedback({
            ownerId: 'ann',
            feedback: one,
            mail: one === all[0] ? entryFor(one.id, 'mail') : null,
          }),
        ).toBe(true)
      expect(await queued()).toContain(all[0]!.id)
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

    test('keepFeedback with an id that is there already keeps nothing more and mails nothing more', async () => {
      const feedback = madeFeedback()
      for (const one of [store, other])
        expect(
          await one.recordFeedback({ ownerId: 'ann', feedback: feedback, mail: entryFor(feedback.id, 'mail') }),
        ).toBe(true)
      expect((await store.export('ann')).feedback).toEqual([feedback])
      expect((await queued()).filter((id) => id === feedback.id)).toHaveLength(1)
    })

    test('somebody who is not there gets nothing written, and nothing goes out', async () => {
      const [report, feedback] = [makeTelemetryReport(), madeFeedback()]
      const before = await queued()
      expect(
        await store.recordReport({ ownerId: 'nobody', report: report, forward: entryFor(report.id, 'telemetry') }),
      ).toBe(false)
      expect(
        await store.recordFeedback({ ownerId: 'nobody', feedback: feedback, mail: entryFor(feedback.id, 'mail') }),
      ).toBe(false)
      expect(await queued()).toEqual(before)
      expect(await store.findReports({ ids: [report.id] })).toEqual([])
    })

    test('erasing leaves nothing of the person, not even what was still to go out, and may be asked again', async () => {
      const [report, feedback] = [makeTelemetryReport(), madeFeedback()]
      await store.recordReport({ ownerId: 'ann', report: report, forward: entryFor(report.id, 'telemetry') })
      await store.recordFeedback({ ownerId: 'ann', feedback: feedback, mail: entryFor(feedback.id, 'mail') })
      await store.erase('ann')
      await other.erase('ann')
      expect(await store.export('ann')).toEqual({ reports: [], feedback: [] })
      expect((await store.listFeedback({ cursor: null, limit: 10 })).items.map(({ userId }) => userId)).toEqual(['bob'])
      expect((await queued()).toSorted()).toEqual([strangers.report.id, strangers.feedback.id].toSorted())
    })
  })
}
