import type {
  AuditStore,
  NewFeedback,
  NewTelemetry,
  OutboxEntry,
  OutboxStore,
  TelemetryStore,
} from '@tributary/core/stores'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeId } from '../fixtures/seed.ts'
import { expectExactList, newerRows } from './lists.ts'
import { useRealTimes } from './real-times.ts'

interface Host {
  readonly telemetry: TelemetryStore
  readonly outbox: OutboxStore
  readonly audit: AuditStore
}

/** The stores of two hosts over one empty database. `person` creates a user with the address `<id>@example.com`. */
export interface TelemetryPlace {
  readonly stores: readonly [Host, Host]
  person(id: string): Promise<void>
  close?(): Promise<void>
}

let made = 0

/** Makes a telemetry report that differs from every other report. */
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

/** Runs the contract tests of `TelemetryStore`. Each test checks that the records of another user are unchanged. */
export function runTelemetryStoreContract(name: string, open: () => Promise<TelemetryPlace>): void {
  describe(`TelemetryStore in ${name}`, () => {
    let place: TelemetryPlace
    let store: TelemetryStore
    let other: TelemetryStore
    let outbox: OutboxStore
    const strangers = { report: makeTelemetryReport(), feedback: makeFeedback({ email: 'bo@example.com' }) }
    beforeEach(async () => {
      place = useRealTimes(await open())
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
      (await outbox.list({ cursor: null, limit: 200 })).items.map(({ id }) => id)

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

    test('deleteReports deletes reports received before a time, and keeps newer reports and feedback', async () => {
      const [old, fresh] = [makeTelemetryReport({ receivedAt: 10 }), makeTelemetryReport({ receivedAt: 20 })]
      const feedback = makeFeedback({ receivedAt: 1 })
      await store.recordReport({ ownerId: 'ann', report: old, forward: null })
      await store.recordReport({ ownerId: 'ann', report: fresh, forward: null })
      await store.recordFeedback({ ownerId: 'ann', feedback: feedback, mail: null })
      expect(await store.deleteReports({ before: 20 })).toBe(false)
      expect(await other.export({ ownerId: 'ann' })).toEqual({ reports: [fresh], feedback: [feedback] })
    })

    test('deleteFeedback deletes feedback received before a time, and keeps newer feedback and reports', async () => {
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
        { ...all[2], userId: 'ann', handledAt: null },
        { ...all[1], userId: 'ann', handledAt: null },
      ])
      const rest = await other.listFeedback({ cursor: page.next, limit: 2 })
      expect(rest).toEqual({
        items: [
          { ...all[0], userId: 'ann', handledAt: null },
          { ...strangers.feedback, userId: 'bob', handledAt: null },
        ],
        next: null,
      })
    })

    test('listFeedback searches, sorts and filters a message among 300 newer ones', async () => {
      const first = makeFeedback({ message: 'The Upload stops at 50 %_ of a file', email: 'Desk@example.com' })
      const newer = Array.from({ length: newerRows }, () => makeFeedback({ message: 'upload works' }))
      for (const feedback of [first, ...newer]) await store.recordFeedback({ ownerId: 'ann', feedback, mail: null })
      const ofBob = strangers.feedback.id
      await expectExactList({
        list: (params) => other.listFeedback(params),
        idOf: ({ id }) => id,
        ids: [ofBob, first.id, ...newer.map(({ id }) => id)],
        sorts: { receivedAt: null },
        found: [
          [first.id, [first.id]],
          [makeId('d', 999_999), []],
          ['bob@example.com', [ofBob]],
          ['desk@example.com', []],
          ['Desk@example.com', [first.id]],
          ['nobody@example.com', []],
          ['STOPS  %_', [first.id]],
          ['stops elsewhere', []],
        ],
      })
      const range = { cursor: null, limit: 9, from: first.receivedAt, to: first.receivedAt }
      expect((await other.listFeedback(range)).items.map(({ id }) => id)).toEqual([first.id])
    })

    test('handleFeedback marks a message once with an audit entry, and opens it again', async () => {
      const open = makeFeedback()
      await store.recordFeedback({ ownerId: 'ann', feedback: open, mail: null })
      const audit = (id: number, at: number) => ({
        id: makeId('e', id),
        actor: 'ops',
        requestId: 'r',
        address: null,
        at,
      })
      const handle = (handled: boolean, id: number) =>
        store.handleFeedback({ id: open.id, handled, audit: audit(id, id) })
      const list = async (handled: boolean) =>
        (await other.listFeedback({ handled, cursor: null, limit: 9 })).items.map(({ id }) => id)
      expect(await handle(true, 7)).toEqual({ ...open, userId: 'ann', handledAt: 7 })
      expect(await handle(true, 8)).toMatchObject({ handledAt: 7 })
      expect([await list(true), await list(false)]).toEqual([[open.id], [strangers.feedback.id]])
      expect(await handle(false, 9)).toMatchObject({ handledAt: null })
      expect(await list(true)).toEqual([])
      expect(await store.handleFeedback({ id: makeId('d', 999_999), handled: true, audit: audit(10, 10) })).toBeNull()
      const { items } = await place.stores[1].audit.listEntries({ cursor: null, limit: 9, actor: null, action: null })
      expect(items).toMatchObject([
        { action: 'feedback.handle', target: open.id, before: { handled: true }, after: { handled: false }, at: 9 },
        { action: 'feedback.handle', target: open.id, before: { handled: false }, after: { handled: true }, at: 7 },
      ])
    })

    test('recordFeedback stores nothing and sends no mail for an id that exists', async () => {
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
